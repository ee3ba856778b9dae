#include "find/find_together.h"

#include <cmath>

#include "tests/support/documents.h"
#include "tests/support/runs.h"

/// Parts that are found together, against the parts alone.
namespace opledger {
namespace {

constexpr double kOneGiB = 1 << 30;

TogetherRequest request_of(const std::string& mesh, std::vector<FindPart> parts, double budget) {
  TogetherRequest out;
  out.run.model = "llama-3-8b", out.run.system = "h100-80g-sxm";
  out.run.execution = execution(mesh, "megatron, zero_1", "batch_size: 16\nsequence_parallel: true\naccounting: standard\n");
  out.parts = std::move(parts), out.budget = budget;
  return out;
}

FoundTogether found(const TogetherRequest& request) {
  Diagnostics messages;
  std::optional<FoundTogether> out = find_together(request, shipped(), messages);
  REQUIRE_MESSAGE(out, render(messages));
  return std::move(*out);
}

/// Returns the seconds of a part that is found alone.
template <class Request, class Find>
double alone(const TogetherRequest& together, Request request, Find&& find) {
  request.run = together.run, request.budget = together.budget;
  Diagnostics messages;
  const auto answer = find(request, shipped(), messages);
  REQUIRE_MESSAGE(answer, render(messages));
  return answer->found.fits() ? answer->found.step.scalar.value : std::numeric_limits<double>::infinity();
}

/// Checks that the written execution gives the found run.
void check_execution(const TogetherRequest& request, const FoundTogether& answer) {
  const TemporaryFolder folder;
  Diagnostics messages;
  for (const FoundTogether::NamedDocument& document : answer.documents) folder.write(file_of(document), document.text);
  const Document* const execution = shipped().load(request.run.execution, {"execution"}, messages);
  REQUIRE(execution);
  Library library = shipped();
  RunRequest run = request.run;
  run.execution = "found execution";
  const std::filesystem::path path = folder.write("execution.yaml", "");
  REQUIRE(library.provide(run.execution, path, found_execution(answer, request.run, *execution, path.parent_path()), messages));
  const auto prepared = Run::prepare(run, library, messages);
  REQUIRE_MESSAGE(prepared, render(messages));
  CHECK(prepared->value("iteration_time", messages)->scalar.value == answer.found.step.scalar.value);
  CHECK(prepared->value("memory", messages)->scalar.value == answer.found.memory.scalar.value);
}

}  // namespace

TEST_CASE("find together: stages and recomputation are at least as good as each alone, within a budget") {
  const TogetherRequest request = request_of("{pp: 4, tp: 2}", {FindPart::stages, FindPart::recompute}, 22 * kOneGiB);
  const FoundTogether answer = found(request);
  REQUIRE(answer.found.fits());
  CHECK(answer.found.memory.scalar.value <= *request.budget);
  CHECK(answer.found.step.scalar.value <= alone(request, StagesRequest(), find_stages) * (1 + 1e-9));
  CHECK(answer.found.step.scalar.value <= alone(request, RecomputeRequest(), find_recompute) * (1 + 1e-9));
  check_execution(request, answer);
}

TEST_CASE("find together: recomputation makes fast placements fit") {
  const TogetherRequest request = request_of("{dp: 2, tp: 8}", {FindPart::placements, FindPart::recompute}, 24 * kOneGiB);
  const FoundTogether answer = found(request);
  REQUIRE(answer.found.fits());
  CHECK(answer.found.step.scalar.value <= alone(request, PlacementsRequest(), find_placements) * (1 + 1e-9));
  REQUIRE(answer.documents.size() == 2);
  CHECK(answer.documents.front().replaced == std::vector<std::string>{"megatron"});
  check_execution(request, answer);
}

TEST_CASE("find together: answers repeat exactly") {
  TogetherRequest request = request_of("{dp: 2, tp: 4}", {FindPart::placements, FindPart::recompute}, kOneGiB);
  request.run.model = source_folder() + "/tests/data/found/two-branches.yaml";
  request.budget = 0.8 * found(request).given.memory.scalar.value;
  const FoundTogether one = found(request), other = found(request);
  CHECK(one.found.step.scalar.value == other.found.step.scalar.value);
  REQUIRE(one.documents.size() == other.documents.size());
  CHECK(!one.documents.empty());
  for (std::size_t i = 0; i < one.documents.size(); ++i) CHECK(one.documents[i].text == other.documents[i].text);
}

TEST_CASE("find together: a part that the run lacks is refused, and a run without any part is an error") {
  const FoundTogether answer = found(request_of("{dp: 2, tp: 2}", {FindPart::stages, FindPart::recompute}, 78 * kOneGiB));
  REQUIRE(answer.refused.size() == 1);
  CHECK(answer.refused.front().first == FindPart::stages);
  TogetherRequest improved = request_of("{dp: 2, tp: 8}", {FindPart::placements, FindPart::stages}, 24 * kOneGiB);
  improved.run.model = source_folder() + "/tests/data/found/two-branches.yaml";
  const FoundTogether after = found(improved);  // Placements improve the run before stages are refused.
  CHECK(!after.documents.empty());
  CHECK(after.refused.size() == 1);
  Diagnostics messages;
  CHECK(!find_together(request_of("{dp: 2}", {FindPart::placements, FindPart::stages}, kOneGiB), shipped(), messages));
  CHECK(render(messages).find("no axis is left to search") != std::string::npos);
  CHECK(find_parts("recompute,placements", messages) == std::vector<FindPart>{FindPart::placements, FindPart::recompute});
}

}  // namespace opledger
