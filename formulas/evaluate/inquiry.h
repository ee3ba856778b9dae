#pragma once
#include <string>
#include <utility>

#include "formulas/evaluate/evaluator.h"

/// A line of questions of which each needs the answers to those before: after the first that has none the others are not asked any more.
namespace opledger {

class Inquiry {
 public:
  explicit Inquiry(Evaluator& evaluator) : evaluator_(evaluator) {}

  template <class... Question>
  Value ask(const Question&... question) {
    if (stopped_) return {};
    const Answer answer = evaluator_.ask(question...);
    stopped_ = !answer.tell(messages_);
    absent_ = answer.absent;
    return answer.value;
  }

  /// What `work` comes to by itself, whatever was asked before: for values that are worked out while something else is.
  template <class Work>
  Answer apart(Work&& work) {
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
  /// Whether all had answers, and nobody found anything wrong with them.
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
