#include "run/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "accounting/check.h"
#include "accounting/engine.h"
#include "accounting/linker.h"
#include "base/text.h"
#include "expr/parser.h"
#include "graph/build.h"
#include "graph/verify.h"
#include "rules/annotate.h"

namespace opledger {
namespace {

/// Keys of an execution that are not fields of the accounting.
bool structural_key(const std::string& key) {
  static const std::set<std::string, std::less<>> keys = {"kind", "name", "doc", "source", "uses", "mesh", "rules", "accounting"};
  return keys.find(key) != keys.end();
}

Span command_line(const std::string& text) {
  auto source = std::make_shared<SourceFile>();
  source->path = "--set";
  source->text = text;
  return {source, 1, 1};
}

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
      if (std::find(named.begin(), named.end(), entry.first.text()) == named.end()) entries.push_back(entry);
    }
  }
  return entries;
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

std::unique_ptr<Run> Run::prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run(new Run());
  run->request_ = request;
  run->diagnostics_ = &diagnostics;
  if (!run->load(library, diagnostics) || !run->link(library, diagnostics) || !run->annotate_graph(diagnostics)) return nullptr;
  return run;
}

bool Run::load(Library& library, Diagnostics& diagnostics) {
  model_document_ = library.load(request_.model, {"model"}, diagnostics);
  execution_ = library.load(request_.execution, {"execution"}, diagnostics);
  if (!request_.system.empty()) system_ = library.load(request_.system, {"system"}, diagnostics);
  if (model_document_ == nullptr || execution_ == nullptr || (!request_.system.empty() && system_ == nullptr)) return false;
  const Document* accounting =
      request_.accounting.empty() ? accounting_of(*execution_, library, diagnostics) : library.load(request_.accounting, {"accounting"}, diagnostics);
  if (accounting == nullptr) return false;
  const Datum* named = execution_->root.find("accounting");
  accounting_ = !request_.accounting.empty() ? request_.accounting : named != nullptr ? named->text() : accounting->name;
  model_ = load_model(*model_document_, library, diagnostics);
  documents_ = library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics);
  for (const Document* d : library.closure(*execution_, {"uses"}, {"ops", "execution"}, diagnostics)) {
    if (d->kind == "ops" && std::find(documents_.begin(), documents_.end(), d) == documents_.end()) documents_.push_back(d);
  }
  if (!model_ || diagnostics.failed()) return false;
  std::vector<const Document*> ops;
  for (const auto* list : {&model_->documents, &documents_}) {
    for (const Document* d : *list) {
      if (d->kind == "ops" && std::find(ops.begin(), ops.end(), d) == ops.end()) ops.push_back(d);
    }
  }
  for (const Document* d : ops) {
    operators_.add(*d, diagnostics);
    if (std::find(documents_.begin(), documents_.end(), d) == documents_.end()) documents_.insert(documents_.begin(), d);
  }
  if (const Datum* rules = execution_->root.find("rules")) {
    const std::vector<Datum> names = rules->is_list() ? rules->items() : std::vector<Datum>{*rules};
    for (const Datum& name : names) {
      if (const Document* d = library.load(name.text(), {"rules"}, diagnostics, name.span(), execution_->path)) rules_.push_back(d);
    }
  }
  for (const Document* d : rules_) rule_set_.add(*d, diagnostics);
  // An axis that neither the execution nor the command line gives more ranks than one stays out of the graph.
  const Datum* given = execution_->root.find("mesh");
  std::vector<Datum::Entry> grid;
  for (const Datum::Entry& axis : default_axes(documents_, given)) {
    const bool set = std::any_of(request_.overrides.begin(), request_.overrides.end(), [&](const auto& o) { return o.first == axis.first.text(); });
    if (set)
      grid.push_back(axis);
    else
      absent_axes_.push_back(axis);
  }
  if (given != nullptr) grid.insert(grid.end(), given->entries().begin(), given->entries().end());
  mesh_ = parse_mesh(Datum::map(std::move(grid), given != nullptr ? given->span() : Span{}), diagnostics);
  return mesh_.has_value() && !diagnostics.failed();
}

bool Run::link(Library&, Diagnostics& diagnostics) {
  ProgramSources sources;
  sources.documents = documents_;
  sources.operators = &operators_;
  sources.model = &*model_;
  for (const Document* d : rules_) {
    if (const Datum* options = d->root.find("options")) sources.options.emplace_back(options, d->name);
  }
  for (const auto& [key, value] : execution_->root.entries()) {
    if (!structural_key(key.text())) sources.execution.push_back({key.text(), value, key.span()});
  }
  for (const auto& [key, value] : request_.overrides) {
    const Span span = command_line(key + "=" + value);
    Span at = span;
    at.column += static_cast<std::uint32_t>(key.size() + 1);
    sources.overrides.push_back({key, Datum::scalar(value, false, at), span});
  }
  sources.axes = mesh_->degrees;
  for (const auto& [name, degree] : absent_axes_) sources.axes.emplace_back(name.text(), degree);
  for (const auto& [group, _] : mesh_->mesh.groups) {
    std::vector<std::string> names;
    for (const AxisId a : mesh_->mesh.expand(group)) names.push_back(mesh_->mesh.axes[static_cast<std::size_t>(a)].name);
    sources.axis_groups.emplace_back(group, std::move(names));
  }
  if (system_ != nullptr) sources.records.emplace_back("system", system_->root);
  program_ = link_program(sources, diagnostics);
  if (!program_ || !check_units(*program_, diagnostics)) return false;
  evaluator_.emplace(*program_, diagnostics);
  return true;
}

bool Run::annotate_graph(Diagnostics& diagnostics) {
  const Condition holds = [this, &diagnostics](const ExprPtr& expr) -> std::optional<bool> {
    const Formula* formula = link_formula(*program_, expr, *program_->model, diagnostics);
    if (formula == nullptr) return std::nullopt;
    const Value v = as_truth(evaluator_->evaluate(*formula));
    if (evaluator_->failed()) {
      evaluator_->recover();
      return std::nullopt;
    }
    if (v.kind != Value::Kind::truth) {
      diagnostics.error(expr->span, fmt::format("a condition must be true or false, not {}", describe(v)));
      return std::nullopt;
    }
    return v.scalar.value != 0;
  };
  graph_ = build_graph(*model_, operators_, holds, diagnostics);
  if (!graph_ || diagnostics.failed()) return false;
  const Divides divides = [this, &diagnostics](DimId d, const Mesh& mesh, const AxisList& axes) {
    const DimensionInfo& info = graph_->dimensions[static_cast<std::size_t>(d)];
    const Formula* size = link_formula(*program_, info.size ? info.size : parse_expression(info.name, info.span, diagnostics), *program_->model, diagnostics);
    double n = 1;
    for (AxisId a : axes) {
      while (mesh.axes[static_cast<std::size_t>(a)].of >= 0) a = mesh.axes[static_cast<std::size_t>(a)].of;
      if (const Name* degree = program_->find(mesh.axes[static_cast<std::size_t>(a)].name)) n *= evaluator_->evaluate(*degree).scalar.value;
    }
    const Value v = size == nullptr ? Value{} : evaluator_->evaluate(*size);
    return v.is_number() && std::fmod(v.scalar.value, n) == 0;
  };
  annotations_ = annotate(*graph_, mesh_->mesh, rule_set_, holds, divides, diagnostics);
  if (!annotations_ || diagnostics.failed()) return false;
  for (const std::string& defect : verify(*graph_, *annotations_)) diagnostics.error({}, "internal: " + defect);
  graph_run_ = bind_graph(*program_, *graph_, *annotations_, diagnostics);
  if (!graph_run_ || diagnostics.failed()) return false;
  return fill_sets(*evaluator_, *graph_run_) && !diagnostics.failed();
}

std::optional<Value> Run::value(const std::string& name, Diagnostics& diagnostics) {
  const Name* n = program_->find(name);
  if (n == nullptr) {
    std::vector<std::string> known;
    for (const Name* m : program_->metrics) known.push_back(m->name);
    diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, known)));
    return std::nullopt;
  }
  const Value v = evaluator_->evaluate(*n);
  if (evaluator_->failed()) {
    evaluator_->recover();
    return std::nullopt;
  }
  return v;
}

void Run::check(const std::vector<Constraint>& constraints, const Point& point, std::vector<Violation>& out) {
  for (const Constraint& c : constraints) {
    const std::vector<WordId> words = c.over >= 0 ? evaluator_->visit(c.over, point) : std::vector<WordId>{kNoWord};
    for (const WordId word : words) {
      const Point p = c.over >= 0 ? evaluator_->choose(point, c.over, word) : point;
      const bool meant = c.when == nullptr || evaluator_->evaluate(*c.when, p).scalar.value != 0;
      if (skips()) continue;
      if (!meant) continue;
      if (c.require != nullptr) {
        const Value holds = evaluator_->evaluate(*c.require, p);
        if (skips()) continue;
        if (holds.scalar.value == 0) {
          Violation v;
          for (const auto& [text, value] : c.message) v.message += text + (value != nullptr ? human(evaluator_->evaluate(*value, p)) : "");
          v.reason = c.reason.empty() ? v.message : c.reason;
          v.span = c.span;
          out.push_back(std::move(v));
        }
      }
      check(c.all, p, out);
    }
  }
}

/// Whether what was just evaluated failed: for want of a system, without a word, or with an error that was reported.
bool Run::skips() {
  const bool failed = evaluator_->failed();
  evaluator_->recover();
  return failed;
}

std::vector<Violation> Run::violations(Diagnostics&) {
  std::vector<Violation> out;
  if (!has_system()) evaluator_->excuse(program_->find("system"));
  check(program_->constraints, nowhere(), out);
  evaluator_->excuse(nullptr);
  return out;
}

}  // namespace opledger
