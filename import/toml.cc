#include "import/toml.h"

#include <fmt/core.h>

// The library asserts the first character of a key and handles other characters right after the assertion. The macro
// disables these assertions, so debug builds read invalid files like release builds.
#define TOML_ASSERT(expression) static_assert(true)

#include <toml++/toml.h>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "base/units.h"

namespace opledger {
namespace {

/// Converts the tree of toml++ recursively. Every value keeps its place in the file; dates become texts.
class TomlReader {
 public:
  explicit TomlReader(std::shared_ptr<const SourceFile> source) : source_(std::move(source)) {}

  /// Converts one node and everything below it. Texts and dates are marked as quoted, so that they stay texts even if
  /// they look like numbers. Numbers become texts from which the same number can be read. The recursion is bounded,
  /// because the library limits the depth of values and `parse_toml` limits the parts of keys.
  Datum read(const toml::node& node) const {
    const Span span = at(node.source());
    if (const toml::table* table = node.as_table()) {
      std::vector<Datum::Entry> entries;
      for (const auto& [key, value] : *table) entries.emplace_back(Datum::scalar(std::string(key.str()), false, at(key.source())), read(value));
      return Datum::map(std::move(entries), span);
    }
    if (const toml::array* array = node.as_array()) {
      std::vector<Datum> items;
      for (const toml::node& item : *array) items.push_back(read(item));
      return Datum::list(std::move(items), span);
    }
    if (const auto* text = node.as_string()) return Datum::scalar(text->get(), true, span);
    if (const auto* truth = node.as_boolean()) return Datum::scalar(truth->get() ? "true" : "false", false, span);
    if (const auto* whole = node.as_integer()) return Datum::scalar(std::to_string(whole->get()), false, span);
    if (const auto* number = node.as_floating_point()) return Datum::scalar(exact(number->get()), false, span);
    std::ostringstream date;
    node.visit([&](const auto& value) {
      if constexpr (toml::is_chronological<decltype(value)>) date << value.get();
    });
    return Datum::scalar(date.str(), true, span);
  }

  Span at(const toml::source_region& region) const { return {source_, region.begin.line, region.begin.column}; }

 private:
  std::shared_ptr<const SourceFile> source_;
};

/// Returns an upper bound of the number of dots in a key; dotted text in values counts, too. The library limits the
/// depth of values but recurses over dotted keys without a limit, so a long key would overflow the stack.
std::size_t deepest_key(std::string_view text) {
  constexpr std::string_view kKeys = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.'\" \t";
  std::size_t deepest = 0, dots = 0;
  char before = ' ';
  for (const char c : text) {
    if (kKeys.find(c) == std::string_view::npos || (c == '.' && before == '.')) dots = 0;
    dots += c == '.' ? 1 : 0;
    deepest = std::max(deepest, dots);
    before = c;
  }
  return deepest;
}

}  // namespace

std::optional<Datum> parse_toml(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  if (deepest_key(source->text) > kMaxDocumentDepth) {
    diagnostics.error({source, 1, 1}, fmt::format("nested too deep: a key may have at most {} parts", kMaxDocumentDepth));
    return std::nullopt;
  }
  const TomlReader reader(source);
  try {
    return reader.read(toml::parse(source->text, source->path));
  } catch (const toml::parse_error& error) {
    diagnostics.error(reader.at(error.source()), fmt::format("this is no TOML: {}", visible(error.description())));
    return std::nullopt;
  }
}

}  // namespace opledger
