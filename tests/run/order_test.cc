#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/support/runs.h"
#include "timeline/action_file.h"
#include "timeline/player.h"
#include "timeline/unrolled.h"

/// Orders as data, played: against steps that others played, and what must be refused.
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

/// Orders of the shipped schedules and of those that must be refused.
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
    const Operator* found = operators_.find(schedule == "interleaved" ? "1f1b" : schedule);  // of several chunks
    REQUIRE_MESSAGE((found != nullptr && found->order != nullptr), schedule);
    return *found->order;
  }

  /// The run of a group size, which is an input.
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
};

double seconds(const json& of, std::size_t piece) { return of.is_array() ? of[piece].get<double>() : of.get<double>(); }

void check_played(const json& c, Order& order) {
  CAPTURE(c.dump().substr(0, 160));
  PlayTimes times;
  times.work = [&](std::size_t, std::size_t piece, Work work) {
    return seconds(c[work == Work::forward ? "forward" : work == Work::input ? "input" : "weight"], piece);
  };
  times.hop = [&](std::size_t, std::size_t, Work) { return c["hop"].get<double>(); };
  times.serial = c["link"] == "serial";
  times.together = c.value("together", 1.0);
  std::vector<std::vector<std::string>> actions(order.size().stages);
  PlayWatcher watcher;
  watcher.batch = [&](const PlayedBatch& b) {
    if (actions[b.stage].size() < 40) actions[b.stage].push_back(written(b.batch));
  };
  Diagnostics diagnostics;
  const auto played = play(order, times, {}, diagnostics, watcher);
  REQUIRE_MESSAGE(played, render(diagnostics));
  CHECK(played->step == doctest::Approx(c["step"].get<double>()).epsilon(1e-9));
  REQUIRE(played->stages.size() == c["played"].size());
  for (const json& expected : c["played"]) {
    const std::size_t k = expected["stage"];
    const PlayedStage& found = played->stages[k];
    CHECK(found.busy == doctest::Approx(expected["busy"].get<double>()).epsilon(1e-9));
    CHECK(std::fabs(found.first - expected["first"].get<double>()) < 1e-6);
    CHECK(std::fabs(found.last - expected["last"].get<double>()) < 1e-6);
    CHECK(found.in_flight == expected["in_flight"]);
    CHECK(found.batches == expected["batches"]);
    for (const auto& [piece, most] : expected["in_flight_by_piece"].items()) CHECK(found.in_flight_of_piece.at(std::stoul(piece)) == most);
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
    const auto order = read_actions(folder / "actions" / c["file"].get<std::string>(), diagnostics);
    REQUIRE_MESSAGE(order, render(diagnostics));
    check_played(c, *order);
  }
}

/// Every action that a message names: `0B0`, `1I0`.
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
    const auto order = file ? read_actions(kOwn / "actions" / c["file"].get<std::string>(), diagnostics) : orders.unrolled(c, c["schedule"], diagnostics);
    PlayTimes times;
    times.work = [](std::size_t, std::size_t, Work) { return 1.0; };
    times.hop = [](std::size_t, std::size_t, Work) { return 0.0; };
    if (order != nullptr) CHECK(!play(*order, times, {}, diagnostics));
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

TEST_CASE("orders: every played step of the reference") {
  if (!fs::exists(kReference)) {
    std::cout << "skipped: there is no reference data\n";
    return;
  }
  Orders orders;
  check_all(kReference, orders);
  check_refused(kReference, orders);
}

}  // namespace opledger
