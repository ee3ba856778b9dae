#include "import/value_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "formulas/formula_text.h"
#include "import/mapped_config.h"

namespace opledger {
namespace {

constexpr const char* kEntry = "n";  // Name of an entry's index in the formula of a list.
constexpr double kMostEntries = 4096;
constexpr std::string_view kValueKeys[] = {"is", "literal", "when", "list", "all"};
constexpr std::string_view kTextKeys[] = {"each", "between", "begin", "end"};  // Keys of a list that becomes one text.

bool is_value(const Datum& source) {
  return std::any_of(source.entries().begin(), source.entries().end(), [](const Datum::Entry& entry) {
    return std::find(std::begin(kValueKeys), std::end(kValueKeys), entry.first.text()) != std::end(kValueKeys);
  });
}

std::string text_at(const Datum& source, const char* key) {
  const Datum* value = source.find(key);
  return value != nullptr ? value->text() : "";
}

/// Replaces `{}` in a text: `t*{}` and `3` give `t*3`.
std::string filled(std::string text, const std::string& value) {
  const std::size_t at = text.find("{}");
  return at == std::string::npos ? text : text.replace(at, 2, value);
}

/// Joins the entries of a list into one text: `begin`, each entry in `each`, `between` as separator, `end`.
Datum joined(const Datum& source, const std::vector<Datum>& items) {
  std::vector<std::string> parts;
  for (const Datum& item : items) parts.push_back(filled(text_at(source, "each"), item.text()));
  return Datum::scalar(text_at(source, "begin") + join(parts, text_at(source, "between")) + text_at(source, "end"), true, source.span());
}

}  // namespace

Datum written_value(const Value& value, const Span& span) {
  if (value.kind == Value::Kind::truth) return Datum::scalar(value.scalar.value != 0 ? "true" : "false", false, span);
  if (value.kind == Value::Kind::word || value.kind == Value::Kind::text) return Datum::scalar(value.text != nullptr ? *value.text : "", true, span);
  return Datum::scalar(exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit)), false, span);
}

ValueLinker::ValueLinker(Linker& linker, const NameScope& scope, Diagnostics& diagnostics)
    : linker_(linker), scope_(scope), entry_scope_(linker.scope(&scope)), diagnostics_(diagnostics) {
  entry_scope_.locals.emplace(kEntry, 0);
}

const Formula* ValueLinker::formula(const Datum* text, const NameScope& scope) { return link_mapped(text, linker_, scope, diagnostics_); }

const Formula* ValueLinker::formula(const Datum* text) { return formula(text, scope_); }

/// Checks a written value recursively. A mapping with any of the keys `is`, `literal`, `when`, `list`, `all`
/// describes one value and may have only keys of values. Any other mapping has nested keys with arbitrary names. Only
/// `is`, `all` and nested keys hold further values; other keys hold formulas and texts.
void check_written(const Datum& source, Diagnostics& diagnostics) {
  const bool value = is_value(source);
  std::vector<std::string> known(std::begin(kValueKeys), std::end(kValueKeys));
  known.insert(known.end(), std::begin(kTextKeys), std::end(kTextKeys));
  for (const auto& [key, inner] : source.entries()) {
    if (value && !contains(known, key.text()))
      diagnostics.error(key.span(), fmt::format("unknown key `{}`{}", key.text(), known_names(key.text(), "keys", known)));
    if (!value || key.text() == "is" || key.text() == "all") check_written(inner, diagnostics);
  }
  for (const Datum& item : source.items()) check_written(item, diagnostics);
}

/// Links a value by its form. A list has choices, and the first choice whose condition holds is written. A scalar is
/// a formula. A mapping with keys such as `is` or `when` describes one value; any other mapping has nested keys. A
/// list of choices below `all` is written completely. Formulas of a counted list read the index of an entry, so they
/// are linked in a scope of their own.
LinkedValue ValueLinker::link(const Datum& source) {
  LinkedValue out;
  out.source = &source;
  if (source.is_list()) {
    for (const Datum& choice : source.items()) out.choices.push_back(link(choice));
    return out;
  }
  if (!source.is_map()) {
    out.is = formula(&source);
    return out;
  }
  const Datum* is = is_value(source) ? source.find("is") : &source;
  if (is_value(source)) {
    out.when = formula(source.find("when"));
    out.count = formula(source.find("list"));
    out.literal = source.find("literal");
    if (const Datum* all_choices = source.find("all")) {
      for (const Datum& choice : all_choices->items()) out.choices.push_back(link(choice));
      out.all_choices = true;
      return out;
    }
  }
  if (is != nullptr && is->is_map()) {
    for (const auto& [key, inner] : is->entries()) out.inner.emplace_back(key.text(), link(inner));
  } else {
    out.is = formula(is, out.count != nullptr ? entry_scope_ : scope_);
  }
  return out;
}

bool ValueWriter::holds(const Formula* condition) {
  if (condition == nullptr) return true;
  const Answer answer = evaluator_.ask(*condition);
  return answer.report(diagnostics_) && as_truth(answer.value).scalar.value != 0;
}

const LinkedValue* ValueWriter::choose(const LinkedValue& value) {
  if (!holds(value.when)) return nullptr;
  if (value.choices.empty() || value.all_choices) return &value;
  for (const LinkedValue& choice : value.choices) {
    if (const LinkedValue* chosen = choose(choice)) return chosen;
  }
  return nullptr;
}

/// Evaluates a value whose condition holds, by its form: literal, counted list, all applicable choices, formula, or
/// nested keys. Nested keys without a value are left out; a mapping without any key is no value. Returns nothing
/// without a value, and reports an error if a formula has none.
std::optional<Datum> ValueWriter::value(const LinkedValue& value) {
  if (value.literal != nullptr) return *value.literal;
  if (value.count != nullptr) return list(value);
  if (value.all_choices) return applicable_choices(value);
  if (value.is != nullptr) {
    const Answer answer = evaluator_.ask(*value.is);
    if (!answer.report(diagnostics_)) return std::nullopt;
    return written_value(answer.value, value.source->span());
  }
  std::vector<Datum::Entry> entries;
  for (const auto& [key, inner] : value.inner) {
    const LinkedValue* chosen = choose(inner);
    std::optional<Datum> part = chosen != nullptr ? this->value(*chosen) : std::nullopt;
    if (part) entries.emplace_back(Datum::scalar(key, false, value.source->span()), std::move(*part));
  }
  if (entries.empty()) return std::nullopt;
  return Datum::map(std::move(entries), value.source->span());
}

std::optional<Datum> ValueWriter::applicable_choices(const LinkedValue& value) {
  std::vector<Datum> items;
  for (const LinkedValue& choice : value.choices) {
    const LinkedValue* chosen = choose(choice);
    std::optional<Datum> item = chosen != nullptr ? this->value(*chosen) : std::nullopt;
    if (item) items.push_back(std::move(*item));
  }
  if (items.empty()) return std::nullopt;
  return Datum::list(std::move(items), value.source->span());
}

std::optional<Datum> ValueWriter::list(const LinkedValue& value) {
  // The formula is evaluated once for each index `n` from 0 to `count` - 1. The number of entries is limited, because
  // it comes from an unknown file. Entries become one text if the mapping has a template `each`.
  const Answer counted = evaluator_.ask(*value.count);
  if (!counted.report(diagnostics_)) return std::nullopt;
  const double count = counted.value.scalar.value;
  if (!(count >= 0 && count <= kMostEntries)) {
    diagnostics_.error(span_of(*value.count), fmt::format("a list of {} entries: there may be {:.0f}", exact(count), kMostEntries));
    return std::nullopt;
  }
  std::vector<Datum> items;
  for (double n = 0; n < count; ++n) {
    const std::vector<Value> number = {number_value(integer(n))};
    const Answer answer = value.is != nullptr ? evaluator_.ask(*value.is, nowhere(), &number) : Answer{};
    if (!answer.report(diagnostics_)) return std::nullopt;
    items.push_back(written_value(answer.value, value.source->span()));
  }
  if (value.source->find("each") != nullptr) return joined(*value.source, items);
  return Datum::list(std::move(items), value.source->span());
}

}  // namespace opledger
