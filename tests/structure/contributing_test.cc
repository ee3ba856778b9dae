#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/paths.h"

/// The page docs/contributing.md states the number of files that an addition touches, and lists those of an example.
namespace opledger::structure {
namespace {

struct Addition {
  std::string what;
  std::size_t promised = 0;
  std::vector<std::string> files;
};

std::vector<Addition> additions() {
  const std::regex heading("## (.*): ([0-9]+) files?"), link(R"(\[([^\]]+)\]\()");
  std::vector<Addition> out;
  std::ifstream page(std::filesystem::path(source_folder()) / "docs" / "contributing.md");
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (std::regex_match(line, found, heading)) out.push_back({found[1], std::stoul(found[2]), {}});
    if (out.empty() || line.rfind("- ", 0) != 0) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
      if ((*match)[1].str().find('/') != std::string::npos) out.back().files.push_back((*match)[1]);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("an addition touches as many files as docs/contributing.md says, and they are there") {
  const std::vector<Addition> all = additions();
  CHECK(all.size() == 10);
  for (const Addition& addition : all) {
    CAPTURE(addition.what);
    CHECK(addition.files.size() == addition.promised);
    for (const std::string& file : addition.files) CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path(source_folder()) / file), file);
  }
}

}  // namespace opledger::structure
