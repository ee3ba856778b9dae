#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Whether a run agrees with itself: what is spread over processors adds up to the whole, and the checks of its accounting hold; which keys of its documents
/// nothing reads; which values nobody gave.
namespace opledger {

struct AuditCheck {
  enum class State { passed, failed, skipped };
  std::string name, doc;
  State state = State::passed;
  std::string why;           ///< Of a skipped one.
  Value left, right;         ///< Where they differ most; of a check that holds everywhere, their sums.
  double difference = 0;     ///< Of the two, as a share of the larger.
  std::string element;       ///< Of a check that is made for each of several: where they differ most.
  std::size_t elements = 1;  ///< How often it was made.
  std::size_t failures = 0;  ///< How often it failed.
  std::string written;       ///< `FILE:LINE:COLUMN` of its declaration; the engine's own have none.
  std::string relation;      ///< Of the left to the right, if it is not to be equal: `<`.
};

/// `METRIC=VALUE±TOLERANCE`, `METRIC < VALUE`: what a metric must be. Sizes in base units.
struct Expectation {
  std::string metric, text;    ///< `text`: as it was written behind the sign.
  std::string relation = "=";  ///< Or `<`, `<=`, `>`, `>=`: then without a tolerance.
};

/// A key of a document that nothing reads, or a value that was assumed.
struct AuditKey {
  std::string document, key, value, doc;
  Span span;
};

/// A number by the formulas of a schedule, and as its step is played.
struct AuditPlayed {
  std::string name;
  Value by_formula, played;
};

struct Audit {
  std::vector<AuditPlayed> played;  ///< Nothing where no pipeline waits, or where the step can't be played …
  std::string unplayed;             ///< … and why it can't; empty: it can.
  std::vector<AuditCheck> checks;
  std::vector<AuditKey> unread, assumed;
  std::vector<AuditKey> stated;  ///< Inputs that the accounting names for `audit` under `commands`, where somebody gave them.
  std::vector<AuditKey> idle;    ///< Rule documents, see idle_rules.h; whoever has a library asks for them.
};
/// Two numbers against each other, as one of those that a check is made of; `tolerance` is a share of the larger, `within` a difference.
void compare(const Value& left, const Value& right, double tolerance, double within, const std::string& element, AuditCheck& check);

/// The checks of the run's accounting.
void check_accounting(Run& run, std::vector<AuditCheck>& out, Diagnostics& diagnostics);

/// What each of these metrics must be.
void check_expectations(Run& run, const std::vector<Expectation>& expectations, std::vector<AuditCheck>& out, Diagnostics& diagnostics);

/// Every weight and every tensor that is kept or sent, over all processors, against the whole and its stated copies and padding.
void check_conservation(Run& run, std::vector<AuditCheck>& out);

/// Parameters of the model, fields of the execution and of the system that no formula of the run reads.
std::vector<AuditKey> unread_keys(Run& run);

/// Inputs and fields of the system that have their default values, and are read.
std::vector<AuditKey> assumed_values(Run& run);
std::vector<AuditKey> stated_values(Run& run);

}  // namespace opledger
