#include "base/source.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

TEST_CASE("spans as text") {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"a/b.yaml", ""});
  CHECK(to_string(Span{}).empty());
  CHECK(to_string(Span{file, 0, 0}) == "a/b.yaml");
  CHECK(to_string(Span{file, 3, 8}) == "a/b.yaml:3:8");
  CHECK_FALSE(Span{}.known());
  CHECK(Span{file, 0, 0}.known());
}

}  // namespace
}  // namespace opledger
