#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>

#include "base/text.h"
#include "schemas/document.h"
#include "tests/cli/page.h"
#include "tests/cli/process.h"
#include "tests/cli/shown.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/random_count.h"

/// Follows README.md and docs/ literally: the files on a page are written and must load, its commands run, and the
/// outputs must equal the shown ones. After an intended change, write the outputs anew and read the difference:
/// OPLEDGER_UPDATE=1 build/test_cli && git diff README.md docs
namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_folder();

bool updating() { return std::getenv("OPLEDGER_UPDATE") != nullptr; }

/// Other programs that commands on pages need, each with a shell command that prints a suitable one. The first Python
/// on the path may lack pandas.
const std::map<std::string, std::string> kOtherPrograms = {
    {"python3", "for p in python3 /usr/bin/python3; do $p -c 'import pandas' 2> /dev/null && echo $p && exit; done; exit 1"},
    {"sqlite3", "command -v sqlite3"}};

/// Documents that replace the placeholders in commands within text.
const std::map<std::string, std::string> kExamples = {{"MODEL", "gpt2"}, {"EXECUTION", "gpt2-1xa100"}, {"SYSTEM", "a100-80g-sxm"}, {"COMMAND", "eval"}};

std::string with_examples(std::string command) {
  for (const auto& [word, example] : kExamples) command = std::regex_replace(command, std::regex(" " + word + "(?= |$)"), " " + example);
  return command;
}

std::string with_short_paths(std::string text) {
  for (const std::string place : {"DIR/", "LIBRARY/"}) {
    for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.erase(at, place.size());
  }
  return text;
}

/// Returns the command with the path of a program it needs; nothing if the program is missing.
std::optional<std::string> runnable(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  const auto other = kOtherPrograms.find(program);
  if (other == kOtherPrograms.end()) return with_examples(command);
  const Finished found = run_shell(other->second, ".");
  if (found.status == 0) return std::string(trim(found.out)) + command.substr(program.size());
  MESSAGE("skipped: there is no ", program, " for `", command, "`; `scripts/setup.sh pages` installs it");
  return std::nullopt;
}

/// Pages whose files lie beside every page: others use them.
constexpr const char* kSharedFiles[] = {"first.md", "serving.md"};

/// Follows one page in a folder with the shared files.
class Follower {
 public:
  explicit Follower(const fs::path& path) : path_(path), text_(read_file(path)), page_(read_page(text_)) {
    for (const char* page : kSharedFiles) {
      for (const Item& item : read_page(read_file(kRoot / "docs" / page)).items) {
        if (const auto* file = std::get_if<ShownFile>(&item)) folder_.write(file->name, file->text);
      }
    }
  }

  void follow() {
    for (const Item& item : page_.items) std::visit([&](const auto& i) { visit(i); }, item);
    for (const Item& item : page_.items) {
      if (const auto* file = std::get_if<ShownFile>(&item)) check_document(file->name);
    }
    if (updating()) rewrite();
  }

 private:
  void visit(const ShownFile& file) {
    folder_.write(file.name, file.text);
    if (is_data(file.name)) check_form(file.text, file.name);
  }

  void visit(const Excerpt& excerpt) { check_form(excerpt.text, "line " + std::to_string(excerpt.line)); }

  void visit(const ShownCommand& step) {
    const std::optional<std::string> command = runnable(step.command);
    if (!command) return;
    const Finished finished = run_shell(*command, folder_.path());
    INFO(path_.filename().string(), ": ", step.command);
    CHECK_MESSAGE(finished.status == step.status, finished.err);
    if (step.begin == step.end) return;
    const std::string printed = with_short_paths(masked(finished.out + finished.err, folder_.path()));
    const Lines shown(page_.lines.begin() + static_cast<std::ptrdiff_t>(step.begin), page_.lines.begin() + static_cast<std::ptrdiff_t>(step.end));
    if (shows(shown, lines_of(printed))) return;
    if (updating()) {
      renewed_[step.begin] = {step.end, renewed(shown, lines_of(printed))};
    } else {
      FAIL_CHECK("this is printed, and OPLEDGER_UPDATE=1 build/test_cli writes it into the page:\n", printed);
    }
  }

  static bool is_data(const std::string& name) {
    const std::string suffix = fs::path(name).extension();
    return suffix == ".yaml" || suffix == ".json";
  }

  /// Checks that a text is YAML; JSON is YAML, too.
  void check_form(const std::string& text, const std::string& name) const {
    Diagnostics diagnostics;
    parse_document(std::make_shared<SourceFile>(SourceFile{path_.filename().string() + ", " + name, text}), diagnostics);
    CHECK_MESSAGE(!diagnostics.has_errors(), render(diagnostics));
  }

  /// Checks that a document is valid, unless the page shows its error.
  void check_document(const std::string& name) {
    if (!is_data(name) || ("\n" + read_file(folder_.path() / name)).find("\nkind: ") == std::string::npos) return;
    const Finished finished = run_shell("opledger validate " + name, folder_.path());
    const Lines messages = lines_of(with_short_paths(masked(finished.err, folder_.path())));
    const bool shown = finished.status == 0 || (!messages.empty() && text_.find(messages[0]) != std::string::npos);
    CHECK_MESSAGE(shown, path_.filename().string(), " shows ", name, ":\n", finished.err);
  }

  void rewrite() const {
    Lines lines;
    for (std::size_t i = 0; i < page_.lines.size();) {
      const auto place = renewed_.find(i);
      if (place == renewed_.end()) {
        lines.push_back(page_.lines[i++]);
      } else {
        const auto& [end, block] = place->second;
        lines.insert(lines.end(), block.begin(), block.end());
        i = end;
      }
    }
    if (!renewed_.empty()) std::ofstream(path_, std::ios::binary) << join(lines, "\n") + "\n";
  }

  fs::path path_;
  std::string text_;
  Page page_;
  TemporaryFolder folder_;
  std::map<std::size_t, std::pair<std::size_t, Lines>> renewed_;  ///< End and new lines of each shown output, by its first line.
};

void follow_pages() {
  std::vector<fs::path> pages;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  for (const fs::path& page : testing::some_of(pages, 10)) Follower(page).follow();
}

constexpr std::string_view kGenerated = "<!-- opledger ", kEnd = "<!-- /opledger -->";

/// Checks that each part between `<!-- opledger … -->` and `<!-- /opledger -->` is the output of the command. Returns
/// the number of parts.
int check_generated(const char* page) {
  const fs::path path = kRoot / page;
  const std::string text = read_file(path);
  std::string anew;
  int places = 0;
  std::size_t at = 0;
  for (std::size_t open; (open = text.find(kGenerated, at)) != std::string::npos; ++places) {
    const std::size_t begin = text.find(" -->\n", open), end = text.find(kEnd, open);
    REQUIRE_MESSAGE((begin != std::string::npos && end != std::string::npos && begin < end), page);
    const std::size_t command = open + std::string_view("<!-- ").size();
    const Finished finished = run_shell(text.substr(command, begin - command), kRoot);
    CHECK(finished.err == "");
    anew += text.substr(at, begin + 5 - at) + "\n" + finished.out + "\n";
    at = end;
  }
  anew += text.substr(at);
  if (updating()) std::ofstream(path, std::ios::binary) << anew;
  CHECK_MESSAGE(anew == read_file(path), page, " is not what its commands print: OPLEDGER_UPDATE=1 build/test_cli writes it anew");
  return places;
}

}  // namespace

TEST_CASE("README.md holds") { Follower(kRoot / "README.md").follow(); }
TEST_CASE("pages hold") { follow_pages(); }

TEST_CASE("docs/reference.md is what `list` prints, and says of every name what it is") {
  CHECK(check_generated("docs/reference.md") == 7);
  CHECK(read_file(kRoot / "docs" / "reference.md").find("|  |\n") == std::string::npos);
}

TEST_CASE("docs/accuracy.md is what `validation` and tables of measured serving print") { CHECK(check_generated("docs/accuracy.md") == 4); }

TEST_CASE("the comparisons in docs/conventions_tables.md are what `compare` prints") { CHECK(check_generated("docs/conventions_tables.md") >= 2); }

}  // namespace opledger
