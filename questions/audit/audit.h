#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Consistency of a run: shards add up to the whole, the checks of the accounting hold; keys of documents that nothing
/// reads; values that are defaults.
namespace opledger {

/// The result of one check over all its elements.
struct AuditCheck {
  /// `skipped`: the run lacks a part that the check reads, or the check does not apply.
  enum class State { passed, failed, skipped };
  std::string name, doc;  ///< Name of the check, and its meaning as a sentence.
  State state = State::passed;
  std::string why;    ///< Reason of a skipped check.
  Value left, right;  ///< Both values at the worst failing element; if the check holds, sums over the elements.
  /// Largest relative difference of a comparison, as a share of the larger value; of a failed check, that of the worst
  /// failing element.
  double difference = 0;
  std::string element;       ///< Worst failing element; if the check holds, the first element. Empty for a single comparison.
  std::size_t elements = 1;  ///< Number of elements.
  std::size_t failures = 0;  ///< Number of elements that fail.
  std::string written;       ///< Declaration as `FILE:LINE:COLUMN`; empty for checks of the engine.
  std::string relation;      ///< Relation of left to right, such as `<`; empty for equality.
};

/// An expected value of a metric: `METRIC=VALUE±TOLERANCE` or `METRIC < VALUE`. Sizes are in base units.
struct Expectation {
  std::string metric, text;    ///< `text`: source text after the sign.
  std::string relation = "=";  ///< `=`, `<`, `<=`, `>` or `>=`; only `=` allows a tolerance.
};

/// A key of a document that the audit reports: without a reader, with a default value, or without effect.
struct AuditKey {
  std::string document, key;  ///< Kind of the document, such as `execution`, and the key in it, such as `memory.capacity`.
  std::string value, doc;     ///< Value as text, and documentation of the key; either may be empty.
  Span span;                  ///< Position of the key, or of the declaration of its default.
};

/// A number by the closed formulas of a schedule, and by simulating its step.
struct AuditPlayed {
  std::string name;          ///< Name of the quantity.
  Value by_formula, played;  ///< Value by the formulas, and value by the simulation, with equal units.
};

/// The result of an audit.
struct Audit {
  std::vector<AuditPlayed> played;  ///< Empty if the pipeline has one stage, the run lacks a graph or system, or the step can't be simulated.
  std::string unplayed;             ///< Reason why the step can't be simulated; empty if it can.
  std::vector<AuditCheck> checks;   ///< Checks of the accounting, of expected values, and of sums over ranks.
  std::vector<AuditKey> unread;     ///< Keys that no formula reads.
  std::vector<AuditKey> assumed;    ///< Values that are read and are defaults.
  std::vector<AuditKey> stated;     ///< Inputs that the accounting lists for `audit` under `commands` and that have a stated value.
  std::vector<AuditKey> idle;       ///< Rule documents without effect (idle_rules.h); callers with a library compute them.
};

/// Adds a comparison of two numbers to a check. `tolerance` is relative to the larger number, `within` is absolute in
/// base units, and either suffices. `element` names the compared element. A check starts with `elements` = 0.
void compare(const Value& left, const Value& right, double tolerance, double within, const std::string& element, AuditCheck& check);

/// Evaluates the checks of the run's accounting and appends them to `out`; an accounting without checks adds a skipped one.
void check_accounting(Run& run, std::vector<AuditCheck>& out, Diagnostics& diagnostics);

/// Checks metrics against expected values and appends the checks to `out`. Malformed expectations are errors. The checks
/// point into `expectations`, which must outlive them.
void check_expectations(Run& run, const std::vector<Expectation>& expectations, std::vector<AuditCheck>& out, Diagnostics& diagnostics);

/// Recounts every weight and every saved or sent tensor over all ranks and compares it with the whole, its intended
/// copies and padding.
void check_conservation(Run& run, std::vector<AuditCheck>& out);

/// Returns the parameters of the model and the fields of execution and system that no formula of the run reads.
std::vector<AuditKey> unread_keys(Run& run);

/// Returns inputs and fields of the system that are read and have default values.
std::vector<AuditKey> assumed_values(Run& run);
/// Returns the stated inputs that the accounting lists for `audit` under `commands`.
std::vector<AuditKey> stated_values(Run& run);

}  // namespace opledger
