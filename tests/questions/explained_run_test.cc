#include "questions/explain/explained_run.h"

#include <functional>

#include "accounting/graph_engine.h"
#include "questions/explain/explain.h"
#include "tests/support/runs.h"

/// Explanations of a page agree with `explain`.
namespace opledger {
namespace {

const std::vector<std::string> kMetrics = {"iteration_time", "memory", "model_flops", "communication_bytes", "mfu"};

int place_of(const ExplainedRun& opened, const std::string& metric) {
  for (const auto& [name, place] : opened.metrics) {
    if (name == metric) return place;
  }
  return -1;
}

ExplainedTable stages_of(Run& run) {
  ExplainedTable out{"stages", {}};
  for (const WordId stage : run.evaluator().visit(kStageSet, nowhere())) out.rows.push_back(run.evaluator().choose(nowhere(), kStageSet, stage));
  return out;
}

/// Checks that two explanations have the same values and constituents, level by level. References of a page are looked
/// up in its expansion table.
void check_same(const Explanation& explained, const Explanation& opened, const ExplainedRun& all, std::size_t& compared) {
  if (opened.place >= 0) return check_same(explained, all.all.names[static_cast<std::size_t>(opened.place)], all, compared);
  ++compared;
  CHECK(explained.name == opened.name);
  CHECK(explained.value.text == opened.value.text);
  CHECK(explained.point == opened.point);
  CHECK(explained.substituted == opened.substituted);
  std::size_t i = 0;
  for (const Explanation& child : explained.children) {
    if (child.kind == Explanation::Kind::call) continue;  // A page expands calls to a greater depth.
    while (i < opened.children.size() && opened.children[i].kind == Explanation::Kind::call) ++i;
    REQUIRE(i < opened.children.size());
    check_same(child, opened.children[i++], all, compared);
  }
}

}  // namespace

TEST_CASE("metrics are opened as `explain` opens them") {
  const auto run = prepare("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm");
  const ExplainedRun opened = explain_run(*run, kMetrics, {}, 100'000);
  CHECK(opened.left_out == 0);
  std::size_t compared = 0;
  for (const std::string& metric : kMetrics) {
    CAPTURE(metric);
    const auto explained = explain_name(*run, metric, {3, 4, {}}, said());
    REQUIRE(explained);
    const int place = place_of(opened, metric);
    REQUIRE(place >= 0);
    check_same(explained->names[0], opened.all.names[static_cast<std::size_t>(place)], opened, compared);
  }
  CHECK(compared > 100);
}

TEST_CASE("quantities of nodes are those that `explain` tells") {
  const auto run = prepare("mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm");
  const ExplainedRun opened = explain_run(*run, {}, {}, 100'000);
  const auto explained = explain_nodes(*run, "*", {1, 4, {}}, said());
  REQUIRE(explained);
  REQUIRE(explained->nodes.size() == opened.all.nodes.size());
  for (std::size_t i = 0; i < explained->nodes.size(); ++i) {
    const ExplainedNode &node = explained->nodes[i], &same = opened.all.nodes[i];
    CHECK(node.name == same.name);
    REQUIRE(node.quantities.size() == same.quantities.size());
    for (std::size_t q = 0; q < node.quantities.size(); ++q) {
      REQUIRE(same.quantities[q].place >= 0);
      const Explanation& there = opened.all.names[static_cast<std::size_t>(same.quantities[q].place)];
      CHECK(there.value.text == node.quantities[q].value.text);
      CHECK(there.point == node.quantities[q].point);
    }
  }
}

TEST_CASE("expanded names have a position, all other names only a value") {
  const auto run = prepare("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  const ExplainedRun opened = explain_run(*run, kMetrics, {stages_of(*run)}, 1'500);
  CHECK(opened.all.names.size() == 1'500);
  CHECK(opened.left_out > 0);
  std::size_t places = 0, without = 0;
  const std::function<void(const Explanation&)> visit = [&](const Explanation& e) {
    if (e.place >= 0) {
      CHECK(static_cast<std::size_t>(e.place) < opened.all.names.size());
      ++places;
    } else if (e.kind == Explanation::Kind::name) {
      without += e.value.text.empty() ? 0 : 1;
    }
    for (const Explanation& child : e.children) visit(child);
  };
  for (const Explanation& e : opened.all.names) visit(e);
  CHECK(places > 1'000);
  CHECK(without > 1'500);  // Entries of the table, and references that exceeded the limit.
  for (const auto& [column, definition] : opened.columns) CHECK(static_cast<std::size_t>(definition) < opened.all.definitions.size());
  CHECK(opened.columns.size() > 8);
  CHECK(opened.cells.size() > 8);
  for (const auto& [column, places] : opened.cells) {
    CAPTURE(column);
    REQUIRE(places.size() == 3);
    for (const int place : places) CHECK(opened.all.names[static_cast<std::size_t>(place)].point.at(0).first == "stage");
  }
}

}  // namespace opledger
