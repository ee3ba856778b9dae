#include "search/store/recorded_search.h"

#include <fmt/core.h>

#include <algorithm>

#include "search/search.h"
#include "tests/support/runs.h"

/// Tests of recorded searches as pages show them: the best candidates, the front, and maps of two axes.
namespace opledger {
namespace {

std::string name_of_cell(const RecordedSearch& recorded, std::size_t row, const std::string& column) {
  for (std::size_t a = 0; a < recorded.axes.size(); ++a) {
    if (recorded.axes[a].name == column) return recorded.rows[row][a].text;
  }
  for (std::size_t m = 0; m < recorded.metrics.size(); ++m) {
    if (recorded.metrics[m].name == column) return recorded.rows[row][recorded.axes.size() + m].text;
  }
  return "no such column";
}

std::optional<RecordedSearch> recorded(const std::string& path, const std::string& value = "", const std::vector<std::string>& pareto = {}) {
  said() = {};
  return read_recorded({path, value, pareto}, said());
}

// the best rate is the largest, the best memory the smallest
constexpr const char* kCsv =
    "tp,pp,rate,memory,share\n"
    "1,1,10,90,0.5\n"
    "1,2,20,80,0.1\n"
    "2,1,30,70,0.2\n"  // dominates both earlier rows
    "2,2,25,20,0.3\n"
    "2,2,24,30,0.9\n"  // dominated by the previous row
    "4,1,,10,0.4\n"    // infeasible: no rate
    "4,2,5,5,0.6\n";

}  // namespace

TEST_CASE("a front has the candidates that no candidate dominates") {
  TemporaryFolder folder;
  const auto all = recorded(folder.write("all.csv", kCsv).string(), "rate");
  REQUIRE_MESSAGE(all, render(said()));
  CHECK(all->total == 7);
  CHECK(all->axes.size() == 2);
  CHECK(all->metrics.size() == 3);
  std::vector<std::string> rates, best;
  for (const std::size_t row : all->front) rates.push_back(name_of_cell(*all, row, "rate"));
  for (const std::size_t row : all->best) best.push_back(name_of_cell(*all, row, "rate"));
  CHECK(rates == std::vector<std::string>{"30", "25", "5"});
  CHECK(best == std::vector<std::string>{"30", "25", "24", "20", "10", "5"});
}

TEST_CASE("a front over other metrics, and with the smallest value best") {
  TemporaryFolder folder;
  const std::string path = folder.write("all.csv", kCsv).string();
  const auto largest = recorded(path, "rate", {"+share"});
  REQUIRE(largest);
  std::vector<std::string> rates;
  for (const std::size_t row : largest->front) rates.push_back(name_of_cell(*largest, row, "rate"));
  CHECK(rates == std::vector<std::string>{"30", "25", "24"});
  const auto smallest = recorded(path, "-rate");
  REQUIRE(smallest);
  CHECK(name_of_cell(*smallest, smallest->best[0], "rate") == "5");
  CHECK(smallest->front.size() == 1);  // the smallest memory, too
}

TEST_CASE("a large front is thinned: both ends and its size are kept") {
  TemporaryFolder folder;
  std::string csv = "i,up,down\n", four = "i,a,b,c\n";
  for (int i = 0; i < 1000; ++i) csv += fmt::format("{0},{0},{0}\n", i), four += fmt::format("{0},{0},{0},{0}\n", i);
  const auto all = recorded(folder.write("front.csv", csv).string(), "up");
  REQUIRE(all);
  CHECK(all->front_size == 1000);
  CHECK(all->front.size() == 200);
  CHECK(name_of_cell(*all, all->front.front(), "i") == "0");
  CHECK(name_of_cell(*all, all->front.back(), "i") == "999");
  const auto three = recorded(folder.write("three.csv", four).string(), "a", {"b", "+c"});
  REQUIRE(three);
  CHECK(three->front_size == 1000);
}

TEST_CASE("fronts of two metrics and of more are the same where the third says nothing") {
  TemporaryFolder folder;
  std::string two = "i,a,b\n", three = "i,a,b,c\n";
  unsigned state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 1664525u + 1013904223u;
    const unsigned a = state >> 24, b = (state >> 16) & 255;
    two += fmt::format("{},{},{}\n", i, a, b), three += fmt::format("{},{},{},7\n", i, a, b);
  }
  const auto first = recorded(folder.write("two.csv", two).string(), "a"), second = recorded(folder.write("three.csv", three).string(), "a", {"b", "c"});
  REQUIRE(first);
  REQUIRE(second);
  const auto names = [](const RecordedSearch& all) {
    std::vector<std::string> out;
    for (const std::size_t row : all.front) out.push_back(name_of_cell(all, row, "i"));
    return out;
  };
  CHECK(names(*first) == names(*second));
  CHECK(first->front.size() > 2);
}

TEST_CASE("files that can't be read give errors") {
  TemporaryFolder folder;
  const std::string path = folder.write("all.csv", kCsv).string();
  CHECK(!recorded(path));
  CHECK(render(said()).find("`--value COLUMN`, the first column that is no axis (tp, pp, rate, memory, share)") != std::string::npos);
  CHECK(!recorded(path, "rte"));
  CHECK(render(said()).find("did you mean `rate`") != std::string::npos);
  CHECK(!recorded(path, "rate", {"memry"}));
  CHECK(render(said()).find("did you mean `memory`") != std::string::npos);
  CHECK(!recorded(folder.write("none.csv", "tp,rate\n1,\n").string(), "rate"));
  CHECK(render(said()).find("has no candidates to show") != std::string::npos);
}

TEST_CASE("a recorded store has the best of every two axes, and its runs are those of the search") {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "runs.sqlite").string();
  SearchRequest request;
  request.run.space = "standard", request.run.model = "llama-3-8b", request.run.system = "h100-80g-sxm";
  request.run.overrides = {{"processors", "16"}, {"batch_size", "64"}};
  request.metrics = {"memory", "mfu"};
  request.store = path;
  request.sweep.jobs = 1;
  request.pareto = {"memory"};
  Diagnostics diagnostics;
  const auto answer = search(request, shipped(), diagnostics);
  REQUIRE_MESSAGE(answer, render(diagnostics));
  const auto all = recorded(path);
  REQUIRE_MESSAGE(all, render(said()));
  CHECK(all->total > all->rows.size());
  CHECK(all->objective == answer->objective);
  CHECK(*all->rows[all->best[0]][all->axes.size()].number == answer->best[0].metrics[0].scalar.value);
  REQUIRE(!answer->front.empty());
  for (const SearchAnswer::Candidate& point : answer->front) {
    const bool there = std::any_of(all->front.begin(), all->front.end(), [&](std::size_t row) {
      return *all->rows[row][all->axes.size()].number == point.metrics[0].scalar.value &&
             *all->rows[row][all->axes.size() + 1].number == point.metrics[1].scalar.value;
    });
    CHECK(there);
  }
  for (const std::size_t row : {all->best[0], all->front.back()}) {
    const auto run = Run::prepare(recorded_run(*all, row), shipped(), diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    for (std::size_t m = 0; m < all->metrics.size(); ++m) CHECK(value(*run, all->metrics[m].name) == *all->rows[row][all->axes.size() + m].number);
  }
}

TEST_CASE("the front of a search for deployments is throughput against the time of a token") {
  TemporaryFolder folder;
  for (const auto& [space, tradeoff] : {std::pair("serving", "tpot"), std::pair("disaggregated", "apart_tpot")}) {
    CAPTURE(space);
    SearchRequest request;
    request.run.space = space, request.run.model = "llama-3-8b", request.run.system = "h100-80g-sxm";
    request.run.overrides = {{"processors", "2"}};
    request.store = (folder.path() / fmt::format("{}.sqlite", space)).string();
    request.metrics = {"memory"};
    Diagnostics diagnostics;
    const auto answer = search(request, shipped(), diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    CHECK(answer->metrics == std::vector<std::string>{answer->objective, tradeoff, "memory"});
    const auto all = recorded(request.store);
    REQUIRE_MESSAGE(all, render(said()));
    REQUIRE(all->pareto == std::vector<std::pair<std::size_t, bool>>{{0, true}, {1, false}});
    CHECK(all->front.size() > 3);
  }
}

}  // namespace opledger
