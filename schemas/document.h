#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "base/limits.h"
#include "schemas/datum.h"
#include "schemas/input_file.h"

/// Parsing of text to `Datum`: `read_source` or `read_unchecked`, then `parse_document`. Only this module depends on
/// yaml-cpp, and exceptions end here.
namespace opledger {

/// Reads a file of at most `limit` bytes; files ending in .gz are unpacked. Reports one error, at the reference to the
/// file (`requested_at`), and returns null, if the file is missing, unreadable, a directory, too large or binary. A file
/// that a document names is read by `Library::read_named` instead.
std::shared_ptr<const SourceFile> read_source(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& requested_at = {},
                                              std::size_t limit = kMaxDocumentBytes, NamedBy by = NamedBy::user);
/// Reads a file without checking its characters, for callers such as `parse_document` that check them.
std::shared_ptr<SourceFile> read_unchecked(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& requested_at = {},
                                           std::size_t limit = kMaxDocumentBytes, NamedBy by = NamedBy::user);

/// Parses one YAML or JSON document. Duplicate keys, non-scalar keys, deep nesting, alias bombs, several documents and
/// an empty document are errors. After an error, the remaining tree is still returned if possible, so that more
/// mistakes can be found. Check `diagnostics.has_errors()` before using it. The first of duplicate keys is kept.
/// Columns count characters, not bytes.
std::optional<Datum> parse_document(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
