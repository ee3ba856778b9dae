#include "cli/plan_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/modeline.h"
#include "import/launch.h"
#include "import/launch_export.h"
#include "import/yaml_text.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"
#include "search/written_execution.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Writes the files of one answer. `run_` evaluates the written execution and not the candidate, so page and script show
/// the files that the user gets.
class PlanFiles {
 public:
  PlanFiles(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics)
      : plan_(plan), options_(options), library_(library), report_(report), outcome_(outcome), diagnostics_(diagnostics), folder_(options.output) {}

  void write() {
    if (!write_execution()) return;
    if (!plan_.model_text.empty()) add("model.yaml", plan_.model_text, "the model, imported from " + report_.model);
    write_launch_script();
    if (!write_page()) return;
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
  std::string model() const { return plan_.model_text.empty() ? plan_.question.model : (folder_ / "model.yaml").string(); }

  /// Returns the words of a command about the written run.
  std::string command(const std::string& verb, const std::string& more = {}) const {
    std::string out = fmt::format("opledger {} {} {}", verb, shell_word(model()), shell_word((folder_ / "plan.yaml").string()));
    if (!execution_->system.empty()) out += " " + shell_word(execution_->system);
    out += more;
    for (const auto& [key, value] : execution_->settings) out += " --set " + shell_word(key + "=" + value);
    return out;
  }

  bool write_execution() {
    const PlanCandidate& chosen = *plan_.answer.chosen;
    std::error_code unknown;
    const fs::path path = fs::absolute(folder_ / "plan.yaml", unknown);
    execution_ = written_execution(chosen.search->request, chosen.search->answer, chosen.candidate, path, library_, diagnostics_);
    if (!execution_) return false;
    std::string text = "# " + visible(plan_.command) + "\n# " + visible(command("eval")) + "\n";
    for (const auto& [key, value] : execution_->root.entries()) text += yaml_text(key.text()) + ": " + yaml_flow(value) + "\n";
    add("plan.yaml", std::move(text), "the execution: mesh, rules and inputs");
    request_.model = plan_.question.model;
    request_.execution = "plan " + folder_.string();
    request_.system = execution_->system;
    request_.overrides = execution_->settings;
    if (library_.provide(request_.execution, path, execution_->root, diagnostics_) == nullptr) return false;
    run_ = Run::prepare(request_, library_, diagnostics_);
    return run_ != nullptr;
  }

  void write_launch_script() {
    const std::optional<std::string> format = export_format_of_stack(run_->stack_name(), library_);
    if (!format) {
      diagnostics_.warning({}, fmt::format("no launch script: no format of `export` starts the stack `{}`", run_->stack_name()));
      return;
    }
    Diagnostics messages;
    const std::string text = export_launch({*format, "", request_}, library_, messages);
    if (messages.has_errors()) {
      diagnostics_.warning({}, fmt::format("no launch script for {}: {}", *format, messages.first_error()->message));
      return;
    }
    const std::string name = text.starts_with("#!") || text.find("ARGS=(") != std::string::npos ? "launch.sh" : "launch." + *format;
    add(name, text, "starts " + *format);
  }

  bool write_page() {
    const std::optional<ExploredRun> explored = explore(*run_, command("eval").substr(std::string("opledger ").size()), diagnostics_);
    if (!explored) return false;
    const ExploredPage page{title_of(*explored), {&*explored}};
    add("page.html", write_explore_page(explorer_frame(), page.title, write_explore_json(page)), "the run for a browser: graph, memory, time, every formula");
    return true;
  }

  void add_commands() {
    report_.commands = {{"eval", command("eval")}};
    report_.commands.emplace_back("explain", command("explain", " " + plan_.answer.chosen->search->answer.objective));
    report_.commands.emplace_back("files", join(names_of(contents_), ", ") + ", README.md in " + folder_.string());
  }

  const AnsweredPlan& plan_;
  const Options& options_;
  Library& library_;
  PlanReport& report_;
  Outcome& outcome_;
  Diagnostics& diagnostics_;
  const fs::path folder_;
  std::vector<std::pair<std::string, std::string>> contents_;  ///< Files, and what they are.
  std::optional<WrittenExecution> execution_;
  RunRequest request_;
  std::unique_ptr<Run> run_;
};

}  // namespace

void add_plan_files(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics) {
  PlanFiles(plan, options, library, report, outcome, diagnostics).write();
}

}  // namespace opledger
