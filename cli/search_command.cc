// `search`: the best candidates of a design space.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report_outcome.h"
#include "cli/search_files.h"
#include "cli/search_progress.h"
#include "cli/terminal.h"
#include "import/launch.h"
#include "report/candidate_file.h"
#include "report/output_target.h"
#include "report/search_report.h"
#include "search/found_candidates.h"
#include "search/played_candidates.h"
#include "search/processes/ranks.h"
#include "search/processes/shared_search.h"
#include "search/search.h"

namespace opledger {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Converts the options of `search` to a request. The arguments are SPACE [MODEL] [SYSTEM]; the name of a missing
/// document stays empty. The number of best candidates is at least the number of simulated ones (`played`).
SearchRequest search_request(const Options& options) {
  SearchRequest request;
  request.run = run_request(options, {});
  request.run.space = options.arguments[0];
  request.run.model = options.arguments.size() > 1 ? options.arguments[1] : "";
  request.run.system = options.arguments.size() > 2 ? options.arguments[2] : "";
  request.sweep.sums = options.sums;
  request.sweep.top = static_cast<std::size_t>(options.top);
  request.sweep.jobs = static_cast<std::size_t>(options.jobs);
  request.objective = options.objective;
  request.metrics = options.metrics;
  request.where = options.where;
  request.stop = options.stop;
  request.pareto = options.pareto;
  request.refused = options.refused;
  request.played = static_cast<std::size_t>(std::max(0, options.played));
  request.found = static_cast<std::size_t>(std::max(0, options.found));
  request.sweep.top = std::max({request.sweep.top, request.played, request.found});
  return request;
}

/// Returns whether candidates are written to the terminal; a progress line would then break between them.
bool rows_on_terminal(const Options& options) { return options.all && (options.output.empty() || options.output == "-") && is_terminal(STDOUT_FILENO); }

/// Returns the format of a file with all candidates, by the suffix of its name; on standard output, `--format` decides.
/// Returns nothing and reports an error for any other suffix, or for Markdown.
std::optional<CandidateFile::Form> form_of(const Options& options, Diagnostics& diagnostics) {
  if (options.output.empty() || options.output == "-") {
    if (options.format != "markdown") return options.format == "json" ? CandidateFile::Form::lines : CandidateFile::Form::csv;
    diagnostics.error({}, "all candidates are written as CSV or, with `--format json`, as JSON lines");
    return std::nullopt;
  }
  const auto form = CandidateFile::form_of(options.output);
  if (!form)
    diagnostics.error({},
                      fmt::format("`-o {}`: all candidates go to a file whose name ends in .csv, .jsonl or .json, or in one of these and .gz", options.output));
  return form;
}

/// Describes where an interrupted search has left its results.
std::string where_found(const Options& options, bool in_file) {
  if (options.output.ends_with(".sqlite")) return fmt::format("what was found is in `{}`, and `--resume` continues", options.output);
  if (!in_file) return "not all candidates were tried";
  const OutputTarget target = output_target(options.output);
  if (target.in_place) return fmt::format("what was found is in `{}`", options.output);
  const bool link = std::filesystem::is_symlink(options.output);
  return fmt::format("what was found is in `{}.partial`", link ? target.path.string() : options.output);
}

/// Warns if the space serves models as they are published, and neither the space nor the stack has the rules of the
/// model's published weights.
void warn_of_published_weights(const SearchRequest& request, Library& library, Diagnostics& diagnostics) {
  Diagnostics ignored;  // Wrong names are errors of the search.
  const Document* const space = library.load(request.run.space, {"search"}, ignored);
  const Datum* const loads = space != nullptr ? space->root.find("loads_published") : nullptr;
  if (loads == nullptr || !loads->boolean().value_or(false)) return;
  std::vector<std::string> rules = space->root.texts("rules");
  for (const auto& [key, value] : request.run.overrides) {
    if (key == "rules") return;
    const Document* const stack = key == "stack" ? library.load(value, {"stack"}, ignored) : nullptr;
    const std::vector<std::string> further = stack != nullptr ? stack->root.texts("rules") : std::vector<std::string>{};
    rules.insert(rules.end(), further.begin(), further.end());
  }
  std::vector<std::string> missing = published_rules_of(request.run.model, library);
  std::erase_if(missing, [&](const std::string& rule) { return contains(rules, rule); });
  if (missing.empty()) return;
  diagnostics.warning({},
                      fmt::format("`{}` is published with the weights of the rules `{}`, which this search lacks: search with `--set stack=FILE` of a stack "
                                  "with `rules: [{}]`, or ask `opledger plan --serve`",
                                  request.run.model, join(missing, "`, `"), join(missing, ", ")));
}

/// Runs a search in this process; `ranks` connects it to further processes, null if it is alone. Options that
/// contradict each other are refused before the search begins. Candidates go to a store (`-o FILE.sqlite`), or with
/// `--all` to a file or standard output while the search runs (`sink`). A signal stops the search early (`interrupt`);
/// the outcome then has the results so far and a warning that says where they are. The answer is finally extended by
/// simulated steps (`--played`) and files of executions (`--write`). A search without a feasible candidate is
/// infeasible.
Outcome search_for(const Options& options, Ranks* ranks, Library& library, Diagnostics& diagnostics) {
  SearchRequest request = search_request(options);
  request.ranks = ranks;
  std::optional<CandidateFile> file;
  CandidateSink sink;
  const bool stored = options.output.ends_with(".sqlite");
  if (options.output.ends_with(".sqlite.gz")) {
    diagnostics.error({}, fmt::format("`-o {}`: a store can't be compressed while it is written", options.output));
    return {};
  }
  if (options.resume && !stored) {
    diagnostics.error({}, "`--resume` continues the search of a store: `-o FILE.sqlite`");
    return {};
  }
  if (stored) {
    request.store = options.output;
    request.resume = options.resume;
  } else if (options.all) {
    const auto form = form_of(options, diagnostics);
    if (!form) return {};
    sink = file.emplace(options.output, *form).sink();
    request.sink = &sink;
  }
  if (options.write.empty() && !options.export_format.empty()) {
    diagnostics.error({}, fmt::format("`--export {}` needs a file, or a folder: `--write FILE`", options.export_format));
    return {};
  }
  if (options.simplest && (options.write.empty() || names_folder(options.write))) {
    diagnostics.error({}, "`--simplest` writes one candidate: it needs `--write FILE`");
    return {};
  }
  if (!options.write.empty() && options.export_format.empty() && !names_folder(options.write) && !options.write.ends_with(".yaml")) {
    diagnostics.error({}, fmt::format("`--write {}`: an execution is a file whose name ends in .yaml; a folder gets several of them", options.write));
    return {};
  }
  if (options.found == 0 && !options.find.empty()) {
    diagnostics.error({}, "`--find` needs the number of candidates: `--found N`");
    return {};
  }
  if (options.found > 0 && (options.simplest || !options.export_format.empty())) {
    diagnostics.error({}, fmt::format("`{}` writes a candidate as it was searched: leave out `--found`", options.simplest ? "--simplest" : "--export"));
    return {};
  }
  if (options.found > 0) request.find = find_parts(options.find.empty() ? "placements" : options.find, diagnostics);
  if (diagnostics.has_errors()) return {};
  const Interrupt interrupt;
  Progress progress(!rows_on_terminal(options));
  const auto start = Clock::now();
  request.sweep.stop = &interrupt.raised();
  request.watch = [&](const SearchStatus& status) { progress.show([&] { return progress_text(status, seconds_since(start), Progress::columns()); }); };
  std::optional<SearchAnswer> answer = search(request, library, diagnostics);
  Outcome outcome;
  outcome.reader_gone = file && file->reader_gone();
  if (!answer) return outcome;
  if (request.played > 0) answer->played = play_best(request, *answer, library, diagnostics);
  if (request.found > 0) answer->found = find_best(request, *answer, library);
  outcome.wrote_output = stored || (options.all && !options.output.empty() && options.output != "-");
  outcome.interrupted = answer->result.partial || interrupt.raised();
  if (!options.all || outcome.wrote_output)
    outcome.text = write_search(*answer, request, seconds_since(start), find_format(options.format).value_or(Format::text), options.page);
  warn_of_published_weights(request, library, diagnostics);
  if (options.simplest && !answer->simplest && answer->result.feasible > 0)
    diagnostics.error({}, options.pareto.empty() ? fmt::format("`--simplest`: the space `{}` does not say what is simple (`simplest`)", request.run.space)
                                                 : "`--simplest` does not go together with `--pareto`");
  if (!options.write.empty()) add_executions(request, *answer, options, library, outcome, diagnostics);
  if (answer->result.partial) diagnostics.warning({}, "interrupted: " + where_found(options, outcome.wrote_output));
  if (answer->result.feasible == 0) outcome.infeasible.push_back(fmt::format("none of {} candidates is feasible", answer->result.candidates));
  return outcome;
}

}  // namespace

Outcome search_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  // Runs `search`, alone or as one of several processes (`ranks`). Each process runs the same command. Only the leader
  // reports results; followers evaluate the candidates that the leader sends, and write nothing. Diagnostics of
  // followers are ignored, because the leader reports the same messages. The leader dismisses the followers at the end.
  const std::unique_ptr<Ranks> ranks = Ranks::join(diagnostics);
  if (diagnostics.has_errors()) return {};
  if (ranks == nullptr) return search_for(options, nullptr, library, diagnostics);
  if (!ranks->leads()) {
    Diagnostics ignored;
    search_for(options, ranks.get(), library, ignored);
    Outcome nothing;
    nothing.wrote_output = true;
    return nothing;
  }
  Outcome outcome = search_for(options, ranks.get(), library, diagnostics);
  dismiss(*ranks);
  return outcome;
}

}  // namespace opledger
