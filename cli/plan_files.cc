#include "cli/plan_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/modeline.h"
#include "cli/plan_launch.h"
#include "import/launch.h"
#include "import/launch_export.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"
#include "schemas/document.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Writes the files of one answer. Page and script show the written execution, and not the candidate, because users get
/// the execution.
class PlanFiles {
 public:
  PlanFiles(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics)
      : plan_(plan), options_(options), library_(library), report_(report), outcome_(outcome), diagnostics_(diagnostics), folder_(options.output) {}

  void write() {
    if (!write_execution()) return;
    for (const auto& [name, text] : plan_.imported) add(name + ".yaml", text, "imported from " + report_.model);
    write_refused();
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
    written_ = write_plan(*plan_.answer.chosen, plan_.question.model, "plan.yaml", library_, diagnostics_);
    if (!written_) return false;
    add_execution("plan.yaml", written_->execution, "the execution: mesh, rules and inputs");
    run_ = Run::prepare(written_->request, *written_->library, diagnostics_);
    return run_ != nullptr;
  }

  /// Writes the faster plan that the framework can't start, if the answer has one.
  void write_refused() {
    if (!plan_.answer.refused) return;
    Diagnostics ignored;  // The answer describes it, and its execution is optional.
    const std::optional<WrittenPlan> faster = write_plan(*plan_.answer.refused, plan_.question.model, "faster.yaml", library_, ignored);
    if (faster) add_execution("faster.yaml", faster->execution, fmt::format("a faster plan, which {} can't start", run_->stack_name()));
  }

  /// Writes the launch script of the plan.
  void write_launch_script() {
    const std::optional<std::string> format = export_format_of_stack(run_->stack_name(), library_);
    if (!format) {
      diagnostics_.warning({}, fmt::format("no launch script: no format of `export` starts the stack `{}`", run_->stack_name()));
      return;
    }
    if (!plan_.answer.refusal.empty()) return;  // The answer states the reason.
    Diagnostics messages;
    std::string text = export_launch({*format, "", written_->request}, *written_->library, messages);
    if (messages.has_errors()) {
      diagnostics_.warning({}, fmt::format("no launch script for {}: {}", *format, messages.first_error()->message));
      return;
    }
    add_script(*format, std::move(text), plan_.answer.script.empty() ? "starts this plan" : plan_.answer.script);
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
  std::optional<WrittenPlan> written_;                         ///< The plan.
  std::unique_ptr<Run> run_;                                   ///< Run of the plan.
};

}  // namespace

void add_plan_files(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics) {
  PlanFiles(plan, options, library, report, outcome, diagnostics).write();
}

}  // namespace opledger
