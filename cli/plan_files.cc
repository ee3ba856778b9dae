#include "cli/plan_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/modeline.h"
#include "import/launch.h"
#include "import/launch_export.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"
#include "schemas/document.h"
#include "schemas/yaml_text.h"
#include "search/written_execution.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Writes the files of one answer. Page and script show the written execution, and not the candidate, because users get
/// the execution.
class PlanFiles {
 public:
  PlanFiles(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics)
      : plan_(plan), options_(options), library_(library), report_(report), outcome_(outcome), diagnostics_(diagnostics), folder_(options.output) {}

  /// Describes what the launch script would start, if that is another plan. An execution that can't be written is no
  /// error without files.
  void check_launch() {
    Diagnostics ignored;
    written_ = written(*plan_.answer.chosen, "plan.yaml", ignored);
    run_ = written_ ? Run::prepare(written_->request, *written_->library, ignored) : nullptr;
    if (run_ != nullptr) write_launch_script();
  }

  void write() {
    if (!write_execution()) return;
    for (const auto& [name, text] : plan_.imported) add(name + ".yaml", text, "imported from " + report_.model);
    write_launch_script();
    warn_of_old_script();
    write_page();
    add_commands();
    std::string readme = fmt::format("# {} on {}\n\n{}\n\nThis answer is from\n\n    {}\n\n```\n{}```\n\n| file | content |\n| --- | --- |\n", report_.model,
                                     report_.system, plan_.answer.heading, plan_.command, write_plan_text(plan_.answer, report_));
    for (const auto& [name, content] : contents_) readme += fmt::format("| `{}` | {} |\n", name, content);
    outcome_.files.emplace_back((folder_ / "README.md").string(), readme);
    outcome_.wrote_output = true;
  }

 private:
  void add(const std::string& name, std::string text, const std::string& content) {
    const std::string path = (folder_ / name).string();
    outcome_.files.emplace_back(path, name.ends_with(".yaml") ? with_modeline(std::move(text), path) : std::move(text));
    contents_.emplace_back(name, content);
  }

  /// Describes the candidate that the script starts instead of the plan, with the plan's lines that `launched` names.
  void describe_launched(const PlanCandidate& candidate, double loss) {
    report_.launched = {{fmt::format("loses {:.1f} %", 100 * loss), false}};
    Diagnostics ignored;
    const std::unique_ptr<Run> run = run_of(candidate.search->request, candidate.search->answer, candidate.candidate, library_, ignored);
    if (run == nullptr) return;
    PlanWriter writer(*run, ignored);
    const Datum& plan = plan_.question.plan->root;
    for (const std::string& label : plan.texts("launched")) {
      const Datum* const parts = plan.find("lines")->find(label);
      const std::optional<PlanLine> line = parts != nullptr ? writer.line(label, *parts) : std::nullopt;
      if (line) report_.launched.insert(report_.launched.end(), line->parts.begin(), line->parts.end());
    }
  }

  /// The model as commands name it: an imported model is a file of the folder.
  std::string model() const { return plan_.imported.empty() ? plan_.question.model : (folder_ / (plan_.question.model + ".yaml")).string(); }

  /// Returns the words of a command about the written run.
  std::string command(const std::string& verb, const std::string& file, const std::string& more = {}) const {
    std::string out = fmt::format("opledger {} {} {}", verb, shell_word(model()), shell_word((folder_ / file).string()));
    const WrittenExecution& execution = written_->execution;
    if (!execution.system.empty()) out += " " + shell_word(execution.system);
    out += more;
    for (const auto& [key, value] : execution.settings) out += " --set " + shell_word(key + "=" + value);
    for (const std::string& folder : options_.path) out += " --path " + shell_word(folder);
    return out;
  }

  /// A candidate as an execution, with the request of its run, and a library that has the execution. Attempts for one
  /// file have libraries of their own, because a library keeps the first document of a name.
  struct Written {
    std::unique_ptr<Library> library;
    WrittenExecution execution;
    RunRequest request;
  };

  /// Converts a candidate to an execution for the file `name`. Nothing, with errors, if that is not possible.
  std::optional<Written> written(const PlanCandidate& candidate, const std::string& name, Diagnostics& diagnostics) {
    // The execution is made for the working folder, because the user's own documents are named relative to it.
    std::error_code unknown;
    const fs::path path = fs::current_path(unknown) / name;
    auto library = std::make_unique<Library>(library_);
    std::optional<WrittenExecution> execution =
        written_execution(candidate.search->request, candidate.search->answer, candidate.candidate, path, *library, diagnostics);
    if (!execution) return std::nullopt;
    RunRequest request;
    request.model = plan_.question.model;
    request.execution = name + " (plan)";  // A name with a blank differs from every name on the search path.
    request.system = execution->system;
    request.overrides = execution->settings;
    if (library->provide(request.execution, path, execution->root, diagnostics) == nullptr) return std::nullopt;
    return Written{std::move(library), std::move(*execution), std::move(request)};
  }

  void add_execution(const std::string& name, const WrittenExecution& execution, const std::string& content) {
    std::string text = "# " + visible(plan_.command) + "\n# " + visible(command("eval", name)) + "\n";
    for (const auto& [key, value] : execution.root.entries()) text += yaml_text(key.text()) + ": " + yaml_flow(with_copies(value)) + "\n";
    add(name, std::move(text), content);
  }

  /// Returns a value of an execution in which paths of the user's documents are replaced by copies in the folder.
  Datum with_copies(const Datum& value) {
    if (value.is_list()) {
      std::vector<Datum> items;
      for (const Datum& item : value.items()) items.push_back(with_copies(item));
      return Datum::list(std::move(items), value.span());
    }
    if (!value.is_scalar() || !value.text().starts_with("./")) return value;
    const fs::path from = value.text();
    Diagnostics ignored;
    const auto source = read_unchecked(from, ignored);
    if (source == nullptr) return value;
    const std::string name = from.filename().string();
    if (!contains(names_of(contents_), name)) {
      outcome_.files.emplace_back((folder_ / name).string(), source->text);
      contents_.emplace_back(name, "a copy of " + value.text());
    }
    return Datum::scalar("./" + name, false, value.span());
  }

  bool write_execution() {
    written_ = written(*plan_.answer.chosen, "plan.yaml", diagnostics_);
    if (!written_) return false;
    add_execution("plan.yaml", written_->execution, "the execution: mesh, rules and inputs");
    run_ = Run::prepare(written_->request, *written_->library, diagnostics_);
    return run_ != nullptr;
  }

  /// Writes the launch script of the plan. If the format of the stack can't express the plan, the script starts the best
  /// candidate that it can express, of the best candidates of each search, and this candidate becomes a file, too.
  void write_launch_script() {
    const std::optional<std::string> format = export_format_of_stack(run_->stack_name(), library_);
    if (!format) {
      diagnostics_.warning({}, fmt::format("no launch script: no format of `export` starts the stack `{}`", run_->stack_name()));
      return;
    }
    Diagnostics messages;
    std::string text = export_launch({*format, "", written_->request}, *written_->library, messages);
    if (!messages.has_errors()) {
      add_script(*format, std::move(text), plan_.answer.script.empty() ? "starts this plan" : plan_.answer.script);
      return;
    }
    const std::string reason = messages.first_error()->message;
    for (const PlanCandidate& other : launchable_candidates()) {
      Diagnostics ignored;
      const std::optional<Written> written = this->written(other, "launch.yaml", ignored);
      text = written ? export_launch({*format, "", written->request}, *written->library, ignored) : std::string();
      if (!written || ignored.has_errors()) continue;
      const double loss = PlanSearches::loss(*plan_.answer.chosen, other);
      diagnostics_.warning({}, fmt::format("{} can't start this plan: {}; the launch script starts the best found plan that it can start, which loses {:.1f} %",
                                           *format, reason, 100 * loss));
      describe_launched(other, loss);
      add_execution("launch.yaml", written->execution, fmt::format("the best found plan that {} can start; it loses {:.1f} %", *format, 100 * loss));
      add_script(*format, std::move(text), "starts launch.yaml");
      return;
    }
    diagnostics_.warning({}, fmt::format("no launch script for {}: {}", *format, reason));
  }

  /// Returns the best candidates of all searches for each degree of simplicity, best first.
  std::vector<PlanCandidate> launchable_candidates() const {
    std::vector<PlanCandidate> out;
    for (const PlanSearch& search : plan_.answer.searches->all()) {
      for (const SearchAnswer::Candidate& candidate : search.answer.by_simplicity) out.push_back({&search, candidate});
    }
    const auto loss = [&](const PlanCandidate& candidate) { return PlanSearches::loss(*plan_.answer.chosen, candidate); };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return loss(a) < loss(b); });
    return out;
  }

  void add_script(const std::string& format, std::string text, const std::string& content) {
    if (const auto completion = plan_.answer.completions.find(format); completion != plan_.answer.completions.end()) text += completion->second;
    const std::string suffix = suffix_of_export(format, library_);
    const std::string name = suffix == "sh" ? "launch.sh" : format + "." + suffix;
    outcome_.files.emplace_back((folder_ / name).string(), std::move(text));  // `add` would name a schema of opledger in its first line.
    contents_.emplace_back(name, content);
    report_.commands.emplace_back("launch", (folder_ / name).string() + " " + content);
    has_script_ = true;
  }

  /// Warns of a script that an earlier plan left in the folder.
  void warn_of_old_script() {
    std::error_code unknown;
    const fs::path old = folder_ / "launch.sh";
    if (!has_script_ && fs::exists(old, unknown)) diagnostics_.warning({}, fmt::format("`{}` is from an earlier plan", visible(old.string())));
  }

  /// Writes the page; a run that the page can't show gives a warning, because the other files are still useful.
  void write_page() {
    Diagnostics messages;
    const std::optional<ExploredRun> explored = explore(*run_, command("eval", "plan.yaml").substr(std::string("opledger ").size()), messages);
    if (!explored) {
      diagnostics_.warning({}, fmt::format("no page: {}", messages.first_error() != nullptr ? messages.first_error()->message : "it can't be computed"));
      return;
    }
    const ExploredPage page{title_of(*explored), {&*explored}};
    add("page.html", write_explore_page(explorer_frame(), page.title, write_explore_json(page)), "the run for a browser: graph, memory, time, every formula");
  }

  void add_commands() {
    report_.is_written = true;
    const std::string& metric = plan_.answer.explained.empty() ? plan_.answer.chosen->search->answer.objective : plan_.answer.explained;
    const Datum* const full = plan_.question.plan->root.find("full");
    const std::optional<Value> is_full = full != nullptr ? PlanWriter(*run_, diagnostics_).value(*full) : std::nullopt;
    std::vector<std::pair<std::string, std::string>> commands = {
        {"eval", command("eval", "plan.yaml", is_full && as_truth(*is_full).scalar.value != 0 ? " --full" : "")}};
    commands.emplace_back("explain", command("explain", "plan.yaml", " " + metric));
    commands.insert(commands.end(), report_.commands.begin(), report_.commands.end());
    report_.commands = std::move(commands);
    report_.commands.emplace_back("files", join(names_of(contents_), ", ") + ", README.md in " + folder_.string());
  }

  const AnsweredPlan& plan_;
  const Options& options_;
  Library& library_;
  PlanReport& report_;
  Outcome& outcome_;
  Diagnostics& diagnostics_;
  const fs::path folder_;
  std::vector<std::pair<std::string, std::string>> contents_;  ///< Name and description of each file.
  bool has_script_ = false;                                    ///< A launch script is among the files.
  std::optional<Written> written_;                             ///< The plan.
  std::unique_ptr<Run> run_;                                   ///< Run of the plan.
};

}  // namespace

void add_plan_files(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics) {
  PlanFiles(plan, options, library, report, outcome, diagnostics).write();
}

void add_launched_plan(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Diagnostics& diagnostics) {
  Outcome files;
  PlanReport described;
  Diagnostics messages;
  PlanFiles(plan, options, library, described, files, messages).check_launch();
  if (described.launched.empty()) return;
  report.launched = std::move(described.launched);
  diagnostics.append(std::move(messages));
}

}  // namespace opledger
