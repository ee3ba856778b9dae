// From names of documents to what a run consists of: a model, a mesh, rules, an accounting, and values for its inputs.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/check.h"
#include "accounting/sizes.h"
#include "base/text.h"
#include "run/asking.h"
#include "run/convention.h"

namespace opledger {
namespace {

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

/// Axes of the accounting that the execution does not name: formulas may use their degrees.
std::vector<Datum::Entry> default_axes(const std::vector<const Document*>& documents, const Datum* given) {
  std::vector<Datum::Entry> entries;
  const std::vector<std::string> named = given != nullptr ? axis_names(*given) : std::vector<std::string>{};
  for (const Document* d : documents) {
    const Datum* mesh = d->kind == "accounting" ? d->root.find("mesh") : nullptr;
    if (mesh == nullptr) continue;
    for (const auto& entry : mesh->entries()) {
      if (std::find(named.begin(), named.end(), entry.first.text()) != named.end()) continue;
      const auto same = [&](const Datum::Entry& other) { return other.first.text() == entry.first.text(); };
      const auto before = std::find_if(entries.begin(), entries.end(), same);  // of an accounting that this one extends
      if (before != entries.end())
        *before = entry;
      else
        entries.push_back(entry);
    }
  }
  return entries;
}

/// Whether an accounting counts by formulas alone, so that a model can give it nothing but values. What shares documents with operators does not.
bool counts_no_graph(const std::vector<const Document*>& documents) {
  if (std::any_of(documents.begin(), documents.end(), [](const Document* d) { return d->kind != "accounting"; })) return false;
  ProgramSources sources;
  sources.documents = documents;
  for (const auto& [name, degree] : default_axes(documents, nullptr)) sources.axes.emplace_back(name.text(), degree);
  Diagnostics unheard;  // what is wrong is told where it is linked for the run
  const std::optional<Program> program = link_program(sources, unheard);
  return program && !needs_graph(*program);
}

/// Dimensions that blocks of a model name, used in its graph or not, and that are called like what says their size.
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

/// A parameter that sizes a dimension and is no number at all: told before formulas of others stumble over it.
bool check_parameters(const Program& program, const Model& model, Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string& dimension : dimension_names(model)) {
    const auto parameter = program.model->names.find(dimension);
    const Def* def = parameter == program.model->names.end() || parameter->second->defs.empty() ? nullptr : parameter->second->defs[0];
    if (def == nullptr || def->otherwise == nullptr || def->otherwise->kind != Formula::Kind::constant) continue;
    const Value& v = def->otherwise->value;
    if (v.is_number() && v.unit.plain()) continue;
    diagnostics.error(def->span, fmt::format("dimension `{}` must be {}", dimension, wrong_size(v)));
    good = false;
  }
  return good;
}

void add_new(const std::vector<const Document*>& from, std::vector<const Document*>& into, bool in_front) {
  for (const Document* d : from) {
    if (d->kind == "ops" && std::find(into.begin(), into.end(), d) == into.end()) into.insert(in_front ? into.begin() : into.end(), d);
  }
}

}  // namespace

const Document* accounting_of(const Document& execution, Library& library, Diagnostics& diagnostics) {
  const Document* naming = &execution;
  if (execution.root.find("accounting") == nullptr) naming = library.load(kDefaultExecution, {"execution"}, diagnostics);
  const Datum* named = naming == nullptr ? nullptr : naming->root.find("accounting");
  if (named == nullptr) {
    if (naming != nullptr)
      diagnostics.error(naming->root.span(), fmt::format("no accounting is named, and none by the execution `{}` either", kDefaultExecution));
    return nullptr;
  }
  return library.load(named->text(), {"accounting"}, diagnostics, named->span(), naming->path);
}

/// What counts: the accounting that is asked for, the space's, or the execution's.
bool Run::load_accounting(Library& library, Diagnostics& diagnostics) {
  if (!request_.space.empty() && (space_ = library.load(request_.space, {"search"}, diagnostics)) == nullptr) return false;
  const Document* naming = space_ != nullptr && space_->root.find("accounting") != nullptr ? space_ : execution_;
  const Document* accounting =
      request_.accounting.empty() ? accounting_of(*naming, library, diagnostics) : library.load(request_.accounting, {"accounting"}, diagnostics);
  if (accounting == nullptr) return false;
  counting_ = accounting;
  const Datum* named = naming->root.find("accounting");
  accounting_ = !request_.accounting.empty() ? request_.accounting : named != nullptr ? named->text() : accounting->name;
  documents_ = library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics);
  if (space_ != nullptr) {
    for (const Document* d : library.closure(*space_, {"uses", "extends"}, {"search", "accounting", "ops"}, diagnostics)) {
      if (std::find(documents_.begin(), documents_.end(), d) == documents_.end()) documents_.push_back(d);
    }
  }
  return !diagnostics.failed();
}

bool Run::load(Library& library, Diagnostics& diagnostics) {
  if (!request_.model.empty() && !request_.taken) model_document_ = library.load(request_.model, {"model", kNoKind}, diagnostics);
  execution_ = library.load(request_.execution, {"execution", kNoKind}, diagnostics);
  if (!request_.system.empty()) system_ = library.load(request_.system, {"system", kNoKind}, diagnostics);
  if ((model_document_ == nullptr && !request_.model.empty() && !request_.taken) || execution_ == nullptr || (system_ == nullptr && !request_.system.empty()))
    return false;
  if (!load_accounting(library, diagnostics) || !check_roles(diagnostics)) return false;
  if (!take_documents(library, diagnostics) || !load_graph(library, diagnostics)) return false;
  load_operators(library, diagnostics);
  load_rules(library, diagnostics);
  return load_mesh(diagnostics) && !diagnostics.failed();
}

const Datum* Run::declared(const char* role) const {
  const Datum* found = nullptr;
  for (const Document* d : documents_) {
    const Datum* all = d->kind == "accounting" ? d->root.find("documents") : nullptr;
    if (all != nullptr && all->find(role) != nullptr) found = all->find(role);
  }
  return found;
}

bool Run::check_roles(Diagnostics& diagnostics) {
  bool good = true;
  std::vector<std::pair<const char*, const Document*>> all = {{"model", model_document_}, {"execution", execution_}, {"system", system_}};
  for (const auto& [_, system] : request_.systems) all.emplace_back("system", system);
  for (const auto& [role, document] : all) {
    if (document == nullptr || !document->kind.empty()) continue;
    const Datum* fields = declared(role);
    if (fields == nullptr) {
      diagnostics.error(document->root.span(),
                        fmt::format("this document doesn't say its `kind`, and the accounting `{}` knows no {} without one", accounting_, role));
      good = false;
    } else {
      good = check_fields(*document, *fields, diagnostics) && good;
    }
  }
  return good;
}

/// An accounting that counts by formulas alone is asked of a model, or of a whole run, as it says itself.
bool Run::take_documents(Library& library, Diagnostics& diagnostics) {
  const bool may = model_document_ != nullptr && !model_document_->kind.empty() && !request_.taken;
  const bool compares = std::any_of(documents_.begin(), documents_.end(), [](const Document* d) { return d->root.find("compares") != nullptr; });
  if (!may || !compares || !counts_no_graph(documents_)) return true;
  std::optional<Asked> asked = ask_documents(request_, documents_, library, diagnostics);
  if (!asked) return !diagnostics.failed();
  asked_of_ = std::move(asked->names);
  for (const auto& [name, at] : request_.open) {
    if (is_taken_from(name))
      diagnostics.error(at, fmt::format("the accounting `{}` takes its inputs from the model: `{}` can't vary with it", accounting_, name));
  }
  request_.taken = std::move(asked->values);
  std::erase_if(request_.overrides, [&](const auto& setting) { return is_taken_from(setting.first); });
  std::erase_if(request_.fields, [&](const Given& field) { return is_taken_from(field.name); });
  return !diagnostics.failed();
}

bool Run::load_graph(Library& library, Diagnostics& diagnostics) {
  const Datum* graph = nullptr;
  const Document* naming = nullptr;
  for (const Document* d : documents_) {
    if (const Datum* named = d->root.find("graph"); d->kind == "accounting" && named != nullptr) {
      graph = named;
      naming = d;
    }
  }
  std::vector<Definition> parameters;
  const bool read = model_document_ != nullptr && !request_.taken;  // else the inputs have their values
  if (read && model_document_->kind.empty()) {
    parameters = parse_definitions(model_document_->root, diagnostics);
  } else if (read) {
    model_ = load_model(*model_document_, library, diagnostics);
    if (model_) parameters = model_->parameters;
  }
  if (graph != nullptr) {
    const Document* document = library.load(graph->text(), {"model"}, diagnostics, graph->span(), naming->path);
    if (document == nullptr) return false;
    model_ = load_model(*document, library, diagnostics);
  } else if (model_document_ != nullptr && counts_no_graph(documents_)) {
    model_.reset();
  } else {
    return !diagnostics.failed();
  }
  parameters_ = std::move(parameters);
  model_gives_values_ = true;
  return !diagnostics.failed();
}

void Run::load_operators(Library& library, Diagnostics& diagnostics) {
  if (!request_.taken) add_new(library.closure(*execution_, {"uses"}, {"ops", "execution"}, diagnostics), documents_, false);
  std::vector<const Document*> ops;
  if (model_) add_new(model_->documents, ops, false);
  add_new(documents_, ops, false);
  for (const Document* d : ops) operators_.add(*d, diagnostics);
  add_new(ops, documents_, true);
}

void Run::load_rules(Library& library, Diagnostics& diagnostics) {
  rule_set_.for_many = space_ != nullptr;
  RuleSet unused;  // rules are written for the run's own model, not for a graph that the accounting brings
  for (const Document* naming : {execution_, space_}) {
    if (naming == nullptr || request_.taken) continue;
    RuleSet& rules = model_gives_values_ ? unused : rule_set_;
    const bool replaced = naming == execution_ && request_.rules;
    for (const Document* d :
         replaced ? opledger::load_rules(*request_.rules, {}, library, rules, diagnostics) : opledger::load_rules(*naming, library, rules, diagnostics))
      rules_.push_back(d);
  }
}

bool Run::load_mesh(Diagnostics& diagnostics) {
  // An axis that neither the execution nor the command line, nor a table, gives ranks stays out of the graph.
  const Datum* given = execution_->kind.empty() || request_.taken ? nullptr : execution_->root.find("mesh");
  if (const Datum* of_space = space_ != nullptr ? space_->root.find("mesh") : nullptr) given = of_space;
  std::vector<Datum::Entry> grid;
  for (const Datum::Entry& axis : default_axes(documents_, given)) {
    const bool set = std::any_of(request_.overrides.begin(), request_.overrides.end(), [&](const auto& o) { return o.first == axis.first.text(); }) ||
                     std::any_of(request_.fields.begin(), request_.fields.end(), [&](const Given& field) { return field.name == axis.first.text(); }) ||
                     std::any_of(request_.open.begin(), request_.open.end(), [&](const auto& o) { return o.first == axis.first.text(); });
    if (set)
      grid.push_back(axis);
    else
      absent_axes_.push_back(axis);
  }
  if (given != nullptr) grid.insert(grid.end(), given->entries().begin(), given->entries().end());
  mesh_ = parse_mesh(Datum::map(std::move(grid), given != nullptr ? given->span() : Span{}), diagnostics);
  const Document& naming = space_ != nullptr && space_->root.find("mesh") != nullptr ? *space_ : *execution_;
  const Datum* orders = naming.kind.empty() || request_.taken ? nullptr : naming.root.find("mesh_orders");
  return mesh_ && (orders == nullptr || parse_mesh_orders(*orders, mesh_->mesh, diagnostics));
}

/// What the model's publisher says of it, for accountings that have a document `published`.
Datum Run::published_numbers() const {
  const Datum* published = model_document_ == nullptr || model_document_->kind.empty() ? nullptr : model_document_->root.find("published");
  return published != nullptr ? *published : Datum::map({}, {});
}

void Run::add_execution(std::vector<Given>& out) const {
  const bool assumed = request_.execution == kDefaultExecution;
  if (request_.taken) out = *request_.taken;
  if (assumed && (!model_ || space_ != nullptr)) return;  // an accounting without a graph has defaults of its own, and nobody searches for one sequence
  if (!request_.taken) {                                  // else the execution's fields are another accounting's
    for (const auto& [key, value] : execution_->root.entries()) {
      if (execution_->kind.empty() || !structural_key(key.text())) out.push_back({key.text(), value, key.span(), assumed});
    }
  }
  if (const Datum* own = fields_for(*execution_, documents_)) {
    for (const auto& [key, value] : own->entries()) out.push_back({key.text(), value, key.span(), assumed});
  }
}

bool Run::link_documents(Diagnostics& diagnostics) {
  ProgramSources sources;
  sources.documents = documents_;
  sources.operators = &operators_;
  sources.model = model_ ? &*model_ : nullptr;
  if (model_gives_values_) sources.parameters = &parameters_;
  for (const Document* d : rules_) {
    if (const Datum* options = d->root.find("options")) sources.options.emplace_back(options, d->name);
  }
  add_execution(sources.execution);
  add_overrides(request_, sources, diagnostics);
  sources.overrides.insert(sources.overrides.end(), request_.fields.begin(), request_.fields.end());
  sources.open = request_.open;
  sources.axes = mesh_->degrees;
  for (const auto& [name, _] : mesh_->mesh.orders) sources.mesh_orders.emplace_back(name, mesh_->mesh.axes.empty() ? Span{} : mesh_->mesh.axes[0].span);
  for (const auto& [name, degree] : absent_axes_) sources.axes.emplace_back(name.text(), degree);
  for (const auto& [group, _] : mesh_->mesh.groups) {
    std::vector<std::string> names;
    for (const AxisId a : mesh_->mesh.expand(group)) names.push_back(mesh_->mesh.axes[static_cast<std::size_t>(a)].name);
    sources.axis_groups.emplace_back(group, std::move(names));
  }
  for (const auto& [name, document] : request_.systems) {
    if (sources.choices.empty()) sources.choices.emplace_back("system", std::vector<std::pair<std::string, Datum>>{});
    sources.choices[0].second.emplace_back(name, system_fields(*document, documents_));
  }
  if (system_ != nullptr && request_.systems.empty()) sources.records.emplace_back("system", system_fields(*system_, documents_));
  if (declared("published") != nullptr) sources.records.emplace_back("published", published_numbers());
  program_ = link_program(sources, diagnostics);
  if (!program_ || (model_ && !check_parameters(*program_, *model_, diagnostics)) || !check_units(*program_, diagnostics)) return false;
  evaluator_.emplace(*program_, diagnostics);
  return true;
}

}  // namespace opledger
