#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "expr/tape.h"
#include "formulas/program.h"

/// What is asked of every candidate, and the answers of one, recorded.
namespace opledger {

struct AnnotatedGraph;

/// What is computed of every candidate.
struct Question {
  std::vector<std::string> inputs;                                   ///< Scalar inputs of the accounting: numbers, truths, words.
  std::vector<std::string> outputs;                                  ///< Metrics, by their published names, or other global names that vary with nothing.
  bool constraints = false;                                          ///< Whether constraints are checked.
  std::vector<Constraint> where = {};                                ///< Further ones, after the accounting's.
  std::vector<std::pair<const Name*, const Formula*>> derived = {};  ///< Inputs that others decide, and how.
};

/// The answers to a question, recorded for one candidate: they hold for all that agree with it on the tape's guards.
struct Trace {
  struct Text {  ///< Of a constraint's message: text, then the value of a result.
    std::string text;
    Value value;
    int digits = -1;
    std::size_t result = 0;
    bool has_value = false;
    const std::vector<std::string>* words = nullptr;  ///< The result is the position of one of these.
    std::string formula;                              ///< Of the value, as written.
  };
  struct Check {
    std::size_t result = 0;  ///< Whether it holds.
    std::vector<Text> message;
    std::string reason;  ///< What candidates are counted under for which it doesn't.
  };

  Tape tape;                              ///< Its inputs are the question's.
  std::vector<std::int32_t> recorded;     ///< By guard: which symbol its condition is for all traces that share a tape. Empty: it shares none.
  std::vector<Scalar> results;            ///< Metrics in the order of the question, then what the checks need.
  std::vector<Value> metrics;             ///< Their kinds and units; nothing: no value here.
  std::vector<Check> checks;              ///< In the order in which they are made: the first that fails is the reason.
  const AnnotatedGraph* graph = nullptr;  ///< One of those that its traces share; null: there is no model.
};

}  // namespace opledger
