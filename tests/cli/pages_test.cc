#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Pages that are followed to the letter: their documents are written, their commands run, and they must print what the page shows.
namespace opledger {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Lines> fenced(const std::string& markdown) {
  std::vector<Lines> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    const bool fence = line.rfind("```", 0) == 0;
    if (fence) inside = !inside;
    if (fence && inside) blocks.emplace_back();
    if (!fence && inside) blocks.back().push_back(line);
  }
  return blocks;
}

/// `my-run`, of a document.
std::string name_of(const Lines& block) {
  for (const std::string& line : block) {
    if (line.rfind("name: ", 0) == 0) return line.substr(6);
  }
  return {};
}

struct Step {
  std::string command;
  Lines shown;
};

std::vector<Step> steps(const Lines& block) {
  std::vector<Step> steps;
  for (const std::string& line : block) {
    if (line.rfind("$ ", 0) == 0) {
      steps.push_back({line.substr(2), {}});
    } else if (!steps.empty()) {
      steps.back().shown.push_back(line);
    }
  }
  return steps;
}

std::string with_short_paths(std::string text) {
  for (const std::string place : {"DIR/", "LIBRARY/"}) {
    for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.erase(at, place.size());
  }
  return text;
}

/// A line `…` stands for any lines.
bool shows(const Lines& shown, const Lines& printed, std::size_t i = 0, std::size_t j = 0) {
  if (i == shown.size()) return j == printed.size();
  if (trim(shown[i]) == "…") {
    for (std::size_t next = j; next <= printed.size(); ++next) {
      if (shows(shown, printed, i + 1, next)) return true;
    }
    return false;
  }
  return j < printed.size() && shown[i] == printed[j] && shows(shown, printed, i + 1, j + 1);
}

/// How many commands were run.
int follow(const char* page) {
  const TemporaryFolder folder;
  int commands = 0;
  for (const Lines& block : fenced(read_file(std::filesystem::path(source_folder()) / page))) {
    const std::string name = name_of(block);
    if (!name.empty()) folder.write(name + ".yaml", join(block, "\n") + "\n");
    for (const Step& step : steps(block)) {
      const Finished finished = run_shell(step.command, folder.path());
      const std::string printed = with_short_paths(masked(finished.out + finished.err, folder.path()));
      CHECK_MESSAGE(shows(step.shown, lines_of(printed)), step.command, "\n", printed);
      ++commands;
    }
  }
  return commands;
}

constexpr std::string_view kGenerated = "<!-- opledger ", kEnd = "<!-- /opledger -->";

/// What stands between `<!-- opledger … -->` and `<!-- /opledger -->` must be what the command prints. How many such places there are.
int check_generated(const char* page) {
  const std::filesystem::path path = std::filesystem::path(source_folder()) / page;
  const std::string text = read_file(path);
  std::string anew;
  int places = 0;
  std::size_t at = 0;
  for (std::size_t open; (open = text.find(kGenerated, at)) != std::string::npos; ++places) {
    const std::size_t begin = text.find(" -->\n", open), end = text.find(kEnd, open);
    REQUIRE_MESSAGE((begin != std::string::npos && end != std::string::npos && begin < end), page);
    const std::size_t command = open + std::string_view("<!-- ").size();
    const Finished finished = run_shell(text.substr(command, begin - command), ".");
    CHECK(finished.err == "");
    anew += text.substr(at, begin + 5 - at) + "\n" + finished.out + "\n";
    at = end;
  }
  anew += text.substr(at);
  if (std::getenv("OPLEDGER_UPDATE") != nullptr) std::ofstream(path, std::ios::binary) << anew;
  CHECK_MESSAGE(anew == read_file(path), page, " is not what its commands print: OPLEDGER_UPDATE=1 build/test_cli writes it anew");
  return places;
}

}  // namespace

TEST_CASE("the tour of README.md works as it is written") { CHECK(follow("README.md") >= 5); }

TEST_CASE("the commands of docs/cookbook.md print what it shows") { CHECK(follow("docs/cookbook.md") >= 10); }

TEST_CASE("the comparisons in docs/conventions.md are what `compare` prints") { CHECK(check_generated("docs/conventions.md") >= 2); }

}  // namespace opledger
