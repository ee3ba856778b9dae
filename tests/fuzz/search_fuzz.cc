/// Mutated search spaces. Each ends with a message, or a sweep finds the same results, bit for bit, as evaluations of
/// single candidates.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "search/space/candidate_ranges.h"
#include "search/space/space_reader.h"
#include "search/space/where.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/require.h"
#include "tests/search/one_by_one.h"
#include "tests/search/rows.h"

namespace opledger::fuzz {
namespace {

constexpr std::uint64_t kMostCandidates = 400, kMostWithGraph = 60;  // an evaluation of a single candidate compiles its formulas

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)); }

std::string shown(const std::map<std::string, std::uint64_t>& reasons) {
  std::string out;
  for (const auto& [reason, number] : reasons) out += reason + ": " + std::to_string(number) + "\n";
  return out;
}

void compare(const SweepResult& found, const Rows& rows, const OneByOne& alone, const std::string& text) {
  const SweepResult& expected = alone.result;
  require(found.candidates == expected.candidates, "other candidates", text);
  require(found.feasible == expected.feasible, "others are feasible", shown(found.infeasible) + "alone\n" + shown(expected.infeasible) + text);
  require(found.infeasible == expected.infeasible, "other reasons", shown(found.infeasible) + "alone\n" + shown(expected.infeasible) + text);
  for (std::size_t m = 0; m < expected.sums.size(); ++m) require(same(found.sums[m].value(), expected.sums[m].value()), "another sum", text);
  require(found.best.size() == expected.best.size(), "other numbers of the best", text);
  for (std::size_t i = 0; i < expected.best.size(); ++i) {
    const bool is_same = same(found.best[i].score, expected.best[i].score) && found.best[i].values == expected.best[i].values;
    require(is_same, "another is the best", exact(found.best[i].score) + " alone " + exact(expected.best[i].score) + "\n" + text);
  }
  require(rows.size() == alone.feasible.size(), "other rows", text);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      require(same(rows[r][c], alone.feasible[r][c]), "another row", exact(rows[r][c]) + " alone " + exact(alone.feasible[r][c]) + "\n" + text);
  }
}

/// Returns the names that are metrics.
std::vector<std::string> known(const Space& space, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (space.run->program().find_published(name) != nullptr) out.push_back(name);
  }
  return out;
}

void check(const std::string& text) {
  Bundle bundle(text);
  Diagnostics& diagnostics = bundle.diagnostics;
  if (diagnostics.has_errors()) return require_message(diagnostics, text);
  std::optional<Space> space;
  if (!bundle.request.space.empty()) space = read_space(bundle.request, bundle.library, diagnostics);
  if (bundle.request.space.empty()) return;
  if (!space) return require_message(diagnostics, text);
  for (const std::string& condition : bundle.texts("where")) {
    if (!add_where(*space, condition, diagnostics)) return require_message(diagnostics, text);
  }
  for (const std::string& axis : bundle.texts("stop")) {
    if (!add_stop(*space, axis, diagnostics)) return require_message(diagnostics, text);
  }
  const std::optional<std::uint64_t> total = CandidateRanges(*space).total(diagnostics);
  if (!total) return require_message(diagnostics, text);
  if (*total > (space->run->has_model() ? kMostWithGraph : kMostCandidates)) return count("too many candidates");
  SweepRequest request;
  request.top = 5;
  request.jobs = 1;
  request.sums = known(*space, bundle.texts("sums"));
  request.metrics = known(*space, bundle.texts("metrics"));
  Rows rows;
  list_into(request, rows);
  const std::optional<SweepResult> found = sweep(*space, request, diagnostics);
  if (!found) return require_message(diagnostics, text);
  count("candidates");
  const OneByOne alone(*space, request, OneByOne::Sharing::nothing);
  require(!alone.diagnostics.has_errors(), "a candidate alone has an error", render(alone.diagnostics) + text);
  compare(*found, rows, alone, text);
}

}  // namespace
}  // namespace opledger::fuzz

OPLEDGER_MUTATES_DOCUMENTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::fuzz::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
