// `explore`: one page about a run, about two compared runs, or about the results of a search.
#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/lists.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "compare/difference.h"
#include "compare/run_pair.h"
#include "report/diff_report.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"

namespace opledger {
namespace {

/// Writes a page. Reasons for infeasibility are on the page and in the outcome, so scripts notice them, too.
Outcome page_outcome(const ExploredPage& page, const Options& options) {
  Outcome out;
  const bool two = page.differences != nullptr;
  for (const ExploredRun* run : page.runs) {
    const char* run_name = !two ? "" : run == page.runs[0] ? "the first run: " : "the second run: ";
    for (const std::string& line : infeasible_lines(run->report.violations)) out.infeasible.push_back(run_name + line);
  }
  const ExploreData data = write_explore_json(page);
  out.text = options.format == "json" ? data.text + "\n" : write_explore_page(explorer_frame(), page.title, data);
  return out;
}

Outcome explore_single(const RunRequest& request, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  if (run == nullptr) return {};
  const std::optional<ExploredRun> explored = explore(*run, eval_words(request, options.path), diagnostics);
  run->evaluator().release_memory();  // Writing the page of a large model needs much memory.
  return explored ? page_outcome({title_of(*explored), {&*explored}}, options) : Outcome{};
}

Outcome explore_pair(const RunRequest& request, const Options& options, Library& library, Diagnostics& diagnostics) {
  const RunRequest other = changed(request, options.against);
  const RunPair runs = prepare_pair(request, other, library, diagnostics);
  if (runs.first == nullptr || runs.second == nullptr) return {};
  const std::optional<ExploredRun> first = explore(*runs.first, eval_words(request, options.path), diagnostics);
  const std::optional<ExploredRun> second = explore(*runs.second, eval_words(other, options.path), diagnostics);
  if (!first || !second) return {};
  const Differences all = differences(*runs.first, *runs.second);
  const Report report = build_report(all, *runs.first, *runs.second);
  std::map<std::string, std::string> last;  // The last value of a repeated key counts.
  for (const auto& [key, value] : options.against) last[key] = value;
  std::string title = title_of(*first) + " against";
  for (const auto& [key, value] : last) title += " " + key + "=" + value;
  return page_outcome({title, {&*first, &*second}, &report}, options);
}

/// Returns the search as a command line: of the whole space, or with settings of one candidate.
std::string search_of(const RecordedSearch& recorded, const std::vector<std::pair<std::string, std::string>>& settings) {
  if (!recorded.knows_documents()) return {};
  const RunRequest whole_search = recorded_run(recorded, 0);
  std::vector<std::string> words = {"search"};
  for (const char* fact : {"space", "model", "system"}) {
    const auto found = recorded.facts.find(fact);
    if (found != recorded.facts.end() && !found->second.empty()) words.push_back(shell_word(found->second));
  }
  if (!whole_search.accounting.empty()) words.push_back("--accounting " + shell_word(whole_search.accounting));
  for (const auto& [key, value] : whole_search.overrides) words.push_back("--set " + shell_word(key + "=" + value));
  for (const auto& [key, value] : settings) words.push_back("--set " + shell_word(key + "=" + value));
  return join(words, " ");
}

constexpr int kUsualRuns = 3;

/// Returns candidates for whole runs on the page, the most important first: the best one, the best ones on the Pareto
/// front, then other best ones.
std::vector<std::size_t> notable_candidates(const RecordedSearch& recorded, std::size_t most) {
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t row) {
    if (out.size() < most && !contains(out, row)) out.push_back(row);
  };
  add(recorded.best[0]);
  for (const std::size_t row : recorded.best) {
    if (contains(recorded.front, row)) add(row);
  }
  for (const std::size_t row : recorded.best) add(row);
  return out;
}

/// The page of a search; it owns the runs on the page.
class SpacePage {
 public:
  SpacePage(const Options& options, Library& library, Diagnostics& diagnostics) : options_(options), library_(library), diagnostics_(diagnostics) {}

  Outcome write() {
    std::optional<RecordedSearch> recorded = read_recorded({options_.arguments[0], options_.value, options_.pareto}, diagnostics_);
    if (!recorded) return {};
    space_.recorded = std::move(*recorded);
    space_.about = search_of(space_.recorded, {});
    if (space_.recorded.knows_documents()) {
      for (std::size_t row = 0; row < space_.recorded.rows.size(); ++row)
        space_.commands.push_back(search_of(space_.recorded, recorded_settings(space_.recorded, row)) + " --write run.yaml");
      for (const std::size_t row : notable_candidates(space_.recorded, static_cast<std::size_t>(options_.runs < 0 ? kUsualRuns : options_.runs))) add_run(row);
    }
    ExploredPage page{"Search " + options_.arguments[0], {}, nullptr, &space_};
    for (const ExploredRun& run : explored_) page.runs.push_back(&run);
    return page_outcome(page, options_);
  }

 private:
  /// Adds a candidate's run to the page. A candidate whose run can't be prepared, or has other values now, stays on
  /// the page without a run.
  void add_run(std::size_t row) {
    Diagnostics ignored;
    std::unique_ptr<Run> run = Run::prepare(recorded_run(space_.recorded, row), library_, ignored);
    std::optional<ExploredRun> explored = run != nullptr && is_as_recorded(*run, row) ? explore(*run, space_.commands[row], ignored) : std::nullopt;
    if (!explored) {
      if (!warned_) diagnostics_.warning({}, "candidates have no runs on the page: their documents are missing, or have changed since the search");
      warned_ = true;
      return;
    }
    space_.included.push_back({row, explored_.size()});
    runs_.push_back(std::move(run));
    explored_.push_back(std::move(*explored));
  }

  bool is_as_recorded(Run& run, std::size_t row) const {
    const RecordedSearch& recorded = space_.recorded;
    Diagnostics ignored;
    for (std::size_t m = 0; m < recorded.metrics.size(); ++m) {
      const std::optional<double>& recorded_value = recorded.rows[row][recorded.axes.size() + m].number;
      const std::optional<Value> value = run.value(recorded.metrics[m].name, ignored);
      if (recorded_value && (!value || value->scalar.value != *recorded_value)) return false;
    }
    return true;
  }

  const Options& options_;
  Library& library_;
  Diagnostics& diagnostics_;
  ExploredSpace space_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<ExploredRun> explored_;
  bool warned_ = false;
};

/// Reports options and arguments that do not fit the requested page, a run or the results of a search (`is_search`). A
/// page in HTML is refused on a terminal, which could only show its source. Returns true without errors.
bool check_options(const Options& options, bool is_search, Diagnostics& diagnostics) {
  const std::pair<const char*, bool> of_runs[] = {
      {"--set", !options.overrides.empty()}, {"--against", !options.against.empty()}, {"--accounting", !options.accounting.empty()}};
  const std::pair<const char*, bool> of_searches[] = {
      {"--value", !options.value.empty()}, {"--pareto", !options.pareto.empty()}, {"--runs", options.runs >= 0}};
  for (const auto& [option, is_set] : of_runs) {
    if (is_search && is_set) diagnostics.error({}, fmt::format("`{}` needs a run, and `{}` has the results of a search", option, options.arguments[0]));
  }
  for (const auto& [option, is_set] : of_searches) {
    if (!is_search && is_set)
      diagnostics.error(
          {}, fmt::format("`{}` needs the results of a search, and `{}` is neither a store nor a CSV file of candidates", option, options.arguments[0]));
  }
  if (is_search && options.arguments.size() > 1)
    diagnostics.error({}, fmt::format("the page of a search needs only its file: leave out `{}`", options.arguments[1]));
  if (options.format == "html" && options.output.empty() && is_terminal(STDOUT_FILENO))
    diagnostics.error({}, "a page can't be shown on a terminal: write it to a file with `-o run.html`");
  return !diagnostics.has_errors();
}

}  // namespace

Outcome explore_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const bool is_search = is_recorded(options.arguments[0]);
  if (!check_options(options, is_search, diagnostics)) return {};
  if (is_search) return SpacePage(options, library, diagnostics).write();
  const RunRequest request = run_request(options, options.arguments);
  return options.against.empty() ? explore_single(request, options, library, diagnostics) : explore_pair(request, options, library, diagnostics);
}

}  // namespace opledger
