#include "tests/structure/prose.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.h"
#include "tests/structure/sources.h"

/// Sentences of the tree keep within the limits that docs/contributing.md states under "Words".
namespace opledger::structure {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxBadBeginnings = 8;  // percent of texts, over all folders
constexpr double kMaxPronouns = 8;       // percent of words, over all folders
constexpr double kMaxWhats = 2;          // in 1,000 words, over all folders
constexpr double kMaxBadBeginningsOfFolder = 12;
constexpr double kMaxPronounsOfFolder = 10;
constexpr double kMinCommentBytesOfHeaders = 35;
constexpr double kMinCommentBytesOfSources = 6;
constexpr double kMinCommentBytesOfAlgorithms = 10;

/// Folders whose sources are mostly algorithms.
const std::vector<std::string> kAlgorithms = {"formulas", "expr", "rules", "accounting", "graph", "search", "play"};

/// Words that are used with private meanings: neither identifiers nor sentences may use them.
const std::vector<std::string> kPrivateWords = {"unheard", "unspoken", "doomed", "belongings", "likewise"};

/// Words that say nothing about the thing that an identifier names.
const std::vector<std::string> kPrivateNames = {"told", "asked", "wanted", "alike", "beside", "apart", "those", "roster", "stretch", "stretches", "siblings"};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the files below a folder of the tree with one of these endings, in order.
std::vector<File> files_below(const std::string& folder, const std::vector<std::string>& endings) {
  std::vector<File> result;
  const fs::path root = fs::path(source_folder()) / folder;
  if (!fs::is_directory(root)) return result;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    if (at->path().filename() == "node_modules") at.disable_recursion_pending();
    if (!at->is_regular_file() || std::find(endings.begin(), endings.end(), at->path().extension().string()) == endings.end()) continue;
    result.push_back({fs::relative(at->path(), source_folder()).string(), content(at->path())});
  }
  std::sort(result.begin(), result.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return result;
}

using Extract = std::function<std::vector<std::string>(std::string_view)>;
using ProseOfFolders = std::map<std::string, Prose>;

ProseOfFolders measure(const std::vector<File>& files, const Extract& texts) {
  ProseOfFolders result;
  for (const File& file : files) {
    for (const std::string& text : texts(file.text)) result[folder_of(file.path)].add(text);
  }
  return result;
}

std::vector<File> yaml_files() {
  std::vector<File> result;
  std::vector<std::string> folders_with_documents = folders();
  folders_with_documents.emplace_back("stacks");
  for (const std::string& folder : folders_with_documents) {
    const std::vector<File> files = files_below(folder, {".yaml"});
    result.insert(result.end(), files.begin(), files.end());
  }
  return result;
}

/// Returns the row of docs/contributing.md with these figures, as the page should have it.
std::string row(const std::string& kind, const Prose& prose) {
  std::ostringstream out;
  out << "| " << kind << " | " << prose.texts << " | " << std::fixed << std::setprecision(1) << prose.bad_beginnings_percent() << " | "
      << prose.pronouns_percent() << " | " << prose.whats_per_thousand() << " |";
  return out.str();
}

/// Checks that docs/contributing.md states the figures of one kind of text, within one percent and one word in 1,000.
void check_page(const std::string& kind, const Prose& prose) {
  const std::string page = content(fs::path(source_folder()) / "docs/contributing.md");
  const std::size_t at = page.find("\n| " + kind + " | ");
  INFO("docs/contributing.md should have: ", row(kind, prose));
  REQUIRE(at != std::string::npos);
  std::istringstream cells(page.substr(at + kind.size() + 6, 60));
  double texts = 0, bad_beginnings = 0, pronouns = 0, whats = 0;
  std::string bar;
  cells >> texts >> bar >> bad_beginnings >> bar >> pronouns >> bar >> whats;
  CHECK(texts == doctest::Approx(prose.texts).epsilon(0.1));
  CHECK_LE(std::abs(bad_beginnings - prose.bad_beginnings_percent()), 1);
  CHECK_LE(std::abs(pronouns - prose.pronouns_percent()), 1);
  CHECK_LE(std::abs(whats - prose.whats_per_thousand()), 1);
}

/// Checks the limits of one kind of text, folder by folder and in total, and its row in docs/contributing.md.
void check(const std::string& kind, const ProseOfFolders& folders_of_kind) {
  Prose total;
  for (const auto& [folder, prose] : folders_of_kind) {
    total.add(prose);
    INFO(kind, " of ", folder, ", ", prose.texts, " texts");
    CHECK_LE(prose.bad_beginnings_percent(), kMaxBadBeginningsOfFolder);
    CHECK_LE(prose.pronouns_percent(), kMaxPronounsOfFolder);
  }
  INFO(kind, ", ", total.texts, " texts of ", total.words, " words");
  REQUIRE_GT(total.texts, 0);
  CHECK_LE(total.bad_beginnings_percent(), kMaxBadBeginnings);
  CHECK_LE(total.pronouns_percent(), kMaxPronouns);
  CHECK_LE(total.whats_per_thousand(), kMaxWhats);
  check_page(kind, total);
}

/// Returns the words of an identifier in lower case: `is_held`, `isHeld` and `kHeldSet` all have `held`.
std::vector<std::string> words_of_identifiers(std::string_view code) {
  std::vector<std::string> result;
  std::string word;
  for (std::size_t i = 0; i <= code.size(); ++i) {
    const unsigned char c = i < code.size() ? static_cast<unsigned char>(code[i]) : ' ';
    const bool ends = std::isalpha(c) == 0 || (std::isupper(c) != 0 && !word.empty() && std::islower(static_cast<unsigned char>(code[i - 1])) != 0);
    if (ends && !word.empty()) result.push_back(std::exchange(word, {}));
    if (std::isalpha(c) != 0) word += static_cast<char>(std::tolower(c));
  }
  return result;
}

bool holds(const std::vector<std::string>& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// Returns `base/a.h:3: word`, one line for each place of a private word.
std::string private_words(const std::vector<File>& files) {
  std::string result;
  for (const File& file : files) {
    for (const Piece& piece : pieces(file.text)) {
      const bool is_key = piece.kind == Kind::literal && piece.text.find(' ') == std::string::npos;
      if (piece.kind == Kind::quote || is_key) continue;
      for (const std::string& word : words_of_identifiers(piece.text)) {
        const bool is_private = holds(kPrivateWords, word) || (piece.kind == Kind::code && holds(kPrivateNames, word));
        if (is_private) result += file.path + ":" + std::to_string(piece.line) + ": " + word + "\n";
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("comments of C++ are sentences") { check("comments", measure(cxx_files(), comments_of_code)); }

TEST_CASE("comments of the page are sentences") { check("comments of the page", measure(files_below("explorer/src", {".ts", ".tsx"}), comments_of_code)); }

TEST_CASE("messages and help are sentences") { check("messages", measure(cxx_files(), messages_of_code)); }

TEST_CASE("documents of the library are described in sentences") { check("documentation in YAML", measure(yaml_files(), texts_of_yaml)); }

TEST_CASE("pages are sentences") {
  std::vector<File> pages = files_below("docs", {".md"});
  pages.push_back({"README.md", content(fs::path(source_folder()) / "README.md")});
  check("pages", measure(pages, texts_of_page));
}

TEST_CASE("headers and bodies are explained") {
  std::map<std::string, CommentBytes> headers;
  std::map<std::string, CommentBytes> sources;
  for (const File& file : cxx_files()) (fs::path(file.path).extension() == ".h" ? headers : sources)[folder_of(file.path)].add(file.text);
  for (const auto& [folder, bytes] : headers) {
    INFO("headers of ", folder);
    CHECK_GE(bytes.percent(), kMinCommentBytesOfHeaders);
  }
  for (const auto& [folder, bytes] : sources) {
    INFO("sources of ", folder);
    CHECK_GE(bytes.percent(), holds(kAlgorithms, folder) ? kMinCommentBytesOfAlgorithms : kMinCommentBytesOfSources);
  }
}

TEST_CASE("no identifier or comment uses a private word") { CHECK(private_words(cxx_files()) == ""); }

TEST_CASE("sentences are counted") {
  Prose prose;
  prose.add("Of what it has.");
  prose.add("Returns the rank of a node.");
  prose.add("Two words");
  CHECK(prose.texts == 2);
  CHECK(prose.words == 10);
  CHECK(prose.bad_beginnings_percent() == doctest::Approx(50));
  CHECK(prose.pronouns_percent() == doctest::Approx(20));
  CHECK(prose.whats_per_thousand() == doctest::Approx(100));
}

TEST_CASE("texts are found in code, YAML and pages") {
  using Texts = std::vector<std::string>;
  CHECK(comments_of_code("/// First `x y`\n/// second.\nint a;  // Third.\n// Fourth.\nint b;") == Texts{"First second.", "Third.", "Fourth."});
  CHECK(messages_of_code("f(\"one `two` \"\n  \"three\", \"four\")") == Texts{"one `` three", "four"});
  CHECK(texts_of_yaml("# Above\n# a group\na: {doc: \"Bytes of `x`\", v: 1}\nb:\n  doc: >\n    Long\n    text\n  v: 2  # trailing\n") ==
        Texts{"Above a group", "Bytes of ``", "Long text", "trailing"});
  CHECK(texts_of_page("# Title\nOne\ntwo.\n\n- item\n```\ncode\n```\n| a | b |\n") == Texts{"One two.", "- item", "a", "b"});
}

TEST_CASE("a private word is noticed") {
  CHECK(private_words({{"base/a.h", "int told_by;  // The doomed `alike` and apart.\n"}}) == "base/a.h:1: told\nbase/a.h:1: doomed\n");
}

}  // namespace opledger::structure
