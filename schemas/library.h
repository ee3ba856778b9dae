#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "schemas/datum.h"
#include "schemas/finder.h"
#include "schemas/image.h"
#include "schemas/input_file.h"

/// Finding and loading of documents. A document is named by a path (contains `/` or ends in .yaml, .yml or .json) or by
/// a bare name. A bare name is searched as NAME.yaml, NAME.yml and NAME.json in each folder of the search path, first
/// in the subfolder of its kind. The search path has user folders first and the installed library last. A document
/// outside the search path searches its own folder first. A path without a file is also searched on the search path:
/// `standard/memory` finds accounting/standard/memory.yaml. A bare name never denotes the document that uses it, so
/// blocks may share names with operators. Each file is read, parsed and validated once; files of the shipped library
/// were validated at build time (schemas/image.h).
namespace opledger {

/// Element of a list of kinds that also accepts documents without a kind, such as those of other tools.
inline constexpr const char* kNoKind = "";

/// A loaded and validated document.
struct Document {
  std::string kind;            ///< Empty if the document states none; else a name in schemas/kinds.h.
  std::string name;            ///< The `name` that the document states; else its file name without suffix.
  std::filesystem::path path;  ///< Absolute and canonical path; of a provided document, a path that no file has.
  Datum root;                  ///< The whole document, a mapping.
  bool shipped = false;        ///< True if the text came with the program and was validated at build time.
};

/// A cache of loaded documents over a search path. Returned documents belong to the library and stay at their addresses
/// as long as it lives.
class Library {
 public:
  /// `search_path`: folders in order; missing folders are skipped. Documents outside the image are parsed.
  explicit Library(std::vector<std::filesystem::path> search_path, const Image& image = shipped_image());

  /// Loads a document of one of `kinds`. Null, with an error, if it can't be found, read or parsed, violates its
  /// schema, or is of another kind. A relative path is resolved from the requesting file `relative_to`, or from the
  /// working folder. A document may only name files below its own folder or on the search path; the user (no
  /// `relative_to`) may name any file.
  const Document* load(std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics, const Span& requested_at = {},
                       const std::filesystem::path& relative_to = {});

  /// Loads the document that a value names, relative to the file in which the value is written (SourceFile::origin). The
  /// user's own words, such as those of the command line, may name any file. A value without a position, which the program
  /// made, is relative to its document `made_for`.
  const Document* load(const Datum& name, const std::vector<std::string>& kinds, Diagnostics& diagnostics, const std::filesystem::path& made_for = {}) {
    return load(name.text(), kinds, diagnostics, name.span(), name.span().known() ? std::filesystem::path(origin_of(name.span())) : made_for);
  }

  /// Reads a file that a document names and that is no document, such as a table. Returns null, with an error at the
  /// name, if the file is missing or out of reach.
  std::shared_ptr<const SourceFile> read_named(const Datum& name, Diagnostics& diagnostics) const;

  /// Adds a document without a file, which `load` finds under `name` before all others. Names in it are resolved
  /// relative to `path`. If the name is already provided, returns the existing document. Null, with errors, if the
  /// document states an unknown kind or violates its schema.
  const Document* provide(const std::string& name, const std::filesystem::path& path, Datum root, Diagnostics& diagnostics);

  /// Returns whether a document has no file, because `provide` added it.
  bool provides(const Document& document) const;

  /// Returns the documents that `root` names under `keys` (`uses`, `extends`: one name or a list), transitively: each
  /// once, dependencies first, `root` last. Reports cycles.
  std::vector<const Document*> closure(const Document& root, const std::vector<std::string>& keys, const std::vector<std::string>& kinds,
                                       Diagnostics& diagnostics);

  /// Returns the names of all documents of a kind on the search path, sorted.
  std::vector<std::string> names(std::string_view kind) const { return finder_.names(kind); }

  const std::vector<std::filesystem::path>& search_path() const { return finder_.search_path(); }  ///< Folders in order.
  std::size_t parsed() const { return parsed_; }  ///< Number of files that the image lacks, parsed or not readable.

 private:
  /// A file after an attempt to load it.
  struct LoadedFile {
    std::optional<Document> document;  ///< Empty if loading failed.
    Diagnostics messages;              ///< Reported again on each request.
  };
  struct Traversal;

  /// Returns the result of loading a file, loading it on first use.
  const LoadedFile& read(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& requested_at, NamedBy by);
  /// Adds a document and its dependencies to a traversal.
  void visit(const Document& document, Traversal& traversal);

  Finder finder_;
  const Image* image_;
  std::size_t parsed_ = 0;                                 ///< Number of loaded files that the image lacks.
  std::map<std::string, LoadedFile> loaded_;               ///< Files by canonical path.
  std::map<std::string, Document, std::less<>> provided_;  ///< Documents without a file, by name.
};

/// Returns the folders `first`, then the default ones. Reports a missing folder with the option name `word`.
std::vector<std::filesystem::path> search_path(const std::vector<std::string>& first, const char* word, Diagnostics& diagnostics);

/// Returns OPLEDGER_PATH (colon-separated), then `opledger/` in the user's configuration folder, then the shipped
/// library.
std::vector<std::filesystem::path> default_search_path();

}  // namespace opledger
