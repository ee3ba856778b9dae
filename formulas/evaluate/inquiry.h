#pragma once
#include <string>
#include <utility>

#include "formulas/evaluate/evaluator.h"

/// A sequence of queries that depend on each other. After the first query without an answer, further queries return
/// `nothing` and are not evaluated, so one error is reported instead of many.
namespace opledger {

/// Queries of one evaluator, and the messages of their errors. The owner asks in sequence, and at the end checks `good`
/// and reads `messages`.
class Inquiry {
 public:
  /// Asks `evaluator`, which must outlive the inquiry.
  explicit Inquiry(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Returns the value of a query (the arguments of an Evaluator::ask), or `nothing` after the first failure.
  template <class... Query>
  Value ask(const Query&... query) {
    if (stopped_) return {};
    const Answer answer = evaluator_.ask(query...);
    stopped_ = !answer.report(messages_);
    absent_ = answer.absent;
    return answer.value;
  }

  /// Runs `work`, which returns a value, as a separate sequence of queries and returns its answer: the value, or the
  /// first error. The state of this sequence is swapped out before and restored afterwards. Needed for values that are
  /// computed on demand inside another query.
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

  /// Adds an error of the caller's; later queries are still evaluated. Returns the message for notes.
  Diagnostic& error(const Span& span, std::string message) { return messages_.error(span, std::move(message)); }
  /// Returns whether a query had no answer, so that later queries are skipped.
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
  bool stopped_ = false;  ///< A query had no answer.
  bool absent_ = false;   ///< The last query failed only because the run lacks a document.
};

}  // namespace opledger
