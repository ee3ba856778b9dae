#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/structure/sources.h"

/// Constructs that only one place may use.
namespace opledger::structure {
namespace {

struct Habit {
  std::regex code;
  std::vector<std::string> allowed;  ///< Files with permission.
  std::string why;
};

const std::vector<Habit> kHabits = {
    {std::regex(R"(\b(exit|_Exit|quick_exit|abort|terminate)\s*\()"), {"cli/main.cc", "cli/give_up.cc"}, "only cli/main.cc and cli/give_up.cc end the program"},
    {std::regex(R"(\bcatch\s*\()"),
     {"schemas/*.cc", "cli/main.cc", "cli/option_parser.cc", "import/*.cc", "report/*.cc", "search/*.cc"},
     "exceptions of libraries stop where they are used"},
    {std::regex(R"(\bthrow\b)"), {"schemas/*.cc", "python/*.cc", "cli/allocator.cc"}, "mistakes of users become diagnostics, nothing else is thrown"},
    {std::regex(R"(\busing namespace\b)"), {}, "no `using namespace`"},
    {std::regex(R"(\bstd::(cout|cerr|clog)\b)"), {"cli/*.cc"}, "only cli/ prints"},
};

/// `base/a.h:3: why`, one line each.
std::string habit_complaints(const std::vector<File>& files) {
  std::string result;
  for (const File& file : files) {
    for (const Piece& piece : pieces(file.text)) {
      if (piece.kind != Kind::code) continue;
      for (const Habit& habit : kHabits) {
        if (matches(file.path, habit.allowed) || !std::regex_search(piece.text, habit.code)) continue;
        result += file.path + ":" + std::to_string(piece.line) + ": " + habit.why + "\n";
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("nothing outside cli ends the program, prints or lets exceptions through") { CHECK(habit_complaints(cxx_files()) == ""); }

TEST_CASE("a bad habit is noticed") {
  const std::pair<File, std::string> cases[] = {
      {{"base/a.cc", "void f() {\n  std::exit(1);\n}"}, "base/a.cc:2: only cli/main.cc and cli/give_up.cc end the program\n"},
      {{"base/a.cc", "throw 1;  // throw"}, "base/a.cc:1: mistakes of users become diagnostics, nothing else is thrown\n"},
      {{"base/a.cc", "std::cerr << 1;"}, "base/a.cc:1: only cli/ prints\n"},
      {{"base/a.cc", "} catch (const E& e) {"}, "base/a.cc:1: exceptions of libraries stop where they are used\n"},
      {{"cli/main.cc", "std::exit(f(\"throw\"));"}, ""},
  };
  for (const auto& [file, expected] : cases) CHECK(habit_complaints({file}) == expected);
}

}  // namespace opledger::structure
