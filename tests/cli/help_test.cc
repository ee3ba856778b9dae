#include "cli/help.h"

#include <doctest/doctest.h>

#include <sstream>

#include "cli/option_parser.h"
#include "report/cells.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

std::string widest(const std::string& text) {
  std::string result;
  for (const std::string& line : lines(text)) {
    if (width(line) > width(result)) result = line;
  }
  return result;
}

}  // namespace

TEST_CASE("every command explains itself, with examples, within 100 columns, and is in docs/commands.md") {
  CHECK(width(widest(help_overview())) <= 100);
  const std::string page = text_of(source_folder() + "/docs/commands.md");
  for (const Command& command : commands()) {
    CAPTURE(command.name);
    const std::string help = help_of(command);
    CHECK(width(widest(help)) <= 100);
    CHECK(page.find("\n| `" + std::string(command.name) + " ") != std::string::npos);
    CHECK(help.find("\nUsage: opledger " + std::string(command.name) + " " + usage(command)) != std::string::npos);
    const std::vector<std::string> examples = lines(std::string(help_examples(command.name)));
    CHECK(examples.size() >= 2);
    for (const std::string& example : examples) CHECK(example.rfind("  opledger " + std::string(command.name), 0) == 0);
  }
}

TEST_CASE("the examples of help work") {
  const TemporaryFolder folder;
  fs::copy(fs::path(source_folder()) / "tests" / "cli" / "help", folder.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::string examples(help_examples("opledger"));
  for (const Command& command : commands()) examples += help_examples(command.name);
  const std::string kLongest = "  opledger validation";
  CHECK(contains(lines(examples), kLongest));
  int turn = 0;
  for (const std::string& example : lines(examples)) {
    // The longest example takes half a minute. The test cli.pages evaluates the same runs for docs/accuracy.md, with
    // --summary.
    if (example == kLongest) continue;
    if (turn++ % testing::one_of(10) != 0) continue;
    const Finished finished = run_shell(example, folder.path());
    CAPTURE(example);
    CAPTURE(finished.err);
    CHECK((finished.status == 0 || finished.err.rfind("infeasible: ", 0) == 0));
  }
}

}  // namespace opledger
