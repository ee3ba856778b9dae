#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"

/// Resolution of document names to files, and access control between documents. The finder reads folders, never files.
namespace opledger {

/// A request for a document. `relative_to` is the requesting document; empty if the user requests it.
struct DocumentRequest {
  std::string name;
  std::vector<std::string> kinds;
  std::filesystem::path relative_to;
};

/// Resolves names on a search path.
class Finder {
 public:
  explicit Finder(std::vector<std::filesystem::path> search_path);

  /// The result of a lookup: the first existing candidate. If none exists, or the candidate is out of reach of the
  /// requesting document, `error` has the reason and `note` the searched folders. If the candidate was found under a
  /// former folder name, `note` reports the new name.
  struct Result {
    std::optional<std::filesystem::path> path;
    std::string error, note;
  };
  Result find(const DocumentRequest& request) const;

  std::vector<std::string> names(std::string_view kind) const;
  bool on_search_path(const std::filesystem::path& path) const;
  /// Returns `canonical_path`, memoized.
  const std::filesystem::path& canonical(const std::filesystem::path& path) const;
  const std::vector<std::filesystem::path>& search_path() const { return search_path_; }

 private:
  /// Visits the candidates in order until `takes` returns true; returns whether it did.
  bool each_candidate(const DocumentRequest& request, FunctionRef<bool(const std::string&)> takes) const;
  std::string moved_note(const DocumentRequest& request, const std::string& path) const;
  /// Returns whether a document at `from` may name the file `canonical`; both paths are canonical. Empty `from`: the
  /// user, who may name any file.
  bool may_reach(const std::filesystem::path& canonical, const std::filesystem::path& from) const;
  std::string hint(const DocumentRequest& request) const;

  std::vector<std::filesystem::path> search_path_;
  std::vector<std::string> existing_;             ///< Existing folders of the search path.
  std::vector<std::filesystem::path> canonical_;  ///< Canonical paths of existing folders.
  mutable std::unordered_map<std::string, std::filesystem::path> known_;
};

/// Returns the absolute path without links and dots.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// Returns `a document of kind `x` or `y`` for messages.
std::string describe_kinds(const std::vector<std::string>& kinds);

}  // namespace opledger
