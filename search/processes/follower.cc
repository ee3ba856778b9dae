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

  /// Returns the next ranges to search; nothing at the end, after an interruption, or after a malformed message. The follower
  /// reports that it is idle, then polls for messages of the leader. A request for a trace (`kTrace`) is served at once, and the
  /// follower is idle again. Known traces (`kKnown`) arrive just before ranges (`kSearch`) and are added to the cache together.
  /// The first call also gives the rank's tapes numbers of their own, because the leader distinguishes tapes by number.
  std::optional<RangeInterval> next(TraceCache& cache) {
    if (!started_) cache.number_tapes_from(first_tape(ranks_.rank()));
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
        known.push_back(std::move(message->bytes));  // unpacked later: the leader may block until a message is received
      else if (kind == messages::kTrace && trace(messages::content(message->bytes), cache))
        ranks_.send(0, std::string(1, messages::kIdle));
      else if (kind == messages::kSearch && add_traces(known, cache))
        return range(messages::content(message->bytes));
      else
        break;
    }
    return std::nullopt;
  }

 private:
  bool add_traces(const std::vector<std::string>& known, TraceCache& cache) {
    for (const std::string& bytes : known) {
      std::optional<NumberedTrace> traced = unpack_trace(messages::content(bytes), cache.query());
      if (!traced) return refuse();
      cache.add(std::move(*traced));
    }
    return true;
  }

  bool trace(std::string_view candidate, TraceCache& cache) {
    std::vector<double> values;
    Unpacker(candidate).get(values);
    if (values.size() != cache.values().size()) return refuse();
    ranks_.send(0, messages::kTraced + packed(cache.trace(values)));
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
  own.ranges = [&](TraceCache& cache) { return follower.next(cache); };
  Diagnostics diagnostics;
  if (!sweep(space, own, diagnostics)) give_up(ranks, diagnostics);
}

void give_up(Ranks& ranks, const Diagnostics& why) {
  if (const Diagnostic* const error = why.first_error()) ranks.send(0, messages::kFailed + messages::packed(*error));
}

}  // namespace opledger
