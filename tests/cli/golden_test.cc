#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Every folder of tests/cli/errors, output, strategies and strategies_small is a case: the shell command line in `command` is run in a copy of it, and what comes out must be
/// `expected`. After a change that is meant, write them anew and read the difference:
///   OPLEDGER_UPDATE=1 build/test_cli && git diff tests/cli
namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(source_folder()) / "tests" / "cli";

std::vector<fs::path> cases(const std::string& group) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kCases / group)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

Finished run_case(const fs::path& folder, const TemporaryFolder& copy) {
  fs::copy(folder, copy.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::remove(copy.path() / "expected");
  fs::remove(copy.path() / "command");
  Finished finished = run_shell(read_file(folder / "command"), copy.path());
  finished.out = masked(finished.out, copy.path());
  finished.err = masked(finished.err, copy.path());
  return finished;
}

void compare(const std::string& text, const fs::path& folder) {
  const fs::path expected = folder / "expected";
  if (std::getenv("OPLEDGER_UPDATE") != nullptr) std::ofstream(expected, std::ios::binary) << text;
  INFO("OPLEDGER_UPDATE=1 writes this file anew: ", expected.string());
  CHECK(text == read_file(expected));
}

void check_errors(char first, char last) {
  for (const fs::path& folder : cases("errors")) {
    const std::string name = folder.filename().string();
    if (name[0] < first || name[0] > last) continue;
    const TemporaryFolder copy;
    const Finished finished = run_case(folder, copy);
    compare("exit status " + std::to_string(finished.status) + "\n" + finished.err, folder);
    CAPTURE(name);
    if (finished.status == 2) CHECK(finished.out == "");
  }
}

void check_results(const std::string& group) {
  for (const fs::path& folder : cases(group)) {
    const TemporaryFolder copy;
    const Finished finished = run_case(folder, copy);
    CAPTURE(folder.filename().string());
    compare(finished.out, folder);
    CHECK(finished.err == "");
    CHECK(finished.status == 0);
  }
}

/// `forward all_gather tp`: tensors of a layer, and their bytes together; of another segment than the decoder `head forward all_gather tp`. `stage 0 on_host`: 1, and
/// what a rank of it has on the host.
using Volumes = std::map<std::string, std::pair<int, double>>;

/// What the table of `worked.md` says.
Volumes worked_out(const fs::path& folder) {
  Volumes out;
  std::istringstream text(read_file(folder / "worked.md"));
  for (std::string line; std::getline(text, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 6 || cells[4].find_first_not_of("0123456789") != std::string::npos) continue;
    std::string bytes = cells[5].substr(cells[5].rfind('=') + 1);  // all of it without one
    bytes.erase(std::remove(bytes.begin(), bytes.end(), ','), bytes.end());
    out[cells[1] + " " + cells[2] + " " + cells[3]] = {std::stoi(cells[4]), std::stod(bytes)};
  }
  return out;
}

/// The same of the messages at the end of `expected`, and of what lies on the host: all of a segment that was worked out at all.
Volumes listed(const fs::path& folder, const Volumes& worked) {
  Volumes out;
  std::istringstream text(read_file(folder / "expected"));
  for (std::string line; std::getline(text, line);) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() == 3 && cells[0] == "stages") out["stage " + cells[1] + " on_host"] = {1, std::stod(cells[2])};
    if (cells.size() != 12 || cells[0] == "segment") continue;
    const std::string segment = cells[0] == "decoder" ? "" : cells[0] + " ";
    const auto known = worked.lower_bound(segment);
    if (known == worked.end() || known->first.compare(0, segment.size(), segment) != 0) continue;
    auto& [tensors, bytes] = out[segment + cells[2] + " " + cells[3] + " " + cells[4]];
    tensors += std::stoi(cells[6]);
    bytes += std::stod(cells[8]);
  }
  return out;
}

}  // namespace

// In four parts, so that they can run side by side.
TEST_CASE("mistakes get their messages, a to d") { check_errors('a', 'd'); }
TEST_CASE("mistakes get their messages, e to n") { check_errors('e', 'n'); }
TEST_CASE("mistakes get their messages, o to t") { check_errors('o', 't'); }
TEST_CASE("mistakes get their messages, u to z") { check_errors('u', 'z'); }

TEST_CASE("results come out as they should") { check_results("output"); }

// What is in them is worked out by hand in tests/run/strategies_test.cc.
TEST_CASE("annotated graphs of strategies come out as they should") { check_results("strategies"); }

// What a layer communicates in them is worked out by hand beside them, in worked.md.
TEST_CASE("annotated graphs of strategies on small models come out as they should, with the volumes that a hand works out") {
  check_results("strategies_small");
  for (const fs::path& folder : cases("strategies_small")) {
    CAPTURE(folder.filename().string());
    const Volumes worked = worked_out(folder);
    CHECK(!worked.empty());
    CHECK((worked == listed(folder, worked)));
  }
  CHECK(cases("strategies_small").size() == cases("strategies").size());
}

TEST_CASE("at least forty kinds of mistakes have a case") { CHECK(cases("errors").size() >= 40); }

TEST_CASE("results are the same every time") {
  for (const char* format : {"text", "json", "csv", "markdown"}) {
    const std::string command = std::string("opledger eval gpt2 gpt2-1xa100 a100-80g-sxm --format ") + format;
    const std::string first = run_shell(command, ".").out;
    CHECK(first != "");
    CHECK(first == run_shell("LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo " + command, "/").out);
  }
}

}  // namespace opledger
