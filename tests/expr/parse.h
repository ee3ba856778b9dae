#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "expr/parser.h"

/// Parsing in tests: a formula is a file of its own.
namespace opledger {

inline Span whole_file(const std::string& text) { return {std::make_shared<const SourceFile>(SourceFile{"f", text}), 1, 1}; }

/// Of a formula that must be right.
inline ExprPtr parsed(const std::string& text) {
  Diagnostics diagnostics;
  ExprPtr e = parse_expression(text, whole_file(text), diagnostics);
  REQUIRE_MESSAGE(e, render(diagnostics));
  return e;
}

/// `COLUMN: message` of a formula that must be wrong.
inline std::string mistake(const std::string& text) {
  Diagnostics diagnostics;
  const ExprPtr e = parse_expression(text, whole_file(text), diagnostics);
  if (e || diagnostics.all().size() != 1) return "not exactly one error";
  return std::to_string(diagnostics.all()[0].span.column) + ": " + diagnostics.all()[0].message;
}

inline std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace opledger
