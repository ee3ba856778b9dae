#include "base/packing.h"
#include "search/processes/discovery.h"
#include "search/processes/messages.h"
#include "search/processes/shared_search.h"
#include "search/sweep/packed_trace.h"
#include "search/sweep/sweep.h"

namespace opledger {
namespace {

/// A rank other than the leader: executes the leader's requests.
class Follower {
 public:
  Follower(const SweepRequest& request, Ranks& ranks) : request_(request), ranks_(ranks) {}

  /// Returns the next ranges to search; nothing at the end. Traces candidates for the leader until ranges arrive.
  /// Traces that arrive before the ranges are unpacked only then, because the leader blocks while it sends.
  std::optional<RangeInterval> next(TraceCache& structures) {
    if (!started_) structures.number_tapes_from(first_tape(ranks_.rank()));
    started_ = true;
    ranks_.send(0, std::string(1, messages::kIdle));
    std::vector<std::string> known;
    while (!request_.stopped()) {
      std::optional<Ranks::Message> message = ranks_.receive();
      if (!message) {
        wait_briefly();
        continue;
      }
      const char kind = messages::kind(message->bytes);
      if (kind == messages::kKnown)
        known.push_back(std::move(message->bytes));  // unpacked later: the leader blocks while it sends
      else if (kind == messages::kTrace && trace(messages::content(message->bytes), structures))
        ranks_.send(0, std::string(1, messages::kIdle));
      else if (kind == messages::kSearch && add_traces(known, structures))
        return range(messages::content(message->bytes));
      else
        break;
    }
    return std::nullopt;
  }

 private:
  bool add_traces(const std::vector<std::string>& known, TraceCache& structures) {
    for (const std::string& bytes : known) {
      std::optional<NumberedTrace> traced = unpack_trace(messages::content(bytes), structures.query());
      if (!traced) return refuse();
      structures.add(std::move(*traced));
    }
    return true;
  }

  bool trace(std::string_view candidate, TraceCache& structures) {
    std::vector<double> values;
    Unpacker(candidate).get(values);
    if (values.size() != structures.values().size()) return refuse();
    ranks_.send(0, messages::kTraced + packed(structures.trace(values)));
    return true;
  }

  bool refuse() {
    ranks_.send(0, messages::kFailed + messages::packed(Diagnostic{Severity::error, {}, "the leader sent a malformed message", {}}));
    return false;
  }

  static RangeInterval range(std::string_view bytes) {
    RangeInterval out;
    Unpacker in(bytes);
    in.get(out.from);
    in.get(out.to);
    return out;
  }

  const SweepRequest& request_;
  Ranks& ranks_;
  bool started_ = false;
};

}  // namespace

void serve(Space& space, const SweepRequest& request, Ranks& ranks) {
  // A follower is an ordinary sweep: its ranges come from the leader, and its results go to the leader as messages.
  SweepRequest own = request;
  own.first = 0;
  own.before.reset();
  own.watch = nullptr;
  own.rows = [&](const RangeResult& found, Diagnostics&) {
    ranks.send(0, messages::kFound + messages::packed(found));
    return true;
  };
  Follower follower(request, ranks);
  own.ranges = [&](TraceCache& structures) { return follower.next(structures); };
  Diagnostics diagnostics;
  if (!sweep(space, own, diagnostics)) give_up(ranks, diagnostics);
}

void give_up(Ranks& ranks, const Diagnostics& why) {
  if (const Diagnostic* const error = why.first_error()) ranks.send(0, messages::kFailed + messages::packed(*error));
}

}  // namespace opledger
