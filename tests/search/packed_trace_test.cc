#include "search/sweep/packed_trace.h"

#include <doctest/doctest.h>

#include <random>

#include "search/space/space_reader.h"
#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/search/rows.h"

namespace opledger {
namespace {

constexpr std::uint64_t kOwnTapes = 1000;

struct Searched {
  SweepResult result;
  Rows rows;
};

/// Unpacks truncated and changed bytes. The result may be a trace or nothing, but no byte after the end is read.
void check_hostile(const std::string& bytes, const Query& question) {
  for (std::size_t size = 0; size < bytes.size(); size += 997) CHECK_FALSE(unpack_trace(std::string_view(bytes).substr(0, size), question));
  CHECK_FALSE(unpack_trace(bytes + '\0', question));
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string changed = bytes;
    changed[random() % changed.size()] = static_cast<char>(random());
    unpack_trace(changed, question);
  }
}

/// Sweeps a space twice. The second sweep gets all traces of the first one.
std::pair<Searched, Searched> searched_twice(const std::string& refused_by) {
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = "standard", request.model = "llama-3-8b", request.system = "h100-80g-sxm";
  request.overrides = {{"processors", "32"}, {"batch_size", "32"}};
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  const auto search = [&](const std::function<std::optional<RangeInterval>(TraceCache&)>& ranges) {
    Searched out;
    SweepRequest request_of_sweep;
    request_of_sweep.refused_by = refused_by;
    request_of_sweep.sums = {"iteration_time"};
    request_of_sweep.metrics = {space->objective};
    request_of_sweep.ranges = ranges;
    list_into(request_of_sweep, out.rows);
    std::optional<SweepResult> result = sweep(*space, request_of_sweep, diagnostics);
    REQUIRE_MESSAGE(result, render(diagnostics));
    out.result = std::move(*result);
    return out;
  };
  Searched first = search(nullptr);
  bool begun = false;
  Searched second = search([&](TraceCache& structures) -> std::optional<RangeInterval> {
    if (begun) return std::nullopt;
    begun = true;
    structures.number_tapes_from(kOwnTapes);
    check_hostile(packed(*first.result.known->all().front()), structures.query());
    for (const auto& structure : first.result.known->all()) {
      std::optional<NumberedTrace> traced = unpack_trace(packed(*structure), structures.query());
      REQUIRE(traced);
      structures.add(std::move(*traced));
    }
    return RangeInterval{};
  });
  for (const auto& structure : second.result.known->all()) CHECK(structure->tape < kOwnTapes);
  first.result.known.reset();
  second.result.known.reset();
  return {std::move(first), std::move(second)};
}

}  // namespace

TEST_CASE("a sweep with the traces of an earlier sweep finds the same and records none") {
  for (const std::string refused_by : {"", "out of memory"}) {
    CAPTURE(refused_by);
    const auto [first, second] = searched_twice(refused_by);
    CHECK(first.result.traces > 10);
    CHECK(second.result.traces == first.result.traces);
    CHECK(first.result.feasible > 0);
    CHECK(second.result.infeasible == first.result.infeasible);
    CHECK((packed(static_cast<const Tally&>(second.result)) == packed(static_cast<const Tally&>(first.result))));
    CHECK((second.rows == first.rows));
  }
}

}  // namespace opledger
