#include "import/launch_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "compare/difference.h"
#include "formulas/link/linker.h"
#include "import/config_writer.h"
#include "import/import_steps.h"
#include "import/launch.h"
#include "import/value_writer.h"
#include "ops/definition.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr double kRelativeTolerance = 1e-12;  // Relative tolerance: sums may be added in another order.
constexpr std::size_t kCommentAt = 60;        // Column of comments.
constexpr std::size_t kMostNamed = 5;         // Limit of differences that a message lists.
constexpr const char* kArguments = "ARGS";

std::string flag_value(const Datum& value) {
  std::vector<std::string> words;
  for (const Datum& item : value.all()) words.push_back(shell_word(item.text()));
  return join(words, " ");
}

/// Returns a text as a basic string of TOML: quotes, backslashes and control characters are escaped.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string toml_value(const Datum& value) {
  if (value.is_list()) {
    std::vector<std::string> items;
    for (const Datum& item : value.items()) items.push_back(toml_value(item));
    return "[" + join(items, ", ") + "]";
  }
  return value.quoted() || (!value.number() && !value.boolean()) ? toml_text(value.text()) : value.text();
}

std::string commented(std::string line, const std::string& from) {
  if (from.empty()) return line + "\n";
  line.resize(std::max(line.size() + 2, kCommentAt), ' ');
  return line + "# " + from + "\n";
}

/// Writes fields as YAML: a mapping for each section of places, in the order of first fields. `depth` is the number of
/// parts of the places that are already written. The cost is fields times sections.
void add_yaml(const std::vector<const WrittenField*>& fields, std::size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  std::vector<std::string> written;
  for (const WrittenField* field : fields) {
    const std::vector<std::string> parts = split(field->field->places[0], '.');
    const std::string key = parts[depth];
    if (contains(written, key)) continue;
    if (parts.size() == depth + 1) {
      out += commented(indent + yaml_text(key) + ": " + yaml_flow(field->value), field->from);
      continue;
    }
    written.push_back(key);
    out += indent + yaml_text(key) + ":\n";
    std::vector<const WrittenField*> inner;
    for (const WrittenField* other : fields) {
      const std::vector<std::string> place = split(other->field->places[0], '.');
      if (place.size() > depth + 1 && place[depth] == key) inner.push_back(other);
    }
    add_yaml(inner, depth + 1, out);
  }
}

bool is_script(const ExportMapping& mapping) { return mapping.export_format == "script"; }

bool is_yaml(const ExportMapping& mapping) { return mapping.export_format == "yaml"; }

std::string header(const ExportRequest& request, const ExportMapping& mapping, const WrittenConfig& config, bool states_rules) {
  std::string out = is_script(mapping) ? "#!/usr/bin/env bash\n" : "";
  out += "# " +
         visible(fmt::format(
             "{} as {} runs it, for {}; comments name the sources of each argument. Arguments without a cost (data, learning rate, …) are left out.",
             request.run.model, request.run.execution, request.format)) +
         "\n";
  if (states_rules || !config.rules.empty()) out += fmt::format("{}rules: [{}]\n", kNoteMark, join(config.rules, ", "));
  for (const WrittenField& field : config.fields) {
    if (field.field->in_comment) out += fmt::format("{}{}: {}\n", kNoteMark, field.field->name, yaml_flow(field.value));
  }
  for (const auto& [key, value] : config.comment_keys) out += fmt::format("{}{}: {}\n", kNoteMark, key.text(), yaml_flow(value));
  return out;
}

/// Fills the values of fields into the command. Appends each field without a place in the command to `listed`.
std::string command(const ExportMapping& mapping, const WrittenConfig& config, std::vector<const WrittenField*>& listed) {
  std::string out = mapping.command;
  for (const WrittenField& field : config.fields) {
    const std::string place = "{" + field.field->name + "}";
    const std::size_t at = out.find(place);
    if (field.field->in_comment) continue;
    if (at == std::string::npos) {
      listed.push_back(&field);
    } else {
      out.replace(at, place.size(), flag_value(field.value));
    }
  }
  return out;
}

/// Returns fields as a list of arguments.
std::string list_of(const std::string& name, const std::vector<const WrittenField*>& fields) {
  std::string out = name + "=(\n";
  for (const WrittenField* field : fields) {
    const std::string value = field->value.boolean() == true ? "" : " " + flag_value(field->value);
    out += commented("  " + field->field->places[0] + value, field->from);
  }
  return out + ")\n";
}

std::string script(const ExportMapping& mapping, const WrittenConfig& config) {
  std::vector<const WrittenField*> listed;
  const std::string last = command(mapping, config, listed);
  return list_of(kArguments, listed) + last + "\n";
}

/// Returns the value of a key of an execution, or the degree of an axis of its mesh; null without it.
const Datum* value_in(const Datum& root, const std::string& key) {
  if (const Datum* value = root.find(key)) return value;
  const Datum* const mesh = root.find("mesh");
  for (const auto& [axis, degree] : mesh != nullptr ? mesh->entries() : std::vector<Datum::Entry>{}) {
    if (axis.text() == key && !degree.is_map()) return &degree;
    if (const Datum* part = degree.is_map() ? degree.find(key) : nullptr) return part;
  }
  return nullptr;
}

/// Returns an execution whose case of a word has the settings `WORD.KEY=VALUE`. Removes these settings, settings of keys
/// that the case states, because values of cases have precedence, and settings of other words.
Datum with_settings(const Datum& root, const std::string& word, std::vector<std::pair<std::string, std::string>>& settings) {
  const Datum* const cases = root.find("cases");
  const Datum* const own = cases != nullptr ? cases->find(word) : nullptr;
  std::vector<Datum::Entry> values = own != nullptr ? own->entries() : std::vector<Datum::Entry>{};
  const auto states = [&](const std::string& key) { return std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.first.text() == key; }); };
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(word + ".")) continue;
    const std::string name = key.substr(word.size() + 1);
    std::erase_if(values, [&](const Datum::Entry& entry) { return entry.first.text() == name; });
    values.emplace_back(Datum::scalar(name, false, {}), Datum::scalar(value, false, {}));
  }
  std::erase_if(settings, [&](const auto& setting) {
    const bool of_word = setting.first.find('.') != std::string::npos && !setting.first.starts_with("system.");
    return of_word || states(setting.first);
  });
  std::vector<Datum::Entry> out = root.entries();
  std::erase_if(out, [](const Datum::Entry& entry) { return entry.first.text() == "cases"; });
  out.emplace_back(Datum::scalar("cases", false, {}), Datum::map({{Datum::scalar(word, false, {}), Datum::map(std::move(values), {})}}, {}));
  return Datum::map(std::move(out), root.span());
}

/// Returns an execution with the values of one word of its cases in place of its own, and with the values of `set`.
Datum execution_at(const Datum& root, const std::string& word, const Datum* set) {
  const Datum* const cases = root.find("cases");
  const Datum* const own = cases != nullptr ? cases->find(word) : nullptr;
  std::vector<Datum::Entry> changes = own != nullptr ? own->entries() : std::vector<Datum::Entry>{};
  if (set != nullptr) changes.insert(changes.end(), set->entries().begin(), set->entries().end());
  // Degrees of mesh axes replace those inside `mesh`; other changes replace or add keys.
  const std::function<Datum(const Datum&)> with_degrees = [&](const Datum& mesh) {
    std::vector<Datum::Entry> out;
    for (const auto& [axis, degree] : mesh.entries()) {
      const auto changed = std::find_if(changes.begin(), changes.end(), [&, &name = axis](const Datum::Entry& c) { return c.first.text() == name.text(); });
      out.emplace_back(axis, degree.is_map() ? with_degrees(degree) : changed == changes.end() ? degree : changed->second);
      if (!degree.is_map() && changed != changes.end()) changes.erase(changed);
    }
    return Datum::map(std::move(out), mesh.span());
  };
  std::vector<Datum::Entry> out;
  for (const auto& [key, value] : root.entries()) {
    if (key.text() != "cases") out.emplace_back(key, key.text() == "mesh" && value.is_map() ? with_degrees(value) : value);
  }
  for (const auto& [key, value] : changes) {
    std::erase_if(out, [&, &name = key](const Datum::Entry& entry) { return entry.first.text() == name.text(); });
    out.emplace_back(key, value);
  }
  return Datum::map(std::move(out), root.span());
}

/// Returns the fields as TOML, a section for each place in front of a field's last dot. Sections follow the order of
/// their first fields, because TOML permits each section once. The cost is sections times fields.
std::string toml(const WrittenConfig& config) {
  std::string out;
  std::vector<std::string> sections;
  const auto section = [](const WrittenField& field) { return field.field->places[0].substr(0, field.field->places[0].rfind('.')); };
  for (const WrittenField& field : config.fields) {
    if (!contains(sections, section(field))) sections.push_back(section(field));
  }
  for (const std::string& name : sections) {
    out += fmt::format("\n[{}]\n", name);
    for (const WrittenField& field : config.fields) {
      if (section(field) == name) out += commented(field.field->places[0].substr(name.size() + 1) + " = " + toml_value(field.value), field.from);
    }
  }
  return out;
}

/// Returns the fields as YAML.
std::string yaml(const WrittenConfig& config) {
  std::vector<const WrittenField*> fields;
  for (const WrittenField& field : config.fields) {
    if (!field.field->in_comment) fields.push_back(&field);
  }
  std::string out;
  add_yaml(fields, 0, out);
  return out;
}

/// Returns whether a metric has the same value in both runs, up to rounding; other values than numbers must be equal.
bool same(const ComparedQuantity& metric) {
  const Value& a = metric.value(0);
  const Value& b = metric.value(1);
  if (!a.is_number() || !b.is_number()) return !metric.differs();
  return std::fabs(a.scalar.value - b.scalar.value) <= kRelativeTolerance * std::max(std::fabs(a.scalar.value), std::fabs(b.scalar.value));
}

/// Writes a run as a config and proves the result by a round trip: the text is imported again, and every metric must
/// be equal. Wrong arguments are thus found here and not on the cluster.
class Exporter {
 public:
  Exporter(const ExportRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), library_(library), diagnostics_(diagnostics) {}

  /// Prepares the run of the request, writes it as a config, and proves the text by an import. Without a system in
  /// the request, the proof uses the mapping's system. Returns an empty text and reports errors if the mapping only
  /// imports, or if a step fails.
  std::string write() {
    const std::optional<Mapping> mapping = load_launch_mapping(request_.format, request_.mapping, library_, diagnostics_);
    if (!mapping) return {};
    launch_ = read_launch_mapping(*mapping);
    export_mapping_ = read_export_mapping(*mapping);
    if (export_mapping_.export_format.empty()) {
      diagnostics_.error({}, fmt::format("the mapping `{}` can't export: it only imports", mapping->name()));
      return {};
    }
    published_rules_ = published_rules_of(request_.run.model, library_);
    add_published_rules();
    RunRequest requested = request_.run;
    if (requested.system.empty()) requested.system = export_mapping_.compared_on;
    const std::unique_ptr<Run> run = Run::prepare(requested, library_, diagnostics_);
    if (run == nullptr) return {};
    std::optional<WrittenConfig> config =
        has_separate_workers(*run) ? write_workers(*run, requested) : write_config(launch_, export_mapping_, *run, diagnostics_);
    if (!config) return {};
    const std::string text = write(*run, requested, std::move(*config));
    if (!text.empty() && !is_stack_of(launch_, run->stack_name()))
      diagnostics_.warning({}, fmt::format("stack = {}, which only a comment states: kernels and widths are those of this stack, and {} has its own",
                                           visible(run->stack_name()), request_.format));
    return text;
  }

 private:
  /// Adds published rules to the rules that only comments state, except those that arguments of the framework state.
  void add_published_rules() {
    const Datum* const rules = launch_.execution.find("rules");
    const std::vector<std::string> in_arguments = rules != nullptr ? names_of_rules(*rules) : std::vector<std::string>{};
    for (const std::string& rule : states_rules() ? published_rules_ : std::vector<std::string>{}) {
      if (!contains(in_arguments, rule)) launch_.assumed_rules.push_back(rule);
    }
  }

  bool has_separate_workers(Run& run) {
    const Datum* const when = export_mapping_.separate_workers.find("when");
    const std::optional<Value> holds = when != nullptr ? value_of(*when, run) : std::nullopt;
    return holds && as_truth(*holds).scalar.value != 0;
  }

  /// Returns the value of a formula in the run; nothing, with errors, without one.
  std::optional<Value> value_of(const Datum& formula, Run& run) {
    const ExprPtr expr = parse_formula(formula, "formula", diagnostics_);
    Linker linker(run.program(), run.evaluator().queries(), diagnostics_);
    const Formula* const linked = expr != nullptr ? linker.link(expr, *run.program().model) : nullptr;
    if (linked == nullptr) return std::nullopt;
    const Answer answer = run.evaluator().ask(*linked);
    return answer.report(diagnostics_) ? std::optional(answer.value) : std::nullopt;
  }

  /// Writes the workers of a run whose words of cases have workers of their own. Each kind of worker is exported as a run
  /// of its own, which proves its arguments. The config of the list ARGS is returned, because an import reads this list;
  /// comments state the cases. Other lists and the commands go to `workers_`. Returns nothing, with errors, if a worker
  /// can't be exported.
  std::optional<WrittenConfig> write_workers(Run& run, const RunRequest& requested) {
    const Datum& workers = export_mapping_.separate_workers;
    const Datum& root = run.execution_document()->root;
    std::optional<WrittenConfig> main;
    const Datum* const stated = root.find("cases");
    std::vector<Datum::Entry> cases = stated != nullptr ? stated->entries() : std::vector<Datum::Entry>{};
    for (const auto& [list, word] : workers.find("lists")->entries()) {
      ExportRequest one{request_.format, request_.mapping, requested};
      one.run.execution = fmt::format("a worker ({})", word.text());
      const Datum root_of_worker = with_settings(root, word.text(), one.run.overrides);
      const Datum& values = *root_of_worker.find("cases")->find(word.text());
      std::erase_if(cases, [&, &name = word](const Datum::Entry& entry) { return entry.first.text() == name.text(); });
      if (!values.entries().empty()) cases.emplace_back(word, values);
      libraries_.push_back(library_);
      Library& library = libraries_.back();
      if (library.provide(one.run.execution, run.execution_document()->path, execution_at(root_of_worker, word.text(), workers.find("set")), diagnostics_) ==
          nullptr)
        return std::nullopt;
      if (Exporter(one, library, diagnostics_).write().empty()) return std::nullopt;
      const std::unique_ptr<Run> worker = Run::prepare(one.run, library, diagnostics_);
      std::optional<WrittenConfig> config = worker != nullptr ? write_config(launch_, export_mapping_, *worker, diagnostics_) : std::nullopt;
      if (!config) return std::nullopt;
      if (list.text() == kArguments) {
        main = std::move(config);
        continue;
      }
      std::vector<const WrittenField*> listed;
      command(export_mapping_, *config, listed);
      workers_ += list_of(list.text(), listed);
    }
    // An import reads the values of the execution itself from ARGS, the list of the main word. If the main word has a value
    // of its own, the comment states the execution's value for each other word that follows the execution.
    const Datum* const main_word = workers.find("lists")->find(kArguments);
    const auto own =
        std::find_if(cases.begin(), cases.end(), [&](const Datum::Entry& c) { return main_word != nullptr && c.first.text() == main_word->text(); });
    const std::vector<Datum::Entry> own_values = own != cases.end() ? own->second.entries() : std::vector<Datum::Entry>{};
    for (const auto& [list, word] : workers.find("lists")->entries()) {
      if (list.text() == kArguments || own_values.empty()) continue;
      auto at = std::find_if(cases.begin(), cases.end(), [&, &name = word](const Datum::Entry& c) { return c.first.text() == name.text(); });
      if (at == cases.end()) at = cases.insert(cases.end(), {word, Datum::map({}, {})});
      std::vector<Datum::Entry> values = at->second.entries();
      for (const auto& [key, _] : own_values) {
        const Datum* const usual = value_in(root, key.text());
        if (at->second.find(key.text()) == nullptr && usual != nullptr) values.emplace_back(key, *usual);
      }
      at->second = Datum::map(std::move(values), {});
    }
    if (main && !cases.empty()) main->comment_keys.emplace_back(Datum::scalar("cases", false, {}), Datum::map(std::move(cases), {}));
    std::string commands = workers.find("script")->text();
    const Datum* const values = workers.find("values");
    for (const auto& [name, formula] : values != nullptr ? values->entries() : std::vector<Datum::Entry>{}) {
      const std::optional<Value> value = value_of(formula, run);
      if (!value) return std::nullopt;
      const std::string place = "{" + name.text() + "}";
      for (std::size_t at = commands.find(place); at != std::string::npos; at = commands.find(place, at)) commands.replace(at, place.size(), human(*value));
    }
    workers_ += commands;
    return main;
  }

  /// Writes the config, imports the text again and compares both runs. If inputs differ that the framework does not
  /// decide, they are added as comments, and import and comparison are repeated. Inputs that the execution states come
  /// first, because others may follow from them. Returns an empty text and reports errors if the text can't be imported or
  /// a metric differs.
  std::string write(Run& run, const RunRequest& requested, WrittenConfig config) {
    std::string text = text_of(config);
    std::unique_ptr<Run> back = import_again(text, requested);
    if (back == nullptr) return {};
    Differences all = differences(run, *back);
    for (const bool only_stated : {true, false}) {
      if (!only_stated && std::all_of(all.metrics.begin(), all.metrics.end(), same)) break;
      if (!add_notes(all, run, only_stated, config)) continue;
      text = text_of(config);
      back = import_again(text, requested);
      if (back == nullptr) return {};
      all = differences(run, *back);
    }
    return report_differences(all, run, *back) ? text : "";
  }

  /// Returns whether the execution or a setting of the request states an input.
  bool is_stated(const Run& run, const std::string& input) const {
    const auto names_input = [&](const auto& setting) { return setting.first == input; };
    return run.execution_document()->root.find(input) != nullptr || std::any_of(request_.run.overrides.begin(), request_.run.overrides.end(), names_input);
  }

  /// Returns whether a comment states the rules even if there are none: an import without the comment would add the
  /// published rules.
  bool states_rules() const { return !published_rules_.empty() && !launch_.loads_published.is_null(); }

  std::string text_of(const WrittenConfig& config) const {
    if (!workers_.empty()) {
      std::vector<const WrittenField*> listed;
      command(export_mapping_, config, listed);
      return header(request_, export_mapping_, config, states_rules()) + list_of(kArguments, listed) + workers_;
    }
    const std::string body = is_script(export_mapping_) ? script(export_mapping_, config) : is_yaml(export_mapping_) ? yaml(config) : toml(config);
    return header(request_, export_mapping_, config, states_rules()) + body;
  }

  /// Adds differing inputs as comments, if the mapping lists them as `assumed` or `approximated`; an `approximated` input
  /// gives a warning. If `only_stated`, only inputs that the execution states. Returns whether any comment was added.
  bool add_notes(const Differences& all, const Run& run, bool only_stated, WrittenConfig& config) {
    const std::size_t before = config.comment_keys.size();
    for (const ComparedQuantity& input : all.inputs) {
      const Datum* const approximated = launch_.approximated.find(input.name);
      if (approximated == nullptr && !contains(launch_.assumed, input.name)) continue;
      if (only_stated && !is_stated(run, input.name)) continue;
      const Datum value = written_value(input.value(0), {});
      config.comment_keys.emplace_back(Datum::scalar(input.name, false, {}), value);
      if (approximated != nullptr)
        diagnostics_.warning({}, fmt::format("{} = {}, which {} can't express: {}", input.name, value.text(), request_.format, approximated->text()));
    }
    return config.comment_keys.size() > before;
  }

  /// Imports an exported text and prepares its run. Returns null and reports errors if the text can't be imported.
  /// Every import gets a copy of the library, so that its documents do not collide with earlier ones. The copies live
  /// as long as this object, because a run loads documents during the comparison. Warnings are dropped: they describe
  /// the framework, not the run.
  std::unique_ptr<Run> import_again(const std::string& text, const RunRequest& requested) {
    const auto source = std::make_shared<const SourceFile>(fmt::format("exported.{}", is_script(export_mapping_) ? "sh" : export_mapping_.export_format), text);
    ImportRequest request;
    request.file = source->path;
    request.name = request.execution = "exported";
    Diagnostics messages;
    const std::optional<LaunchConfig> config = read_launch(source, launch_, {}, messages);
    const ImportedDocuments imported = config ? import_config(*config, launch_, request_.format, request, messages) : ImportedDocuments{};
    request.base_model = imported.text.empty() ? requested.model : "";
    request.published_rules = published_rules_;
    request.system = requested.system;
    for (const auto& setting : requested.overrides) {
      if (setting.first.starts_with("system.")) request.system_settings.push_back(setting);
    }
    libraries_.push_back(library_);
    std::unique_ptr<Run> back = imported.execution.empty() ? nullptr : build_imported(imported, request, libraries_.back(), messages);
    if (back != nullptr) return back;
    const Diagnostic* const first = messages.first_error();
    const bool lacks_document = first != nullptr && first->message.starts_with("there is no document");
    diagnostics_.error({}, fmt::format("the mapping `{}` can't express this run: the exported text can't be imported{}", launch_.family.config.name(),
                                       lacks_document ? "; it names a document of your own: add the document's folder with `--path`" : ""));
    diagnostics_.append(errors_of(std::move(messages)));
    return nullptr;
  }

  /// Returns errors without warnings: warnings describe the framework, not the run.
  static Diagnostics errors_of(Diagnostics all) {
    Diagnostics out;
    for (const Diagnostic& one : all.all()) {
      if (one.severity == Severity::error) out.add(one);
    }
    return out;
  }

  /// Returns the operators of a run that the other run lacks; the framework can't compute them.
  static std::vector<std::string> lacking_operators(const Run& run, const Run& back) {
    std::vector<std::string> out;
    if (!run.has_graph() || !back.has_graph()) return out;
    const auto has = [](const Run& of, const std::string& op) {
      return std::any_of(of.graph().nodes.begin(), of.graph().nodes.end(), [&](const Node& node) { return node.op->name == op; });
    };
    for (const Node& node : run.graph().nodes) {
      if (!has(back, node.op->name) && !contains(out, node.op->name)) out.push_back(node.op->name);
    }
    return out;
  }

  /// Reports the operators that the exported text lacks, then each metric that differs. Returns whether all metrics are
  /// equal.
  bool report_differences(const Differences& all, const Run& run, const Run& back) {
    std::vector<std::string> metrics, inputs;
    for (const ComparedQuantity& metric : all.metrics) {
      if (!same(metric)) metrics.push_back(fmt::format("{} {} instead of {}", metric.name, human(metric.value(1)), human(metric.value(0))));
    }
    if (metrics.empty()) return true;
    for (const ComparedQuantity& input : all.inputs)
      inputs.push_back(fmt::format("{} = {} instead of {}", input.name, human(input.value(1)), human(input.value(0))));
    const std::vector<std::string> lacking = lacking_operators(run, back);
    const std::string operators = lacking.empty() ? "" : fmt::format(" lacks the operators `{}` and", join(lacking, "`, `"));
    Diagnostic& error = diagnostics_.error({}, fmt::format("the mapping `{}` can't express all of this run; the exported text{} gives {}",
                                                           launch_.family.config.name(), operators, listed(metrics)));
    if (!inputs.empty()) error.note({}, "inputs that differ: " + listed(inputs));
    return false;
  }

  static std::string listed(const std::vector<std::string>& all) {
    const std::vector<std::string> listed_items(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostNamed)));
    return join(listed_items, ", ") + (all.size() > listed_items.size() ? fmt::format(", and {} more", all.size() - listed_items.size()) : "");
  }

  const ExportRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  LaunchMapping launch_;
  ExportMapping export_mapping_;
  std::vector<std::string> published_rules_;  ///< Rules of the weights that the model is published with.
  std::string workers_;                       ///< Lists besides ARGS and commands of separate workers; empty for other runs.
  std::deque<Library> libraries_;             ///< Libraries of the imported runs; runs load documents lazily during the comparison.
};

}  // namespace

std::string export_launch(const ExportRequest& request, Library& library, Diagnostics& diagnostics) { return Exporter(request, library, diagnostics).write(); }

}  // namespace opledger
