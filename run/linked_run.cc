// Links the documents of a run into a program: model, mesh, rules, accounting, and values for its inputs.
#include "run/linked_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/sizes.h"
#include "base/text.h"
#include "formulas/read/check.h"
#include "formulas/read/reader.h"
#include "run/document_fields.h"
#include "run/unknown_names.h"

namespace opledger {
namespace {

/// Returns the names of a mesh: its axes, and the parts of axes that consist of named parts.
std::vector<std::string> axis_names(const Datum& mesh) {
  std::vector<std::string> out;
  for (const auto& [key, value] : mesh.entries()) {
    out.push_back(key.text());
    if (value.is_map()) {
      for (const auto& [part, _] : value.entries()) out.push_back(part.text());
    }
  }
  return out;
}

/// Returns the axes that the accounting declares and the run's mesh `set_mesh` (null: none) does not name. Formulas may
/// read their degrees. An entry is a name with its default degree. Each document follows the documents that it extends,
/// so a later entry replaces an earlier one of the same name and keeps its place. Axes are few, so lists are searched
/// linearly.
std::vector<Datum::Entry> default_axes(const std::vector<const Document*>& documents, const Datum* set_mesh) {
  std::vector<Datum::Entry> entries;
  const std::vector<std::string> named = set_mesh != nullptr ? axis_names(*set_mesh) : std::vector<std::string>{};
  for (const Document* d : documents) {
    const Datum* mesh = d->kind == "accounting" ? d->root.find("mesh") : nullptr;
    if (mesh == nullptr) continue;
    for (const auto& entry : mesh->entries()) {
      if (contains(named, entry.first.text())) continue;
      const auto same = [&](const Datum::Entry& other) { return other.first.text() == entry.first.text(); };
      const auto before = std::find_if(entries.begin(), entries.end(), same);
      if (before != entries.end())
        *before = entry;
      else
        entries.push_back(entry);
    }
  }
  return entries;
}

/// Returns whether a setting concerns an axis, for the whole run (`dp`) or at a word of cases (`prompt.dp`).
bool is_for(std::string_view name, const std::string& axis) { return name.substr(name.find('.') + 1) == axis; }

/// Returns whether a word of cases sets the degree of an axis.
bool at_some_word(const Datum* words, const std::string& axis) {
  if (words == nullptr || !words->is_map()) return false;
  return std::any_of(words->entries().begin(), words->entries().end(),
                     [&](const auto& word) { return word.second.is_map() && word.second.find(axis) != nullptr; });
}

/// Returns whether a word of the accounting's cases sets the degree of an axis.
bool at_some_word(const std::vector<const Document*>& accounting, const std::string& axis) {
  return std::any_of(accounting.begin(), accounting.end(), [&](const Document* document) {
    const Datum* sets = document->kind == "accounting" ? document->root.find("cases") : nullptr;
    return sets != nullptr && std::any_of(sets->entries().begin(), sets->entries().end(), [&](const auto& set) { return at_some_word(&set.second, axis); });
  });
}

/// Returns whether an accounting has closed formulas only, so that a model can only supply values. An accounting with
/// operator documents has a graph. The trial link sees no execution; its errors are ignored because the link of the run
/// reports them again.
bool counts_no_graph(const std::vector<const Document*>& documents) {
  if (std::any_of(documents.begin(), documents.end(), [](const Document* d) { return d->kind != "accounting"; })) return false;
  ProgramSources sources(graph_engine());
  sources.documents = documents;
  for (const auto& [name, degree] : default_axes(documents, nullptr)) sources.axes.emplace_back(name.text(), degree);
  Diagnostics ignored;
  const std::optional<Program> program = link_program(sources, ignored);
  return program && !needs_graph(*program);
}

/// Returns the dimensions of a model's blocks that are sized by the parameter of the same name.
std::set<std::string> dimension_names(const Model& model) {
  std::set<std::string> out;
  for (const auto& [_, block] : model.blocks) {
    for (const auto* tensors : {&block.inputs, &block.data}) {
      for (const TensorSpec& tensor : *tensors) out.insert(tensor.dims.begin(), tensor.dims.end());
    }
    for (const NodeSpec& node : block.nodes) {
      if (node.out) out.insert(node.out->begin(), node.out->end());
    }
  }
  for (const auto& [name, spec] : model.dimensions) {
    if (spec.size) out.erase(name);
  }
  return out;
}

/// Returns the input `mesh_order` and its type, whose words are the orders of the mesh.
std::pair<Datum, Datum> order_input(const Mesh& mesh) {
  const Span at = mesh.axes.empty() ? Span{} : mesh.axes[AxisId(0)].span;
  const auto text = [&](std::string t) { return Datum::scalar(std::move(t), false, at); };
  std::vector<Datum> words = {text("written")};
  for (const auto& [name, _] : mesh.orders) words.push_back(text(name));
  Datum type = Datum::map({{text("type"), Datum::list(std::move(words), at)},
                           {text("default"), text("written")},
                           {text("doc"), text("the order in which the axes of the mesh lie on the machine")}},
                          at);
  return {text(kMeshOrder), std::move(type)};
}

/// Checks that each constant parameter that sizes a dimension is a number. The check precedes evaluation, so errors
/// appear at the parameter and not in formulas that read it.
bool are_sizes(const NameScope& scope, const Model& model, Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string& dimension : dimension_names(model)) {
    const auto parameter = scope.names.find(dimension);
    const Def* def = parameter == scope.names.end() ? nullptr : parameter->second->newest();
    if (def == nullptr || def->otherwise == nullptr || def->otherwise->kind != Formula::Kind::constant) continue;
    const Value& v = *def->otherwise->value;
    if (v.is_number() && v.unit.plain()) continue;
    diagnostics.error(def->span, fmt::format("dimension `{}` must be {}", dimension, size_error(v)));
    good = false;
  }
  return good;
}

/// Returns the section `published` of a model; an empty record if the model has none.
Datum published_of(const Document* model) {
  const Datum* const published = model == nullptr || model->kind.empty() ? nullptr : model->root.find("published");
  return published != nullptr ? *published : Datum::map({}, {});
}

/// Adds the operator documents of a list to `into`, each once: at the end, or in front and then in reverse order.
void add_new(const std::vector<const Document*>& from, std::vector<const Document*>& into, bool in_front) {
  for (const Document* d : from) {
    if (d->kind == "ops" && !contains(into, d)) into.insert(in_front ? into.begin() : into.end(), d);
  }
}

/// Returns a list of rules without the entries that name these documents, by name or path.
Datum without(const Datum& list, const std::vector<std::string>& names) {
  if (names.empty()) return list;
  std::vector<Datum> out;
  for (const Datum& item : list.all()) {
    const bool has_condition = item.is_map() && item.entries().size() == 1;
    const Datum& name = has_condition ? item.entries()[0].first : item;
    if (!name.is_scalar() || !contains(names, name_of_rules(name))) out.push_back(item);
  }
  return Datum::list(std::move(out), list.span());
}

/// Returns the name of the graph that the newest accounting states; null without one. `naming` becomes the stating
/// document.
const Datum* find_graph(const std::vector<const Document*>& accounting, const Document*& naming) {
  const Datum* graph = nullptr;
  for (const Document* d : accounting) {
    const Datum* named = d->kind == "accounting" ? d->root.find("graph") : nullptr;
    if (named == nullptr) continue;
    graph = named;
    naming = d;
  }
  return graph;
}

}  // namespace

std::unique_ptr<LinkedRun> LinkedRun::link(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<LinkedRun> out(new LinkedRun());
  return out->load(request, library, diagnostics) ? std::move(out) : nullptr;
}

/// Loads and links the documents of a request; returns false, with errors, at the first step that fails. The steps go
/// in order of dependence: documents by name, documents at words of cases, systems with corrections, translated inputs,
/// graphs, operators, rules, mesh. Only then is the program linked, because linking needs all names. `original_` keeps
/// the request; `request_` changes: the stack is loaded as a document, so its settings leave it, and translated inputs
/// enter it.
bool LinkedRun::load(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  library_ = &library;
  if ((extensions_ = run_extensions(diagnostics)) == nullptr) return false;
  original_ = request_ = request;
  std::optional<RunDocuments> documents = load_documents(request, library, diagnostics);
  if (!documents) return false;
  documents_ = std::move(*documents);
  std::erase_if(request_.overrides, [](const auto& setting) { return setting.first == kStack; });
  std::erase_if(request_.fields, [](const FieldAssignment& field) { return field.name == kStack; });
  sources_.documents = documents_.counting;
  std::optional<std::vector<NamedDocument>> named = load_case_documents(request_, documents_, library, diagnostics);
  if (!named) return false;
  named_ = std::move(*named);
  if (!correct_systems(library, diagnostics) || !take_values(library, diagnostics) || !load_graph(library, diagnostics) ||
      !load_other_models(library, diagnostics))
    return false;
  load_operators(library, diagnostics);
  load_rules(library, diagnostics);
  return load_mesh(diagnostics) && !diagnostics.has_errors() && link_program(diagnostics) && is_needed(diagnostics);
}

/// Replaces each system of the run that names `corrections` by a copy with the corrections that its measured rows
/// imply. These are the run's system, the systems of a choice, and the systems at words of cases. `corrected_` owns the
/// copies. The key itself can't be set by the command line or a table, because corrections were measured for the stated
/// system. Returns false, with errors, if the key is set or a correction fails.
bool LinkedRun::correct_systems(Library& library, Diagnostics& diagnostics) {
  const std::string key = std::string("system.") + kCorrections;
  const auto names = [&](const auto& setting) { return setting.first == key; };
  const auto setting = std::find_if(request_.fields.begin(), request_.fields.end(), [&](const FieldAssignment& field) { return field.name == key; });
  const bool in_table = setting != request_.fields.end();
  if (in_table || std::any_of(request_.overrides.begin(), request_.overrides.end(), names)) {
    diagnostics.error(in_table ? setting->span : Span{}, fmt::format("`{}` can't be set: name them in a document that is a copy of the system", key));
    return false;
  }
  std::vector<const Document**> systems = {&documents_.system};
  for (auto& [_, system] : request_.systems) systems.push_back(&system);
  for (NamedDocument& named : named_) {
    if (named.role == "system") systems.push_back(&named.document);
  }
  for (const Document** system : systems) {
    if (!request_.corrected || *system == nullptr || (*system)->root.find(kCorrections) == nullptr) continue;
    std::optional<Document> with = extensions_->correct(**system, library, diagnostics);
    if (!with) return false;
    *system = &corrected_.emplace_back(std::move(*with));
  }
  return true;
}

const Model* LinkedRun::model() const {
  if (const auto* own = std::get_if<OwnGraph>(&counted_)) return &own->model;
  const auto* borrowed = std::get_if<BorrowedGraph>(&counted_);
  return borrowed != nullptr ? &borrowed->model : nullptr;
}

bool LinkedRun::model_gives_values() const {
  const auto* alone = std::get_if<FormulasAlone>(&counted_);
  return std::holds_alternative<BorrowedGraph>(counted_) || (alone != nullptr && alone->has_model);
}

/// Returns the parameters of the run's model, empty if it states none; null for closed formulas without a model.
const std::vector<Definition>* LinkedRun::parameters() const {
  if (const auto* own = std::get_if<OwnGraph>(&counted_)) return &own->model.parameters;
  if (const auto* borrowed = std::get_if<BorrowedGraph>(&counted_)) return &borrowed->parameters;
  const auto& alone = std::get<FormulasAlone>(counted_);
  return alone.has_model ? &alone.parameters : nullptr;
}

const std::string& LinkedRun::stack_name() const {
  static const std::string kNothing, kNone = kNoStack;
  if (!documents_.stacks.empty()) return documents_.stacks.back()->name;
  return has_system() && std::holds_alternative<OwnGraph>(counted_) ? kNone : kNothing;
}

const std::string& LinkedRun::execution_name() const {
  static const std::string kNone;
  return !has_model() && request_.execution == kDefaultExecution ? kNone : request_.execution;
}

GraphSources LinkedRun::graph_sources(std::size_t model) const {
  const Model* const counted = model == 0 ? this->model() : other_models()[model - 1];
  return {counted, &sources_.operators, &mesh_->mesh, &sources_.rules, model, model_gives_values()};
}

std::vector<const Model*> LinkedRun::other_models() const {
  std::vector<const Model*> out;
  for (const auto& [_, model] : other_models_) out.push_back(&model);
  return out;
}

/// Translates inputs from the model, or from a run of another accounting, if the accounting has closed formulas only
/// and a section `compares`. Otherwise nothing changes. The translated values replace the execution's values in
/// `request_`. Settings of translated names belong to the source of the translation, which has used them, so they leave
/// the request. A name that a search varies can't be translated: that is an error. Returns false after errors.
bool LinkedRun::take_values(Library& library, Diagnostics& diagnostics) {
  const bool may = documents_.model != nullptr && !documents_.model->kind.empty() && !request_.translated_inputs;
  const bool compares =
      std::any_of(sources_.documents.begin(), sources_.documents.end(), [](const Document* d) { return d->root.find("compares") != nullptr; });
  if (!may || !compares || !counts_no_graph(sources_.documents)) return true;
  std::optional<TranslatedInputs> translated = extensions_->translate(request_, sources_.documents, library, diagnostics);
  if (!translated) return !diagnostics.has_errors();
  translated_names_ = std::move(translated->names);
  for (const auto& [name, at] : request_.open) {
    if (is_translated(name))
      diagnostics.error(at, fmt::format("the accounting `{}` takes its inputs from the model: `{}` can't vary with it", accounting(), name));
  }
  request_.translated_inputs = std::move(translated->values);
  std::erase_if(request_.overrides, [&](const auto& setting) { return is_translated(setting.first); });
  std::erase_if(request_.fields, [&](const FieldAssignment& field) { return is_translated(field.name); });
  return !diagnostics.has_errors();
}

/// Decides which graph the run counts and loads its model into `counted_`. An accounting may name a graph (`graph`);
/// the run's model then only gives values of inputs (BorrowedGraph). An accounting of closed formulas has no graph
/// (FormulasAlone). Otherwise the run's model is the graph (OwnGraph). A model of another tool, without a kind, has
/// fields but no operators. Translated inputs replace the model. Returns false, with errors, if a model can't be
/// loaded.
bool LinkedRun::load_graph(Library& library, Diagnostics& diagnostics) {
  const bool read = documents_.model != nullptr && !request_.translated_inputs;  // Translated inputs replace the model.
  const bool kindless = read && documents_.model->kind.empty();
  std::optional<Model> own = read && !kindless ? load_model(*documents_.model, library, diagnostics) : std::nullopt;
  std::vector<Definition> parameters;
  if (kindless) parameters = parse_definitions(documents_.model->root, diagnostics);
  if (own) parameters = own->parameters;
  const Document* naming = nullptr;
  if (const Datum* graph = find_graph(sources_.documents, naming)) {
    const Document* document = library.load(graph->text(), {"model"}, diagnostics, graph->span(), naming->path);
    std::optional<Model> borrowed = document != nullptr ? load_model(*document, library, diagnostics) : std::nullopt;
    if (!borrowed) return false;
    counted_ = BorrowedGraph{std::move(*borrowed), std::move(parameters)};
  } else if (documents_.model != nullptr && counts_no_graph(sources_.documents)) {
    counted_ = FormulasAlone{std::move(parameters), true};
  } else if (own) {
    counted_ = OwnGraph{std::move(*own)};
  }
  return !diagnostics.has_errors();
}

/// Loads the models that words of cases use in place of the run's model.
bool LinkedRun::load_other_models(Library& library, Diagnostics& diagnostics) {
  for (const NamedDocument& named : named_) {
    if (named.role != "model") continue;
    if (!std::holds_alternative<OwnGraph>(counted_)) {
      diagnostics.error(
          named.span, fmt::format("`{}` can't have a model of its own: the accounting `{}` counts no operators of the run's model", named.word, accounting()));
      continue;
    }
    const auto is_it = [&](const auto& other) { return other.first == named.document; };
    if (named.document == documents_.model || std::any_of(other_models_.begin(), other_models_.end(), is_it)) continue;
    std::optional<Model> model = load_model(*named.document, library, diagnostics);
    if (model) other_models_.emplace_back(named.document, std::move(*model));
  }
  return !diagnostics.has_errors();
}

/// Collects operator documents: those of the models, then those of the accounting, then those that the execution uses.
void LinkedRun::load_operators(Library& library, Diagnostics& diagnostics) {
  std::vector<const Document*>& all = sources_.documents;
  if (!request_.translated_inputs) add_new(library.closure(*documents_.execution, {"uses"}, {"ops", "execution"}, diagnostics), all, false);
  std::vector<const Document*> ops;
  if (has_model()) add_new(model()->documents, ops, false);
  for (const Model* other : other_models()) add_new(other->documents, ops, false);
  add_new(all, ops, false);
  for (const Document* d : ops) sources_.operators.add(*d, diagnostics);
  add_new(ops, all, true);
}

/// Adds the rules that stacks, execution and space list, in this order, because later documents take precedence; then
/// further rules of the request. A request or a setting can replace the list of the execution, and a request can leave
/// names out of every list. Options of all rule documents become inputs. If the accounting names its own graph, the
/// rules are read and dropped: they are written for the run's model.
void LinkedRun::load_rules(Library& library, Diagnostics& diagnostics) {
  sources_.rules.for_many = documents_.space != nullptr;
  if (request_.translated_inputs) return;
  RuleSet unused;                                        // Rules apply to the run's own model, not to a graph that the accounting names.
  std::vector<const Document*> all = documents_.stacks;  // Stacks come first: later documents take precedence.
  all.insert(all.end(), {documents_.execution, documents_.space});
  RuleSet& rules = model_gives_values() ? unused : sources_.rules;
  const auto add = [&](const Datum& list, const std::filesystem::path& made_for, bool quiet) {
    const std::vector<const Document*> loaded =
        opledger::load_rules(without(list, request_.without_rules), made_for, library, rules, diagnostics, quiet, &rule_conditions_);
    sources_.add_options(loaded);
    rules_.insert(rules_.end(), loaded.begin(), loaded.end());
  };
  const std::optional<Datum> set = rules_in(request_.overrides);
  if (set && documents_.space != nullptr) diagnostics.error(set->span(), "the rules of a search are those of its space: write them there");
  const std::optional<Datum>& replacing = set ? set : request_.rules;
  for (const Document* naming : all) {
    if (naming == nullptr) continue;
    const Datum* const own = naming->kind.empty() ? nullptr : naming->root.find("rules");
    if (naming == documents_.execution && replacing)
      add(*replacing, {}, false);
    else if (own != nullptr)
      add(*own, naming->path, naming->kind == "stack");
  }
  if (!request_.more_rules.empty()) add(Datum::list(request_.more_rules, {}), {}, false);
}

/// Builds the mesh of the run: the axes that the space or else the execution lists, after those default axes of the
/// accounting whose degree something sets. A degree can be set by the command line, a table, a search (`open`) or a
/// word of cases. Other default axes go to `absent_axes_`: they have one rank and stay out of the graph, so its
/// placements need not mention them. Last come the orders of axes on the machine. Returns false, with errors, if the
/// mesh or an order is invalid.
bool LinkedRun::load_mesh(Diagnostics& diagnostics) {
  const Document *execution = documents_.execution, *space = documents_.space;
  const Datum* set_mesh = execution->kind.empty() || request_.translated_inputs ? nullptr : execution->root.find("mesh");
  const Datum* of_space = space != nullptr ? space->root.find("mesh") : nullptr;
  if (of_space != nullptr) set_mesh = of_space;
  const Datum* cases = execution->kind.empty() || request_.translated_inputs ? nullptr : execution->root.find("cases");
  std::vector<Datum::Entry> grid;
  for (const Datum::Entry& axis : default_axes(sources_.documents, set_mesh)) {
    const std::string name = axis.first.text();
    const auto is_it = [&](const auto& other) { return is_for(other.first, name); };
    const bool set = std::any_of(request_.overrides.begin(), request_.overrides.end(), is_it) ||
                     std::any_of(request_.open.begin(), request_.open.end(), is_it) || at_some_word(cases, name) || at_some_word(sources_.documents, name) ||
                     std::any_of(request_.fields.begin(), request_.fields.end(), [&](const FieldAssignment& field) { return is_for(field.name, name); });
    (set ? grid : absent_axes_).push_back(axis);
  }
  if (set_mesh != nullptr) grid.insert(grid.end(), set_mesh->entries().begin(), set_mesh->entries().end());
  mesh_ = parse_mesh(Datum::map(std::move(grid), set_mesh != nullptr ? set_mesh->span() : Span{}), diagnostics);
  const Document& naming = of_space != nullptr ? *space : *execution;
  const Datum* orders = naming.kind.empty() || request_.translated_inputs ? nullptr : naming.root.find("mesh_orders");
  return mesh_ && (orders == nullptr || parse_mesh_orders(*orders, mesh_->mesh, diagnostics));
}

/// Adds the names of axes with their degrees, and the input `mesh_order` if the mesh has several orders.
void LinkedRun::add_axes() {
  sources_.add_mesh(*mesh_);
  for (const auto& [name, degree] : absent_axes_) sources_.program.axes.emplace_back(name.text(), degree);
  if (!mesh_->mesh.orders.empty()) sources_.program.inputs.push_back(order_input(mesh_->mesh));
}

/// Adds values in increasing precedence: stack, execution, its section for the accounting, command line, table.
void LinkedRun::add_values(Diagnostics& diagnostics) {
  const bool assumed = request_.execution == kDefaultExecution;
  if (request_.translated_inputs) sources_.program.execution = *request_.translated_inputs;  // The execution's fields belong to the other accounting.
  for (const Document* stack : documents_.stacks) sources_.add_stack(*stack);
  // The default execution is meant for a single sequence. Searches and accountings without a graph have other defaults.
  if (!assumed || (has_model() && documents_.space == nullptr)) {
    if (!request_.translated_inputs) sources_.add_execution(*documents_.execution, assumed);
    sources_.add_own_fields(*documents_.execution, assumed);
  }
  sources_.add_overrides(request_.overrides, diagnostics);
  sources_.program.overrides.insert(sources_.program.overrides.end(), request_.fields.begin(), request_.fields.end());
  sources_.program.open = request_.open;
}

/// Adds the records of documents that formulas read: the system, or the systems to choose from, documents at words of
/// cases, and the section `published` of each model.
void LinkedRun::add_documents() {
  ProgramSources& program = sources_.program;
  for (const auto& [name, document] : request_.systems) {
    if (program.choices.empty()) program.choices.emplace_back("system", std::vector<std::pair<std::string, Datum>>{});
    program.choices[0].second.emplace_back(name, system_fields(*document, sources_.documents));
  }
  if (!has_system()) program.missing.emplace_back("system");
  add_case_documents();
  if (documents_.system != nullptr && request_.systems.empty()) sources_.add_system(*documents_.system);
  if (declared_fields(sources_.documents, "published") == nullptr) return;
  program.records.emplace_back("published", published_of(documents_.model));
  auto other = other_models_.begin();
  for (OtherModel& model : program.models) model.records.emplace_back("published", published_of((other++)->first));
}

/// Adds the other models and the documents at words of cases. `document.model` is 0 for the run's model, else the
/// number of the other model, from 1.
void LinkedRun::add_case_documents() {
  for (const auto& [_, model] : other_models_) sources_.program.models.push_back({&model.parameters, {}});
  for (const NamedDocument& named : named_) {
    const bool model = named.role == "model";
    CaseDocument document{named.word, named.role, named.name, model ? Datum{} : system_fields(*named.document, sources_.documents), 0};
    std::size_t number = 0;
    for (const auto& [of, _] : other_models_) {
      ++number;
      if (model && of == named.document) document.model = number;
    }
    sources_.program.case_documents.push_back(std::move(document));
  }
}

/// Collects all names, values and documents in `sources_.program` and links them into `program_`. Afterwards names and
/// units are checked. If all documents came with the program (`all_shipped`), the checks of units and unknown names are
/// skipped, since such documents were checked when the program was built. Returns false, with errors, if a document or
/// formula is wrong.
bool LinkedRun::link_program(Diagnostics& diagnostics) {
  ProgramSources& program = sources_.program;
  program.documents = sources_.documents;
  program.operators = &sources_.operators;
  program.own_graph = model_gives_values();
  if (has_model()) program.used = operators_of(*model());
  for (const Model* other : other_models()) program.used.merge(operators_of(*other));
  program.parameters = parameters();
  add_values(diagnostics);
  add_axes();
  add_documents();
  program_ = opledger::link_program(program, diagnostics);
  return program_ && check_parameters(diagnostics) &&
         (all_shipped() ||
          (check_case_names(sources_.documents, *program_, *library_, diagnostics) &&
           check_stack_fields(documents_.stacks, *program_, *library_, diagnostics) &&
           check_readers({documents_.execution, documents_.system}, sources_.documents, *library_, diagnostics) && check_units(*program_, diagnostics)));
}

/// Checks that the parameters that size dimensions are numbers, for every model.
bool LinkedRun::check_parameters(Diagnostics& diagnostics) const {
  if (!has_model()) return true;
  bool good = are_sizes(*program_->model, *model(), diagnostics);
  std::size_t number = 0;
  for (const Model* other : other_models()) good = are_sizes(*program_->models[++number].scope, *other, diagnostics) && good;
  return good;
}

/// Returns whether every document came with the program. Units of such documents were checked when the program was
/// built.
bool LinkedRun::all_shipped() const {
  std::vector<const Document*> all = sources_.documents;
  if (has_model()) all.insert(all.end(), model()->documents.begin(), model()->documents.end());
  all.insert(all.end(), documents_.stacks.begin(), documents_.stacks.end());
  all.insert(all.end(), {documents_.model, documents_.execution, documents_.system, documents_.space});
  for (const auto& [_, system] : request_.systems) all.push_back(system);
  for (const NamedDocument& named : named_) all.push_back(named.document);
  for (const Model* other : other_models()) all.insert(all.end(), other->documents.begin(), other->documents.end());
  all.insert(all.end(), rules_.begin(), rules_.end());
  return !request_.rules && std::all_of(all.begin(), all.end(), [](const Document* d) { return d == nullptr || d->shipped; });
}

/// Returns whether the model of the run is used as it must be. An error is a missing model for an accounting that
/// counts operators. Another error is a model of which no parameter is an input of the accounting, which would leave
/// the model without effect. Translated inputs count as a use.
bool LinkedRun::is_needed(Diagnostics& diagnostics) const {
  if (has_model()) return true;
  if (needs_graph(*program_)) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts the operators of a model: name one", accounting()));
    return false;
  }
  if (documents_.model == nullptr || request_.translated_inputs) return true;
  const auto is_read = [&](const Definition& parameter) {
    const Name* name = program_->find(parameter.name);
    return name != nullptr && name->input;
  };
  const std::vector<Definition>* all = parameters();
  if (all != nullptr && std::any_of(all->begin(), all->end(), is_read)) return true;
  diagnostics.error({},
                    fmt::format("no input of the accounting `{}` is a parameter of the model `{}`: it counts without a model", accounting(), request_.model));
  return false;
}

}  // namespace opledger
