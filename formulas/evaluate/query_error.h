#pragma once
#include <memory>
#include <string>
#include <utility>

#include "formulas/answer.h"

/// The error of a query that is being evaluated.
namespace opledger {

/// The first error of a query. After it nothing more is evaluated until the query ends, and values have no meaning.
class QueryError {
 public:
  bool failed() const { return failed_; }
  /// Records an error, unless there is one already, and returns `nothing`.
  Value fail(const Span& span, std::string message) {
    if (!failed_) error_ = std::make_shared<Diagnostic>(Diagnostic{Severity::error, span, std::move(message), {}});
    failed_ = true;
    return {};
  }
  /// Takes over the error of another query's answer, in place of an earlier one, and returns `nothing`.
  Value take(const Answer& why) {
    error_ = why.error;
    absent_ = why.absent;
    failed_ = true;
    return {};
  }
  /// Appends advice to the message of the error, which must exist.
  void add_advice(const std::string& advice) {
    if (!advice.empty()) error_ = std::make_shared<Diagnostic>(Diagnostic{Severity::error, error_->span, error_->message + advice, {}});
  }
  /// Marks the next error as a missing document of the run; call before `fail`.
  void set_absent(bool absent) { absent_ = absent; }
  void clear() { *this = {}; }
  /// Returns the answer of a query: the error, or the value if there is none.
  Answer answer(const Value& value) const { return failed_ ? Answer{{}, error_, absent_} : Answer{value}; }

 private:
  bool failed_ = false;
  bool absent_ = false;  ///< The error only says that the run lacks a document.
  std::shared_ptr<const Diagnostic> error_;
};

}  // namespace opledger
