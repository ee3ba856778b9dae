#include "report/explanations.h"

#include <cmath>
#include <cstdio>
#include <fstream>

#include "questions/explain/explain.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Explanations agree in every format, and their terms add up.
namespace opledger {
namespace {

void check_sums(const Explanation& e, const std::string& of) {
  if (e.kind == Explanation::Kind::terms && e.joined_by == "sum") {
    double sum = e.more > 0 ? e.rest.value.scalar.value : 0;
    for (const Explanation& term : e.children) sum += term.value.value.scalar.value;
    const double whole = e.value.value.scalar.value;
    CHECK_MESSAGE(std::fabs(sum - whole) <= 1e-12 * std::fabs(whole), of, ": over ", e.name);
  }
  for (const Explanation& child : e.children) check_sums(child, of);
}

/// Returns every explanation of several runs, in both formats.
struct Written {
  std::string text, json;
  int count = 0;

  void add(const Explanations& all, const std::string& of) {
    for (const Explanation& e : all.names) check_sums(e, of);
    for (const ExplainedNode& node : all.nodes) {
      for (const Explanation& quantity : node.quantities) check_sums(quantity, of);
    }
    text += write_explanations_text(all);
    json += write_explanations_json(all);
    ++count;
  }
};

/// Returns the output of the script; empty without Python.
std::optional<std::string> printed(const std::string& json) {
  TemporaryFolder folder;
  const std::string in = folder.write("explained.json", json).string(), out = in + ".txt";
  if (std::system("python3 -c '' 2> /dev/null") != 0) return std::nullopt;
  const std::string command = "python3 " + (std::string(source_folder()) + "/docs/examples/explain.py") + " < " + in + " > " + out;
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream file(out);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

TEST_CASE("explanations: a short script prints from JSON what the program prints, and sums add up, for every third metric of each shipped run") {
  Written all;
  int position = 0;
  for (const std::string& name : shipped().names("execution")) {
    if (name == "single" || position++ % testing::one_of(10) != 0) continue;
    const auto [model, system] = model_and_system(name);
    const auto run = prepare(model, name, system);
    int turn = position;
    for (const Published& metric : run->program().published) {
      if (turn++ % 3 != 0) continue;
      const std::optional<Explanations> explained = explain_name(*run, metric.name, {}, said());
      REQUIRE_MESSAGE(explained, name, " ", metric.name, render(said()));
      all.add(*explained, name + " " + metric.name);
    }
  }
  const auto run = prepare("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  const std::optional<Explanations> nodes = explain_nodes(*run, "*", {}, said());
  REQUIRE(nodes);
  all.add(*nodes, "deepseek-v3");
  CHECK(all.count > 400 / testing::one_of(10));
  const std::optional<std::string> script = printed(all.json);
  if (!script) {
    MESSAGE("skipped: there is no python3; `scripts/setup.sh pages` installs it");
    return;
  }
  CHECK(*script == all.text);
}

}  // namespace opledger
