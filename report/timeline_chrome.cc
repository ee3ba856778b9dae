#include "report/timeline_chrome.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/timeline_names.h"

namespace opledger {
namespace {

constexpr std::size_t kWorkTrack = 0;

/// Times are whole ticks of 1/64 microsecond. Viewers add a beginning and a duration as floating-point numbers: of these the sum is exact, so that nothing seems to overlap
/// what begins at its end.
constexpr long long kTicks = 64;
long long ticks(double seconds) { return std::llround(seconds * 1e6 * kTicks); }
std::string microseconds(long long t) { return fmt::format("{}", static_cast<double>(t) / kTicks); }

class ChromeWriter {
 public:
  explicit ChromeWriter(const Timeline& timeline) : timeline_(timeline) {}

  std::string write(const std::string& about) {
    out_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"about\":" + nlohmann::json(about).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           "},\"traceEvents\":[\n";
    for (std::size_t k = 0; k < timeline_.stages.size(); ++k) add_stage(k);
    for (std::size_t m = 0; m < timeline_.messages.size(); ++m) add_message(m);
    return out_ + "\n]}\n";
  }

 private:
  void add(const std::string& event) {
    if (!first_) out_ += ",\n";
    first_ = false;
    out_ += event;
  }

  void name(const char* what, std::size_t stage, std::size_t track, const std::string& text) {
    add(fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}}", what, stage, track, text));
  }

  void slice(std::size_t stage, std::size_t track, const std::string& text, const char* kind, double start, double end, const std::string& arguments) {
    const long long begins = ticks(start), ends = ticks(end);
    add(fmt::format("{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}", text, kind, stage, track,
                    microseconds(begins), microseconds(ends - begins), arguments));
  }

  void add_stage(std::size_t k) {
    const TimelineStage& stage = timeline_.stages[k];
    name("process_name", k, kWorkTrack, fmt::format("stage {}", k));
    name("thread_name", k, kWorkTrack, "compute");
    for (const TimelineWork& work : stage.works) {
      for (const Action& a : work.batch.actions) starts_[a] = {k, work.start};
      const auto& actions = work.batch.actions;
      slice(k, kWorkTrack, opledger::name_of(work), kind_of(work), work.start, work.end,
            actions.empty() ? "" : fmt::format("\"microbatch\":{},\"piece\":{}", actions[0].microbatch, actions[0].piece));
    }
    level(k, {});
    for (const TimelineLevel& l : stage.levels) level(k, l);
    if (!stage.levels.empty() && stage.levels.back().in_flight != 0) level(k, {timeline_.end, 0, 0});
  }

  void level(std::size_t k, const TimelineLevel& l) {
    const std::string at = microseconds(ticks(l.at));
    std::string bytes;
    for (const auto& [what, n] : timeline_.stages[k].standing) bytes += fmt::format("{}:{:.0f},", nlohmann::json(what).dump(), n);
    add(fmt::format("{{\"ph\":\"C\",\"name\":\"memory\",\"pid\":{},\"ts\":{},\"args\":{{{}\"activations\":{:.0f}}}}}", k, at, bytes, l.activations));
    add(fmt::format("{{\"ph\":\"C\",\"name\":\"in flight\",\"pid\":{},\"ts\":{},\"args\":{{\"pieces\":{}}}}}", k, at, l.in_flight));
  }

  /// A track of the sender, and an arrow from the work that made it to the work that needs it.
  void add_message(std::size_t number) {
    const TimelineMessage& m = timeline_.messages[number];
    const auto [track, fresh] = tracks_.try_emplace({m.from, m.to}, 0);
    if (fresh) {
      track->second = ++last_track_[m.from];
      name("thread_name", m.from, track->second, track_of(m));
    }
    if (ticks(m.arrives) > ticks(m.leaves)) slice(m.from, track->second, written(m.action), "send", m.leaves, m.arrives, "");
    const auto from = starts_.find(m.action), to = starts_.find(m.needed_by);
    if (from == starts_.end() || to == starts_.end()) return;
    flow("s", "", number, from->second);
    flow("f", ",\"bp\":\"e\"", number, to->second);
  }

  void flow(const char* end, const char* more, std::size_t number, const std::pair<std::size_t, double>& at) {
    add(fmt::format("{{\"ph\":\"{}\",\"name\":\"send\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}{}}}", end, number, at.first, kWorkTrack,
                    microseconds(ticks(at.second)), more));
  }

  const Timeline& timeline_;
  std::string out_;
  bool first_ = true;
  std::map<Action, std::pair<std::size_t, double>> starts_;  ///< Of works: stage and time.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> tracks_;
  std::map<std::size_t, std::size_t> last_track_;
};

}  // namespace

std::string write_chrome_trace(const Timeline& timeline, const std::string& about) { return ChromeWriter(timeline).write(about); }

}  // namespace opledger
