#include "schemas/image.h"

#include <doctest/doctest.h>

#include "expr/parsed.h"
#include "expr/parser.h"
#include "tests/expr/whole.h"
#include "tests/paths.h"

namespace opledger {
namespace {

void add_scalars(const Datum& datum, std::vector<Datum>& out) {
  if (datum.is_scalar()) out.push_back(datum);
  for (const Datum& item : datum.items()) add_scalars(item, out);
  for (const auto& [_, value] : datum.entries()) add_scalars(value, out);
}

std::string description(const ExprPtr& tree, const Diagnostics& said) { return (tree != nullptr ? whole(*tree) : "") + render(said); }

}  // namespace

TEST_CASE("image: every formula of a shipped document is what the parser makes of it, place by place") {
  std::size_t kept = 0;
  for (const Datum& root : good_documents(source_folder())) {
    const auto source = std::make_shared<SourceFile>(root.span().file->path, root.span().file->text);
    REQUIRE(shipped_image().find(source));
    std::vector<Datum> scalars;
    add_scalars(root, scalars);
    for (const Datum& scalar : scalars) {
      Diagnostics parsed_said, found_said;
      const Span at{source, scalar.span().line, scalar.span().column};
      const ExprPtr parsed = parse_expression(scalar.text(), scalar.span(), parsed_said), found = parse_expression(scalar.text(), at, found_said);
      CHECK(description(found, found_said) == description(parsed, parsed_said));
      kept += find_formula(scalar.text(), at) != nullptr ? 1 : 0;
      CHECK((parsed == nullptr || parsed->depth == 1 || find_formula(scalar.text(), at) != nullptr));
    }
  }
  CHECK(kept > 2000);
}

}  // namespace opledger
