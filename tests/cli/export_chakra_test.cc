#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExport = "opledger export chakra gpt2 gpt2-1xa100 a100-80g-sxm --set batch_size=16 ";

std::size_t files_in(const fs::path& folder) { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }

}  // namespace

TEST_CASE("export chakra: a file for each rank, links for equal ranks, and the groups") {
  const TemporaryFolder folder;
  const Finished finished = run_shell("opledger export chakra llama-3-8b llama-3-8b-16xh100 h100-80g-sxm -o traces/", folder.path());
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  CHECK(finished.out.find("16 ranks, 1 different files") != std::string::npos);
  const fs::path traces = folder.path() / "traces";
  CHECK(files_in(folder.path()) == 1);
  CHECK(files_in(traces) == 17);
  CHECK(fs::hard_link_count(traces / "llama-3-8b-16xh100.0.et") == 16);
  CHECK(fs::equivalent(traces / "llama-3-8b-16xh100.0.et", traces / "llama-3-8b-16xh100.15.et"));
  const nlohmann::json groups = nlohmann::json::parse(read_file(traces / "comm_group.json"));
  CHECK(groups.at("1").size() == 16);
}

TEST_CASE("export chakra: nothing is half written, and nothing that is there is touched") {
  const TemporaryFolder folder;
  REQUIRE(run_shell("mkdir empty full && touch full/a file && ln -s empty link && ln -s nowhere dangling", folder.path()).status == 0);
  CHECK(run_shell(std::string(kExport) + "-o empty", folder.path()).status == 0);
  CHECK(files_in(folder.path() / "empty") == 2);
  for (const std::string where : {"full", "file", "empty", "none/traces", "file/traces", "-", "", "dangling"}) {
    CAPTURE(where);
    const Finished finished = run_shell(std::string(kExport) + "-o '" + where + "'", folder.path());
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK(finished.err.find("error: ") != std::string::npos);
  }
  CHECK(files_in(folder.path() / "full") == 1);
  CHECK(files_in(folder.path()) == 5);  // No temporary files are left.
}

}  // namespace opledger
