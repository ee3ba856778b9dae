#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/paths.h"

/// Links between the pages, and to files of the tree, have targets. Links to the web are not followed.
namespace opledger::structure {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> result;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) result.push_back((*match)[1]);
  return result;
}

/// `The engine's sets` is `#the-engines-sets`.
std::string anchor(const std::string& heading) {
  std::string result;
  for (char c : heading) {
    if (c == ' ') result += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

bool has_anchor(const std::string& text, const std::string& link) {
  for (const std::string& heading : found(text, "\n#+ ([^\n]*)")) {
    if (anchor(heading) == link) return true;
  }
  return false;
}

/// Returns the links of a page without a target.
std::vector<std::string> broken(const fs::path& page, const std::string& text) {
  std::vector<std::string> result;
  for (const std::string& link : found(text, R"(\]\(([^)\s]+)\))")) {
    if (link.find("://") != std::string::npos) continue;
    const std::size_t hash = link.find('#');
    const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
    if (!fs::exists(target) || (hash != std::string::npos && !has_anchor(text_of(target), link.substr(hash + 1)))) result.push_back(link);
  }
  return result;
}

const fs::path kRoot = source_folder();

}  // namespace

TEST_CASE("every link of README.md, of the pages of folders and of docs/ resolves") {
  std::vector<fs::path> pages = {kRoot / "README.md"};
  for (const fs::directory_entry& folder : fs::directory_iterator(kRoot)) {
    if (fs::exists(folder.path() / "README.md")) pages.push_back(folder.path() / "README.md");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "docs")) {
    if (entry.is_regular_file()) pages.push_back(entry.path());
  }
  CHECK(pages.size() > 20);
  for (const fs::path& page : pages) {
    for (const std::string& link : broken(page, text_of(page))) FAIL_CHECK(page.lexically_relative(kRoot).string(), " links to ", link);
  }
}

TEST_CASE("docs/index.md and docs/mkdocs.yml list every page of docs/") {
  const std::string index = text_of(kRoot / "docs" / "index.md"), site = text_of(kRoot / "docs" / "mkdocs.yml");
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md") continue;
    CHECK_MESSAGE((name == "index.md" || index.find("](" + name + ")") != std::string::npos), name);
    CHECK_MESSAGE(site.find(": docs/" + name + "\n") != std::string::npos, name);
  }
}

TEST_CASE("a broken link is noticed") {
  const fs::path page = kRoot / "docs" / "page.md";
  const std::string good = "[a](models.md), [b](../LICENSE), [c](models.md#operators), [d](accounting.md#the-engines-sets), [e](https://a.b/c)\n";
  CHECK(broken(page, good).empty());
  CHECK(broken(page, "[a](none.md) and [b](models.md#none)") == std::vector<std::string>{"none.md", "models.md#none"});
}

}  // namespace opledger::structure
