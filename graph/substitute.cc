#include "graph/substitute.h"

#include <algorithm>

namespace opledger {

namespace {

using Names = std::set<std::string, std::less<>>;

void collect(const ExprPtr& formula, Names& names) {
  if (!formula) return;
  if (formula->kind == Expr::Kind::name) names.insert(formula->text);
  for (const ExprPtr& arg : formula->args) collect(arg, names);
}

void collect(const std::vector<Port>& ports, Names& names) {
  for (const Port& port : ports) collect(port.dims, names);
}

}  // namespace

ExprPtr substitute(const ExprPtr& formula, const Renames& renames) {
  if (!formula || renames.empty()) return formula;
  auto copy = std::make_shared<Expr>(*formula);
  if (formula->kind == Expr::Kind::name) {
    auto found = renames.find(formula->text);
    if (found == renames.end()) return formula;
    copy->text = found->second;
    return copy;
  }
  // The name of a function is no dimension, even if a dimension has the same name.
  for (std::size_t i = formula->kind == Expr::Kind::call ? 1 : 0; i < copy->args.size(); ++i) copy->args[i] = substitute(copy->args[i], renames);
  return copy->args == formula->args ? formula : copy;
}

Definition substitute(const Definition& definition, const Renames& renames) {
  if (renames.empty()) return definition;
  Definition copy = definition;
  for (auto& entry : copy.cases) entry.second = substitute(entry.second, renames);
  copy.otherwise = substitute(copy.otherwise, renames);
  copy.when = substitute(copy.when, renames);
  for (Definition& let : copy.lets) let = substitute(let, renames);
  return copy;
}

Names names_in(const Operator& op) {
  // Every declaration that can name a dimension must be listed here; otherwise a block can't substitute the dimension.
  Names names(op.frozen.begin(), op.frozen.end());
  for (const auto* ports : {&op.inputs, &op.weights, &op.outputs}) collect(*ports, names);
  for (const auto& [dimension, statistics] : op.inner) {
    names.insert(dimension);
    for (const Statistic& statistic : statistics) collect(statistic.dims, names);
  }
  for (const auto& [dimension, sources] : op.moved) {
    names.insert(dimension);
    names.insert(sources.begin(), sources.end());
  }
  for (const Operator::Halo& halo : op.halo) names.insert({halo.dimension, halo.of});
  for (const Operator::Matrix& matrix : op.matrices) {
    collect(matrix.rows, names);
    collect(matrix.stack, names);
  }
  for (const auto& [dimension, state] : op.carry) {
    names.insert(dimension);
    collect(state, names);
  }
  return names;
}

}  // namespace opledger
