#include "search/sweep/refusal.h"

namespace opledger {

std::string reason_of(const Trace::Check& check) {
  if (!check.reason.empty()) return check.reason;
  std::string out;
  for (const Trace::Text& part : check.message) {
    out += part.text;
    if (!part.has_value) continue;
    out += part.value.scalar.constant() ? human(part.value, part.digits) : "{" + part.formula + "}";
  }
  return out;
}

/// Replaces all checks of a trace by a single check, so that a sweep finds candidates refused for one reason. The new
/// check holds if a check with the reason fails while every earlier check holds: this check is then the first failure,
/// which gives a candidate its reason. The condition is built of logical operations on the tape of the trace, so it is
/// valid for all candidates of the trace. Without a value of the objective (metric 0), no candidate can be ranked, and
/// the check always fails.
void keep_refused(Trace& trace, const std::string& reason) {
  Scalar before = truth(true), refused = truth(false);  // conjunction of the checks so far; first failure has the reason
  for (const Trace::Check& check : trace.checks) {
    const Scalar holds = trace.results[check.result];
    if (reason_of(check) == reason) {
      const Scalar fails = apply(&trace.tape, Op::logical_and, before, apply(&trace.tape, Op::logical_not, holds));
      refused = apply(&trace.tape, Op::logical_or, refused, fails);
    }
    before = apply(&trace.tape, Op::logical_and, before, holds);
  }
  if (trace.metrics[0].kind == Value::Kind::nothing) refused = truth(false);
  trace.results.push_back(refused);
  Trace::Check only;
  only.result = trace.results.size() - 1;
  only.reason = "not refused for this reason";
  trace.checks.assign(1, std::move(only));
}

}  // namespace opledger
