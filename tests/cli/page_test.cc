#include "tests/cli/page.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

/// Returns the items of a page, one line each: `file a.yaml: kind…`, `excerpt 3`, `2 opledger eval (5 to 7)`.
std::string described(const std::string& markdown) {
  std::string out;
  for (const Item& item : read_page(markdown).items) {
    if (const auto* file = std::get_if<ShownFile>(&item)) out += "file " + file->name + ": " + std::to_string(file->text.size()) + "\n";
    if (const auto* excerpt = std::get_if<Excerpt>(&item)) out += "excerpt " + std::to_string(excerpt->line) + "\n";
    if (const auto* step = std::get_if<ShownCommand>(&item)) {
      out += std::to_string(step->status) + " " + step->command + " (" + std::to_string(step->begin) + " to " + std::to_string(step->end) + ")\n";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a page is split into files, excerpts and commands") {
  const std::pair<const char*, const char*> cases[] = {
      {"This is `a.yaml`:\n\n```yaml\na: 1\n```\n", "file a.yaml: 5\n"},
      {"Text.\n```yaml\nkind: model\nname: b    # its own\n```\n", "file b.yaml: 33\n"},
      {"```yaml\na: 1\n```\n```json\n{}\n```\n", "excerpt 1\nexcerpt 4\n"},
      {"`c.yaml`:\n```yaml\na: 1\n```\n```yaml\nb: 1\n```\n", "file c.yaml: 5\nexcerpt 5\n"},
      {"- in a list\n  ```yaml\n  a: 1\n  ```\n", "excerpt 2\n"},
      {"```\n$ opledger eval a\nb\nc\n$ opledger list\n```\n", "0 opledger eval a (2 to 4)\n0 opledger list (5 to 5)\n"},
      {"```\n$ opledger eval a \\\n  b\nc\n```\n", "0 opledger eval a \\\n  b (3 to 4)\n"},
      {"```\nopledger eval a\nmake test\nopledger list\n```\n", "0 opledger eval a (2 to 2)\n0 opledger list (4 to 4)\n"},
      {"```\n$ opledger eval a  # exit status 1\n$ opledger list\na.yaml:1:1: error: bad\n```\n",
       "1 opledger eval a  # exit status 1 (2 to 2)\n2 opledger list (3 to 4)\n"},
      {"Text `opledger list rules`, `opledger eval …`, `opledger list` and `other`.\n", "0 opledger list rules (0 to 0)\n"},
  };
  for (const auto& [markdown, expected] : cases) CHECK(described(markdown) == expected);
}

}  // namespace opledger
