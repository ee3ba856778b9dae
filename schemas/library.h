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

/// Finds and loads documents. A document is named by a path (it contains a `/` or ends in .yaml, .yml or .json) or by a bare name, which
/// is looked for as NAME.yaml in the folder of its kind, then in the folder itself, of each place of the search path: the user's folder
/// first, the installed library last. A document that is not on the search path looks beside itself before that. A path without a file of that name
/// is tried on the search path too: `standard/memory` is accounting/standard/memory.yaml. A name never means the document that uses it, so that
/// blocks may be named like the operators they use. Each file is read, parsed and checked against the schema of its `kind` once; those of
/// the shipped library were when it was built (schemas/image.h).
namespace opledger {

/// Among the kinds that are asked for: documents that say no kind, such as those of other tools, will do.
inline constexpr const char* kNoKind = "";

/// A loaded document: its kind and name are known good, its schema has been checked.
struct Document {
  std::string kind;  ///< Empty: it says none. `ops`, `blocks`, `model`, `rules`, `system`, `execution`, `accounting`, `search`
  std::string name;
  std::filesystem::path path;  ///< Absolute and canonical.
  Datum root;
  bool shipped = false;  ///< Its text came with the program, and so was checked with it.
};

class Library {
 public:
  /// `search_path`: folders in order; those that do not exist are skipped. What the image doesn't have is parsed.
  explicit Library(std::vector<std::filesystem::path> search_path, const Image& image = shipped_image());

  /// Loads a document that must be of one of `kinds`. Null, with an error, if it can't be found, read or understood.
  /// A relative path is taken from `relative_to`, the file that names it, when that is given; else from the working folder. A document may
  /// name only what lies below its own folder or on the search path; what the user names (no `relative_to`) may lie anywhere.
  const Document* load(std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics, const Span& asked_for_at = {},
                       const std::filesystem::path& relative_to = {});

  /// A document that is in no file: `load` finds it under `name` before all others. What it names is looked for beside `path`. A name keeps the document that
  /// it was given first. Null, with errors, if the schema of its kind doesn't hold.
  const Document* provide(const std::string& name, const std::filesystem::path& path, Datum root, Diagnostics& diagnostics);

  /// The documents that `root` names under `key` (`uses`, `extends`: one name or a list), each after those it names itself: every document once,
  /// dependencies first, `root` last. A cycle is an error that shows it.
  std::vector<const Document*> closure(const Document& root, const std::vector<std::string>& keys, const std::vector<std::string>& kinds,
                                       Diagnostics& diagnostics);

  /// Names of all documents of a kind on the search path, sorted: for suggestions and listings.
  std::vector<std::string> names(std::string_view kind) const { return finder_.names(kind); }

  const std::vector<std::filesystem::path>& search_path() const { return finder_.search_path(); }
  std::size_t parsed() const { return parsed_; }  ///< Files that the image doesn't have.

 private:
  struct Loaded {
    std::optional<Document> document;  ///< Empty: tried and failed.
    Diagnostics messages;              ///< Given again to everyone who asks.
  };
  struct Walk;

  const Loaded* read(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& asked_for_at);
  void visit(const Document& document, Walk& walk);

  Finder finder_;
  const Image* image_;
  std::size_t parsed_ = 0;
  std::map<std::string, Loaded> loaded_;  ///< By canonical path.
  std::map<std::string, Document, std::less<>> provided_;
};

/// These folders, then the default ones. An error, with the word for them, of one that is not there.
std::vector<std::filesystem::path> search_path(const std::vector<std::string>& first, const char* word, Diagnostics& diagnostics);

/// OPLEDGER_PATH (colon-separated), then `opledger/` under the user's configuration folder, then the library that was installed or built with the program.
std::vector<std::filesystem::path> default_search_path();

}  // namespace opledger
