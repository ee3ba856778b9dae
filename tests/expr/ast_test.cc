#include "expr/ast.h"

#include <doctest/doctest.h>

#include "expr/parser.h"
#include "expr/printer.h"

namespace opledger {

TEST_CASE("conditions are put together as if they had been written together") {
  Diagnostics diagnostics;
  const auto parsed = [&](const char* text) { return parse_expression(text, {}, diagnostics); };
  const ExprPtr a = parsed("x > 1 or y"), b = parsed("z");
  const ExprPtr all = both(a, b), written = parsed("(x > 1 or y) and z");
  CHECK(to_source(*all) == to_source(*written));
  CHECK(all->depth == written->depth);
  CHECK(both(a, nullptr) == a);
  CHECK(both(nullptr, b) == b);
  CHECK(both(nullptr, nullptr) == nullptr);
}

}  // namespace opledger
