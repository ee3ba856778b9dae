// `plan`: how to train or serve a model on some GPUs. Documents of kind `plan` define the questions and their options.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/modeline.h"
#include "cli/plan_files.h"
#include "cli/plan_launch.h"
#include "cli/report_outcome.h"
#include "import/hf.h"
#include "import/launch.h"
#include "measured/accuracy.h"
#include "report/plan_report.h"
#include "schemas/document.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool is_default(const Document& plan) {
  const Datum* const value = plan.root.find("default");
  return value != nullptr && value->boolean().value_or(false);
}

/// Returns the plan that the command line chooses: `--plan NAME`, or a word `--NAME` with the name of a plan, which is
/// removed from `words`; else the default plan. Null, with an error, if no plan or several plans are chosen.
const Document* find_plan(const Options& options, std::vector<std::string>& words, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> chosen;
  if (!options.plan.empty()) chosen.push_back(options.plan);
  const std::vector<std::string> known = library.names("plan");
  std::erase_if(words, [&](const std::string& word) {
    const bool names_plan = word.starts_with("--") && contains(known, word.substr(2));
    if (names_plan) chosen.push_back(word.substr(2));
    return names_plan;
  });
  if (chosen.size() > 1) {
    diagnostics.error({}, fmt::format("one command answers one question: leave out `{}` or `{}`", chosen[0], chosen[1]));
    return nullptr;
  }
  if (!chosen.empty()) return library.load(chosen[0], {"plan"}, diagnostics);
  for (const std::string& name : known) {
    const Document* const plan = library.load(name, {"plan"}, diagnostics);
    if (plan != nullptr && is_default(*plan)) return plan;
  }
  diagnostics.error({}, fmt::format("no plan is the default: choose one with `--plan`: {}", join(known, ", ")));
  return nullptr;
}

/// Reports an unknown option, and names another plan with an option of this name, or a similar option.
void unknown_option(const std::string& name, const std::vector<std::string>& known, const PlanQuestion& question, Library& library, Diagnostics& diagnostics) {
  std::string message = fmt::format("unknown option `--{}`", name);
  for (const std::string& other : library.names("plan")) {
    const Document* const plan = library.load(other, {"plan"}, diagnostics);
    if (plan == nullptr || plan == question.plan || plan->root.find("options")->find(name) == nullptr) continue;
    diagnostics.error({}, message + fmt::format(": the plan `{}` has it, which `--{}` chooses", other, other));
    return;
  }
  std::vector<std::string> all = known;
  for (const OptionSpec& option : kOptions) {
    if (find_command("plan")->accepts(option.group)) all.emplace_back(option.name.substr(2));
  }
  const std::string meant = nearest(name, all);
  message += meant.empty() ? fmt::format(": the plan `{}` has --{}", question.plan->name, join(known, ", --")) : fmt::format(" (did you mean `--{}`?)", meant);
  diagnostics.error({}, message);
}

/// Sorts words into the model and the values of options, `--NAME VALUE` or `--NAME=VALUE`. Reports options that the plan
/// lacks, missing values and further arguments.
void read_words(const std::vector<std::string>& words, PlanQuestion& question, Library& library, Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(question.plan->root.find("options")->entries());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      if (!question.model.empty()) diagnostics.error({}, fmt::format("`plan` takes one MODEL: leave out `{}`", word));
      question.model = word;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(2, equals == std::string::npos ? equals : equals - 2) : "";
    const bool has_value = equals != std::string::npos || (i + 1 < words.size() && !words[i + 1].starts_with("--"));
    const Datum* const option = question.plan->root.find("options")->find(name);
    const Datum* const flag = option != nullptr ? option->find("flag") : nullptr;
    if (option == nullptr) {
      unknown_option(name, known, question, library, diagnostics);
      if (has_value && equals == std::string::npos) ++i;
    } else if (flag != nullptr) {
      if (equals != std::string::npos) diagnostics.error({}, fmt::format("`--{}` has no value: leave out `{}`", name, word.substr(equals)));
      if (!question.texts.try_emplace(name, flag->text()).second) diagnostics.error({}, fmt::format("`--{}` is there twice", name));
    } else if (!has_value) {
      diagnostics.error({}, fmt::format("`--{}` needs a value: {}", name, option->find("doc")->text()));
    } else if (question.texts.contains(name)) {
      diagnostics.error({}, fmt::format("`--{}` is there twice", name));
      if (equals == std::string::npos) ++i;
    } else {
      question.texts[name] = equals != std::string::npos ? word.substr(equals + 1) : words[++i];
    }
  }
  if (question.model.empty()) diagnostics.error({}, "`plan` needs MODEL: the name of a model (`opledger list model`), or a config.json of Hugging Face");
  if (question.system.empty()) diagnostics.error({}, "`plan` needs `--system SYSTEM`: the machine (`opledger list system`)");
}

/// Adds a text as a document without a file. Returns false, with errors, if it is no document.
bool provide(const std::string& name, const fs::path& folder, const std::string& text, Library& library, Diagnostics& diagnostics) {
  const std::optional<Datum> root = parse_document(std::make_shared<const SourceFile>(name + ".yaml", text), diagnostics);
  return root && library.provide(name, folder / (name + ".yaml"), *root, diagnostics) != nullptr;
}

/// Converts the model of a question if it is a config of Hugging Face, a file or the folder of one. Quantized weights
/// become rules, which the model names as its published ones. Returns names and texts of the new documents, empty for
/// any other model; reports errors of the import.
Texts import_config(PlanQuestion& question, Library& library, Diagnostics& diagnostics) {
  std::error_code unknown;
  fs::path path = question.model;
  if (fs::is_directory(path, unknown)) path /= "config.json";
  if (path.extension() != ".json" || !fs::exists(path, unknown)) return {};
  const fs::path folder = fs::weakly_canonical(path, unknown).parent_path();
  const std::string name = path.filename() == "config.json" ? folder.filename().string() : path.stem().string();
  ImportRequest request{path.string(), name};
  request.rules = name + "-weights";
  request.has_optional_rules = true;
  ImportedDocuments imported = import_hf(request, library, diagnostics);
  if (imported.text.empty()) return {};
  Texts out;
  if (!imported.rules.empty()) {
    imported.text += fmt::format("published_rules: [{}]\n", yaml_text(request.rules));
    out.emplace_back(request.rules, imported.rules);
    if (!provide(request.rules, folder, imported.rules, library, diagnostics)) return {};
  }
  out.emplace(out.begin(), name, imported.text);
  if (!provide(name, folder, imported.text, library, diagnostics)) return {};
  question.model = name;
  return out;
}

/// Returns the command line as a user would repeat it.
std::string repeated(const Options& options, const PlanQuestion& question, const std::string& model) {
  std::string out = "opledger plan " + shell_word(model) +
                    (!options.plan.empty()        ? " --plan " + shell_word(options.plan)
                     : is_default(*question.plan) ? ""
                                                  : " --plan " + shell_word(question.plan->name));
  out += " --system " + shell_word(options.system);
  for (const auto& [name, value] : question.texts) {
    const bool is_flag = question.plan->root.find("options")->find(name)->find("flag") != nullptr;
    out += " --" + name + (is_flag ? "" : " " + shell_word(value));
  }
  for (const auto& [key, value] : options.overrides) out += " --set " + shell_word(key + "=" + value);
  for (const std::string& folder : options.path) out += " --path " + shell_word(folder);
  return out;
}

}  // namespace

/// Answers one question. The words of the command line are options of the chosen plan; so the plan is loaded before the
/// words are read. With `-o DIR`, the files of the answer go into a folder.
Outcome plan_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> words = options.arguments;
  PlanQuestion question;
  question.plan = find_plan(options, words, library, diagnostics);
  if (question.plan == nullptr) return {};
  question.system = options.system;
  question.overrides = options.overrides;
  read_words(words, question, library, diagnostics);
  if (diagnostics.has_errors()) return {};
  const std::string written_model = question.model;
  const Texts imported = import_config(question, library, diagnostics);
  if (diagnostics.has_errors()) return {};
  const Interrupt interrupt;
  const auto start = Clock::now();
  PlanScripts scripts(question, library);
  const auto refusal = [&scripts](const PlanCandidate& candidate) { return scripts.refusal(candidate); };
  const std::optional<PlanAnswer> answer = make_plan(question, {static_cast<std::size_t>(options.jobs), &interrupt.raised()}, refusal, library, diagnostics);
  if (!answer) return {};
  PlanReport report;
  report.model = written_model, report.system = question.system, report.plan = question.plan->name;
  if (answer->run != nullptr) {
    report.expected_error = expected_error(answer->run->stack_name(), answer->run->system_document()->name, answer->kind, library, diagnostics);
    report.has_script = export_format_of_stack(answer->run->stack_name(), library).has_value();
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (options.why && answer->chosen) report.choices = plan_choices(*answer, library);
  if (options.front && answer->chosen && !(report.front = plan_front(question, *answer->searches, library, diagnostics))) return {};
  Outcome outcome;
  outcome.interrupted = answer->partial;
  if (!answer->chosen) {
    outcome.infeasible.push_back("no configuration is feasible");
  } else if (options.output.empty() || options.output == "-") {
    report.commands = {{"next", repeated(options, question, written_model) + " -o plan/"}};
  } else {
    add_plan_files({question, *answer, imported, repeated(options, question, written_model)}, options, library, report, outcome, diagnostics);
    if (diagnostics.has_errors()) return {};
  }
  outcome.text = options.format == "json" ? write_plan_json(*answer, report) : write_plan_text(*answer, report);
  return outcome;
}

}  // namespace opledger
