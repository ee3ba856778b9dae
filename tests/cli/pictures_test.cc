#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/process.h"
#include "tests/paths.h"

/// The pictures in the documentation are outputs of the program. OPLEDGER_UPDATE=1 writes them anew.
namespace opledger {
namespace {

namespace fs = std::filesystem;

struct Picture {
  const char *name, *schedule;
  int chunks;
};
constexpr Picture kPictures[] = {{"gpipe", "gpipe", 1},
                                 {"breadth_first", "breadth_first", 2},
                                 {"1f1b", "1f1b", 1},
                                 {"1f1b_chunks", "1f1b", 2},
                                 {"interleaved_groups", "interleaved_groups", 2},
                                 {"zb_h1", "zb_h1", 1},
                                 {"zb_h2", "zb_h2", 1},
                                 {"interleaved_zero_bubble", "interleaved_zero_bubble", 2},
                                 {"zb_v", "zb_v", 2},
                                 {"dualpipe", "dualpipe", 1},
                                 {"dualpipe_v", "dualpipe_v", 2}};

std::string picture_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Checks that a picture in the documentation is the output of its command.
void check_picture(const std::string& name, const std::string& page, const std::string& command) {
  CAPTURE(name);
  const Finished drawn = run_shell(command, source_folder());
  REQUIRE_MESSAGE(drawn.status == 0, drawn.err);
  const fs::path file = fs::path(source_folder()) / "docs/pictures" / (name + ".svg");
  if (std::getenv("OPLEDGER_UPDATE") != nullptr) std::ofstream(file, std::ios::binary) << drawn.out;
  CHECK(drawn.out == picture_text(file));
  CHECK(picture_text(fs::path(source_folder()) / "docs" / page).find(fmt::format("](pictures/{}.svg)", name)) != std::string::npos);
}

}  // namespace

TEST_CASE("pictures of schedules are what the program draws") {
  for (const Picture& p : kPictures)
    check_picture(
        p.name, "schedules.md",
        fmt::format("opledger timeline llama-3-70b llama-3-70b-64xh100 h100-80g-sxm --set batch_size=16 --set schedule={} --set chunks={} --format svg",
                    p.schedule, p.chunks));
}

TEST_CASE("the picture of streams is what the program draws") {
  check_picture("streams", "streams.md",
                "opledger timeline llama-3-70b llama-3-70b-64xh100 h100-80g-sxm --set layers=2 --set pp=1 --set dp=8 --set chunks=1 --set batch_size=16 "
                "--microbatches 1 --detail operators --format svg");
}

TEST_CASE("the chart of docs/accuracy.md is what scripts/accuracy_chart.sh draws from measured/accuracy.yaml") {
  check_picture("accuracy", "accuracy.md", "scripts/accuracy_chart.sh < measured/accuracy.yaml");
  CHECK(picture_text(fs::path(source_folder()) / "docs/pictures/accuracy.svg").find("<circle") != std::string::npos);
}

}  // namespace opledger
