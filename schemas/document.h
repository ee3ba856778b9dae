#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "base/diagnostics.h"
#include "base/limits.h"
#include "schemas/datum.h"

/// Text to `Datum`. The only place that knows yaml-cpp; exceptions stop here.
namespace opledger {

/// Reads a file of at most `limit` bytes; one that ends in .gz is unpacked. Missing, unreadable, a directory, too large, binary: one error each.
std::shared_ptr<const SourceFile> read_source(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& asked_for_at = {},
                                              std::size_t limit = kMaxDocumentBytes);
/// The same for who looks at its characters, as `parse_document` does: they may be binary.
std::shared_ptr<SourceFile> read_unchecked(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& asked_for_at = {},
                                           std::size_t limit = kMaxDocumentBytes);

/// Parses one YAML (or JSON) document. Duplicate keys, keys that are no scalars, deep nesting, alias bombs, several documents
/// in one file and an empty document are errors. Where the rest can still be understood it is returned in spite of an error (of a
/// key that is there twice, the first), so that more mistakes can be found: ask `diagnostics.has_errors()` before using it.
/// Columns count characters, not bytes.
std::optional<Datum> parse_document(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
