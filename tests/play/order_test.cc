#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.h"
#include "play/orders.h"
#include "play/simulator/action_file.h"
#include "play/simulator/pipeline_simulator.h"
#include "play/simulator/unrolled_order.h"
#include "schemas/document.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Orders as data, simulated and compared with recorded steps; and orders that must be refused.
namespace opledger {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kOwn = fs::path(source_folder()) / "tests/data/schedules";
const fs::path kReference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "schedules";  // other people's: not in this tree

json read_json(const fs::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

json cases_of(const fs::path& file) { return read_json(file)["cases"]; }

/// The orders of the shipped schedules, and those that must be refused.
class Orders {
 public:
  Orders() : run_(prepare("gpt2", "single", "a100-80g-sxm", {{"microbatch_group", "0"}})) {
    Diagnostics diagnostics;
    for (const std::string& name : std::vector<std::string>{"quantities", "schedules", (kOwn / "broken.yaml").string()}) {
      const Document* document = shipped().load(name, {"ops"}, diagnostics);
      REQUIRE_MESSAGE(document, render(diagnostics));
      operators_.add(*document, diagnostics);
    }
    REQUIRE_MESSAGE(!diagnostics.has_errors(), render(diagnostics));
  }

  const OrderDefinition& of(const std::string& schedule) {
    const Operator* found = operators_.find(schedule == "interleaved" ? "1f1b" : schedule);  // the order of several chunks
    REQUIRE_MESSAGE((found != nullptr && found->order), schedule);
    Diagnostics diagnostics;
    auto& read = read_[schedule];
    if (read == nullptr) read = load_order(*found->order, shipped(), diagnostics);
    REQUIRE_MESSAGE(read, render(diagnostics));
    return *read;
  }

  /// Returns the evaluator of a run with this group size, which is an input.
  Evaluator& evaluator(int group) {
    auto& run = runs_[group];
    if (run == nullptr) run = prepare("gpt2", "single", "a100-80g-sxm", {{"microbatch_group", std::to_string(group)}});
    return run->evaluator();
  }

  std::unique_ptr<Order> unrolled(const json& c, const std::string& schedule, Diagnostics& diagnostics) {
    const int group = c.contains("inputs") && c["inputs"].contains("group") ? c["inputs"]["group"].get<int>() : 0;
    return UnrolledOrder::unroll(of(schedule), c["stages"], c["microbatches"], c.value("chunks", 1), evaluator(group), diagnostics);
  }

 private:
  std::unique_ptr<Run> run_;
  std::map<int, std::unique_ptr<Run>> runs_;
  OperatorLibrary operators_;
  std::map<std::string, std::shared_ptr<const OrderDefinition>> read_;
};

double seconds(const json& of, std::size_t piece) { return of.is_array() ? of[piece].get<double>() : of.get<double>(); }

void check_played(const json& c, Order& order) {
  CAPTURE(c.dump().substr(0, 160));
  SimulationTimes times;
  times.work = [&](std::size_t, std::size_t piece, Work work) {
    return seconds(c[work == Work::forward ? "forward" : work == Work::input ? "input" : "weight"], piece);
  };
  times.hop = [&](std::size_t, std::size_t, Work) { return c["hop"].get<double>(); };
  times.serial = c["link"] == "serial";
  times.overlap_factor = c.value("together", 1.0);
  std::vector<std::vector<std::string>> actions(order.size().stages);
  SimulationObserver watcher;
  watcher.batch = [&](const SimulatedBatch& b) {
    if (actions[b.stage].size() < 40) actions[b.stage].push_back(written(b.batch));
  };
  Diagnostics diagnostics;
  const auto played = simulate(order, times, {}, diagnostics, watcher);
  REQUIRE_MESSAGE(played, render(diagnostics));
  CHECK(played->step == doctest::Approx(c["step"].get<double>()).epsilon(1e-9));
  REQUIRE(played->stages.size() == c["played"].size());
  for (const json& expected : c["played"]) {
    const std::size_t k = expected["stage"];
    const SimulatedStage& found = played->stages[k];
    CHECK(found.busy == doctest::Approx(expected["busy"].get<double>()).epsilon(1e-9));
    CHECK(std::fabs(found.first - expected["first"].get<double>()) < 1e-6);
    CHECK(std::fabs(found.last - expected["last"].get<double>()) < 1e-6);
    CHECK(found.in_flight == expected["in_flight"]);
    CHECK(found.batches == expected["batches"]);
    for (const auto& [piece, most] : expected["in_flight_by_piece"].items()) CHECK(found.in_flight_of_chunk.at(std::stoul(piece)) == most);
    CHECK(join(actions[k], " ") == expected["actions"]);
  }
}

void check_all(const fs::path& folder, Orders& orders) {
  for (const char* schedule :
       {"gpipe", "breadth_first", "1f1b", "interleaved", "interleaved_groups", "zb_h1", "zb_h2", "interleaved_zero_bubble", "zb_v", "dualpipe", "dualpipe_v"}) {
    CAPTURE(schedule);
    for (const json& c : cases_of(folder / (std::string(schedule) + ".json"))) {
      Diagnostics diagnostics;
      const auto order = orders.unrolled(c, schedule, diagnostics);
      REQUIRE_MESSAGE(order, render(diagnostics));
      check_played(c, *order);
    }
  }
  for (const json& c : cases_of(folder / "actions.json")) {
    Diagnostics diagnostics;
    const auto order = read_actions(read_source(folder / "actions" / c["file"].get<std::string>(), diagnostics), diagnostics);
    REQUIRE_MESSAGE(order, render(diagnostics));
    check_played(c, *order);
  }
}

/// Returns every action that a message names: `0B0`, `1I0`.
std::vector<std::string> actions_named(const std::string& message) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    std::size_t end = i;
    while (end < message.size() && std::isdigit(static_cast<unsigned char>(message[end]))) ++end;
    if (end == i || end >= message.size() || std::string("FIWB").find(message[end]) == std::string::npos) continue;
    std::size_t last = end + 1;
    while (last < message.size() && std::isdigit(static_cast<unsigned char>(message[last]))) ++last;
    if (last > end + 1) out.push_back(message.substr(i, last - i));
    i = last;
  }
  return out;
}

void check_refused(const fs::path& folder, Orders& orders) {
  for (const json& c : read_json(folder / "broken.json")) {
    CAPTURE(c.dump());
    Diagnostics diagnostics;
    const bool file = c.contains("file");
    const auto order = file ? read_actions(read_source(kOwn / "actions" / c["file"].get<std::string>(), diagnostics), diagnostics)
                            : orders.unrolled(c, c["schedule"], diagnostics);
    SimulationTimes times;
    times.work = [](std::size_t, std::size_t, Work) { return 1.0; };
    times.hop = [](std::size_t, std::size_t, Work) { return 0.0; };
    if (order != nullptr) CHECK(!simulate(*order, times, {}, diagnostics));
    REQUIRE(diagnostics.errors() == 1);
    const std::string message = diagnostics.all()[0].message, expected = c["error"];
    CAPTURE(message);
    const std::vector<std::string> named = actions_named(expected);
    for (const std::string& action : named) CHECK(message.find(action) != std::string::npos);
    if (named.empty()) CHECK(message == expected);
  }
}

}  // namespace

TEST_CASE("orders: played steps are those of other players") {
  Orders orders;
  check_all(kOwn, orders);
  check_refused(kOwn, orders);
}

namespace {

/// An oracle: the step as the longest path through all dependencies. Start times are raised until nothing changes,
/// which is slow and shares no rule with the simulator.
class LongestPath {
 public:
  LongestPath(Order& order, const SimulationTimes& times) : times_(times) {
    Diagnostics diagnostics;
    for (std::size_t k = 0; k < order.size().stages; ++k) {
      for (Batch batch; order.next(k, batch, diagnostics);) works_.push_back({k, batch, 0, 0, works_.empty() || works_.back().stage != k});
    }
    for (std::size_t w = 0; w < works_.size(); ++w) {
      for (const Action& a : works_[w].batch.actions) add_messages(w, a);
    }
  }

  double seconds() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t m = messages_.size(); m-- > 0;) {
        Message& message = messages_[m];
        double leaves = works_[message.from].end;
        if (times_.serial && message.behind != kNone) leaves = std::max(leaves, messages_[message.behind].arrives);
        const double hop = times_.hop(works_[message.from].stage, works_[message.to].stage, message.work);
        changed = raise(message.arrives, leaves + hop) || changed;
        changed = raise(works_[message.to].start, message.arrives) || changed;
      }
      for (std::size_t w = works_.size(); w-- > 0;) {
        Worked& work = works_[w];
        if (!work.first) changed = raise(work.start, works_[w - 1].end) || changed;
        double lasts = 0;
        for (const Action& a : work.batch.actions) lasts += times_.work(work.stage, a.stage_chunk, a.work);
        changed = raise(work.end, work.start + (work.batch.is_concurrent ? times_.overlap_factor * lasts : lasts)) || changed;
      }
    }
    double longest = 0;
    for (const Worked& work : works_) longest = std::max(longest, work.end);
    return longest;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Worked {
    std::size_t stage;
    Batch batch;
    double start, end;
    bool first;
  };
  struct Message {
    std::size_t from, to, behind;
    Work work;
    double arrives;
  };

  static bool raise(double& value, double to) {
    const bool higher = to > value;
    if (higher) value = to;
    return higher;
  }

  std::size_t work_of(const Action& a) const {
    for (std::size_t w = 0; w < works_.size(); ++w) {
      if (std::find(works_[w].batch.actions.begin(), works_[w].batch.actions.end(), a) != works_[w].batch.actions.end()) return w;
    }
    return kNone;
  }

  /// A message to another stage leaves after the previous message on the same link.
  void add_messages(std::size_t from, const Action& a) {
    if (a.work == Work::weight || (a.work == Work::input && a.stage_chunk == 0)) return;
    const std::size_t to = work_of({a.work, a.work == Work::forward ? a.stage_chunk + 1 : a.stage_chunk - 1, a.microbatch});
    if (to == kNone || works_[to].stage == works_[from].stage) return;
    std::size_t behind = kNone;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      if (works_[messages_[m].from].stage == works_[from].stage && works_[messages_[m].to].stage == works_[to].stage) behind = m;
    }
    messages_.push_back({from, to, behind, a.work, 0});
  }

  const SimulationTimes& times_;
  std::vector<Worked> works_;
  std::vector<Message> messages_;
};

}  // namespace

TEST_CASE("orders: 2,000 random pipelines take as long as the longest direction through them") {
  std::mt19937_64 random(16);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
  Orders orders;
  const char* const schedules[] = {"gpipe", "breadth_first",           "1f1b", "interleaved", "zb_h1",
                                   "zb_h2", "interleaved_zero_bubble", "zb_v", "dualpipe",    "dualpipe_v"};
  int played_steps = 0;
  for (int i = 0, n = testing::random_count(2000, 100); i < n; ++i) {
    const std::string schedule = schedules[random() % std::size(schedules)];
    const int chunks = schedule == "breadth_first" || schedule.find("interleaved") == 0 ? 2 + below(2) : 1;
    json c = {{"stages", 1 + below(4)}, {"microbatches", 1 + below(9)}, {"chunks", chunks}};
    if (schedule == "dualpipe") c["stages"] = 2 + 2 * below(2);
    if (schedule == "dualpipe") c["microbatches"] = 2 * c["stages"].get<int>() + 2 * below(2);
    Diagnostics diagnostics;
    const auto order = orders.unrolled(c, schedule, diagnostics), again = orders.unrolled(c, schedule, diagnostics);
    if (order == nullptr) continue;  // it asks for more microbatches
    CAPTURE(schedule);
    CAPTURE(c.dump());
    std::vector<double> seconds(kWorkKinds * order->size().stage_chunks * order->size().stages), hops(2 * order->size().stages * order->size().stages);
    for (double& s : seconds) s = 0.1 + share();
    for (double& s : hops) s = 0.4 * share();
    SimulationTimes times;
    times.work = [&](std::size_t stage, std::size_t piece, Work work) {
      return seconds[(stage * order->size().stage_chunks + piece) * kWorkKinds + static_cast<std::size_t>(work)];
    };
    times.hop = [&](std::size_t from, std::size_t to, Work work) { return hops[(from * order->size().stages + to) * 2 + (work == Work::forward ? 0 : 1)]; };
    times.serial = below(2) == 0;
    times.overlap_factor = below(2) == 0 ? 1 : 0.7;
    const auto played = simulate(*order, times, {}, diagnostics);
    REQUIRE_MESSAGE(played, render(diagnostics));
    CHECK(played->step == doctest::Approx(LongestPath(*again, times).seconds()).epsilon(1e-12));
    ++played_steps;
  }
  CHECK(played_steps > testing::random_count(1200, 50));
}

TEST_CASE("orders: published bubbles of ZB-V and DualPipeV") {
  Orders orders;
  for (const int p : {1, 2, 3, 5, 8}) {
    for (const int m : {2 * p - 1, 2 * p, 3 * p + 1}) {
      const auto run = [&](const char* schedule, double forward, double input, double weight, double together) {
        Diagnostics diagnostics;
        const auto order = orders.unrolled({{"stages", p}, {"microbatches", m}, {"chunks", 2}}, schedule, diagnostics);
        REQUIRE_MESSAGE(order, render(diagnostics));
        SimulationTimes times;
        times.work = [=](std::size_t, std::size_t, Work w) { return w == Work::forward ? forward : w == Work::input ? input : weight; };
        times.hop = [](std::size_t, std::size_t, Work) { return 0.0; };
        times.overlap_factor = together;
        const auto played = simulate(*order, times, {}, diagnostics);
        REQUIRE_MESSAGE(played, render(diagnostics));
        return *played;
      };
      const SimulatedStep zb_v = run("zb_v", 1, 1, 1, 1);
      for (const SimulatedStage& stage : zb_v.stages) CHECK(stage.last - stage.first == doctest::Approx(stage.busy));  // Qi et al. 2024: none, of a span
      if (m < 2 * p) continue;
      const double f = 1, i = 1, w = 0.75, together = 0.9;  // published ratios: input gradients take as long as forward, F&B at least as long as B
      const SimulatedStep dualpipe_v = run("dualpipe_v", f, i, w, together);
      double bubble = 0;
      for (const SimulatedStage& stage : dualpipe_v.stages) bubble = std::max(bubble, dualpipe_v.step - stage.busy);
      CHECK(bubble == doctest::Approx((p - 1) * (together * (f + i + w) + (i + w) - 3 * w)));
    }
  }
}

TEST_CASE("orders: every played step of the reference") {
  if (!fs::exists(kReference)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  Orders orders;
  check_all(kReference, orders);
  check_refused(kReference, orders);
}

}  // namespace opledger
