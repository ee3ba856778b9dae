#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"

/// Which file a document's name means, and whether the document that names it may have it. Reads folders, never files.
namespace opledger {

/// What someone asks for. `relative_to` is the document that names it; empty for the user.
struct DocumentRequest {
  std::string name;
  std::vector<std::string> kinds;
  std::filesystem::path relative_to;
};

class Finder {
 public:
  explicit Finder(std::vector<std::filesystem::path> search_path);

  /// The first candidate that exists. Without one, or if it lies where the naming document may not reach, `error` says so and `note` where was searched. With one,
  /// `note` says that its folder was renamed, if the former name still led to it.
  struct Result {
    std::optional<std::filesystem::path> path;
    std::string error, note;
  };
  Result find(const DocumentRequest& request) const;

  std::vector<std::string> names(std::string_view kind) const;
  bool on_search_path(const std::filesystem::path& path) const;
  /// See below; of each path the system is asked once.
  const std::filesystem::path& canonical(const std::filesystem::path& path) const;
  const std::vector<std::filesystem::path>& search_path() const { return search_path_; }

 private:
  /// In their order, until one is taken.
  bool each_candidate(const DocumentRequest& request, FunctionRef<bool(const std::string&)> takes) const;
  std::string moved_note(const DocumentRequest& request, const std::string& path) const;
  /// Both canonical; `from`, a document, may be empty.
  bool may_reach(const std::filesystem::path& canonical, const std::filesystem::path& from) const;
  std::string hint(const DocumentRequest& request) const;

  std::vector<std::filesystem::path> search_path_;
  std::vector<std::string> there_;                ///< The same folders, those that exist,
  std::vector<std::filesystem::path> canonical_;  ///< and where they are.
  mutable std::unordered_map<std::string, std::filesystem::path> known_;
};

/// Absolute, without links and dots.
std::filesystem::path canonical_path(const std::filesystem::path& path);

/// `a document of kind `x` or `y``.
std::string wanted(const std::vector<std::string>& kinds);

}  // namespace opledger
