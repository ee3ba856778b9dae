#pragma once
#include <string>
#include <utility>

#include "formulas/evaluate/evaluator.h"

/// A sequence of queries that depend on each other. After the first query without an answer, further queries return
/// `nothing` and are not evaluated, so one error is reported instead of many.
namespace opledger {

class Inquiry {
 public:
  explicit Inquiry(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Returns the value of a query, or `nothing` after the first failure.
  template <class... Query>
  Value ask(const Query&... query) {
    if (stopped_) return {};
    const Answer answer = evaluator_.ask(query...);
    stopped_ = !answer.report(messages_);
    absent_ = answer.absent;
    return answer.value;
  }

  /// Runs `work` as a separate sequence and returns its answer. Messages and failures of this sequence are restored
  /// afterwards. For values that are computed on demand inside another query.
  template <class Work>
  Answer isolated(Work&& work) {
    Inquiry around(evaluator_);
    std::swap(messages_, around.messages_);
    std::swap(stopped_, around.stopped_);
    std::swap(absent_, around.absent_);
    Answer out{work()};
    if (!good()) out = {{}, std::make_shared<Diagnostic>(messages_.all().front()), absent_};
    std::swap(messages_, around.messages_);
    std::swap(stopped_, around.stopped_);
    std::swap(absent_, around.absent_);
    return out;
  }

  Diagnostic& error(const Span& span, std::string message) { return messages_.error(span, std::move(message)); }
  bool stopped() const { return stopped_; }
  /// Returns whether every query had an answer and no error was added.
  bool good() const { return messages_.errors() == 0; }
  Diagnostics& messages() { return messages_; }

  Evaluator& evaluator() { return evaluator_; }
  const Program& program() const { return evaluator_.program(); }
  Tape* tape() const { return evaluator_.tape(); }

 private:
  Evaluator& evaluator_;
  Diagnostics messages_;
  bool stopped_ = false, absent_ = false;
};

}  // namespace opledger
