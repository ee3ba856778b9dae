#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/random_count.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

std::set<std::string> dimensions(const std::string& model) {
  const auto run = prepare(model, execution("{dp: 1}", "megatron", "batch_size: 1\nmicrobatch_size: 1\n"));
  std::set<std::string> names;
  for (std::size_t d = 0; d < run->graph_run().sizes.size(); ++d) names.insert(run->graph().name(static_cast<DimId>(d)));
  return names;
}

/// Returns whether a rule document names dimensions of models.
bool names_dimensions(const std::string& rules) {
  const Document* document = shipped().load(rules, {"rules"}, said());
  return document != nullptr && (document->root.find("shard") != nullptr || document->root.find("nodes") != nullptr);
}

/// Returns whether a rule document has marks that only the accounting `serving` reads.
bool is_for_serving(const std::string& rules) {
  const Document* document = shipped().load(rules, {"rules"}, said());
  const Datum* marks = document != nullptr ? document->root.find("mark") : nullptr;
  return marks != nullptr && std::any_of(marks->items().begin(), marks->items().end(), [](const Datum& rule) {
           const Datum* node = rule.find("node");
           return node != nullptr && node->find("stored_width") != nullptr;
         });
}

/// Checks a rule document together with `megatron`. Only names that a document is about must exist: FSDP reports a
/// missing axis `fsdp`, and split keys report a missing axis.
void check_missing_names(const std::string& model, const std::string& mesh, const std::string& rules) {
  prepare(model, execution(mesh, "megatron, " + rules, is_for_serving(rules) ? "accounting: serving\n" : "batch_size: 8\nmicrobatch_size: 1\n"));
  for (const Diagnostic& d : said().all()) {
    const bool own_axes = rules == "split_keys" && (d.message.find("`dcp`") != std::string::npos || d.message.find("`tg`") != std::string::npos);
    const bool is_about = own_axes || d.message.rfind(rules + ".weights", 0) == 0;
    CHECK_MESSAGE((is_about || d.message.find(" lacks") == std::string::npos), model, " ", mesh, "\n", render(d));
  }
}

}  // namespace

TEST_CASE("shipped: every execution runs on its system, and every metric is finite and not negative") {
  int runs = 0;
  for (const std::string& name : shipped().names("execution")) {
    if (name == "single") continue;
    const auto [model, system] = model_and_system(name);
    REQUIRE_MESSAGE(!system.empty(), name);
    const auto run = prepare(model, name, system);
    for (const Name* metric : run->program().metrics) {
      if (!metric->published.empty()) continue;
      const double v = value(*run, metric->name);
      CHECK_MESSAGE(std::isfinite(v), name, " ", metric->name);
      CHECK_MESSAGE(v >= 0, name, " ", metric->name);
    }
    CHECK_MESSAGE(value(*run, "mfu") > 0.1, name);
    CHECK_MESSAGE(value(*run, "mfu") < 0.8, name);
    if (run->program().find("hfu") != nullptr) CHECK_MESSAGE(value(*run, "hfu") >= value(*run, "mfu"), name);
    for (const Violation& v : run->violations(said())) FAIL_CHECK(name, ": ", v.message);
    CHECK_MESSAGE(said().all().empty(), render(said()));
    ++runs;
  }
  CHECK(runs >= 11);
}

// The test does not visit all combinations. Every document of rules meets some model with a dimension of its own, and
// some mesh; every such model and mesh meets some documents.
TEST_CASE("shipped: no rule is taken for a slip, whatever model and mesh it meets") {
  std::vector<std::string> naming;
  for (const std::string& rules : shipped().names("rules")) {
    if (names_dimensions(rules)) naming.push_back(rules);
  }
  std::set<std::string> seen;  // a model that brings no dimension which others did not have says nothing new
  std::size_t next = 0;
  for (const std::string& model : whole_models()) {
    const std::size_t before = seen.size();
    seen.merge(dimensions(model));
    for (int i = 0; i < 2 && seen.size() > before; i += testing::one_of(2))
      check_missing_names(model, "{dp: {inter: 2, intra: 2}}", naming[next++ % naming.size()]);
  }
  CHECK(next >= naming.size() / static_cast<std::size_t>(testing::one_of(2)));
  const std::vector<std::string> meshes = {"{dp: {inter: 2, intra: 2}}", "{pp: 2, dp: 2, tp: 2, intra: 1, etp: 1}",
                                           "{dp: {edp: 2, ep: 2}, cp: 2, intra: 1, etp: 1}", "{dp: {rep: 2, fsdp: 2}, intra: 1}",
                                           "{cp: {ring: 2, ul: 2}, intra: 1}"};
  next = 0;
  for (const std::string& rules : testing::some_of(shipped().names("rules"), 3)) check_missing_names("mixtral-8x7b", meshes[next++ % meshes.size()], rules);
  CHECK(next >= meshes.size());
}

TEST_CASE("shipped: a run of shipped documents parses none") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.model = "llama-3-70b";
  request.execution = "llama-3-70b-64xh100";
  request.system = "h100-80g-sxm";
  REQUIRE(Run::prepare(request, library, diagnostics) != nullptr);
  CHECK(library.parsed() == 0);
}

TEST_CASE("shipped: the parts of a step are the step") {
  for (const std::string& name : trained_executions()) {
    const auto [model, system] = model_and_system(name);
    const auto run = prepare(model, name, system);
    double sum = 0;
    for (const char* part : {"forward_time", "backward_time", "recompute_time", "exposed_time", "pipeline_time", "bubble_time", "waiting_time"})
      sum += value(*run, part);
    const double end = value(*run, "iteration_time") - sum, longest = value(*run, "gradient_time") + value(*run, "optimizer_time");
    CHECK_MESSAGE(end >= std::max(value(*run, "gradient_time"), value(*run, "optimizer_time")) * (1 - 1e-9), name);
    CHECK_MESSAGE(end <= longest * (1 + 1e-9), name);
  }
}

TEST_CASE("shipped: every model runs alone on one processor, of each system in turn") {
  const std::vector<std::string> systems = shipped().names("system");
  std::size_t next = 0;
  for (const std::string& model : testing::some_of(whole_models(), 3)) {
    const std::string& system = systems[next++ % systems.size()];
    const auto run = prepare(model, "single", system, in_precision_of(system));
    CHECK_MESSAGE(value(*run, "iteration_time") > 0, model, " ", system);
    CHECK_MESSAGE(value(*run, "communication_bytes") == 0, model, " ", system);
    CHECK_MESSAGE(near(value(*run, "model_flops"), value(*run, "hardware_flops"), 0.15), model, " ", system);
  }
  CHECK(next >= systems.size() / static_cast<std::size_t>(testing::one_of(3)));
}

}  // namespace opledger
