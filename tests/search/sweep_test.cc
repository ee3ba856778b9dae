#include "search/sweep.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <map>

#include "search/domains.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

/// Every candidate in the order of the space, each evaluated alone.
class OneByOne {
 public:
  OneByOne(Space& space, const SweepRequest& request)
      : space_(space), request_(request), domains_(space), structures_(*space.run, question(space, request)), values_(space.axes.size()) {
    result.sums.resize(request.sums.size());
    visit(0);
  }

  SweepResult result;

 private:
  static Question question(const Space& space, const SweepRequest& request) {
    Question out = question_of(space);
    out.outputs = {space.objective};
    out.outputs.insert(out.outputs.end(), request.sums.begin(), request.sums.end());
    out.constraints = true;
    return out;
  }

  void visit(std::size_t axis) {
    if (axis == values_.size()) return evaluate();
    const std::vector<double>* domain = domains_.of(axis, values_, diagnostics_);
    REQUIRE_MESSAGE(domain != nullptr, render(diagnostics_));
    for (const double value : std::vector<double>(*domain)) {
      values_[axis] = value;
      visit(axis + 1);
    }
  }

  void evaluate() {
    std::vector<double> candidate;
    for (std::size_t a = 0; a < values_.size(); ++a) {
      if (space_.axes[a].derived == nullptr) candidate.push_back(values_[a]);
    }
    const Structure* structure = structures_.find(candidate, diagnostics_);
    REQUIRE_MESSAGE(structure != nullptr, render(diagnostics_));
    const Structure::Answer answer = structure->evaluate(candidate);
    ++result.candidates;
    if (!answer.reason.empty()) {
      ++result.infeasible[answer.reason];
      return;
    }
    ++result.feasible;
    for (std::size_t m = 0; m < result.sums.size(); ++m) result.sums[m] += answer.outputs[m + 1].scalar.value;
    const Found found{answer.outputs[0].scalar.value, values_};
    const auto place =
        std::find_if(result.best.begin(), result.best.end(), [&](const Found& f) { return space_.maximise ? f.score < found.score : f.score > found.score; });
    result.best.insert(place, found);  // behind its equals
    if (result.best.size() > request_.top) result.best.pop_back();
  }

  Space& space_;
  const SweepRequest& request_;
  Domains domains_;
  Structures structures_;
  std::vector<double> values_;
  Diagnostics diagnostics_;
};

struct Case {
  const char *space, *model, *system;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> sums;
};

void check(const Case& c) {
  CAPTURE(c.model);
  static Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = c.space;
  request.model = c.model;
  request.system = c.system;
  request.overrides = c.settings;
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  const SweepRequest wanted{25, c.sums, 1};
  const std::optional<SweepResult> all = sweep(*space, wanted, diagnostics);
  REQUIRE_MESSAGE(all, render(diagnostics));
  const SweepResult expected = OneByOne(*space, wanted).result;
  CHECK(all->candidates == expected.candidates);
  CHECK(all->feasible == expected.feasible);
  CHECK(all->infeasible == expected.infeasible);
  for (std::size_t m = 0; m < expected.sums.size(); ++m) CHECK(std::fabs(all->sums[m] - expected.sums[m]) <= 1e-12 * std::fabs(expected.sums[m]));
  REQUIRE(all->best.size() == expected.best.size());
  for (std::size_t i = 0; i < expected.best.size(); ++i) {
    CAPTURE(i);
    CHECK(std::bit_cast<std::uint64_t>(all->best[i].score) == std::bit_cast<std::uint64_t>(expected.best[i].score));
    CHECK(all->best[i].values == expected.best[i].values);
  }
}

}  // namespace

TEST_CASE("a sweep finds what evaluating every candidate alone finds: counts, reasons, sums, and the best to the bit") {
  for (const char* procs : {"1", "2", "6", "12"}) {
    check({"calculon",
           "calculon/megatron-126M",
           "calculon/a100_80g",
           {{"num_procs", procs}, {"max_batch_size", "12"}, {"data_par_overlap", "false"}},
           {"total_time", "proc_mem_tier1_cap_req"}});
  }
  check({"calculon",
         "calculon/gpt3-13B",
         "calculon/h100_80g_nvl8",
         {{"num_procs", "16"}, {"max_batch_size", "8"}, {"seq_par_ag_redo", "false"}},
         {"total_time"}});
}

TEST_CASE("a sweep finds the same, bit for bit, however many threads are at work") {
  std::vector<SweepResult> all;
  for (const std::size_t jobs : {1, 2, 5}) {
    Library library({source_folder()});
    Diagnostics diagnostics;
    RunRequest request;
    request.space = "calculon";
    request.model = "calculon/gpt3-13B";
    request.system = "calculon/a100_80g";
    request.overrides = {{"num_procs", "64"}};
    std::optional<Space> space = read_space(request, library, diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
    const std::optional<SweepResult> result = sweep(*space, {50, {"total_time"}, jobs}, diagnostics);
    REQUIRE_MESSAGE(result, render(diagnostics));
    all.push_back(*result);
  }
  for (const SweepResult& other : all) {
    CHECK(other.candidates == all[0].candidates);
    CHECK(other.infeasible == all[0].infeasible);
    CHECK(std::bit_cast<std::uint64_t>(other.sums[0]) == std::bit_cast<std::uint64_t>(all[0].sums[0]));
    REQUIRE(other.best.size() == all[0].best.size());
    for (std::size_t i = 0; i < other.best.size(); ++i) CHECK(other.best[i].values == all[0].best[i].values);
  }
}

}  // namespace opledger
