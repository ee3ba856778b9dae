#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "report/writers.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

/// Writes the report `eval` of a run for people.
std::string written(Run& run, Format format, bool full) {
  const std::optional<Report> report = build_report(run, {"eval"}, said(), true, "", full);
  REQUIRE_MESSAGE(report, render(said()));
  return write(*report, format, {kPageWidth, false, full});
}

}  // namespace

TEST_CASE("the first screen of every shipped run has at most 40 lines, its figures are those of the whole report, and programs get everything") {
  std::size_t runs = 0, serving = 0;
  for (const std::string& name : testing::some_of(shipped().names("execution"), 10)) {
    const auto [model, system] = model_and_system(name);
    if (model.empty()) continue;
    CAPTURE(name);
    const auto run = prepare(model, name, system);
    const std::string screen = written(*run, Format::text, false), whole = written(*run, Format::text, true);
    CHECK(std::count(screen.begin(), screen.end(), '\n') <= 40);
    CHECK(std::count(screen.begin(), screen.end(), '\n') >= 25);
    CHECK(std::count(whole.begin(), whole.end(), '\n') > 50);
    CHECK(screen.find("--full") != std::string::npos);
    CHECK(whole.find("--full") == std::string::npos);
    CHECK(written(*run, Format::markdown, false).size() < written(*run, Format::markdown, true).size());
    for (const Format format : {Format::json, Format::csv})
      CHECK(written(*run, format, true) == write(*build_report(*run, {"eval"}, said(), true, "", true), format));
    // A table of the rest can still be had alone.
    const std::optional<Report> kernels = build_report(*run, {"eval"}, said(), true, "kernels");
    REQUIRE(kernels);
    CHECK(kernels->tables.size() == 1);
    serving += run->accounting() == "serving" ? 1 : 0;
    ++runs;
  }
  MESSAGE(runs, " runs, ", serving, " of them serve");
  CHECK(runs >= 31 / testing::one_of(10));
}

}  // namespace opledger
