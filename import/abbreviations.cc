#include "import/abbreviations.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "import/repetitions.h"
#include "import/script.h"

namespace opledger {
namespace {

class AbbreviationExpander {
 public:
  AbbreviationExpander(const MappedField& field, const FieldMapping& mapping, Diagnostics& diagnostics)
      : field_(field), mapping_(mapping), is_launch_(mapping.kind == ConfigKind::launch), diagnostics_(diagnostics) {}

  /// Returns the value in full; null if another field of the same place reads a value of this form. Returns nothing
  /// after an error. The notations are tried in a fixed order: counted parts, sign texts, repeated lists, lists of
  /// words. A value in no special notation is returned unchanged.
  std::optional<Datum> expand(const Datum& value) {
    if (value.is_null()) return value;
    if (is_launch_ && !is_known(value)) return std::nullopt;
    if (mapping_.flags && is_boolean() && value.boolean() == false) {
      return fail(value, "a flag can't be false: leave it out");
    }
    if (field_.form == "text" ? !value.is_scalar() : !field_.form.empty() && field_.form != form_of(value)) return Datum();
    if (!field_.between.empty()) return count_pieces(value);
    if (!field_.letters.entries().empty()) return value.is_scalar() ? read_signs(value) : flatten(value);
    if (value.is_scalar() && field_.unrolled && is_list_text(value)) return read_repetitions(value);
    if (is_list_type() && is_launch_ && (mapping_.flags || value.is_scalar())) return read_words(value);
    if (is_launch_ && is_boolean() && value.is_scalar() && field_.words.find(value.text()) == nullptr) return read_boolean(value);
    // A script quotes the words of a field, and may quote a number, too: `"op"` or `"2"`. The number loses its quotes.
    const Datum plain = Datum::scalar(value.text(), false, value.span());
    return value.is_scalar() && plain.number() && !field_.words.entries().empty() && is_launch_ ? plain : value;
  }

 private:
  std::optional<Datum> fail(const Datum& value, const std::string& message) {
    diagnostics_.error(value.span(), fmt::format("`{}`: {}", field_.places[0], message));
    return std::nullopt;
  }

  /// Reports variables and commands in a value: scripts are not run, so the user must set the value. Returns whether
  /// the value contains none.
  bool is_known(const Datum& value) {
    for (const Datum& item : value.all()) {
      const std::string name = item.is_scalar() ? expansion_in(item.text()) : "";
      if (name.empty()) continue;
      const bool command = name.find_first_of("(`") != std::string::npos;
      fail(value, command ? fmt::format("`{}` is a command, and scripts are not run: set the value with `--set {}=…`", visible(name), field_.name)
                          : fmt::format("`${}` is unknown, because scripts are not run: set it with `--set {}=…`", visible(name), visible(name)));
      return false;
    }
    return true;
  }

  const Datum* described_type() const { return field_.type.find("type"); }
  const Datum& type() const { return described_type() != nullptr ? *described_type() : field_.type; }
  bool is_boolean() const { return type().text() == "boolean"; }
  bool is_list_type() const { return type().find("list") != nullptr; }

  /// Reads the spellings of booleans in Python and YAML 1.1: `True`, `yes`, `on`. Other values stay unchanged.
  static Datum read_boolean(const Datum& value) {
    static constexpr std::array<std::string_view, 5> kTrue = {"True", "TRUE", "yes", "Yes", "on"}, kFalse = {"False", "FALSE", "no", "No", "off"};
    if (contains(kTrue, value.text())) return Datum::scalar("true", false, value.span());
    if (contains(kFalse, value.text())) return Datum::scalar("false", false, value.span());
    return value;
  }

  static bool is_list_text(const Datum& value) {
    const std::string_view text = trim(value.text());
    return !text.empty() && (text.front() == '[' || text.front() == '(');
  }

  static std::string form_of(const Datum& value) { return value.is_list() || (value.is_scalar() && is_list_text(value)) ? "list" : "number"; }

  /// Replaces each sign of a text by its meaning; a sign with a null meaning is dropped.
  std::optional<Datum> read_signs(const Datum& value) {
    const std::optional<std::string> signs = field_.unrolled ? unroll_signs(value.text()) : value.text();
    if (!signs) return fail(value, "expected repetitions such as `x*3` and `(xy)*2`, not too many");
    std::vector<Datum> out;
    for (const char sign : *signs) {
      const Datum* meant = field_.letters.find(std::string(1, sign));
      if (meant == nullptr) {
        diagnostics_.error(value.span(), fmt::format("`{}`: unknown sign `{}`; signs are {}", field_.name, visible(std::string(1, sign)),
                                                     join(keys_of(field_.letters), ", ")));
        return std::nullopt;
      }
      if (!meant->is_null()) out.push_back(Datum::scalar(meant->text(), false, value.span()));
    }
    return Datum::list(std::move(out), value.span());
  }

  /// Concatenates the items of a list of lists.
  static Datum flatten(const Datum& value) {
    std::vector<Datum> out;
    for (const Datum& inner : value.items()) {
      for (const Datum& item : inner.all()) out.push_back(item);
    }
    return Datum::list(std::move(out), value.span());
  }

  /// Unrolls a list in the notation `([0]*3+[1]*58)`.
  std::optional<Datum> read_repetitions(const Datum& value) {
    const std::optional<std::vector<std::string>> items = unroll_list(value.text());
    if (!items) return fail(value, "expected a list like `([0]*3+[1]*58)`");
    return list_of(*items, value);
  }

  /// Splits `a b` or `[a b]` into a list. Shells remove brackets and blanks before a program receives its arguments.
  std::optional<Datum> read_words(const Datum& value) {
    std::vector<std::string> words;
    for (const Datum& item : value.all()) {
      std::string text = item.text();
      std::replace_if(
          text.begin(), text.end(), [](char c) { return c == '[' || c == ']' || c == ',' || c == '\t'; }, ' ');
      for (std::string& word : split(text, ' ')) {
        if (!word.empty()) words.push_back(std::move(word));
      }
    }
    if (words.empty() && mapping_.flags) return fail(value, "a value is missing");
    return list_of(words, value);
  }

  static Datum list_of(const std::vector<std::string>& words, const Datum& value) {
    std::vector<Datum> out;
    for (const std::string& word : words) out.push_back(Datum::scalar(word, false, value.span()));
    return Datum::list(std::move(out), value.span());
  }

  /// Counts the items that match `counted_item` in each part of a value, such as the layers of each pipeline stage. A
  /// text like `Et*3|(t*4|)*2` is unrolled, split at the separator `between`, and read sign by sign. Repetitions are
  /// unrolled first, because a repeated group may contain the separator. A list already has one entry for each part.
  /// Returns the list of counts; returns nothing and reports an error for an unknown sign or a wrong repetition.
  std::optional<Datum> count_pieces(const Datum& value) {
    std::vector<std::string> parts;
    if (value.is_scalar()) {
      const std::optional<std::string> signs = field_.unrolled ? unroll_signs(value.text()) : value.text();
      if (!signs) return fail(value, "expected repetitions such as `x*3` and `(xy|)*2`, not too many");
      parts = split(*signs, field_.between[0]);
    }
    std::vector<Datum> out;
    for (const std::string& part : parts) {
      const std::optional<Datum> items = read_signs(Datum::scalar(part, false, value.span()));
      if (!items) return std::nullopt;
      out.push_back(count(*items, value));
    }
    for (const Datum& part : value.items()) out.push_back(count(part, value));
    return Datum::list(std::move(out), value.span());
  }

  Datum count(const Datum& items, const Datum& value) const {
    const std::vector<Datum> all = items.all();
    const auto number = std::count_if(all.begin(), all.end(), [&](const Datum& item) { return glob_match(field_.counted_item, item.text()); });
    return Datum::scalar(std::to_string(number), false, value.span());
  }

  static std::vector<std::string> keys_of(const Datum& map) {
    std::vector<std::string> out;
    for (const auto& [key, _] : map.entries()) out.push_back(key.text());
    return out;
  }

  const MappedField& field_;
  const FieldMapping& mapping_;
  const bool is_launch_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Datum> expand_abbreviation(const MappedField& field, const Datum& value, const FieldMapping& mapping, Diagnostics& diagnostics) {
  return AbbreviationExpander(field, mapping, diagnostics).expand(value);
}

}  // namespace opledger
