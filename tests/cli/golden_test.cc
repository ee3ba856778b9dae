#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/case_file.h"
#include "tests/support/random_count.h"

/// Every file in tests/cli/errors, output and strategies is a case (tests/support/case_file.h). Its command runs in a
/// folder with its documents, and the output must equal `expected`. After an intended change, write the outputs anew
/// and read the difference: OPLEDGER_UPDATE=1 build/test_cli && git diff tests/cli
namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kCli = fs::path(source_folder()) / "tests" / "cli";

std::vector<CaseFile> cases(const std::string& group) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kCli / group)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<CaseFile> out;
  for (const fs::path& file : files) out.push_back(read_case(file));
  return out;
}

Finished run_case(const CaseFile& test) {
  const TemporaryFolder folder;
  test.lay_out(folder.path());
  Finished finished = run_shell(test.command, folder.path());
  finished.out = masked(finished.out, folder.path());
  finished.err = masked(finished.err, folder.path());
  return finished;
}

void compare(const std::string& text, const CaseFile& test) {
  const std::string expected = test.section("expected");
  if (std::getenv("OPLEDGER_UPDATE") != nullptr && text != expected) write_expected(test, text);
  INFO("OPLEDGER_UPDATE=1 writes its `expected` anew: ", test.path.string());
  CHECK(text == expected);
}

void check_errors() {
  for (const CaseFile& test : testing::some_of(cases("errors"), 20)) {
    const Finished finished = run_case(test);
    compare("exit status " + std::to_string(finished.status) + "\n" + finished.err, test);
    CAPTURE(test.path.stem().string());
    if (finished.status == 2) CHECK(finished.out == "");
  }
}

void check_results(const std::string& group) {
  for (const CaseFile& test : testing::some_of(cases(group), 20)) {
    const Finished finished = run_case(test);
    CAPTURE(test.path.stem().string());
    compare(finished.out, test);
    CHECK(finished.err == "");
    CHECK(finished.status == 0);
  }
}

/// Number of tensors and bytes of messages in a layer, by `forward all_gather tp`. A segment other than the decoder
/// comes first: `head forward all_gather tp`. `stage 0 on_host` has 1 and the host bytes of a rank.
using Volumes = std::map<std::string, std::pair<int, double>>;

/// Reads the volumes in the table of a section `worked`.
Volumes worked_out(const std::string& worked) {
  Volumes out;
  std::istringstream text(worked);
  for (std::string line; std::getline(text, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 6 || cells[4].find_first_not_of("0123456789") != std::string::npos) continue;
    std::string bytes = cells[5].substr(cells[5].rfind('=') + 1);  // The bytes follow an equals sign; the whole cell if it has none.
    bytes.erase(std::remove(bytes.begin(), bytes.end(), ','), bytes.end());
    out[cells[1] + " " + cells[2] + " " + cells[3]] = {std::stoi(cells[4]), std::stod(bytes)};
  }
  return out;
}

/// Reads the volumes in printed messages and host memory, for the segments in `worked`.
Volumes printed_volumes(const std::string& printed, const Volumes& worked) {
  Volumes out;
  std::istringstream text(printed);
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

/// Compares the printed volumes of a strategy with volumes worked by hand: `worked` for the small model, and
/// `worked_in_full` for a real model if the case prints its messages.
void check_volumes(const CaseFile& test) {
  const std::string printed = test.section("expected");
  const std::size_t full = printed.find("\non ");
  REQUIRE(full != std::string::npos);
  const Volumes small = worked_out(test.section("worked"));
  CHECK(!small.empty());
  CHECK((small == printed_volumes(printed.substr(0, full), small)));
  const Volumes large = worked_out(test.section("worked_in_full"));
  CHECK(large.empty() == (printed.find("messages of one rank", full) == std::string::npos));
  if (!large.empty()) CHECK((large == printed_volumes(printed.substr(full), large)));
}

}  // namespace

TEST_CASE("mistakes get their messages") { check_errors(); }

TEST_CASE("results come out as they should") { check_results("output"); }

// The cases contain the communication of a layer, worked by hand; see also tests/run/strategies_test.cc.
TEST_CASE("annotated graphs of strategies come out as they should, with the volumes that a hand works out") {
  check_results("strategies");
  for (const CaseFile& test : cases("strategies")) {
    CAPTURE(test.path.stem().string());
    check_volumes(test);
  }
}

TEST_CASE("what cases share is shared: no folder of documents without two of them, no document of a case that is one of these") {
  std::map<std::string, int> users;
  std::set<std::string> shared;
  for (const auto& folder : fs::directory_iterator(kCli / "documents")) {
    users[folder.path().filename().string()] = 0;
    for (const auto& file : fs::directory_iterator(folder)) shared.insert(file.path().filename().string() + "\n" + read_file(file.path()));
  }
  for (const char* group : {"errors", "output", "strategies"}) {
    for (const CaseFile& test : cases(group)) {
      for (const std::string& name : test.with) ++users[name];
      for (const auto& [name, text] : test.sections) CHECK_MESSAGE(shared.count(name + "\n" + text) == 0, test.path.string(), " ", name);
    }
  }
  for (const auto& [name, count] : users) CHECK_MESSAGE(count > 1, name);
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
