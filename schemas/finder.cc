#include "schemas/finder.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kSuffixes = {".yaml", ".yml", ".json"};
constexpr int kMaxFolderDepth = 8;  // limit for listing documents of a kind
constexpr std::size_t kMaxListedFiles = 10'000;

bool has_suffix(const fs::path& path) { return contains(kSuffixes, path.extension().string()); }

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Returns whether a file exists. Uses stat on the string because a run tests many missing files, and parsing paths
// would double the cost of finding documents.
bool is_there(const std::string& path) {
  struct stat unused;
  return ::stat(path.c_str(), &unused) == 0;
}

// Returns whether the path leads to something other than a regular file.
bool is_special(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

// Returns whether the path exists and is no symbolic link.
bool is_no_link(const std::string& path) {
  struct stat found;
  return ::lstat(path.c_str(), &found) == 0 && !S_ISLNK(found.st_mode);
}

std::string joined(const std::string& folder, std::string_view name, std::string_view below = {}) {
  std::string out;
  out.reserve(folder.size() + name.size() + below.size() + kSuffixes[0].size() + 2);
  out = folder;
  if (!out.empty() && out.back() != '/') out += '/';
  out += name;
  if (!below.empty()) (out += '/') += below;
  return out;
}

bool leads_up(const fs::path& path) { return path.is_absolute() || contains(path, ".."); }

// Returns whether `path` is below `folder`; both are canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
  const std::string &whole = path.native(), &begin = folder.native();
  return whole.compare(0, begin.size(), begin) == 0 && (whole.size() == begin.size() || begin.empty() || begin.back() == '/' || whole[begin.size()] == '/');
}

// Tries the path itself if it has a suffix, else the path with each suffix.
bool each_spelling(const std::string& path, bool suffixed, FunctionRef<bool(const std::string&)> takes) {
  if (suffixed) return takes(path);
  std::string spelled = path;
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view suffix) {
    spelled.resize(path.size());
    return takes(spelled.append(suffix));
  });
}

bool is_folder_of_another_kind(const fs::path& folder, const fs::path& place, std::string_view kind) {
  const auto is_it = [&](const DocumentKind& other) { return other.name != kind && place / other.folder == folder; };
  return std::any_of(kDocumentKinds.begin(), kDocumentKinds.end(), is_it);
}

/// Adds to `result` the names of the documents below a folder of a kind, without suffix and relative to the folder.
/// Folders of other kinds inside it are skipped. kMaxListedFiles and kMaxFolderDepth bound the cost.
void list_documents(const fs::path& place, const DocumentKind& kind, std::string_view folder, std::vector<std::string>& result) {
  const fs::path root = place / folder;
  std::error_code error;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, error), end;
  for (std::size_t files = 0; !error && entry != end && files < kMaxListedFiles; ++files) {
    if (is_folder(entry->path())) {
      if (entry.depth() >= kMaxFolderDepth || is_folder_of_another_kind(entry->path(), place, kind.name)) entry.disable_recursion_pending();
    } else if (has_suffix(entry->path())) {
      result.push_back(entry->path().lexically_relative(root).replace_extension().generic_string());
    }
    entry.increment(error);
  }
}

// Returns the kind whose former folder name begins the path; null if the path names no moved folder.
const DocumentKind* moved_kind(std::string_view path) {
  const auto begins = [&](const DocumentKind& kind) {
    return !kind.former.empty() && path.size() > kind.former.size() && path[kind.former.size()] == '/' && path.substr(0, kind.former.size()) == kind.former;
  };
  const auto found = std::find_if(kDocumentKinds.begin(), kDocumentKinds.end(), begins);
  return found != kDocumentKinds.end() ? &*found : nullptr;
}

}  // namespace

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || has_suffix(name); }

fs::path canonical_path(const fs::path& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) result = path.lexically_normal();
  return result.has_filename() ? result : result.parent_path();  // removes a final slash
}

std::string describe_kinds(const std::vector<std::string>& kinds) {
  std::vector<std::string> names;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(names), [](const std::string& kind) { return !kind.empty(); });
  std::string result = "a document of kind ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 == names.size() ? " or " : ", ";
    result += "`" + names[i] + "`";
  }
  return result;
}

Finder::Finder(std::vector<fs::path> search_path) : search_path_(std::move(search_path)) {
  for (const fs::path& place : search_path_) {
    if (!is_folder(place)) continue;
    existing_.push_back(place.string());
    canonical_.push_back(canonical_path(place));
  }
}

bool Finder::on_search_path(const fs::path& path) const {
  return std::any_of(canonical_.begin(), canonical_.end(), [&](const fs::path& place) { return is_below(canonical(path), place); });
}

const fs::path& Finder::canonical(const fs::path& path) const {
  const auto known = known_.find(path.native());
  if (known != known_.end()) return known->second;
  // A plain file in a folder with a known canonical path needs one lstat instead of a full resolution.
  const fs::path name = path.filename();
  const bool plain = path.is_absolute() && path.has_relative_path() && !name.empty() && name != "." && name != "..";
  fs::path lies = plain && is_no_link(path.native()) ? canonical(path.parent_path()) / name : canonical_path(path);
  return known_.emplace(path.native(), std::move(lies)).first->second;
}

/// Compares canonical paths, so neither links nor `..` lead out of a folder. A link to the naming file itself reaches the
/// folder of the link and the folder of its target. Whether the file is regular is told only for files within reach.
std::string Finder::refusal(const std::string& name, const fs::path& path, const fs::path& from) const {
  if (from.empty()) return {};
  const fs::path& lies = canonical(path);
  const auto reaches = [&](const fs::path& folder) { return is_below(lies, folder); };
  const fs::path folder = from.has_parent_path() ? from.parent_path() : fs::path(".");
  if (!reaches(canonical(from).parent_path()) && !reaches(canonical(folder)) && std::none_of(canonical_.begin(), canonical_.end(), reaches))
    return fmt::format("`{}` is out of reach: a document may name only files below its own folder and on the search path", name);
  return is_special(lies.native()) ? fmt::format("`{}` is no regular file: a document may name no folders, pipes or devices", name) : std::string();
}

Finder::Result Finder::find_file(const std::string& name, const fs::path& from) const {
  const fs::path path = (from.parent_path() / name).lexically_normal();
  Result result;
  result.error = name.empty() ? "this is no name of a file" : refusal(name, path, from);
  if (result.error.empty() && !is_there(path.native())) result.error = fmt::format("there is no file `{}` in the folder of this document", name);
  if (result.error.empty()) result.path = path;
  return result;
}

bool Finder::in_own_folder(const DocumentRequest& request) const {
  return request.in_own_folder && !request.relative_to.empty() && !on_search_path(request.relative_to);
}

/// Visits the possible paths of a requested document until `takes` returns true; files need not exist. The order is the
/// precedence. First comes the folder of the requesting document, for names that are paths and for documents outside
/// the search path. Then come, for each folder of the search path (`existing_`), the folders of the requested kinds and
/// the folder itself. Each place is tried with each suffix unless the name has one. Former folder names follow the
/// current ones. An absolute path has only the first place. Returns whether `takes` accepted a path.
bool Finder::each_candidate(const DocumentRequest& request, FunctionRef<bool(const std::string&)> takes) const {
  const bool by_path = is_path(request.name), suffixed = has_suffix(request.name);
  if (in_own_folder(request) || (request.in_own_folder && by_path)) {
    const std::string in_own_folder = (request.relative_to.parent_path() / request.name).lexically_normal().string();
    if (each_spelling(in_own_folder, suffixed, takes) || (by_path && !suffixed && takes(in_own_folder))) return true;
  }
  if (request.name.front() == '/') return false;
  const DocumentKind* const moved = moved_kind(request.name);
  for (const std::string& place : existing_) {
    for (const std::string& kind : request.kinds) {
      const DocumentKind* known = find_kind(kind);
      if (known == nullptr) continue;
      if (each_spelling(joined(place, known->folder, request.name), suffixed, takes)) return true;
      if (!known->former.empty() && each_spelling(joined(place, known->former, request.name), suffixed, takes)) return true;
    }
    if (request.outside_of_kinds && each_spelling(joined(place, request.name), suffixed, takes)) return true;
    if (moved != nullptr && each_spelling(joined(place, moved->folder, std::string_view(request.name).substr(moved->former.size() + 1)), suffixed, takes))
      return true;
  }
  return false;
}

// Returns a warning if the request or the found document uses a former folder name. Strings are only built for paths
// with such names, because a run requests many documents.
std::string Finder::moved_note(const DocumentRequest& request, const std::string& path) const {
  const auto lies_in = [&](std::string_view folder) {
    return path.find(folder) != std::string::npos &&
           std::any_of(existing_.begin(), existing_.end(), [&](const std::string& place) { return path.rfind(joined(joined(place, folder), ""), 0) == 0; });
  };
  const DocumentKind* const written = moved_kind(request.name);
  for (const DocumentKind& kind : kDocumentKinds) {
    if (kind.former.empty()) continue;
    if ((written == &kind && lies_in(kind.folder)) || lies_in(kind.former))
      return fmt::format("`{0}`: the folder `{1}/` is called `{2}/` now; the next release will not look in `{1}/`", request.name, kind.former, kind.folder);
  }
  return {};
}

/// Returns the first existing candidate within reach of the requesting document (`self`). `takes` tests one candidate.
/// A candidate out of reach ends the search with an error. Missing files are skipped before this test, except for names
/// that lead upward, so that a document can't learn which files exist elsewhere. A bare name skips the requesting
/// document itself, so that a document can extend another document of its name. If only the document itself matches,
/// the error says so. Without a candidate, the error suggests a similar name, and the note lists the searched folders.
Finder::Result Finder::find(const DocumentRequest& request) const {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (request.name.empty() || std::any_of(request.name.begin(), request.name.end(), is_control)) return {{}, "this is no name of a document", ""};
  const fs::path self = request.relative_to.empty() ? fs::path() : canonical(request.relative_to);
  const bool up = leads_up(request.name);
  bool itself = false;
  Result result;
  const auto takes = [&](const std::string& path) {
    const bool there = is_there(path);
    if (!there && !up) return false;  // Existence of files out of reach is not disclosed.
    result.error = refusal(request.name, path, request.relative_to);
    if (!result.error.empty()) return true;
    const bool is_self = there && !self.empty() && !is_path(request.name) && canonical(path) == self;
    itself = itself || is_self;
    if (there && !is_self) {
      result.path = path;
      result.note = moved_note(request, path);
    }
    return there && !is_self;
  };
  if (each_candidate(request, takes)) return result;
  if (itself) return {{}, fmt::format("`{}` names itself", request.name), ""};
  std::vector<std::string> places;
  if (in_own_folder(request)) places.push_back("the folder of this document");
  for (const fs::path& place : search_path_) places.push_back("`" + place.string() + "`");
  result.error = is_path(request.name) ? fmt::format("there is no file `{}`", request.name)
                                       : fmt::format("there is no {} named `{}`", describe_kinds(request.kinds).substr(2), request.name);
  result.error += hint(request);
  result.note = places.empty() ? "the search path is empty" : "searched " + join(places, ", ");
  return result;
}

/// Returns advice for a name that was not found: a file of this name in the current folder, a similar name of the requested kinds, else another kind that has the
/// name, else known names.
std::string Finder::hint(const DocumentRequest& request) const {
  const std::string file = request.name + ".yaml";
  if (request.relative_to.empty() && !is_path(request.name) && is_there(file)) return fmt::format(" (did you mean the file `{}`?)", file);
  std::vector<std::string> known;
  for (const std::string& kind : request.kinds) {
    for (std::string& name : names(kind)) known.push_back(std::move(name));
  }
  if (!nearest(request.name, known).empty()) return suggestion(request.name, known);
  for (const DocumentKind& kind : kDocumentKinds) {
    if (contains(request.kinds, kind.name)) continue;
    const std::vector<std::string> others = names(kind.name);
    if (contains(others, request.name)) return fmt::format(" (there is one of kind `{}`)", kind.name);
  }
  const std::string meant = suggestion(request.name, known);
  if (!meant.empty()) return meant;
  return is_path(request.name) ? std::string() : known_names(request.name, "names", std::move(known));
}

std::vector<std::string> Finder::names(std::string_view kind) const {
  std::vector<std::string> result;
  const DocumentKind* known = find_kind(kind);
  if (!known) return result;
  for (const fs::path& place : search_path_) {
    for (const std::string_view folder : {known->folder, known->former}) {
      if (!folder.empty()) list_documents(place, *known, folder, result);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace opledger
