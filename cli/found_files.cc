#include "cli/found_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/lists.h"
#include "base/text.h"
#include "cli/modeline.h"
#include "schemas/yaml_text.h"

namespace opledger {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> found_files(const FoundTogether& found, const RunRequest& given, const Document& execution,
                                                             const std::string& path, const std::string& prefix, const std::string& head) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const FoundTogether::NamedDocument& document : found.documents) {
    const std::string file = (fs::path(path).parent_path() / file_of(document, prefix)).string();
    out.emplace_back(file, with_modeline(document.text, file));
  }
  std::string command = fmt::format("opledger eval {} {}", shell_word(given.model), shell_word(path));
  if (!given.system.empty()) command += " " + shell_word(given.system);
  // Found inputs that replace settings stand in the execution.
  for (const auto& setting : given.overrides) {
    if (contains(found.run.overrides, setting)) command += " --set " + shell_word(setting.first + "=" + setting.second);
  }
  std::string text = "# " + visible(head) + "\n# " + visible(command) + "\n";
  std::error_code error;
  const Datum root = found_execution(found, given, execution, fs::absolute(path, error).parent_path(), prefix);
  for (const auto& [key, value] : root.entries()) text += yaml_text(key.text()) + ": " + yaml_flow(value) + "\n";
  out.emplace_back(path, with_modeline(text, path));
  return out;
}

}  // namespace opledger
