#include "run/annotated.h"

#include <fmt/core.h>

#include "accounting/reader.h"
#include "expr/parser.h"
#include "graph/build.h"
#include "graph/verify.h"
#include "rules/annotate.h"

namespace opledger {
namespace {

/// Settles what decides how the graph is built, and remembers it.
class Settler {
 public:
  Settler(Program& program, Evaluator& evaluator, Diagnostics& diagnostics) : program_(program), evaluator_(evaluator), diagnostics_(diagnostics) {}

  std::optional<bool> holds(const ExprPtr& expr) {
    const Formula* formula = link_formula(program_, expr, *program_.graph, diagnostics_);
    if (formula == nullptr) return std::nullopt;
    const Value v = as_truth(evaluator_.evaluate(*formula));
    if (evaluator_.failed()) {
      evaluator_.recover();
      return std::nullopt;
    }
    if (v.kind != Value::Kind::truth) {
      diagnostics_.error(expr->span, fmt::format("a condition must be true or false, not {}", describe(v)));
      return std::nullopt;
    }
    settled.push_back({formula, {}, value(v.scalar, evaluator_)});
    return settled.back().value != 0;
  }

  bool divides(const DimensionInfo& info, const Mesh& mesh, const AxisList& axes) {
    const Formula* size = link_formula(program_, info.size ? info.size : parse_expression(info.name, info.span, diagnostics_), *program_.graph, diagnostics_);
    if (size == nullptr) return false;
    Settled division{size, {}, 0};
    for (AxisId a : axes) {
      while (mesh.axes[static_cast<std::size_t>(a)].of >= 0) a = mesh.axes[static_cast<std::size_t>(a)].of;
      if (const Name* degree = program_.find(mesh.axes[static_cast<std::size_t>(a)].name)) division.ranks.push_back(degree);
    }
    const std::optional<double> left = remainder(division, evaluator_);
    if (!left) return false;
    division.value = *left;
    settled.push_back(std::move(division));
    return *left == 0;
  }

  /// A symbol is guarded.
  static double value(const Scalar& s, Evaluator& evaluator) { return s.constant() ? s.value : evaluator.tape()->guard(s); }

  static std::optional<double> remainder(const Settled& division, Evaluator& evaluator) {
    Scalar ranks = integer(1);
    for (const Name* degree : division.ranks) ranks = apply(evaluator.tape(), Op::multiply, ranks, evaluator.evaluate(*degree).scalar);
    const Value v = evaluator.evaluate(*division.formula);
    if (!v.is_number()) return std::nullopt;
    return value(apply(evaluator.tape(), Op::modulo, v.scalar, ranks), evaluator);
  }

  std::vector<Settled> settled;

 private:
  Program& program_;
  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::unique_ptr<AnnotatedGraph> annotate_graph(const GraphSources& sources, Program& program, Evaluator& evaluator, Diagnostics& diagnostics) {
  fill_axes(evaluator, *sources.mesh);
  if (evaluator.failed()) return nullptr;
  Settler settler(program, evaluator, diagnostics);
  const Condition holds = [&](const ExprPtr& expr) { return settler.holds(expr); };
  std::vector<LayerPart> parts;
  for (const PartRule& rule : sources.rules->parts) {
    if (!rule.when || holds(rule.when).value_or(false)) parts.push_back(rule.part);
  }
  std::optional<Graph> graph = build_graph(*sources.model, *sources.operators, holds, diagnostics, parts);
  if (!graph || diagnostics.failed()) return nullptr;
  auto out = std::make_unique<AnnotatedGraph>();
  out->graph = std::move(*graph);
  const Divides comes_out_even = [&](DimId d, const Mesh& mesh, const AxisList& axes) {
    return settler.divides(out->graph.dimensions[static_cast<std::size_t>(d)], mesh, axes);
  };
  Diagnostics remarks;
  std::optional<Annotations> annotations = annotate(out->graph, *sources.mesh, *sources.rules, holds, comes_out_even, sources.silent ? remarks : diagnostics);
  if (remarks.failed()) diagnostics.append(std::move(remarks));
  if (!annotations || diagnostics.failed()) return nullptr;
  out->annotations = std::move(*annotations);
  for (const std::string& defect : verify(out->graph, out->annotations)) diagnostics.error({}, "internal: " + defect);
  std::optional<GraphRun> run = bind_graph(program, out->graph, out->annotations, diagnostics);
  if (!run || diagnostics.failed()) return nullptr;
  out->run = std::move(*run);
  out->settled = std::move(settler.settled);
  return out;
}

bool fits(const AnnotatedGraph& graph, Evaluator& evaluator) {
  for (const Settled& s : graph.settled) {
    const Value v = s.ranks.empty() ? as_truth(evaluator.evaluate(*s.formula)) : Value{};
    const std::optional<double> now = s.ranks.empty() ? Settler::value(v.scalar, evaluator) : Settler::remainder(s, evaluator);
    if (evaluator.failed() || !now || *now != s.value) return false;
  }
  return true;
}

}  // namespace opledger
