#pragma once
#include <string>

#include "expr/ast.h"

/// Prints a tree with all its properties, including positions, for comparisons in tests.
namespace opledger {

inline std::string whole(const Expr& e) {
  std::string out = to_string(e.span) + " " + std::to_string(static_cast<int>(e.kind)) + " " + std::to_string(static_cast<int>(e.op)) + " " +
                    std::to_string(static_cast<int>(e.aggregate)) + " " + std::to_string(e.number) + " " + to_string(e.dimension) + " " + e.text + " " +
                    std::to_string(e.depth) + "\n";
  for (const ExprPtr& arg : e.args) out += whole(*arg);
  for (const ExprPtr& set : e.per) out += "per " + whole(*set);
  return out + ".\n";
}

}  // namespace opledger
