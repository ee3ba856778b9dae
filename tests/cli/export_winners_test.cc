// Exports the best candidates of random searches as launch scripts, and compares the imported scripts with the
// candidates.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>

#include "search/search.h"
#include "search/written_execution.h"
#include "tests/paths.h"
#include "tests/support/random_count.h"
#include "tests/support/round_trip.h"

namespace opledger {
namespace {

struct RequestedSpace {
  std::string model, processors, batch;
};

/// Returns a sample of the search's best candidates as executions.
std::vector<WrittenExecution> winners(const RequestedSpace& space, std::mt19937& random, Library& library) {
  constexpr std::size_t kSome = 8, kStep = 6;
  SearchRequest request;
  request.run.space = "standard", request.run.model = space.model, request.run.system = "h100-80g-sxm";
  request.run.overrides = {{"processors", space.processors}, {"batch_size", space.batch}};
  request.sweep.top = kSome * kStep;
  request.sweep.jobs = 1;
  Diagnostics diagnostics;
  const auto answer = search(request, library, diagnostics);
  REQUIRE_MESSAGE(answer, messages(diagnostics));
  std::vector<WrittenExecution> out;
  for (std::size_t i = random() % kStep; i < answer->best.size(); i += kStep) {
    const auto execution = written_execution(request, *answer, answer->best[i], std::filesystem::current_path() / "best.yaml", library, diagnostics);
    if (execution) out.push_back(*execution);  // A candidate whose sums round differently without the space can't be written.
  }
  return out;
}

}  // namespace

TEST_CASE("exports: random winners of searches come back with their metrics, or are refused") {
  const int required = testing::random_count(8, 2);
  std::mt19937 random(20);
  const auto one_of = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  int back = 0, tried = 0;
  for (int searches = 0; tried < required && searches < 4 * required; ++searches) {
    Library library({source_folder()});
    const RequestedSpace space{one_of({"llama-3-8b", "llama-3-70b", "gpt3-175b", "mixtral-8x7b", "deepseek-v2-lite", "mistral-7b", "qwen3-8b"}),
                               one_of({"16", "32", "64"}), one_of({"64", "256"})};
    CAPTURE(space.model);
    CAPTURE(space.processors);
    CAPTURE(space.batch);
    const std::vector<WrittenExecution> all = winners(space, random, library);
    for (std::size_t i = 0; i < all.size() && tried < required; ++i, ++tried) {
      ExportRequest request{"megatron", "megatron", {}};
      request.run.model = space.model;
      request.run.execution = "winner " + std::to_string(i);
      request.run.system = "h100-80g-sxm";
      Diagnostics diagnostics;
      REQUIRE(library.provide(request.run.execution, std::filesystem::current_path() / "best.yaml", all[i].root, diagnostics) != nullptr);
      const RoundTrip there = go_round(request, library);
      CHECK_MESSAGE(there.differences == "", there.text);
      if (there.text.empty()) CHECK(there.messages != "");
      back += there.text.empty() ? 0 : 1;
    }
  }
  CHECK(tried == required);
  INFO("of " << tried << " came back " << back);
  CHECK(3 * back >= tried);
}

}  // namespace opledger
