#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "expr/tape.h"
#include "formulas/program.h"

/// A query over candidates, and its recording for one candidate. compiled_program.h makes traces and compiles them.
namespace opledger {

struct AnnotatedGraph;

/// A query: the inputs that vary and the results to compute for each candidate.
struct Query {
  std::vector<std::string> inputs;                                   ///< Names of scalar inputs of the accounting: numbers, truths, words.
  std::vector<std::string> outputs;                                  ///< Names of metrics or of other global names that depend on no set.
  bool constraints = false;                                          ///< True if constraints are checked.
  std::vector<Constraint> where = {};                                ///< Further constraints, checked after those of the accounting.
  std::vector<std::pair<const Name*, const Formula*>> derived = {};  ///< Inputs that follow from other inputs, and their formulas.
};

/// A recording of a query for one candidate, valid for all candidates that satisfy the guards of its tape.
struct Trace {
  struct Text {  ///< Part of a constraint's message: text, then the value of a result.
    std::string text;
    Value value;                                      ///< Kind and unit of the value.
    int digits = -1;                                  ///< Digits after the point; -1: as many as needed.
    std::size_t result = 0;                           ///< Index of the result.
    bool has_value = false;                           ///< False for text alone.
    const std::vector<std::string>* words = nullptr;  ///< Words of the set if the result is a position in it; else null.
    std::string formula;                              ///< Text of the value's formula, as written.
  };
  /// The check of a constraint at one word of its set, or of a constraint without a set.
  struct Check {
    std::size_t result = 0;     ///< Index of the result that is nonzero if the constraint holds.
    std::vector<Text> message;  ///< Message of a violation, in parts.
    std::string reason;         ///< Reason under which violations are counted; empty: the message.
  };

  Tape tape;                              ///< Inputs are numbered as in the query.
  std::vector<std::int32_t> recorded;     ///< Symbol of each guard's condition on the shared tape; empty without a shared tape.
  std::vector<Scalar> results;            ///< Metrics in the order of the query, then results of checks and values of their messages.
  std::vector<Value> metrics;             ///< Kinds and units of metrics; nothing if the candidate has no value.
  std::vector<Check> checks;              ///< Checks in order; the first failing check gives the reason.
  const AnnotatedGraph* graph = nullptr;  ///< Graph owned by `Shared::graphs`; null without a model.
};

}  // namespace opledger
