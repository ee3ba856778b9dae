#include "report/timeline_perfetto.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "report/timeline_names.h"

namespace opledger {
namespace {

// Field numbers of protos/perfetto/trace in the Perfetto project.
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
constexpr std::int32_t kBytes = 3;  ///< Counter unit: bytes.

using Writer = protozero::pbf_writer;

/// Converts seconds to nanoseconds. Ends are rounded like starts, so that consecutive slices share a boundary.
long long nanoseconds(double seconds) { return static_cast<long long>(seconds * 1e9 + 0.5); }

/// A writer of a Perfetto trace.
/// Events are collected, sorted by time and written as packets, because the viewer requires ordered timestamps. At
/// equal times, ends precede starts and counters follow, so slices on a track never overlap.
class PerfettoWriter {
 public:
  explicit PerfettoWriter(const Timeline& timeline) : timeline_(timeline), processes_(timeline.placed()), places_(timeline.places()), trace_(out_) {}

  std::string write() {
    find_flows();
    for (std::size_t p = 0; p < timeline_.processes.size(); ++p) add_process(p);
    for (const TimelineMessage& m : timeline_.messages) {
      for (std::size_t place = 0; place < places_; ++place) add_message(m, place);
    }
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return std::pair(a.at, a.order) < std::pair(b.at, b.order); });
    for (const Event& e : events_) add_packet(e.at, packet::kEvent, e.data);
    return std::move(out_);
  }

 private:
  struct Event {
    long long at;
    int order;  ///< Rank among events of equal time: ends, starts, counters.
    std::string data;
  };
  struct Flow {
    std::uint64_t number;
    std::size_t other;  ///< Stage at the opposite end.
  };
  enum Track : std::uint64_t { process, work, memory, activations, in_flight, first_other };

  /// Returns the identifier of a track: the process in the upper bits, the track in the lower 20 bits.
  static std::uint64_t uuid(std::size_t number, std::uint64_t kind) { return (std::uint64_t{number} + 1) << 20 | kind; }

  void add_packet(std::optional<long long> at, std::uint32_t field, const std::string& data) {
    std::string text;
    Writer out(text);
    if (at) out.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(*at));
    out.add_uint32(packet::kSequence, 1);
    if (std::exchange(first_, false)) out.add_uint32(packet::kFlags, 1);  // The first packet declares that no state precedes it.
    out.add_message(field, data);
    trace_.add_message(trace::kPacket, text);
  }

  /// Adds the descriptor of a track: of the process number `at`, or of a track `kind` inside it. A process has a number
  /// and a name; every other track has a name and its process as parent. A track with a `unit` is a counter; unit 0 is
  /// a plain number. Nested messages are encoded into `inner` first, because protocol buffers store their length in
  /// front.
  void add_track(std::size_t at, std::uint64_t kind, const std::string& name, std::optional<std::int32_t> unit = {}) {
    std::string text, inner;
    Writer out(text), in(inner);
    out.add_uint64(track::kUuid, uuid(at, kind));
    const auto number = static_cast<std::int32_t>(at + 1);
    if (kind == process) {
      in.add_int32(1, number);  // Fields pid and process_name of ProcessDescriptor.
      in.add_string(6, name);
      out.add_message(track::kProcess, inner);
    } else {
      out.add_string(track::kName, name);
      out.add_uint64(track::kParent, uuid(at, process));
      if (unit) {
        if (*unit != 0) in.add_int32(3, *unit);  // Field unit of CounterDescriptor.
        out.add_message(track::kCounter, inner);
      }
    }
    add_packet({}, packet::kTrack, text);
  }

  /// Adds a slice to the track `on` as two events, begin and end; the format has no events with a duration. `action`
  /// gives microbatch and chunk as arguments; null: none. `flows` begin in the slice and `ends` end in it; both are
  /// numbers of arrows. Events are sorted by time later.
  void slice(std::uint64_t on, const std::string& name, const std::string& kind, double start, double end, const Action* action,
             const std::vector<std::uint64_t>& flows, const std::vector<std::uint64_t>& ends) {
    std::string text;
    Writer out(text);
    if (action != nullptr) {
      argument(out, "microbatch", action->microbatch);
      argument(out, "piece", action->stage_chunk);
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

  void level(std::size_t number, std::uint64_t kind, double at, double value) {
    std::string text;
    Writer out(text);
    out.add_int32(event::kType, event::kLevel);
    out.add_uint64(event::kTrack, uuid(number, kind));
    out.add_int64(event::kCounter, static_cast<std::int64_t>(value + 0.5));
    events_.push_back({nanoseconds(at), 2, std::move(text)});
  }

  /// Numbers the flows whose both ends are in the timeline.
  void find_flows() {
    std::set<Action> shown;
    for (const TimelineStage& stage : timeline_.stages) {
      for (const TimelineTask& w : stage.tasks) shown.insert(w.batch.actions.begin(), w.batch.actions.end());
    }
    std::uint64_t number = 0;
    for (const TimelineMessage& m : timeline_.messages) {
      ++number;
      if (shown.count(m.action) == 0 || shown.count(m.needed_by) == 0) continue;
      begun_[m.action].push_back({number, m.to});
      ended_[m.needed_by].push_back({number, m.from});
    }
  }

  /// Returns the numbers of flows between a process and processes of the same place, since parallel replicas
  /// communicate only among themselves.
  std::vector<std::uint64_t> numbers(const std::vector<Flow>& flows, std::size_t place) const {
    std::vector<std::uint64_t> out;
    for (const Flow& f : flows) {
      if (processes_.count({f.other, place}) != 0) out.push_back(f.number * places_ + place);
    }
    return out;
  }

  /// Adds the tracks of a process, a rank of a stage, then its tasks as slices, and its counters of memory and
  /// microbatches in flight. `begun_` and `ended_` hold the flows, arrows from producing to consuming tasks, that start
  /// and end at each action of a task. `numbers` keeps only flows between processes of the same place, because only
  /// these send to each other.
  void add_process(std::size_t p) {
    const auto& [name, k, place] = timeline_.processes[p];
    const TimelineStage& stage = timeline_.stages[k];
    add_track(p, process, name);
    add_track(p, work, "compute");
    // The first track of the timeline is `compute`, which is added above.
    for (std::size_t t = 1; t < timeline_.tracks.size(); ++t) add_track(p, track(t), timeline_.tracks[t]);
    add_track(p, memory, "resident memory", kBytes);
    add_track(p, activations, "activations", kBytes);
    add_track(p, in_flight, "in flight", 0);
    for (const TimelineTask& w : stage.tasks) {
      std::vector<std::uint64_t> flows, ends;
      for (const Action& a : w.batch.actions) {
        const std::vector<std::uint64_t> from = numbers(begun_[a], place), to = numbers(ended_[a], place);
        flows.insert(flows.end(), from.begin(), from.end());
        ends.insert(ends.end(), to.begin(), to.end());
      }
      slice(uuid(p, work), name_of(w), kind_of(w), w.start, w.end, w.batch.actions.empty() ? nullptr : &w.batch.actions[0], flows, ends);
      add_inside(p, w);
    }
    double resident = 0;
    for (const auto& [_, bytes] : stage.resident) resident += bytes;
    level(p, memory, 0, resident);
    level(p, activations, 0, 0);
    level(p, in_flight, 0, 0);
    for (const TimelineLevel& l : stage.levels) {
      level(p, activations, l.at, l.activations);
      level(p, in_flight, l.at, static_cast<double>(l.in_flight));
    }
  }

  /// Adds kernels and messages inside a task. On the compute track, kernels nest inside their task.
  void add_inside(std::size_t p, const TimelineTask& w) {
    for (const PassPicture::Span& s : w.inside != nullptr ? w.inside->spans : std::vector<PassPicture::Span>{}) {
      const double start = w.start + s.start * w.scale(), end = w.start + s.end * w.scale();
      if (nanoseconds(end) > nanoseconds(start)) slice(uuid(p, track(s.track)), name_of(s), s.phase, start, end, nullptr, {}, {});
    }
  }
  static std::uint64_t track(std::size_t number) { return number == 0 ? work : first_other + number - 1; }

  void add_message(const TimelineMessage& m, std::size_t place) {
    const auto sender = processes_.find({m.from, place});
    if (sender == processes_.end()) return;
    const auto [number, fresh] = tracks_.try_emplace({sender->second, m.to}, track(timeline_.tracks.size() + m.to));
    if (fresh) add_track(sender->second, number->second, track_of(m));
    if (nanoseconds(m.arrives) > nanoseconds(m.leaves))
      slice(uuid(sender->second, number->second), written(m.action), "send", m.leaves, m.arrives, &m.action, {}, {});
  }

  const Timeline& timeline_;
  const std::map<std::pair<std::size_t, std::size_t>, std::size_t> processes_;  ///< Process by stage and place.
  const std::size_t places_;
  std::string out_;
  Writer trace_;
  bool first_ = true;
  std::vector<Event> events_;
  std::map<Action, std::vector<Flow>> begun_, ended_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> tracks_;  ///< Track of sends, by process and receiving stage.
};

}  // namespace

std::string write_perfetto_trace(const Timeline& timeline) { return PerfettoWriter(timeline).write(); }

}  // namespace opledger
