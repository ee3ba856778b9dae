#include "search/sweep/packed_trace.h"

#include "expr/tape_code.h"
#include "search/sweep/refusal.h"

namespace opledger {

/// Serializes a trace, the program recorded for one candidate. Layout: number of the tape, symbols of the recorded
/// guards, tape, kind and scalar of each metric, reasons of all checks, scalar of each check. A scalar is a constant or
/// a symbol of the tape, so `TapePacker` writes it. The number of metrics is omitted; the receiver knows it from the
/// query. Messages of checks and the graph are left out, because a sweep reports no single candidates.
std::string packed(const NumberedTrace& traced) {
  const Trace& trace = traced.trace;
  Packer out;
  out.put(traced.tape);
  out.put(trace.recorded);
  TapePacker tape(trace.tape, out);
  for (std::size_t m = 0; m < trace.metrics.size(); ++m) {
    out.put(static_cast<std::uint8_t>(trace.metrics[m].kind));
    tape.put(trace.results[m]);
  }
  std::vector<std::string> reasons;
  for (const Trace::Check& check : trace.checks) reasons.push_back(reason_of(check));
  out.put(reasons);
  for (const Trace::Check& check : trace.checks) tape.put(trace.results[check.result]);
  return out.take();
}

/// Reads the layout of `packed`: tape number, recorded guards, tape, metrics, reasons, checks. Results of the trace are
/// the scalars of metrics, then of checks. The bytes are untrusted: kinds of values, the tape, its number of inputs,
/// the number of recorded guards and the end of the bytes are validated. Returns nothing if a test fails.
std::optional<NumberedTrace> unpack_trace(std::string_view bytes, const Query& query) {
  Unpacker in(bytes);
  NumberedTrace out;
  in.get(out.tape);
  in.get(out.trace.recorded);
  TapeUnpacker tape(in);
  for (std::size_t m = 0; m < query.outputs.size() && tape.good(); ++m) {
    std::uint8_t kind = 0;
    in.get(kind);
    if (kind > static_cast<std::uint8_t>(Value::Kind::curve)) return std::nullopt;
    Value& metric = out.trace.metrics.emplace_back();
    metric.kind = static_cast<Value::Kind>(kind);
    metric.scalar = out.trace.results.emplace_back(tape.get());
  }
  std::vector<std::string> reasons;
  in.get(reasons);
  for (std::string& reason : reasons) {
    out.trace.checks.push_back({out.trace.results.size(), {}, std::move(reason)});
    out.trace.results.push_back(tape.get());
  }
  out.trace.tape = tape.take();
  const bool whole = tape.good() && in.at_end() && out.trace.tape.inputs().size() == query.inputs.size();
  const bool guarded = out.trace.recorded.empty() || out.trace.recorded.size() == out.trace.tape.guards().size();
  return whole && guarded ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace opledger
