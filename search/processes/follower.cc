#include "base/packing.h"
#include "search/processes/discovery.h"
#include "search/processes/messages.h"
#include "search/processes/shared.h"
#include "search/sweep/packed_structure.h"
#include "search/sweep/sweep.h"

namespace opledger {
namespace {

/// What another rank does as the leader tells it.
class Follower {
 public:
  Follower(const SweepRequest& request, Ranks& ranks) : request_(request), ranks_(ranks) {}

  /// The next stretches to search; until there are some, structures are traced.
  std::optional<StretchRange> next(KnownStructures& structures) {
    if (!begun_) structures.number_tapes_from(first_tape(ranks_.rank()));
    begun_ = true;
    ranks_.send(0, std::string(1, messages::kIdle));
    std::vector<std::string> known;
    while (!request_.stopped()) {
      std::optional<Ranks::Message> message = ranks_.receive();
      if (!message) {
        rest();
        continue;
      }
      const char kind = messages::kind(message->bytes);
      if (kind == messages::kKnown)
        known.push_back(std::move(message->bytes));  // the leader waits as long as it is sending
      else if (kind == messages::kTrace && trace(messages::content(message->bytes), structures))
        ranks_.send(0, std::string(1, messages::kIdle));
      else if (kind == messages::kSearch && take(known, structures))
        return range(messages::content(message->bytes));
      else
        break;
    }
    return std::nullopt;
  }

 private:
  bool take(const std::vector<std::string>& known, KnownStructures& structures) {
    for (const std::string& bytes : known) {
      std::optional<Traced> traced = unpack_structure(messages::content(bytes), structures.question());
      if (!traced) return refuse();
      structures.add(std::move(*traced));
    }
    return true;
  }

  bool trace(std::string_view candidate, KnownStructures& structures) {
    std::vector<double> values;
    Unpacker(candidate).get(values);
    if (values.size() != structures.values().size()) return refuse();
    ranks_.send(0, messages::kTraced + packed(structures.trace(values)));
    return true;
  }

  bool refuse() {
    ranks_.send(0, messages::kFailed + messages::packed(Diagnostic{Severity::error, {}, "what the leader has sent can't be understood", {}}));
    return false;
  }

  static StretchRange range(std::string_view bytes) {
    StretchRange out;
    Unpacker in(bytes);
    in.get(out.from);
    in.get(out.to);
    return out;
  }

  const SweepRequest& request_;
  Ranks& ranks_;
  bool begun_ = false;
};

}  // namespace

void serve(Space& space, const SweepRequest& request, Ranks& ranks) {
  SweepRequest own = request;
  own.first = 0;
  own.before.reset();
  own.watch = nullptr;
  own.rows = [&](const StretchFound& found, Diagnostics&) {
    ranks.send(0, messages::kFound + messages::packed(found));
    return true;
  };
  Follower follower(request, ranks);
  own.ranges = [&](KnownStructures& structures) { return follower.next(structures); };
  Diagnostics diagnostics;
  if (!sweep(space, own, diagnostics)) give_up(ranks, diagnostics);
}

void give_up(Ranks& ranks, const Diagnostics& why) {
  if (const Diagnostic* const error = why.first_error()) ranks.send(0, messages::kFailed + messages::packed(*error));
}

}  // namespace opledger
