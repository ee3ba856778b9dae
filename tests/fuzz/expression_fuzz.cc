#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "expr/parser.h"
#include "expr/printer.h"

/// Any text as a formula, a domain, a signature and a quantity. Each parser accepts the text or refuses it with one
/// message. A printed formula parses to itself.
namespace opledger {
namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

void check_printing(const Expr& e) {
  const std::string printed = to_source(e);
  Diagnostics diagnostics;
  const ExprPtr again = parse_expression(printed, {}, diagnostics);
  if (printed.size() > 16000 && !again) return;  // The printed text has more blanks, hence may exceed the limit.
  require(again != nullptr, "what was printed is not read", printed);
  require(to_source(*again) == printed, "printed differently the second time", printed);
  require(again->depth == e.depth, "another tree", printed);
}

void check_formula(const std::string& text, const Span& span) {
  Diagnostics diagnostics;
  const ExprPtr e = parse_expression(text, span, diagnostics);
  require(diagnostics.all().size() == (e ? 0 : 1), "not one message", text);
  if (e) check_printing(*e);
}

void check_domain(const std::string& text, const Span& span) {
  Diagnostics diagnostics;
  Domain domain;
  const bool read = parse_domain(text, span, diagnostics, domain);
  require(diagnostics.all().size() == (read ? 0 : 1), "not one message", text);
  if (!read) return;
  for (const ExprPtr& value : domain.values) check_printing(*value);
  if (domain.where) check_printing(*domain.where);
}

void check_quantity(const std::string& text) {
  double value = 0;
  Dimension dimension;
  if (parse_quantity(text, value, dimension)) require(std::isfinite(value), "no finite quantity", text);
}

void check_signature(const std::string& text, const Span& span) {
  Diagnostics diagnostics;
  Signature signature;
  const bool read = parse_signature(text, span, diagnostics, signature);
  require(diagnostics.all().size() == (read ? 0 : 1), "not one message", text);
  render(diagnostics);
}

void check(const std::string& text) {
  const Span span{std::make_shared<const SourceFile>(SourceFile{"fuzz", "k: >\n  " + text + "\n"}), 1, 4};
  check_formula(text, span);
  check_domain(text, span);
  check_quantity(text);
  check_signature(text, span);
}

}  // namespace
}  // namespace opledger

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
