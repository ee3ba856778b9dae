#include "run/annotated.h"

#include <fmt/core.h>

#include "accounting/reader.h"
#include "accounting/sizes.h"
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
    const Formula* size = size_of(info);
    if (size == nullptr) return false;
    Settled division{size, {}, 0};
    for (const AxisId a : axes) {
      if (const Name* degree = program_.find(mesh.axes[static_cast<std::size_t>(mesh.whole(a))].name)) division.ranks.push_back(degree);
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

  /// Constraints of the model and its blocks, and that every part of a coarse dimension stands for as many of the fine one.
  bool check(const Graph& graph) {
    bool good = true;
    for (const Requirement& r : graph.requirements) {
      if (r.when && !holds(r.when).value_or(false)) continue;
      const std::optional<bool> met = holds(r.require);
      if (met && !*met) diagnostics_.error(r.span, message(r));
      good = good && met.value_or(false);
    }
    for (const auto& [fine, coarse] : graph.grouped)
      good = check_group(graph.dimensions[static_cast<std::size_t>(fine)], graph.dimensions[static_cast<std::size_t>(coarse)]) && good;
    return good;
  }

  /// Sizes that documents give as they are, before anything follows from them: of a mistake the user's line is told, not that of a formula.
  bool check_sizes(const Graph& graph) {
    bool good = true;
    for (const DimensionInfo& info : graph.dimensions) {
      const Formula* size = size_of(info);
      if (size == nullptr || !given(*size)) continue;
      const Value v = evaluator_.evaluate(*size);
      const std::string wrong = evaluator_.failed() ? std::string() : wrong_size(v);
      good = good && !evaluator_.failed() && wrong.empty();
      evaluator_.recover();
      if (!wrong.empty()) diagnostics_.error(written(*size, info.span), fmt::format("dimension `{}` must be {}", info.name, wrong));
    }
    return good;
  }

  std::vector<Settled> settled;

 private:
  /// A value, or a name that stands for one.
  static bool given(const Formula& f) {
    if (f.kind == Formula::Kind::name) return !f.name->defs.empty() && f.name->defs[0]->otherwise != nullptr && given(*f.name->defs[0]->otherwise);
    if (f.kind == Formula::Kind::operation) return f.args.size() == 1 && given(*f.args[0]);  // a sign
    return f.kind == Formula::Kind::constant;
  }

  const Formula* size_of(const DimensionInfo& info) {
    return link_formula(program_, info.size ? info.size : parse_expression(info.name, info.span, diagnostics_), *program_.graph, diagnostics_);
  }

  std::string worth(const Formula* formula) {
    const std::string text = formula == nullptr ? "?" : human(evaluator_.evaluate(*formula));
    evaluator_.recover();
    return text;
  }

  std::string message(const Requirement& requirement) {
    std::string out;
    for (const Requirement::Part& part : requirement.message)
      out += part.text + (part.value ? worth(link_formula(program_, part.value, *program_.graph, diagnostics_)) : "");
    return out;
  }

  bool check_group(const DimensionInfo& fine, const DimensionInfo& coarse) {
    const auto parts = program_.model->names.find(coarse.name);
    if (coarse.size || parts == program_.model->names.end()) return true;  // no number of its own
    Settled division{size_of(fine), {parts->second}, 0};
    if (division.formula == nullptr) return false;
    const std::optional<double> left = remainder(division, evaluator_);
    if (!left) return true;  // it is told where the size is read
    division.value = *left;
    settled.push_back(division);
    if (*left == 0) return true;
    diagnostics_.error(fine.span, fmt::format("`{}` = {} is no multiple of `{}` = {}, each of which goes with as many of them (`grouped`)", fine.name,
                                              worth(division.formula), coarse.name, worth(size_of(coarse))));
    return false;
  }

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
  if (!graph || diagnostics.failed() || !settler.check_sizes(*graph) || !settler.check(*graph)) return nullptr;
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
