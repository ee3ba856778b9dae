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

/// Builds one check that replaces all others. It holds if some check of the reason fails while every earlier check holds, in
/// symbols on the tape of the trace.
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
