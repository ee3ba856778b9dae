#include <filesystem>
#include <fstream>

#include "tests/support/runs.h"

/// Machines stated by efficiencies, as before kernels were measured, give unchanged figures.
namespace opledger {
namespace {

const std::string kOld = (source_folder() + "/tests/data/old/");

}  // namespace

TEST_CASE("old systems: figures of shipped executions, to the bit") {
  // Figures of the last release with all digits, in which attention was timed by all pairs of query and key.
  std::ifstream in(kOld + "figures.txt");
  REQUIRE(in);
  int count = 0;
  for (std::string name, system, metric, figure; in >> name >> system >> metric >> figure; ++count) {
    const auto [model, _] = model_and_system(name);
    const std::string frozen = kOld + name + ".yaml";  // A system that has changed since.
    const auto run = prepare(model, std::filesystem::exists(frozen) ? frozen : name, kOld + system + ".yaml", {{"stack", "none"}, {"attention_flops", "full"}});
    CHECK_MESSAGE(value(*run, metric) == std::strtod(figure.c_str(), nullptr), name, " ", metric);
  }
  CHECK(count == 23);
}

}  // namespace opledger
