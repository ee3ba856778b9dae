#include "tests/search/checked_space.h"

#include <doctest/doctest.h>

#include <bit>
#include <map>

#include "search/space/candidate_ranges.h"
#include "search/space/space_reader.h"
#include "search/space/where.h"
#include "tests/paths.h"
#include "tests/search/rows.h"
#include "tests/search/space_case.h"

namespace opledger {
namespace {

/// Returns the front over the last two metrics of rows. The first metric is maximized if `maximize`, the second minimized. Rows are
/// visited from the best first metric on; a row is on the front if it beats all earlier rows in the second. Of equal rows the
/// first one counts.
std::vector<FrontPoint> front_of(const std::vector<std::vector<double>>& rows, bool maximize) {
  std::map<std::pair<double, double>, FrontPoint> distinct;
  for (const auto& row : rows) {
    const double first = row[row.size() - 2], second = row.back();
    const auto [found, fresh] = distinct.try_emplace({maximize ? -first : first, second}, FrontPoint{{first, second}, {row.begin(), row.end() - 2}, 0});
    ++found->second.multiplicity;
  }
  std::vector<FrontPoint> out;
  for (auto& [_, point] : distinct) {
    if (out.empty() || point.metrics[1] < out.back().metrics[1]) out.push_back(std::move(point));
  }
  return out;
}

void check_front(const std::vector<FrontPoint>& found, const std::vector<FrontPoint>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].metrics == expected[i].metrics);
    CHECK(found[i].values == expected[i].values);
    CHECK(found[i].multiplicity == expected[i].multiplicity);
  }
}

}  // namespace

void check_space(const SweepCase& c) {
  CAPTURE(c.model);
  static Library library({source_folder()});
  Diagnostics diagnostics;
  std::optional<Space> space = read_space(request_of({c.space, c.model, c.system, c.settings}), library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  for (const std::string& axis : c.stops) REQUIRE(add_stop(*space, axis, diagnostics));
  if (c.where != nullptr) REQUIRE_MESSAGE(add_where(*space, c.where, diagnostics), render(diagnostics));
  const SweepResult all = check_sweep(*space, c.sums);
  CHECK(all.feasible > 0);
  if (!c.stops.empty()) CHECK(all.skipped > 0);
}

SweepResult check_sweep(Space& space, const std::vector<std::string>& sums, OneByOne::Sharing sharing) {
  Diagnostics diagnostics;
  const std::uint64_t total = CandidateRanges(space).total(diagnostics).value_or(0);
  SweepRequest request;
  request.top = 25;
  request.sums = sums;
  request.jobs = 1;
  request.metrics = {space.objective, sums[0]};
  request.front = {{space.objective, space.maximize}, {sums[0], false}};
  Rows rows;
  list_into(request, rows);
  const std::optional<SweepResult> all = sweep(space, request, diagnostics);
  REQUIRE_MESSAGE(all, render(diagnostics));
  const OneByOne one_by_one(space, request, sharing);
  REQUIRE_MESSAGE(!one_by_one.diagnostics.has_errors(), render(one_by_one.diagnostics));
  const SweepResult& expected = one_by_one.result;
  CHECK((rows == one_by_one.feasible));
  for (const auto& [reason, refused] : one_by_one.refused) {
    const auto& [scored, nearest] = refused;
    CAPTURE(reason);
    SweepRequest reason_request;
    reason_request.top = 1;
    reason_request.refused_by = reason;
    const std::optional<SweepResult> found = sweep(space, reason_request, diagnostics);
    REQUIRE_MESSAGE(found, render(diagnostics));
    CHECK(found->feasible >= scored);  // a value that is not finite is no score
    CHECK(found->feasible <= expected.infeasible.at(reason));
    REQUIRE(found->best.size() == (nearest ? 1u : 0u));
    if (nearest) CHECK(found->best[0].values == nearest->values);
  }
  check_front(all->front.sorted(), front_of(rows, space.maximize));
  CHECK(all->candidates == expected.candidates);
  CHECK(all->candidates + all->skipped == total);
  CHECK(all->feasible == expected.feasible);
  CHECK(all->infeasible == expected.infeasible);
  for (std::size_t m = 0; m < expected.sums.size(); ++m)
    CHECK(std::bit_cast<std::uint64_t>(all->sums[m].value()) == std::bit_cast<std::uint64_t>(expected.sums[m].value()));
  REQUIRE(all->best.size() == expected.best.size());
  for (std::size_t i = 0; i < expected.best.size(); ++i) {
    CAPTURE(i);
    CHECK(std::bit_cast<std::uint64_t>(all->best[i].score) == std::bit_cast<std::uint64_t>(expected.best[i].score));
    CHECK(all->best[i].values == expected.best[i].values);
  }
  return *all;
}

}  // namespace opledger
