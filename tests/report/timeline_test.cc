#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include "report/timeline_chrome.h"
#include "report/timeline_perfetto.h"
#include "report/timeline_svg.h"
#include "tests/support/runs.h"

/// Properties that viewers of traces rely on, for steps of several schedules.
namespace opledger {
namespace {

using nlohmann::json;

struct Shown {
  const char *model, *execution, *system;
  Settings settings;
};

std::vector<Shown> steps() {
  return {{"llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"batch_size", "32"}}},
          {"llama-3.1-405b", "llama-3.1-405b-16384xh100", "h100-80g-sxm", {}},
          {"gpt2", "gpt2-1xa100", "a100-80g-sxm", {}},
          {"deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", {}},
          {"llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"batch_size", "32"}, {"schedule", "zb_v"}, {"chunks", "2"}}}};
}

Timeline played(const Shown& s, const TimelineOptions& options = {}) {
  const auto run = prepare(s.model, s.execution, s.system, s.settings);
  Diagnostics diagnostics;
  const auto out = timeline(*run, options, diagnostics);
  REQUIRE_MESSAGE(out, render(diagnostics));
  return *out;
}

using Track = std::pair<long long, long long>;

/// Returns a step with tasks alone, and with the content of its first task.
std::vector<std::pair<Shown, TimelineOptions>> shown_steps() {
  std::vector<std::pair<Shown, TimelineOptions>> out;
  for (const Shown& s : steps()) {
    out.emplace_back(s, TimelineOptions{});
    out.emplace_back(s, TimelineOptions{1, TimelineOptions::Ranks::stages, true});
  }
  return out;
}

/// Counts slices that overlap without nesting.
int overlapping(std::vector<std::pair<double, double>>& slices, bool nested) {
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return std::pair(a.first, -a.second) < std::pair(b.first, -b.second); });
  int out = 0;
  std::vector<double> open;
  for (const auto& [start, end] : slices) {
    while (!open.empty() && open.back() <= start) open.pop_back();
    if (!open.empty() && (!nested || open.size() > 1 || open.back() < end)) ++out;
    open.push_back(end);
  }
  return out;
}

/// Counts slices inside tasks that last a nanosecond.
std::size_t seen_inside(const TimelineTask& w) {
  const auto at = [&](double seconds) { return static_cast<long long>((w.start + seconds * w.scale()) * 1e9 + 0.5); };
  if (w.inside == nullptr) return 0;
  const auto& spans = w.inside->spans;
  return static_cast<std::size_t>(std::count_if(spans.begin(), spans.end(), [&](const PassPicture::Span& s) { return at(s.end) > at(s.start); }));
}

/// Adds times as viewers do, in microseconds.
double sum(const json& a, const json& b) { return a.get<double>() + b.get<double>(); }

}  // namespace

TEST_CASE("timelines: Chrome's events do not overlap on a track, arrows have both ends, counters end where they began, and sums are the stage's") {
  for (const auto& [s, options] : shown_steps()) {
    CAPTURE(s.model);
    CAPTURE(options.operators);
    const Timeline t = played(s, options);
    const json trace = json::parse(write_chrome_trace(t, "a step"));
    std::map<Track, std::vector<std::pair<double, double>>> slices;
    std::map<long long, int> arrows;
    std::map<std::pair<long long, std::string>, std::pair<json, json>> counters;  // First and last value.
    std::map<long long, double> busy;
    for (const json& e : trace["traceEvents"]) {
      const std::string kind = e["ph"];
      if (kind == "X") {
        const double start = e["ts"], end = sum(e["ts"], e["dur"]);
        slices[{e["pid"], e["tid"]}].emplace_back(start, end);
        if (e["tid"] == 0 && e["cat"] != "end" && !e["args"].contains("layer")) busy[e["pid"]] += (end - start) / 1e6;
      } else if (kind == "s" || kind == "f") {
        arrows[e["id"]] += kind == "s" ? 1 : -1;
      } else if (kind == "C") {
        const auto [at, fresh] = counters.try_emplace({e["pid"].get<long long>(), e["name"].get<std::string>()}, e["args"], e["args"]);
        if (!fresh) at->second.second = e["args"];
      }
    }
    for (auto& [track, all] : slices) CHECK(overlapping(all, options.operators && track.second == 0) == 0);
    for (const auto& [id, open] : arrows) CHECK(open == 0);
    CHECK(arrows.size() == t.messages.size());
    for (const auto& [name, ends] : counters) CHECK(ends.first == ends.second);
    if (options.microbatches > 0) continue;
    REQUIRE(busy.size() == t.stages.size());
    for (std::size_t k = 0; k < t.stages.size(); ++k) CHECK(busy[static_cast<long long>(k)] == doctest::Approx(t.stages[k].simulated.busy).epsilon(1e-6));
  }
}

TEST_CASE("timelines: Perfetto's packets are as many as there are works, each begun and ended on a track that is there") {
  for (const auto& [s, options] : shown_steps()) {
    CAPTURE(s.model);
    CAPTURE(options.operators);
    const Timeline t = played(s, options);
    const std::string trace = write_perfetto_trace(t);
    std::set<std::uint64_t> tracks;
    std::map<std::uint64_t, int> open, begun;
    std::map<std::uint64_t, std::int64_t> level;
    std::uint64_t last = 0;
    std::multiset<std::uint64_t> from, to;
    protozero::pbf_reader packets(trace);
    while (packets.next(1)) {
      protozero::pbf_reader packet = packets.get_message();
      std::uint64_t at = 0;
      while (packet.next()) {
        if (packet.tag() == 8) {
          at = packet.get_uint64();
        } else if (packet.tag() == 60) {
          protozero::pbf_reader track = packet.get_message();
          if (track.next(1)) tracks.insert(track.get_uint64());
        } else if (packet.tag() == 11) {
          protozero::pbf_reader event = packet.get_message();
          std::int32_t type = 0;
          std::uint64_t track = 0;
          std::int64_t value = 0;
          while (event.next()) {
            if (event.tag() == 9)
              type = event.get_int32();
            else if (event.tag() == 11)
              track = event.get_uint64();
            else if (event.tag() == 30)
              value = event.get_int64();
            else if (event.tag() == 47)
              from.insert(event.get_fixed64());
            else if (event.tag() == 48)
              to.insert(event.get_fixed64());
            else
              event.skip();
          }
          CHECK(tracks.count(track) == 1);
          CHECK(at >= last);
          last = at;
          if (type == 1) {
            CHECK(++open[track] <= (options.operators ? 2 : 1));
            ++begun[track];
          } else if (type == 2) {
            CHECK(--open[track] >= 0);
          } else {
            level[track] = value;
          }
        } else {
          packet.skip();
        }
      }
    }
    std::size_t works = 0, slices = 0;
    for (const TimelineStage& stage : t.stages) {
      works += stage.tasks.size();
      for (const TimelineTask& w : stage.tasks) works += seen_inside(w);
    }
    for (const TimelineMessage& m : t.messages) works += m.arrives - m.leaves > 1e-9 ? 1 : 0;
    for (const auto& [track, count] : begun) slices += static_cast<std::size_t>(count);
    CHECK(slices == works);
    for (const auto& [track, count] : open) CHECK(count == 0);
    CHECK(from == to);
    CHECK(from.size() == t.messages.size());
  }
}

TEST_CASE("timelines: the first microbatches alone, and steps that are too long for a picture") {
  const Shown s = steps()[0];
  const Timeline all = played(s), some = played(s, {2});
  CHECK(some.work_end == all.work_end);
  for (std::size_t k = 0; k < some.stages.size(); ++k) {
    CHECK(some.stages[k].tasks.size() == 2 * 5 * 2);  // Five chunks, forward and backward.
    for (const TimelineTask& w : some.stages[k].tasks) CHECK(w.batch.actions[0].microbatch < 2);
  }
  const auto run = prepare("llama-3-8b", execution("{pp: 8}", "megatron", "batch_size: 100000\n"), "h100-80g-sxm");
  Diagnostics diagnostics;
  CHECK(!timeline(*run, {}, diagnostics));
  CHECK(render(diagnostics).find("show fewer with `--microbatches N`") != std::string::npos);
  CHECK(timeline(*run, {10}, diagnostics));
}

TEST_CASE("timelines: a stage is full from when its level is first the highest") {
  for (const Shown& s : steps()) {
    CAPTURE(s.model);
    for (const TimelineStage& stage : played(s).stages) {
      const auto full =
          std::find_if(stage.levels.begin(), stage.levels.end(), [&](const TimelineLevel& l) { return l.in_flight == stage.simulated.in_flight; });
      REQUIRE(full != stage.levels.end());
      CHECK(full->at == stage.simulated.full_from);
    }
  }
}

TEST_CASE("timelines: one rank of each kind of stages, or all ranks") {
  const Shown s = steps()[0];  // 64 ranks: 4 stages of 16.
  const auto trace = [&](TimelineOptions::Ranks ranks) { return json::parse(write_chrome_trace(played(s, {1, ranks}), "")); };
  const auto names = [](const json& of) {
    std::vector<std::string> out;
    for (const json& e : of["traceEvents"]) {
      if (e["ph"] == "M" && e["name"] == "process_name") out.push_back(e["args"]["name"]);
    }
    return out;
  };
  const json all = trace(TimelineOptions::Ranks::all);
  REQUIRE(names(all).size() == 64);
  CHECK(names(all)[0] == "rank 0 (stage 0)");
  CHECK(names(all)[63] == "rank 63 (stage 3)");
  std::map<long long, std::vector<long long>> arrows;
  for (const json& e : all["traceEvents"]) {
    if (e["ph"] == "s" || e["ph"] == "f") arrows[e["id"]].push_back(e["pid"]);
  }
  CHECK(arrows.size() == 16 * (4 * 5 - 1) * 2);  // There are 16 places, and 20 chunks forward and backward.
  for (const auto& [id, ends] : arrows) {
    REQUIRE(ends.size() == 2);
    CHECK(ends[0] % 16 == ends[1] % 16);  // Axes tp and dp are inside the pipeline.
    CHECK(ends[0] / 16 != ends[1] / 16);
  }
  const auto kinds = names(json::parse(write_chrome_trace(played(steps()[1], {1, TimelineOptions::Ranks::kinds}), "")));
  CHECK(kinds.size() < 16);
  CHECK(kinds.size() >= 2);
  const auto run = prepare("llama-3.1-405b", "llama-3.1-405b-16384xh100", "h100-80g-sxm");
  Diagnostics diagnostics;
  CHECK(!timeline(*run, {0, TimelineOptions::Ranks::all}, diagnostics));
  CHECK(render(diagnostics).find("show fewer with `--microbatches N` or `--ranks kinds`") != std::string::npos);
}

TEST_CASE("timelines: the content of tasks takes as long as the accounting counts") {
  // If streams leave messages exposed, a pass lasts as long as its task. Exceptions are the ends of the pass, which
  // formulas take from the fullest segment, and sends.
  for (const auto& [model, name, system] : {std::tuple{"llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm"}, {"gpt2", "gpt2-1xa100", "a100-80g-sxm"}}) {
    const Timeline t = played({model, name, system, {{"exposed", "played"}, {"batch_size", "32"}}}, {1, TimelineOptions::Ranks::stages, true});
    for (const TimelineStage& stage : t.stages) {
      for (const TimelineTask& w : stage.tasks) {
        if (w.inside == nullptr) continue;
        CHECK(w.inside->length == doctest::Approx(w.end - w.start).epsilon(0.02));
        double last = 0;
        for (const PassPicture::Span& s : w.inside->spans) {
          if (s.track == 0) CHECK(s.start >= last);
          if (s.track == 0) last = s.end;
        }
      }
    }
  }
}

TEST_CASE("timelines: names from outside are text in a picture") {
  const Timeline t = played({"gpt2", "gpt2-1xa100", "a100-80g-sxm", {}});
  const std::string svg = write_timeline_svg(t, "<script>\"&'\x1b");
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK(svg.find("&lt;script&gt;&quot;&amp;'") != std::string::npos);
  CHECK(svg.find('\x1b') == std::string::npos);
  CHECK(json::parse(write_chrome_trace(t, "\"</script>\x01"))["otherData"]["about"] == "\"</script>\x01");
  CHECK(json::parse(write_chrome_trace(t, "\xff"))["otherData"]["about"] == "\uFFFD");  // Paths may contain invalid UTF-8.
}

}  // namespace opledger
