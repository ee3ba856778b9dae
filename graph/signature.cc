#include "graph/signature.h"

#include <algorithm>

#include "expr/printer.h"

namespace opledger {

namespace {

/// Evaluates a formula recursively. The operators `+`, `-` and `^` are union, difference and symmetric difference of
/// ordered sets. A factor may stand only outside of them, because sets have no multiplicity.
class DimEvaluator {
 public:
  DimEvaluator(const DimLookup& lookup, Diagnostics& diagnostics) : lookup_(lookup), diagnostics_(diagnostics) {}

  std::optional<SizedDims> evaluate(const Expr& e) {
    if (e.kind == Expr::Kind::name) return name(e);
    if (e.kind == Expr::Kind::list) return list(e);
    if (e.kind == Expr::Kind::operation && e.args.size() == 2) return operation(e);
    return refuse(e);
  }

 private:
  std::optional<SizedDims> name(const Expr& e) {
    auto dims = lookup_(e);
    if (!dims) return std::nullopt;
    return SizedDims{std::move(*dims), 1};
  }

  std::optional<SizedDims> list(const Expr& e) {
    SizedDims all;
    for (const ExprPtr& item : e.args) {
      auto dims = evaluate(*item);
      if (!dims) return std::nullopt;
      all.dims = join(all.dims, dims->dims);
    }
    return all;
  }

  std::optional<SizedDims> operation(const Expr& e) {
    if (e.op == Op::multiply) return product(e);
    if (e.op != Op::add && e.op != Op::subtract && e.op != Op::power) return refuse(e);
    auto a = evaluate(*e.args[0]);
    auto b = evaluate(*e.args[1]);
    if (!a || !b) return std::nullopt;
    if (a->times != 1 || b->times != 1) return refuse(e);
    if (e.op == Op::add) return SizedDims{join(a->dims, b->dims), 1};
    return SizedDims{e.op == Op::subtract ? without(a->dims, b->dims) : difference(a->dims, b->dims), 1};
  }

  std::optional<SizedDims> product(const Expr& e) {
    std::size_t factor = e.args[0]->kind == Expr::Kind::number ? 0 : 1;
    const Expr& number = *e.args[factor];
    if (number.kind != Expr::Kind::number || !number.dimension.plain()) return refuse(e);
    auto dims = evaluate(*e.args[1 - factor]);
    if (dims) dims->times *= number.number;
    return dims;
  }

  std::optional<SizedDims> refuse(const Expr& e) {
    diagnostics_.error(e.span,
                       "dimensions are combined with + - ^ from names and lists, and counted with NUMBER * at the outside; `" + to_source(e) + "` is neither");
    return std::nullopt;
  }

  const DimLookup& lookup_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<SizedDims> evaluate_dims(const Expr& formula, const DimLookup& lookup, Diagnostics& diagnostics) {
  return DimEvaluator(lookup, diagnostics).evaluate(formula);
}

std::optional<SizedDims> node_dims(const Graph& graph, NodeId node, const Expr& formula) {
  Diagnostics ignored;
  auto lookup = [&](const Expr& name) -> std::optional<DimList> {
    if (const DimList* dims = graph.port(node, name.text)) return *dims;
    DimId d = graph.dimension(name.text);
    return d ? std::make_optional(DimList{d}) : std::nullopt;
  };
  return evaluate_dims(formula, lookup, ignored);
}

DimList named_dims(const Graph& graph, NodeId node, std::string_view name) {
  if (const DimList* dims = graph.port(node, name)) return *dims;
  DimId d = graph.dimension(name);
  return d ? DimList{d} : DimList{};
}

}  // namespace opledger
