#include "schemas/stated_name.h"

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "schemas/document.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200;

/// Returns the value of a key in a line without indentation, without quotes and comment; empty without the key.
std::string value_of(const std::vector<std::string>& lines, const std::string& key) {
  const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& text) { return text.starts_with(key + ":"); });
  if (line == lines.end()) return {};
  std::string value = line->substr(key.size() + 1);
  value.resize(std::min(value.find(" #"), value.size()));
  std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == ' ' || c == '\r' || c == '\t'; });
  return value;
}

}  // namespace

fs::path file_stating(std::string_view name, const std::vector<std::string>& kinds, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end; !error && entry != end; entry.increment(error)) {
      const std::string suffix = entry->path().extension().string();
      std::error_code unknown;
      // A link may lead to a file that nobody named.
      if ((suffix == ".yaml" || suffix == ".yml") && !entry->is_symlink(unknown) && entry->is_regular_file(unknown) && files.size() < kMostFiles)
        files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());  // The order of a folder's entries depends on the file system.
    for (const fs::path& file : files) {
      Diagnostics ignored;
      const std::shared_ptr<const SourceFile> source = read_source(file, ignored);
      if (source == nullptr) continue;
      const std::vector<std::string> lines = split(source->text, '\n');
      if (value_of(lines, "name") == name && contains(kinds, value_of(lines, "kind"))) return file;
    }
  }
  return {};
}

}  // namespace opledger
