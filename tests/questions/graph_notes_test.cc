#include "questions/graph_notes.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "questions/explain/explain.h"
#include "tests/support/runs.h"

/// Labels of a drawn graph agree with `explain`.
namespace opledger {
namespace {

Run::CaseGraph graph_of(Run& run, const std::vector<std::string>& words = {}) {
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

/// Returns the sum over phases of every explained quantity of the node.
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

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

/// Counts labels that have the line.
std::size_t lines_with(const std::string& dot, const std::string& line) {
  std::size_t out = 0;
  for (const char* before : {"\"", "\\n"}) {
    for (const char* behind : {"\"", "\\n"}) out += times_in(dot, before + line + behind);
  }
  return out;
}

std::size_t collectives_in(const std::string& dot) {
  std::size_t out = 0;
  for (const char* kind : {"all-reduce ", "all-gather ", "reduce-scatter ", "all-to-all ", "point-to-point "}) out += times_in(dot, kind);
  return out;
}

}  // namespace

TEST_CASE("graph notes: nodes have the sums of what is explained of them, and every collective over several ranks is drawn") {
  const auto run = prepare("mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm");
  const DrawnNotes notes = graph_notes(graph_of(*run));
  const std::string dot = to_dot(run->graph(), &run->annotations(), notes);
  CHECK(dot.find("forward, recompute, agrad, wgrad") != std::string::npos);
  const auto explained = explain_nodes(*run, "*", {}, said());
  REQUIRE(explained);
  std::map<std::string, std::size_t> sent;  // A transfer is explained at the producer and at the reader of its tensor.
  for (const ExplainedNode& node : explained->nodes) {
    CHECK_MESSAGE(lines_of(notes, run->graph(), node.name) == explained_lines(node), node.name);
    std::map<std::string, std::size_t> here;
    for (const ExplainedNode::Transfer& t : node.transfers) {
      if (t.collective != "slice") ++here[(t.phase == "forward" ? "" : t.phase + " ") + t.collective + " " + t.axes + " " + t.bytes.text];
    }
    for (const auto& [text, times] : here) sent[text] = std::max(sent[text], times);
  }
  CHECK(sent.size() > 20);
  for (const auto& [text, times] : sent) CHECK_MESSAGE(lines_with(dot, text) >= times, text);
  std::size_t moving = 0;
  for (const auto& moved : notes.transfers) moving += moved.has_value();
  CHECK(collectives_in(dot) >= moving);
}

TEST_CASE("graph notes: what one rank would send to itself is not drawn") {
  const auto run = prepare("llama-3-8b", execution("{pp: 1, dp: 2, tp: 1}", "megatron"), "h100-80g-sxm");
  const std::string dot = to_dot(run->graph(), &run->annotations(), graph_notes(graph_of(*run)));
  CHECK(to_dot(run->graph(), &run->annotations()).find("all-reduce tp\"") != std::string::npos);
  CHECK(dot.find("all-reduce tp") == std::string::npos);
  CHECK(dot.find("/tp") == std::string::npos);
  CHECK(dot.find("batch/dp") != std::string::npos);
  CHECK(dot.find("optimizer all-reduce dp") != std::string::npos);
}

TEST_CASE("graph notes: a run without a system has no seconds, and case words have their own notes") {
  const auto run = prepare("llama-3-8b", "llama-3-8b-16xh100");
  const std::string lines = lines_of(graph_notes(graph_of(*run)), run->graph(), "decoder.mlp.up");
  CHECK(lines.find("work ") == 0);
  CHECK(lines.find("time") == std::string::npos);
  const auto serving = prepare("llama-3-8b", "llama-3-8b-serve-1xh100", "h100-80g-sxm");
  const Run::CaseGraph prompts = graph_of(*serving), decode = graph_of(*serving, {"decode"});
  const std::string at_prompts = lines_of(graph_notes(prompts), prompts.graph->graph, "decoder.mlp.up");
  const std::string at_decode = lines_of(graph_notes(decode), decode.graph->graph, "decoder.mlp.up");
  CHECK(at_prompts.find("time ") != std::string::npos);
  CHECK(at_decode.find("time ") != std::string::npos);
  CHECK(at_prompts != at_decode);
}

}  // namespace opledger
