#include "report/timeline_chrome.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/timeline_names.h"

namespace opledger {
namespace {

constexpr std::size_t kTaskTrack = 0;

/// Converts seconds to ticks of 1/64 microsecond. Viewers add start and duration as floating-point numbers. With a
/// power of two, the sum is exact, so consecutive slices do not seem to overlap.
constexpr long long kTicks = 64;
long long ticks(double seconds) { return std::llround(seconds * 1e6 * kTicks); }
std::string microseconds(long long t) { return fmt::format("{}", static_cast<double>(t) / kTicks); }

/// A writer of Chrome trace events. Each shown rank is a process: track 0 has its tasks, further tracks have kernels
/// inside tasks, and sends to each stage get a track of their own.
class ChromeWriter {
 public:
  explicit ChromeWriter(const Timeline& timeline)
      : timeline_(timeline), processes_(timeline.placed()), places_(timeline.places()), last_track_(timeline.processes.size(), timeline.tracks.size() - 1) {}

  std::string write(const std::string& about) {
    out_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"about\":" + quoted(about) + "},\"traceEvents\":[\n";
    for (std::size_t p = 0; p < timeline_.processes.size(); ++p) add_process(p);
    for (std::size_t m = 0; m < timeline_.messages.size(); ++m) {
      for (std::size_t place = 0; place < places_; ++place) add_message(m, place);
    }
    return out_ + "\n]}\n";
  }

 private:
  void add(const std::string& event) {
    if (!first_) out_ += ",\n";
    first_ = false;
    out_ += event;
  }

  /// Adds a metadata event, which names a process or a track.
  void name(const char* kind, std::size_t process, std::size_t track, const std::string& text) {
    add(fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", kind, process, track, quoted(text)));
  }

  /// Adds a complete event, with start and duration.
  void slice(std::size_t process, std::size_t track, const std::string& text, const std::string& kind, double start, double end, const std::string& arguments) {
    const long long begins = ticks(start), ends = ticks(end);
    add(fmt::format("{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}", quoted(text), kind, process,
                    track, microseconds(begins), microseconds(ends - begins), arguments));
  }
  static std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

  void add_process(std::size_t p) {
    const TimelineStage& stage = timeline_.stages[timeline_.processes[p].stage];
    name("process_name", p, kTaskTrack, timeline_.processes[p].name);
    for (std::size_t t = 0; t < timeline_.tracks.size(); ++t) name("thread_name", p, t, timeline_.tracks[t]);
    for (const TimelineTask& work : stage.tasks) {
      for (const Action& a : work.batch.actions) starts_[a] = work.start;
      const auto& actions = work.batch.actions;
      slice(p, kTaskTrack, opledger::name_of(work), kind_of(work), work.start, work.end,
            actions.empty() ? "" : fmt::format("\"microbatch\":{},\"piece\":{}", actions[0].microbatch, actions[0].stage_chunk));
      add_inside(p, work);
    }
    level(p, {});
    for (const TimelineLevel& l : stage.levels) level(p, l);
    if (!stage.levels.empty() && stage.levels.back().in_flight != 0) level(p, {timeline_.end, 0, 0});
  }

  void add_inside(std::size_t p, const TimelineTask& work) {
    if (work.inside == nullptr) return;
    for (const PassPicture::Span& s : work.inside->spans)
      slice(p, s.track, opledger::name_of(s), s.phase, work.start + s.start * work.scale(), work.start + s.end * work.scale(),
            fmt::format("\"segment\":{},\"layer\":{}", quoted(s.segment), s.layer));
  }

  /// Adds the counters of memory and of microbatches in flight.
  void level(std::size_t p, const TimelineLevel& l) {
    const std::string at = microseconds(ticks(l.at));
    std::string bytes;
    for (const auto& [name, n] : timeline_.stages[timeline_.processes[p].stage].resident) bytes += fmt::format("{}:{:.0f},", nlohmann::json(name).dump(), n);
    add(fmt::format("{{\"ph\":\"C\",\"name\":\"memory\",\"pid\":{},\"ts\":{},\"args\":{{{}\"activations\":{:.0f}}}}}", p, at, bytes, l.activations));
    add(fmt::format("{{\"ph\":\"C\",\"name\":\"in flight\",\"pid\":{},\"ts\":{},\"args\":{{\"pieces\":{}}}}}", p, at, l.in_flight));
  }

  /// Adds a message on a track of the sender, and a flow from the producing task to the consuming task. The flow is
  /// left out unless both tasks are in the timeline.
  void add_message(std::size_t number, std::size_t place) {
    const TimelineMessage& m = timeline_.messages[number];
    const auto sender = processes_.find({m.from, place}), receiver = processes_.find({m.to, place});
    if (sender == processes_.end()) return;
    const auto [track, fresh] = tracks_.try_emplace({sender->second, m.to}, 0);
    if (fresh) {
      track->second = ++last_track_[sender->second];
      name("thread_name", sender->second, track->second, track_of(m));
    }
    if (ticks(m.arrives) > ticks(m.leaves)) slice(sender->second, track->second, written(m.action), "send", m.leaves, m.arrives, "");
    const auto from = starts_.find(m.action), to = starts_.find(m.needed_by);
    if (receiver == processes_.end() || from == starts_.end() || to == starts_.end()) return;
    flow("s", "", number * places_ + place, sender->second, from->second);
    flow("f", ",\"bp\":\"e\"", number * places_ + place, receiver->second, to->second);
  }

  void flow(const char* end, const char* more, std::size_t number, std::size_t process, double at) {
    add(fmt::format("{{\"ph\":\"{}\",\"name\":\"send\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}{}}}", end, number, process, kTaskTrack,
                    microseconds(ticks(at)), more));
  }

  const Timeline& timeline_;
  const std::map<std::pair<std::size_t, std::size_t>, std::size_t> processes_;  ///< Process by stage and place.
  const std::size_t places_;
  std::string out_;
  bool first_ = true;
  std::map<Action, double> starts_;                                    ///< Start of each task.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> tracks_;  ///< Track of sends, by process and receiving stage.
  std::vector<std::size_t> last_track_;                                ///< Last used track of each process.
};

}  // namespace

std::string write_chrome_trace(const Timeline& timeline, const std::string& about) { return ChromeWriter(timeline).write(about); }

}  // namespace opledger
