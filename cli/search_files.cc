#include "cli/search_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/written.h"
#include "import/yaml_text.h"
#include "search/written_execution.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string command_of(const SearchRequest& request, const WrittenExecution& execution, const std::string& path) {
  std::string out = fmt::format("opledger eval {} {}", shell_word(request.run.model), shell_word(path));
  if (!execution.system.empty()) out += " " + shell_word(execution.system);
  for (const auto& [key, value] : execution.settings) out += " --set " + shell_word(key + "=" + value);
  return out;
}

/// With what it is, and how its numbers are got again.
std::string document_of(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate, const WrittenExecution& execution,
                        const std::string& path) {
  std::string out = "# " + visible(fmt::format("Found by the search {}: {} {}.", request.run.space, answer.objective, human(candidate.metrics[0]))) + "\n";
  out += "# " + visible(command_of(request, execution, path)) + "\n";
  for (const auto& [key, value] : execution.root.entries()) out += yaml_text(key.text()) + ": " + yaml_flow(value) + "\n";
  return out;
}

std::string file_name(const Options& options, std::size_t rank) {
  return names_folder(options.write) ? (fs::path(options.write) / fmt::format("{}.yaml", rank + 1)).string() : options.write;
}

}  // namespace

void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < answer.best.size() && (i == 0 || names_folder(options.write)); ++i) {
    const std::string path = file_name(options, i);
    std::error_code error;
    const auto execution = written_execution(request, answer, answer.best[i], fs::absolute(path, error), library, diagnostics);
    if (!execution) return;
    outcome.files.emplace_back(path, document_of(request, answer, answer.best[i], *execution, path));
  }
}

}  // namespace opledger
