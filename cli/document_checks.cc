#include "cli/document_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "formulas/link/linker.h"
#include "formulas/read/check.h"
#include "formulas/read/reader.h"
#include "graph/check_arguments.h"
#include "import/mapping_check.h"
#include "measured/corrections.h"
#include "measured/measured_names.h"
#include "measured/validation.h"
#include "models/model.h"
#include "ops/definition.h"
#include "play/orders.h"
#include "questions/field_catalogue.h"
#include "rules/rule_set.h"
#include "run/document_fields.h"
#include "run/run.h"
#include "run/sources.h"
#include "run/unknown_names.h"
#include "schemas/schema.h"
#include "search/change/change_list.h"
#include "search/space/written_axes.h"

namespace opledger {
namespace {

// The document to check, with the objects that every check needs.
struct Subject {
  const Document& document;
  const std::string& path;
  const std::vector<const Document*>& all;  // Documents checked in the same command.
  Library& library;
  Diagnostics& diagnostics;
};

bool load_sources(const Document& accounting, const Subject& subject, Sources& out) {
  return out.add_accounting(accounting, subject.library, subject.diagnostics);
}

// Returns the accountings that read a document: the named or default one, and every accounting in its key `for`.
std::vector<const Document*> readers_of(const Subject& subject) {
  std::vector<const Document*> result;
  if (const Document* main = accounting_of(subject.document, subject.library, subject.diagnostics)) result.push_back(main);
  const Datum* own = subject.document.root.find("for");
  if (own == nullptr) return result;
  for (const auto& [name, _] : own->entries()) {
    const Document* other = subject.library.load(name.text(), {"accounting"}, subject.diagnostics, name.span(), subject.document.path);
    if (other != nullptr && !contains(result, other)) result.push_back(other);
  }
  return result;
}

// Returns the accounting whose own graph is the model; empty for an ordinary model.
std::string owner_of(const Subject& subject) {
  for (const std::string& name : subject.library.names("accounting")) {
    Diagnostics ignored;
    const Document* accounting = subject.library.load(name, {"accounting"}, ignored);
    const Datum* graph = accounting != nullptr ? accounting->root.find("graph") : nullptr;
    const Document* model = graph != nullptr ? subject.library.load(graph->text(), {"model"}, ignored, graph->span(), accounting->path) : nullptr;
    if (model != nullptr && model->path == subject.document.path) return name;
  }
  return {};
}

// Returns the quantities of nodes in the default accounting and in the model's operators.
std::vector<std::string> quantities_of_nodes(const Model& model, const Subject& subject) {
  std::vector<std::string> out;
  LinkedAccounting linked;
  if (link_accounting("", subject.library, linked, subject.diagnostics)) {
    for (const auto& [name, known] : linked.program->global->names) {
      if (known->at_node) out.push_back(name);
    }
  }
  for (const Document* document : model.documents) {
    const Datum* const quantities = document->root.find("quantities");
    for (const auto& [name, _] : quantities != nullptr ? quantities->entries() : std::vector<Datum::Entry>{}) out.push_back(name.text());
  }
  return out;
}

// Checks the nodes of all blocks of a document, also of blocks that no graph uses: arguments against the signatures of
// operators, then ports and renamed parameters of each segment. No sizes are needed, so a document of blocks alone can
// be checked. Errors that building a graph reports, such as unknown blocks, are left to it.
void check_nodes(const Subject& subject) {
  const std::optional<Model> model = load_model(subject.document, subject.library, subject.diagnostics);
  if (!model) return;
  OperatorLibrary operators;
  Diagnostics ignored;  // Repeated operators are reported when a graph is built.
  for (const Document* document : model->documents) {
    if (document->kind == "ops") operators.add(*document, ignored);
  }
  check_arguments(subject.document, *model, operators, quantities_of_nodes(*model, subject), subject.diagnostics);
  const std::vector<std::string> mentioned = mentioned_names(*model);
  for (const SegmentSpec& segment : model->graph) {
    const auto block = model->blocks.find(segment.block);
    if (block == model->blocks.end()) continue;  // An unknown block is reported when the graph is built.
    check_ports(block->second, segment.inputs, segment.weights, segment.weight_spans, subject.diagnostics);
    check_renames(segment.inputs, mentioned, subject.diagnostics);
  }
}

void check_model(const Subject& subject) {
  check_nodes(subject);
  if (subject.diagnostics.has_errors()) return;
  RunRequest request;
  request.model = subject.path;
  request.accounting = owner_of(subject);
  if (request.accounting.empty()) Run::prepare(request, subject.library, subject.diagnostics);
  // The graph of an accounting is built with every run of the accounting; without a run its sizes have no values.
}

void check_blocks(const Subject& subject) { check_nodes(subject); }

// Returns whether an accounting is a part of others: it has no reports and may use names of the accountings that
// include it.
bool is_part(const Sources& sources) {
  return std::none_of(sources.documents.begin(), sources.documents.end(), [](const Document* document) { return document->root.find("reports") != nullptr; });
}

// Returns the first accounting on the search path that uses the document and has reports of its own; null without
// one.
const Document* user_of(const Subject& subject) {
  for (const std::string& name : subject.library.names("accounting")) {
    Diagnostics ignored;
    const Document* accounting = subject.library.load(name, {"accounting"}, ignored);
    if (accounting == nullptr || accounting->root.find("reports") == nullptr) continue;
    const auto all = subject.library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, ignored);
    const auto is_subject = [&](const Document* d) { return d->path == subject.document.path; };
    if (std::any_of(all.begin(), all.end(), is_subject)) return accounting;
  }
  return nullptr;
}

// Checks the metrics in `compares`: each must be a metric of the other accounting.
void check_compares(const Subject& subject) {
  const Datum* const compares = subject.document.root.find("compares");
  for (const auto& [accounting, comparison] : compares != nullptr ? compares->entries() : std::vector<Datum::Entry>{}) {
    const Document* const other = subject.library.load(accounting.text(), {"accounting"}, subject.diagnostics, accounting.span(), subject.document.path);
    const Datum* const metrics = comparison.find("metrics");
    LinkedAccounting linked;
    if (other == nullptr || metrics == nullptr || !link_accounting(other->path.string(), subject.library, linked, subject.diagnostics)) continue;
    const std::vector<std::string> known = names_of(linked.program->published);
    for (const auto& [metric, _] : metrics->entries()) {
      if (contains(known, metric.text())) continue;
      subject.diagnostics.error(
          metric.span(), fmt::format("accounting `{}` has no metric `{}`{}", accounting.text(), metric.text(), known_names(metric.text(), "metrics", known)));
    }
  }
}

// Checks that each key of `solve` is an input.
bool check_solved(const Program& program, const Subject& subject) {
  const Datum* const solved = subject.document.root.find("solve");
  const std::vector<std::string> known = names_of(program.inputs);
  const std::size_t errors = subject.diagnostics.errors();
  for (const auto& [input, _] : solved != nullptr ? solved->entries() : std::vector<Datum::Entry>{}) {
    if (!contains(known, input.text()))
      subject.diagnostics.error(input.span(), fmt::format("unknown input `{}`{}", input.text(), known_names(input.text(), "inputs", known)));
  }
  return subject.diagnostics.errors() == errors;
}

// Checks the keys of `solve`, then the case names of an accounting, then the units of its formulas; the first failure
// ends the check.
void check_program(const Program& program, const std::vector<const Document*>& documents, const Subject& subject) {
  if (check_solved(program, subject) && check_case_names(documents, program, subject.library, subject.diagnostics)) check_units(program, subject.diagnostics);
}

// Links the document with the first accounting that uses it, or with the default accounting, and checks all units.
void check_formulas(const Subject& subject) {
  const Document* accounting = user_of(subject);
  if (accounting == nullptr) accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  Sources sources;
  if (accounting == nullptr || !load_sources(*accounting, subject, sources)) return;
  const std::vector<std::string> kinds =
      subject.document.kind == "accounting" ? std::vector<std::string>{"accounting", "ops"} : std::vector<std::string>{"ops"};
  sources.add_operators(subject.library.closure(subject.document, {"uses"}, kinds, subject.diagnostics), subject.diagnostics);
  if (const Datum* options = subject.document.kind == "rules" ? subject.document.root.find("options") : nullptr)
    sources.program.options.emplace_back(options, subject.document.name);
  if (subject.diagnostics.has_errors()) return;
  const std::optional<Program> program = link_program(sources.program, subject.diagnostics);
  if (program) check_program(*program, {&subject.document}, subject);
}

void check_orders(const Subject& subject) {
  const Datum* ops = subject.document.root.find("ops");
  if (ops == nullptr) return;
  for (const auto& [_, op] : ops->entries()) {
    const Datum* order = op.find("order");
    if (order != nullptr && order->is_scalar()) load_order({nullptr, *order}, subject.library, subject.diagnostics);
  }
}

void check_ops(const Subject& subject) {
  check_formulas(subject);
  check_orders(subject);
}

void check_order(const Subject& subject) { read_order(subject.document.root, subject.diagnostics); }

// Returns the marks of a kind of element, declared by accountings on the search path or in the same command.
std::vector<std::string> declared_marks(const std::string& of, const Subject& subject) {
  std::vector<std::string> out = declared_names("marks", of, subject.library);
  for (const Document* document : subject.all) {
    const Datum* const marks = document->kind == "accounting" ? document->root.find("marks") : nullptr;
    const Datum* const found = marks != nullptr ? marks->find(of) : nullptr;
    for (const auto& [mark, _] : found != nullptr ? found->entries() : std::vector<Datum::Entry>{}) out.push_back(mark.text());
  }
  return out;
}

void check_marks(const Subject& subject) {
  const Datum* const all = subject.document.root.find("mark");
  for (const Datum& rule : all != nullptr ? all->items() : std::vector<Datum>{}) {
    for (const auto& [of, marks] : rule.entries()) {
      if (!marks.is_map() || of.text() == "match") continue;
      const std::vector<std::string> known = declared_marks(of.text(), subject);
      for (const auto& [mark, _] : marks.entries()) {
        if (contains(known, mark.text())) continue;
        subject.diagnostics.error(
            mark.span(), fmt::format("no accounting knows a mark `{}` under `{}`{}", mark.text(), of.text(), known_names(mark.text(), "marks", known)));
      }
    }
  }
}

void check_rules(const Subject& subject) {
  RuleSet().add(subject.document, subject.diagnostics);
  check_marks(subject);
  if (subject.document.root.find("options") != nullptr) check_formulas(subject);
}

void add_drawn(const Document& document, std::vector<std::string>& out) {
  const Datum* const views = document.kind == "accounting" ? document.root.find("views") : nullptr;
  for (const auto& [_, view] : views != nullptr ? views->entries() : std::vector<Datum::Entry>{}) {
    for (const Datum& drawing : view.items()) {
      if (const Datum* const report = drawing.find("report")) out.push_back(report->text());
    }
  }
}

// Checks that a command or a view shows each report of an accounting, because a misspelled name would stay unnoticed. A
// command shows the report of its name, and reports of its options such as `eval_at_peak`. The option `--layers` shows
// `layers`, explanations of nodes show `node`, and `audit` appends its own report. Views of the accounting, of its
// parents (`documents`) and of documents in the same command (`subject.all`) draw further reports.
void check_reports(const std::vector<const Document*>& documents, const Subject& subject) {
  std::vector<std::string> known = {"audit", "layers", "node"};
  for (const Command& command : commands()) {
    if (command.accepts(OptionGroup::report)) known.emplace_back(command.name);
  }
  for (const auto* list : {&documents, &subject.all}) {
    for (const Document* document : *list) add_drawn(*document, known);
  }
  const Datum* const reports = subject.document.root.find("reports");
  for (const auto& [name, _] : reports != nullptr ? reports->entries() : std::vector<Datum::Entry>{}) {
    const std::string& text = name.text();
    const std::string command = text.substr(0, std::min(text.find("_at_"), text.find("_over_")));
    if (!contains(known, text) && !contains(known, command))
      subject.diagnostics.error(name.span(), fmt::format("no command prints a report `{}`{}", text, known_names(text, "reports", known)));
  }
}

void check_accounting(const Subject& subject) {
  check_compares(subject);
  Sources sources;
  if (!load_sources(subject.document, subject, sources)) return;
  check_reports(sources.documents, subject);
  if (is_part(sources) && user_of(subject) != nullptr) return check_formulas(subject);
  const std::optional<Program> program = link_program(sources.program, subject.diagnostics);
  if (program) check_program(*program, sources.documents, subject);
}

void check_system(const Subject& subject) {
  for (const Document* accounting : readers_of(subject)) {
    Sources sources;
    if (!load_sources(*accounting, subject, sources)) return;
    sources.add_system(subject.document);
    link_program(sources.program, subject.diagnostics);
  }
  if (!subject.diagnostics.has_errors()) corrected(subject.document, subject.library, subject.diagnostics);
}

// Checks the documents that measurements name. Rows are checked later, with a system they correct or in a fit.
void check_measurements(const Subject& subject) {
  for (const Document* d : subject.library.closure(subject.document, {"extends"}, {"measurements"}, subject.diagnostics)) {
    if (const Datum* model = d->root.find("model")) subject.library.load(model->text(), {"model"}, subject.diagnostics, model->span(), d->path);
  }
  if (!subject.diagnostics.has_errors()) check_measured_names(subject.document, subject.library, subject.diagnostics);
}

// Returns whether some run may read a field. The field may be a parameter of a model, or an option of a rule outside
// of the document.
bool may_be_read(const std::string& key, const Document& accounting, const Subject& subject) {
  if (contains(model_parameters(subject.library), key)) return true;
  const auto has_key = [&](const Document* document) {
    const bool is_model = document->kind == "model" || document->kind == "blocks";
    const Datum* const parameters = is_model ? document->root.find("parameters") : nullptr;
    return parameters != nullptr && parameters->find(key) != nullptr;
  };
  if (std::any_of(subject.all.begin(), subject.all.end(), has_key)) return true;
  Diagnostics ignored;
  const auto fields = accepted_fields(accounting.path.string(), subject.library, ignored);
  return fields != nullptr && contains(names_of(fields->execution), key);
}

// Checks a plan: its spaces exist, its formulas can be parsed, units are known, and cures name its options. Names of
// inputs need a model and are not checked.
void check_plan(const Subject& subject) {
  const Datum& plan = subject.document.root;
  const std::vector<std::string> options = names_of(plan.find("options")->entries());
  const auto parse = [&](const Datum* formula) {
    if (formula != nullptr && formula->is_scalar()) parse_formula(*formula, "formula", subject.diagnostics);
  };
  const auto check_option = [&](const Datum* option) {
    if (option != nullptr && !contains(options, option->text()))
      subject.diagnostics.error(option->span(), fmt::format("no option is called `{}`{}", option->text(), known_names(option->text(), "options", options)));
  };
  for (const auto& [name, option] : plan.find("options")->entries()) {
    const Datum* const unit = option.find("unit");
    if (unit != nullptr && !parse_unit(unit->text())) subject.diagnostics.error(unit->span(), fmt::format("unknown unit `{}`", unit->text()));
    if (option.find("sets") == nullptr && option.find("rules") == nullptr)
      subject.diagnostics.error(name.span(), fmt::format("option `{}` needs `sets` or `rules`", name.text()));
    parse(option.find("is"));
  }
  for (const Datum& search : plan.find("searches")->items()) {
    subject.library.load(*search.find("space"), {"search"}, subject.diagnostics, subject.document.path);
    parse(search.find("when"));
  }
  for (const auto& [label, parts] : plan.find("lines")->entries()) {
    for (const Datum& part : parts.items()) {
      parse(part.find("when"));
      parse(part.find("of"));
      if (part.find("largest") != nullptr && part.find("of") == nullptr)
        subject.diagnostics.error(part.span(), fmt::format("line `{}`: `largest` needs `of`, the whole", label.text()));
    }
  }
  const Datum* const cures = plan.find("cures");
  for (const Datum& cure : cures != nullptr ? cures->items() : std::vector<Datum>{}) {
    check_option(cure.find("option"));
    const Datum* const systems = cure.find("systems");
    for (const Datum& system : systems != nullptr ? systems->items() : std::vector<Datum>{})
      subject.library.load(system, {"system"}, subject.diagnostics, subject.document.path);
  }
  if (const Datum* const variants = plan.find("variants")) check_option(variants->find("option"));
}

// Checks the axes, rules and mesh of a search space; candidates need a model and are not checked. Each axis must set a
// known name. `known` collects these: parameters of models, inputs of the accounting and of the space, and axes of the
// mesh. `words` holds the case words of the accounting; an axis `WORD.NAME` varies an input at that word, so its name
// follows the dot. Names that an option of a rule or a model outside of the command may define are accepted.
void check_search(const Subject& subject) {
  const Datum& root = subject.document.root;
  const Document* const accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  const std::vector<WrittenAxis> axes = written_axes(root, subject.diagnostics);
  RuleSet rules;  // Loaded only for its errors.
  load_rules(subject.document, subject.library, rules, subject.diagnostics);
  const Datum* const mesh = root.find("mesh");
  const std::optional<MeshSpec> mesh_spec = mesh != nullptr ? parse_mesh(*mesh, subject.diagnostics) : std::nullopt;
  if (accounting == nullptr || subject.diagnostics.has_errors()) return;
  std::vector<std::string> known = model_parameters(subject.library), words;
  known.emplace_back("system");
  for (const Document* document : subject.library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, subject.diagnostics)) {
    const Datum* const sets = document->root.find("cases");
    for (const auto& [_, of_set] : sets != nullptr ? sets->entries() : std::vector<Datum::Entry>{}) {
      for (const auto& [word, values] : of_set.entries()) words.push_back(word.text());
    }
  }
  if (const auto fields = accepted_fields(accounting->path.string(), subject.library, subject.diagnostics)) {
    for (const DocumentField& field : fields->execution) known.push_back(field.name);
  }
  for (const Document* document : subject.library.closure(subject.document, {"uses", "extends"}, {"search", "accounting", "ops"}, subject.diagnostics)) {
    const Datum* const inputs = document->root.find("inputs");
    for (const auto& [name, _] : inputs != nullptr ? inputs->entries() : std::vector<Datum::Entry>{}) known.push_back(name.text());
  }
  if (mesh_spec) {
    for (const auto& [name, _] : mesh_spec->degrees) known.push_back(name);
  }
  for (const WrittenAxis& axis : axes) {
    const std::string& axis_name = axis.name->text();
    const std::string name = contains(words, axis_name.substr(0, axis_name.find('.'))) ? axis_name.substr(axis_name.find('.') + 1) : axis_name;
    if (!contains(known, name) && !may_be_read(name, *accounting, subject))
      subject.diagnostics.error(axis.name->span(), fmt::format("no input is called `{}`{}", name, known_names(name, "inputs", known)));
  }
}

// Reports an unknown field. The field may be a parameter of a model that is not part of the command.
void report_unknown(const Datum& key, const std::vector<std::string>& known, const Document& accounting, const Subject& subject) {
  if (!may_be_read(key.text(), accounting, subject)) {
    subject.diagnostics.error(key.span(), fmt::format("unknown field `{}`{}", key.text(), known_names(key.text(), "fields", known)));
    return;
  }
  const std::string meant = suggestion(key.text(), known);
  if (!meant.empty())
    subject.diagnostics.warning(key.span(), fmt::format("unknown field `{}`{}: without a model it counts as a model parameter", key.text(), meant));
}

void add_fields(const Datum& fields, const Program& empty, const Document& accounting, const Subject& subject, Sources& sources) {
  const std::vector<std::string> inputs = names_of(empty.inputs);
  std::vector<std::string> known = names_of(find_schema(subject.document.kind)->properties);
  known.insert(known.end(), inputs.begin(), inputs.end());
  for (const auto& [key, value] : fields.entries()) {
    if (structural_key(key.text())) continue;
    if (contains(inputs, key.text()))
      sources.program.execution.push_back({key.text(), value, key.span()});
    else if (value.is_map() && contains(model_parameters(subject.library), key.text()))
      subject.diagnostics.error(value.span(), fmt::format("`{}` is a parameter of models, which is no mapping", key.text()));
    else
      report_unknown(key, known, accounting, subject);
  }
}

// Checks an execution or stack for one accounting that reads it. The accounting is linked twice. The first program
// (`without_values`) leaves out the values of the document: its inputs tell which fields are unknown, so that these are
// reported with suggestions. Linking with the values then checks their types and formulas. The check ends if loading or
// the first link fails. Unknown fields and wrong cases are then reported together, and only a document without errors
// is linked with its values: later messages would be misleading.
void check_execution_for(const Document& accounting, const Subject& subject) {
  Sources sources;
  if (!load_sources(accounting, subject, sources)) return;
  std::vector<const Document*> used = subject.library.closure(subject.document, {"uses"}, {"ops", "execution"}, subject.diagnostics);
  std::erase_if(used, [](const Document* d) { return d->kind != "ops"; });
  sources.add_operators(used, subject.diagnostics);
  const Datum* mesh = subject.document.root.find("mesh");
  if (mesh != nullptr && !sources.add_mesh(*mesh, subject.diagnostics)) return;
  sources.add_options(load_rules(subject.document, subject.library, sources.rules, subject.diagnostics));
  if (subject.diagnostics.has_errors()) return;
  const std::optional<Program> without_values = link_program(sources.program, subject.diagnostics);
  if (!without_values) return;
  add_fields(subject.document.root, *without_values, accounting, subject, sources);
  if (const Datum* own = fields_for(subject.document, sources.documents)) add_fields(*own, *without_values, accounting, subject, sources);
  check_cases(subject.document, *without_values, subject.library, subject.diagnostics);
  if (!subject.diagnostics.has_errors()) link_program(sources.program, subject.diagnostics);
}

void check_stack(const Subject& subject) {
  subject.library.closure(subject.document, {"extends"}, {"stack"}, subject.diagnostics);  // An unknown stack is an error.
  const Document* const accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  if (accounting != nullptr) check_execution_for(*accounting, subject);
}

// Checks that the stack of an execution can be loaded.
void check_named_stack(const Subject& subject) {
  RunRequest request;
  if (const auto named = named_stack(request, nullptr, subject.document))
    subject.library.load(named->text(), {"stack"}, subject.diagnostics, named->span(), subject.document.path);
}

void check_execution(const Subject& subject) {
  for (const Document* accounting : readers_of(subject)) check_execution_for(*accounting, subject);
  check_named_stack(subject);
}

void check_validation(const Subject& subject) { evaluate_validation(subject.document, {}, subject.library, subject.diagnostics); }

void check_changes(const Subject& subject) { check_changes(subject.document, subject.library, subject.diagnostics); }

void check_import(const Subject& subject) { check_mapping(subject.document, subject.library, subject.diagnostics); }

struct KindCheck {
  std::string_view kind;
  void (*run)(const Subject&);
};

// Checks by kind. Any other kind is checked only by its schema.
constexpr KindCheck kChecks[] = {{"model", check_model},
                                 {"blocks", check_blocks},
                                 {"ops", check_ops},
                                 {"order", check_order},
                                 {"rules", check_rules},
                                 {"system", check_system},
                                 {"execution", check_execution},
                                 {"stack", check_stack},
                                 {"accounting", check_accounting},
                                 {"validation", check_validation},
                                 {"measurements", check_measurements},
                                 {"search", check_search},
                                 {"plan", check_plan},
                                 {"changes", check_changes},
                                 {"import", check_import}};

}  // namespace

void check_document(const Document& document, const std::string& path, const std::vector<const Document*>& all, Library& library, Diagnostics& diagnostics) {
  for (const KindCheck& check : kChecks) {
    if (check.kind == document.kind) check.run({document, path, all, library, diagnostics});
  }
}

}  // namespace opledger
