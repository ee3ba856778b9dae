#include "questions/graph_notes.h"

#include <map>

#include "base/text.h"
#include "questions/explain.h"
#include "tests/support/runs.h"

/// What a drawing of the graph says is what `explain` says.
namespace opledger {
namespace {

Run::GraphThere graph_of(Run& run, const std::vector<std::string>& words = {}) {
  const auto there = run.graph_at(words, said());
  REQUIRE_MESSAGE(there, render(said()));
  return *there;
}

std::string lines_of(const DrawnNotes& notes, const Graph& graph, const std::string& name) {
  for (const NodeId id : graph.nodes.ids()) {
    if (graph.nodes[id].name == name) return join(notes.nodes[id], "\n");
  }
  return "no such node";
}

/// Of every quantity that is explained of the node, phase by phase, the sum.
std::string explained_lines(const ExplainedNode& node) {
  std::vector<std::string> order;
  std::map<std::string, Value> sums;
  for (const Explanation& quantity : node.quantities) {
    const auto [at, is_new] = sums.emplace(quantity.name, quantity.value.value);
    if (is_new)
      order.push_back(quantity.name);
    else
      at->second.scalar.value += quantity.value.value.scalar.value;
  }
  std::vector<std::string> lines;
  for (const std::string& name : order) lines.push_back(name + " " + human(sums[name]));
  return join(lines, "\n");
}

}  // namespace

TEST_CASE("graph notes: nodes have the sums of what is explained of them, and every collective over several ranks is drawn") {
  const auto run = prepare("mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm");
  const DrawnNotes notes = graph_notes(graph_of(*run));
  const std::string dot = to_dot(run->graph(), &run->annotations(), notes);
  CHECK(dot.find("forward, recompute, agrad, wgrad") != std::string::npos);
  const auto explained = explain_nodes(*run, "*", {}, said());
  REQUIRE(explained);
  std::size_t drawn = 0;
  for (const ExplainedNode& node : explained->nodes) {
    CHECK_MESSAGE(lines_of(notes, run->graph(), node.name) == explained_lines(node), node.name);
    for (const ExplainedNode::Transfer& t : node.transfers) {
      if (t.collective == "slice") continue;
      const std::string text = (t.phase == "forward" ? "" : t.phase + " ") + t.collective + " " + t.axes + " " + t.bytes.text;
      CHECK_MESSAGE(dot.find(text) != std::string::npos, node.name, ": ", text);
      ++drawn;
    }
  }
  CHECK(drawn > 50);
}

TEST_CASE("graph notes: what one rank would send to itself is not drawn") {
  const auto run = prepare("llama-3-8b", execution("{pp: 1, dp: 2, tp: 1}", "megatron"), "h100-80g-sxm");
  const std::string dot = to_dot(run->graph(), &run->annotations(), graph_notes(graph_of(*run)));
  CHECK(to_dot(run->graph(), &run->annotations()).find("all-reduce tp\"") != std::string::npos);
  CHECK(dot.find("all-reduce tp") == std::string::npos);
  CHECK(dot.find("optimizer all-reduce dp") != std::string::npos);
}

TEST_CASE("graph notes: without a system no seconds are told, of other words of cases what is there") {
  const auto run = prepare("llama-3-8b", "llama-3-8b-16xh100");
  const std::string lines = lines_of(graph_notes(graph_of(*run)), run->graph(), "decoder.mlp.up");
  CHECK(lines.find("work ") == 0);
  CHECK(lines.find("time") == std::string::npos);
  const auto serving = prepare("llama-3-8b", "llama-3-8b-serve-1xh100", "h100-80g-sxm");
  const Run::GraphThere prompts = graph_of(*serving), decode = graph_of(*serving, {"decode"});
  const std::string at_prompts = lines_of(graph_notes(prompts), prompts.graph->graph, "decoder.mlp.up");
  const std::string at_decode = lines_of(graph_notes(decode), decode.graph->graph, "decoder.mlp.up");
  CHECK(at_prompts.find("time ") != std::string::npos);
  CHECK(at_decode.find("time ") != std::string::npos);
  CHECK(at_prompts != at_decode);
}

}  // namespace opledger
