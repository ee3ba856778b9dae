#include "report/timeline_perfetto.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "report/timeline_names.h"

namespace opledger {
namespace {

// Numbers of fields: protos/perfetto/trace of the Perfetto project.
namespace trace {
constexpr std::uint32_t kPacket = 1;
}
namespace packet {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kEvent = 11, kFlags = 13, kTrack = 60;
}
namespace track {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
}
namespace event {
constexpr std::uint32_t kType = 9, kTrack = 11, kCategory = 22, kName = 23, kCounter = 30, kFlow = 47, kFlowEnd = 48, kArgument = 4;
constexpr std::int32_t kBegin = 1, kEnd = 2, kLevel = 4;
}  // namespace event
namespace argument {
constexpr std::uint32_t kNumber = 4, kName = 10;
}
constexpr std::int32_t kBytes = 3;  ///< The unit of a counter.

using Writer = protozero::pbf_writer;

/// Whole nanoseconds: both ends of what lasts are rounded, so that what follows begins where it ends.
long long nanoseconds(double seconds) { return static_cast<long long>(seconds * 1e9 + 0.5); }

class PerfettoWriter {
 public:
  explicit PerfettoWriter(const Timeline& timeline) : timeline_(timeline), trace_(out_) {}

  std::string write() {
    find_flows();
    for (std::size_t k = 0; k < timeline_.stages.size(); ++k) add_stage(k);
    for (const TimelineMessage& m : timeline_.messages) add_message(m);
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return std::pair(a.at, a.order) < std::pair(b.at, b.order); });
    for (const Event& e : events_) add_packet(e.at, packet::kEvent, e.data);
    return std::move(out_);
  }

 private:
  struct Event {
    long long at;
    int order;  ///< What ends at a time comes before what begins then.
    std::string data;
  };
  enum Track : std::uint64_t { process, work, memory, activations, in_flight, first_message };

  static std::uint64_t uuid(std::size_t stage, std::uint64_t what) { return (std::uint64_t{stage} + 1) << 20 | what; }

  void add_packet(std::optional<long long> at, std::uint32_t what, const std::string& data) {
    std::string text;
    Writer out(text);
    if (at) out.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(*at));
    out.add_uint32(packet::kSequence, 1);
    if (std::exchange(first_, false)) out.add_uint32(packet::kFlags, 1);  // nothing went before it
    out.add_message(what, data);
    trace_.add_message(trace::kPacket, text);
  }

  void add_track(std::size_t stage, std::uint64_t what, const std::string& name, std::optional<std::int32_t> unit = {}) {
    std::string text, inner;
    Writer out(text), in(inner);
    out.add_uint64(track::kUuid, uuid(stage, what));
    const auto number = static_cast<std::int32_t>(stage + 1);
    if (what == process) {
      in.add_int32(1, number);
      in.add_string(6, name);
      out.add_message(track::kProcess, inner);
    } else {
      out.add_string(track::kName, name);
      out.add_uint64(track::kParent, uuid(stage, process));
      if (unit) {
        if (*unit != 0) in.add_int32(3, *unit);
        out.add_message(track::kCounter, inner);
      }
    }
    add_packet({}, packet::kTrack, text);
  }

  void slice(std::uint64_t on, const std::string& name, const char* kind, double start, double end, const Action* action,
             const std::vector<std::uint64_t>& flows, const std::vector<std::uint64_t>& ends) {
    std::string text;
    Writer out(text);
    if (action != nullptr) {
      argument(out, "microbatch", action->microbatch);
      argument(out, "piece", action->piece);
    }
    out.add_int32(event::kType, event::kBegin);
    out.add_uint64(event::kTrack, on);
    out.add_string(event::kCategory, kind);
    out.add_string(event::kName, name);
    for (const std::uint64_t flow : flows) out.add_fixed64(event::kFlow, flow);
    for (const std::uint64_t flow : ends) out.add_fixed64(event::kFlowEnd, flow);
    events_.push_back({nanoseconds(start), 1, std::move(text)});
    std::string last;
    Writer closing(last);
    closing.add_int32(event::kType, event::kEnd);
    closing.add_uint64(event::kTrack, on);
    events_.push_back({nanoseconds(end), 0, std::move(last)});
  }

  static void argument(Writer& out, const char* name, std::uint32_t value) {
    std::string text;
    Writer in(text);
    in.add_int64(argument::kNumber, value);
    in.add_string(argument::kName, name);
    out.add_message(event::kArgument, text);
  }

  void level(std::size_t stage, std::uint64_t what, double at, double value) {
    std::string text;
    Writer out(text);
    out.add_int32(event::kType, event::kLevel);
    out.add_uint64(event::kTrack, uuid(stage, what));
    out.add_int64(event::kCounter, static_cast<std::int64_t>(value + 0.5));
    events_.push_back({nanoseconds(at), 2, std::move(text)});
  }

  void find_flows() {
    std::set<Action> shown;
    for (const TimelineStage& stage : timeline_.stages) {
      for (const TimelineWork& w : stage.works) shown.insert(w.batch.actions.begin(), w.batch.actions.end());
    }
    std::uint64_t number = 0;
    for (const TimelineMessage& m : timeline_.messages) {
      if (shown.count(m.action) == 0 || shown.count(m.needed_by) == 0) continue;
      begun_[m.action].push_back(++number);
      ended_[m.needed_by].push_back(number);
    }
  }

  void add_stage(std::size_t k) {
    const TimelineStage& stage = timeline_.stages[k];
    add_track(k, process, fmt::format("stage {}", k));
    add_track(k, work, "compute");
    add_track(k, memory, "standing memory", kBytes);
    add_track(k, activations, "activations", kBytes);
    add_track(k, in_flight, "in flight", 0);
    for (const TimelineWork& w : stage.works) {
      std::vector<std::uint64_t> flows, ends;
      for (const Action& a : w.batch.actions) {
        const std::vector<std::uint64_t>&from = begun_[a], &to = ended_[a];
        flows.insert(flows.end(), from.begin(), from.end());
        ends.insert(ends.end(), to.begin(), to.end());
      }
      slice(uuid(k, work), name_of(w), kind_of(w), w.start, w.end, w.batch.actions.empty() ? nullptr : &w.batch.actions[0], flows, ends);
    }
    double standing = 0;
    for (const auto& [_, bytes] : stage.standing) standing += bytes;
    level(k, memory, 0, standing);
    level(k, activations, 0, 0);
    level(k, in_flight, 0, 0);
    for (const TimelineLevel& l : stage.levels) {
      level(k, activations, l.at, l.activations);
      level(k, in_flight, l.at, static_cast<double>(l.in_flight));
    }
  }

  void add_message(const TimelineMessage& m) {
    const auto [track, fresh] = tracks_.try_emplace({m.from, m.to}, first_message + tracks_.size());
    if (fresh) add_track(m.from, track->second, track_of(m));
    if (nanoseconds(m.arrives) > nanoseconds(m.leaves)) slice(uuid(m.from, track->second), written(m.action), "send", m.leaves, m.arrives, &m.action, {}, {});
  }

  const Timeline& timeline_;
  std::string out_;
  Writer trace_;
  bool first_ = true;
  std::vector<Event> events_;
  std::map<Action, std::vector<std::uint64_t>> begun_, ended_;  ///< Numbers of flows.
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> tracks_;
};

}  // namespace

std::string write_perfetto_trace(const Timeline& timeline) { return PerfettoWriter(timeline).write(); }

}  // namespace opledger
