#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/graph_engine.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/read/check.h"
#include "formulas/read/reader.h"
#include "tests/support/documents.h"

/// Small accountings in tests: text in, values or messages out.
namespace opledger {

/// Fields of an execution, or of the command line.
using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::vector<FieldAssignment> assignments(const Fields& fields) {
  std::vector<FieldAssignment> out;
  for (const auto& [name, value] : fields) {
    out.push_back({name, datum(value, "given"), {}});
    out.back().span = out.back().value.span();
  }
  return out;
}

/// Documents linked into a program, with the diagnostics of linking.
struct Ledger {
  std::deque<Document> documents;
  OperatorLibrary operators;
  Diagnostics diagnostics;
  std::optional<Program> program;
  std::optional<Evaluator> evaluator;

  explicit Ledger(const std::vector<std::string>& texts, const Fields& execution = {}, const Fields& overrides = {}, const Fields& records = {}) {
    ProgramSources sources(graph_engine());
    for (const std::string& text : texts) {
      const Document& d = documents.emplace_back(document(text));
      sources.documents.push_back(&d);
      if (d.kind == "ops") operators.add(d, diagnostics);
    }
    sources.operators = &operators;
    sources.execution = assignments(execution);
    sources.overrides = assignments(overrides);
    for (const auto& [name, text] : records) sources.records.emplace_back(name, datum(text, name));
    program = link_program(sources, diagnostics);
    if (program) evaluator.emplace(*program);
  }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  const Name& name(const std::string& text) const {
    REQUIRE_MESSAGE(program, render(diagnostics));
    const Name* n = program->find(text);
    REQUIRE_MESSAGE(n != nullptr, text);
    return *n;
  }

  /// Returns the value as text: `12`, `3 byte/s`, `true`, `` `red` ``; after a failure, the diagnostics.
  std::string worth(const std::string& text) {
    if (!program) return messages(diagnostics);
    const Answer answer = evaluator->ask(name(text));
    if (!answer.report(diagnostics)) return messages(diagnostics);
    const Value& v = answer.value;
    switch (v.kind) {
      case Value::Kind::number:
        return exact(v.scalar.value) + (v.unit.plain() ? "" : " " + to_string(v.unit));
      case Value::Kind::truth:
        return v.scalar.value != 0 ? "true" : "false";
      case Value::Kind::word:
      case Value::Kind::text:
        return "`" + *v.text + "`";
      default:
        return describe(v);
    }
  }

  /// Returns the messages of the check that precedes evaluation.
  std::string checked() {
    if (program) check_units(*program, diagnostics);
    return messages(diagnostics);
  }
};

inline std::string worth(const std::string& text, const std::string& name = "x") { return Ledger({text}).worth(name); }
inline std::string checked(const std::string& text) { return Ledger({text}).checked(); }

/// Returns an accounting with a metric `x` of this unit and formula, after other sections.
inline std::string metric(const std::string& unit, const std::string& formula, const std::string& sections = "") {
  return sections + "metrics:\n  x:\n    unit: " + unit + "\n    doc: d\n    is: " + formula + "\n";
}

}  // namespace opledger
