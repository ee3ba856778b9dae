#include "expr/ast.h"

#include <algorithm>
#include <utility>

namespace opledger {

ExprPtr operation(Op op, std::vector<ExprPtr> args) {
  auto out = std::make_shared<Expr>();
  out->kind = Expr::Kind::operation;
  out->op = op;
  out->span = args.front()->span;
  for (const ExprPtr& arg : args) out->depth = std::max(out->depth, arg->depth + 1);
  out->args = std::move(args);
  return out;
}

ExprPtr both(const ExprPtr& a, const ExprPtr& b) { return a && b ? operation(Op::logical_and, {a, b}) : a ? a : b; }

}  // namespace opledger
