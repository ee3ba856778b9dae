#pragma once
#include <map>
#include <memory>
#include <string>

#include "formulas/evaluate/evaluator.h"
#include "run/linked.h"

/// What is played for a run, as inputs of its accounting have it: worked out when the first of them is asked for.
namespace opledger {

class SimulatedInputs {
 public:
  virtual ~SimulatedInputs() = default;
  Answer of(const std::string& what, Evaluator& evaluator);

 protected:
  /// Fills `values_`, or tells why it can't.
  virtual void simulate(Evaluator& evaluator, Diagnostics& messages) = 0;
  /// Whether this one is left out, rather than an error, where nothing could be played.
  virtual bool is_absent(const std::string&) const { return false; }

  std::map<std::string, Value> values_;

 private:
  bool asked_ = false;
  std::shared_ptr<const Diagnostic> error_;
};

/// From now on the inputs that `gives` names, by what they are, have these values; an error where a document gives one, too: it `follows_from` something.
void provide_inputs(const Datum& gives, const std::shared_ptr<SimulatedInputs>& results, const char* follows_from, Evaluator& evaluator, const Linked& run);

}  // namespace opledger
