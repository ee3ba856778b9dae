#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "tests/invariance/shipped_runs.h"
#include "tests/support/documents.h"

/// Rules without an effect, and rules that repeat other rules, change no figure.
namespace opledger::invariance {
namespace {

const std::string kNothing = R"(shard:
  - hidden: axis_of_other_meshes
  - dimension_of_other_models: tp
nodes:
  - {match: {op: operator_of_other_models}, avoid: tp, shard: [hidden: dp]}
weights:
  - {stored: axis_of_other_meshes, optimizer: dp, when: 1 == 2}
activations:
  - {match: {op: operator_of_other_models}, keep: sharded}
recompute:
  - {match: {op: linear}, when: 1 == 2}
fuse:
  - {match: {op: operator_of_other_models}}
mark:
  - {match: {op: operator_of_other_models}, node: {moves: 2}}
  - {match: {axis: axis_of_other_meshes}, message: {overlap: layer}}
merge:
  - [axis_of_other_meshes, dp]
)";

/// Returns the document without its heading and its options, which no second document may have. Empty if it cuts layers, which only one document may do.
std::string again(const std::string& name) {
  const std::string text = text_of(std::string(source_folder()) + "/rules/" + name + ".yaml");
  if (datum(text).find("parts") != nullptr) return {};
  std::istringstream lines(text);
  std::string out, line;
  bool in_options = false;
  while (std::getline(lines, line)) {
    const bool continues = line.empty() || line[0] == ' ' || line[0] == '#';
    in_options = in_options ? continues : line.rfind("options:", 0) == 0;
    if (!in_options && line.rfind("name:", 0) != 0 && line.rfind("kind:", 0) != 0) out += line + "\n";
  }
  return out;
}

std::vector<Change> idle_changes(const ShippedRun& run) {
  auto library = std::make_shared<Overlay>();
  std::vector<std::string> rules = {"nothing_at_first"};
  const auto add = [&](const std::string& name, const std::string& text) {
    library->write("rules/" + name + ".yaml", "kind: rules\nname: " + name + "\n" + text);
    if (!contains(rules, name)) rules.push_back(name);
  };
  add("nothing_at_first", kNothing);
  rules.insert(rules.end(), run.rules.begin(), run.rules.end());
  for (const std::string& name : run.rules) {
    if (const std::string text = again(name); !text.empty()) add("again_" + name, text);
  }
  add("nothing_at_last", kNothing);
  return {{"rules of nothing, and all rules twice", run.with_rules(rules), "", std::move(library)}};
}

}  // namespace

TEST_CASE("no-op rules: rules of nothing, and rules once more, have the same figures") { check_changes("no-op rules", idle_changes, 0); }

}  // namespace opledger::invariance
