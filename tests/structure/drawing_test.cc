#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// The drawings of formulas/README.md and the types of the folder name each other.
namespace opledger::structure {
namespace {

namespace fs = std::filesystem;

std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) out.insert((*match)[1]);
  return out;
}

/// Returns the types that headers below a folder define outside of classes.
std::set<std::string> types_of(const fs::path& folder) {
  std::set<std::string> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".h") out.merge(found(text_of(entry.path()), "\n(?:class|struct) (\\w+)(?: final)? *(?:: [^;{]*)?\\{"));
  }
  return out;
}

/// Returns the words of the drawings that look like types: capitals inside, or a capital and small letters at the front.
std::set<std::string> drawn(const std::string& page) {
  std::set<std::string> out;
  for (const std::string& drawing : found(page, "```\n([^`]*)```")) out.merge(found(drawing, "\\b([A-Z][a-z]\\w*)\\b"));
  return out;
}

}  // namespace

TEST_CASE("the drawings of formulas/README.md name the types of evaluate/ and link/, and no others") {
  const fs::path root = source_folder();
  const std::string page = text_of(root / "formulas" / "README.md");
  const std::set<std::string> names = drawn(page), all = types_of(root / "formulas"), tape = types_of(root / "expr");
  CHECK(names.size() > 15);
  for (const std::string& name : names) CHECK_MESSAGE((all.count(name) + tape.count(name) > 0), name, " is drawn and does not exist");
  for (const std::string& name : types_of(root / "formulas" / "evaluate")) CHECK_MESSAGE(names.count(name) == 1, name, " is not drawn");
}

}  // namespace opledger::structure
