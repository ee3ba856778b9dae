#include "cli/search_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/modeline.h"
#include "cli/written.h"
#include "import/exported.h"
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
  const char* const suffix = options.export_format.empty() ? ".yaml" : "";
  return names_folder(options.write) ? (fs::path(options.write) / fmt::format("{}{}", rank + 1, suffix)).string() : options.write;
}

/// The candidate as another tool takes it. Empty, with errors, if that has no words for it.
std::string exported(const SearchRequest& request, const WrittenExecution& execution, const Options& options, const fs::path& path, Library& library,
                     Diagnostics& diagnostics) {
  Library with_candidate = library;
  ExportRequest wanted{options.export_format, "", {}};
  wanted.run.model = request.run.model;
  wanted.run.execution = fmt::format("found by {}", request.run.space);
  wanted.run.system = execution.system;
  wanted.run.overrides = execution.settings;
  if (with_candidate.provide(wanted.run.execution, path, execution.root, diagnostics) == nullptr) return {};
  return export_launch(wanted, with_candidate, diagnostics);
}

}  // namespace

void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics) {
  const bool exports = !options.export_format.empty();
  Diagnostics refused;
  for (std::size_t i = 0; i < answer.best.size() && (outcome.files.empty() || names_folder(options.write)); ++i) {
    const std::string path = file_name(options, i);
    std::error_code error;
    const auto execution = written_execution(request, answer, answer.best[i], fs::absolute(path, error), library, diagnostics);
    if (!execution) return;
    Diagnostics own;
    std::string text = exports ? exported(request, *execution, options, fs::absolute(path, error), library, own)
                               : with_modeline(document_of(request, answer, answer.best[i], *execution, path), path);
    if (own.has_errors()) {
      refused.warning({}, fmt::format("number {} of the best is left out: {}", i + 1, own.first_error()->message));
    } else {
      outcome.files.emplace_back(path, std::move(text));
      diagnostics.append(std::move(own));
    }
  }
  if (outcome.files.empty() && !answer.best.empty())
    diagnostics.error({}, fmt::format("none of the {} best can be exported; `--top` looks at more", answer.best.size()));
  diagnostics.append(std::move(refused));
}

}  // namespace opledger
