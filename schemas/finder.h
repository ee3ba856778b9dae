#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"

/// Resolution of names to files, and access control between documents. Whoever wrote a document need not be the user, so
/// a document, a cell of a table or an index may name only regular files below its own folder and on the search path;
/// symbolic links are resolved first. The finder reads folders, never files; Library (library.h) loads the files that it
/// finds, and InputFile (input_file.h) opens them.
namespace opledger {

/// A request for a document.
struct DocumentRequest {
  std::string name;                   ///< Bare name or path, as written.
  std::vector<std::string> kinds;     ///< Accepted kinds, in the order in which their folders are searched.
  std::filesystem::path relative_to;  ///< Path of the requesting document; empty if the user requests it.
  bool in_own_folder = true;          ///< Look in the folder of the requesting document, too.
  bool outside_of_kinds = true;       ///< Look directly in the folders of the search path, outside of the folders of kinds, too.
};

/// Resolves names on a search path.
class Finder {
 public:
  /// Takes the folders of the search path in order; missing ones are skipped.
  explicit Finder(std::vector<std::filesystem::path> search_path);

  /// The result of a lookup. `path` is the first existing candidate; nothing if none exists or it is out of reach of
  /// the requesting document. `error` then has the reason, and `note` the searched folders. If the candidate was found
  /// under a former folder name, `note` reports the new name.
  struct Result {
    std::optional<std::filesystem::path> path;
    std::string error, note;
  };
  /// Finds the file of a document.
  Result find(const DocumentRequest& request) const;
  /// Finds a file that is no document, such as a table, by the path that the file `from` states.
  Result find_file(const std::string& name, const std::filesystem::path& from) const;

  /// Returns the names of all documents of a kind on the search path, sorted; reads all its folders.
  std::vector<std::string> names(std::string_view kind) const;
  /// Returns whether a file is below a folder of the search path.
  bool on_search_path(const std::filesystem::path& path) const;
  /// Returns `canonical_path`, memoized.
  const std::filesystem::path& canonical(const std::filesystem::path& path) const;
  const std::vector<std::filesystem::path>& search_path() const { return search_path_; }  ///< Folders in order.

 private:
  /// Visits the candidates in order until `takes` returns true; returns whether it did.
  bool each_candidate(const DocumentRequest& request, FunctionRef<bool(const std::string&)> takes) const;
  /// Returns a warning if a former folder name was used; else an empty text.
  std::string moved_note(const DocumentRequest& request, const std::string& path) const;
  /// Returns the reason why the file `from` may not name the file at `path`, which need not exist; empty without one, and
  /// for an empty `from`: the user may name any file. `name` is the name as written.
  std::string refusal(const std::string& name, const std::filesystem::path& path, const std::filesystem::path& from) const;
  /// Returns a suggestion for a name that was not found.
  std::string hint(const DocumentRequest& request) const;
  /// Returns whether a bare name is searched in the folder of the requesting document.
  bool in_own_folder(const DocumentRequest& request) const;

  std::vector<std::filesystem::path> search_path_;
  std::vector<std::string> existing_;                                     ///< Existing folders of the search path.
  std::vector<std::filesystem::path> canonical_;                          ///< Canonical paths of existing folders.
  mutable std::unordered_map<std::string, std::filesystem::path> known_;  ///< Canonical paths so far.
};

/// Returns whether a name of a document is a path: it has a folder or a suffix of documents.
bool is_path(const std::string& name);

/// Returns the absolute path without links and dots.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// Returns `a document of kind `x` or `y`` for messages.
std::string describe_kinds(const std::vector<std::string>& kinds);

}  // namespace opledger
