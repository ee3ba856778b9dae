#include "cli/search_files.h"

#include <fmt/core.h>

#include <filesystem>
#include <span>

#include "base/text.h"
#include "cli/found_files.h"
#include "cli/modeline.h"
#include "cli/report_outcome.h"
#include "import/launch_export.h"
#include "schemas/yaml_text.h"
#include "search/found_candidates.h"
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

/// Returns the execution as a document. Two comment lines state its objective value and the command that reproduces
/// it.
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

/// Returns the candidate in the format of another tool. Returns an empty text and reports errors if the tool can't
/// express the candidate.
std::string export_candidate(const SearchRequest& request, const WrittenExecution& execution, const Options& options, const fs::path& path, Library& library,
                             Diagnostics& diagnostics) {
  Library with_candidate = library;
  ExportRequest export_request{options.export_format, "", {}};
  export_request.run.model = request.run.model;
  export_request.run.execution = fmt::format("found by {}", request.run.space);
  export_request.run.system = execution.system;
  export_request.run.overrides = execution.settings;
  if (with_candidate.provide(export_request.run.execution, path, execution.root, diagnostics) == nullptr) return {};
  return export_launch(export_request, with_candidate, diagnostics);
}

}  // namespace

/// Adds the files of found candidates, the best first: an execution and its rule documents for each, or only for the best
/// if `--write` names no folder. A candidate for which nothing was found is written as it was searched.
void add_found(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome, Diagnostics& diagnostics) {
  std::size_t rank = 0;
  for (const std::size_t i : found_order(answer)) {
    if (rank > 0 && !names_folder(options.write)) return;
    const std::string path = file_name(options, rank++);
    std::error_code error;
    const auto written = written_execution(request, answer, answer.best[i], fs::absolute(path, error), library, diagnostics);
    if (!written) return;
    if (!answer.found[i].parts) {
      outcome.files.emplace_back(path, with_modeline(document_of(request, answer, answer.best[i], *written, path), path));
      continue;
    }
    RunRequest given;
    given.model = request.run.model, given.system = written->system, given.overrides = written->settings;
    const Document execution{"execution", "", fs::absolute(path, error), written->root};
    const std::string head =
        fmt::format("Found for number {} of the search {}: {} {}.", i + 1, request.run.space, answer.objective, human(answer.found[i].found));
    for (auto& file : found_files(*answer.found[i].parts, given, execution, path, fs::path(path).stem().string() + "-", head))
      outcome.files.push_back(std::move(file));
  }
}

/// Adds a file to the outcome for each of the best candidates, or only for the best if `--write` names no folder. A
/// candidate is written as an execution document, or with `--export` in the format of another tool. Candidates that
/// this tool can't express are left out, with warnings in `refused`, and the next best is tried. An execution that
/// can't be written ends the function, with an error.
void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics) {
  if (!answer.found.empty()) return add_found(request, answer, options, library, outcome, diagnostics);
  const bool exports = !options.export_format.empty();
  Diagnostics refused;
  const std::span<const SearchAnswer::Candidate> candidates =
      options.simplest && answer.simplest ? std::span(&*answer.simplest, 1) : std::span<const SearchAnswer::Candidate>(answer.best);
  for (std::size_t i = 0; i < candidates.size() && (outcome.files.empty() || names_folder(options.write)); ++i) {
    const std::string path = file_name(options, i);
    std::error_code error;
    const auto execution = written_execution(request, answer, candidates[i], fs::absolute(path, error), library, diagnostics);
    if (!execution) return;
    Diagnostics messages;
    std::string text = exports ? export_candidate(request, *execution, options, fs::absolute(path, error), library, messages)
                               : with_modeline(document_of(request, answer, candidates[i], *execution, path), path);
    if (messages.has_errors()) {
      refused.warning({}, fmt::format("number {} of the best is left out: {}", i + 1, messages.first_error()->message));
    } else {
      outcome.files.emplace_back(path, std::move(text));
      diagnostics.append(std::move(messages));
    }
  }
  if (outcome.files.empty() && !answer.best.empty())
    diagnostics.error({}, fmt::format("none of the {} best can be exported; `--top` looks at more", answer.best.size()));
  diagnostics.append(std::move(refused));
}

}  // namespace opledger
