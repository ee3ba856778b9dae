#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "expr/parser.h"

/// Parsing in tests: each formula is a file of its own.
namespace opledger {

inline Span whole_file(const std::string& text) { return {std::make_shared<const SourceFile>(SourceFile{"f", text}), 1, 1}; }

/// Returns the tree of a valid formula.
inline ExprPtr parsed(const std::string& text) {
  Diagnostics diagnostics;
  ExprPtr e = parse_expression(text, whole_file(text), diagnostics);
  REQUIRE_MESSAGE(e, render(diagnostics));
  return e;
}

/// Returns `COLUMN: message` of an invalid formula.
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
