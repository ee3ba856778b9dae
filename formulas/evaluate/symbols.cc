#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formulas/evaluate/walk.h"
#include "formulas/formula_text.h"

/// Inputs that are symbols, and choices that a tape leaves open: which word is current, which item of a list is meant. Each way that the choice may go is
/// evaluated as if it were the sample's. Where all of them give numbers, or truths, in one unit, the choice becomes an instruction: a chain of selects
/// over the words, or a look-up in a table where the numbers are known. A record or a curve is passed on as all that it may be (`picks`), until a field of
/// it is a number. Where ways differ in kind, or one has no value, the choice is structure: the sample's is taken, and a guard says of which candidates
/// the tape is.
namespace opledger {

std::vector<const Name*> Walk::symbols() const {
  std::vector<const Name*> out;
  for (const auto& [name, _] : symbolic_) {
    if (!derived_.contains(name)) out.push_back(name);
  }
  std::sort(out.begin(), out.end(), [](const Name* a, const Name* b) { return a->name < b->name; });
  return out;
}

/// The symbol that decides the current word of a set; empty if the word is known.
std::optional<Scalar> Walk::symbolic_word(SetId set, const Point& point) {
  if (tape_ == nullptr || !set || point[set] != kNoWord) return std::nullopt;
  const Name* binder = program_.set(set).binder;
  if (binder == nullptr) return std::nullopt;
  const Value v = evaluate(*binder, point);
  if (failed_ || v.kind != Value::Kind::word || v.scalar.constant()) return std::nullopt;
  return v.scalar;
}

Value Walk::choice(const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of, const Span& span) {
  const WordId sample = static_cast<WordId>(word.value);
  Value out = of(sample);
  if (failed_) {
    tape_->guard(word);  // others may do
    return {};
  }
  const auto numeric = [](const Value& v) { return v.is_number() || v.kind == Value::Kind::truth; };
  if (out.kind == Value::Kind::record && out.picks == nullptr) return pick_record(out, word, words, of);
  if (!numeric(out)) {
    tape_->guard(word);
    return out;
  }
  std::vector<std::pair<Scalar, Value>> others;
  for (std::size_t w = 0; w < words; ++w) {
    if (static_cast<WordId>(w) == sample) continue;
    const Scalar is_it = apply(tape_, Op::equal, word, integer(static_cast<double>(w)));
    if (is_it.constant()) continue;
    const std::optional<Value> other = attempt([&] { return of(static_cast<WordId>(w)); });
    const bool fits = other && numeric(*other) && (other->kind == out.kind || other->absent || out.absent);
    if (!fits) {
      tape_->guard(word);
      return out;
    }
    others.emplace_back(is_it, *other);
  }
  for (const auto& [is_it, other] : others) {
    Scalar result = out.scalar;
    if (other.kind != out.kind) {
      if (out.absent) out = as_truth(out);
      result = out.scalar;
    } else if (out.is_number()) {
      const Value unit = unify(out, other, span);
      if (failed_) return {};
      out.unit = unit.unit;
    }
    out.any_unit = out.any_unit && other.any_unit;
    out.absent = out.absent && other.absent;
    out.scalar = apply(tape_, Op::select, is_it, other.kind == out.kind ? other.scalar : as_truth(other).scalar, result);
  }
  return out;
}

/// A record for each word: those that have none are left out of the structure.
Value Walk::pick_record(const Value& sample, const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of) {
  std::vector<const Record*> records(words, sample.record);
  Scalar there = truth(false);
  for (std::size_t w = 0; w < words; ++w) {
    const std::optional<Value> v = attempt([&] { return of(static_cast<WordId>(w)); });
    if (!v || v->kind != Value::Kind::record || v->picks != nullptr) continue;
    records[w] = v->record;
    there = apply(tape_, Op::logical_or, there, apply(tape_, Op::equal, word, integer(static_cast<double>(w))));
  }
  tape_->guard(there);
  picks_.push_back(std::move(records));
  Value out = sample;
  out.picks = &picks_.back();
  out.scalar = word;
  return out;
}

/// A record of one side of a condition or of the other: all that either may be.
Value Walk::either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample) {
  std::vector<const Record*> records;
  const auto add = [&](const Value& side) {
    const Scalar before = integer(static_cast<double>(records.size()));
    if (side.picks == nullptr) return records.push_back(side.record), before;
    records.insert(records.end(), side.picks->begin(), side.picks->end());
    return apply(tape_, Op::add, side.scalar, before);
  };
  const Scalar no = add(otherwise), yes = add(then);
  Value out = sample;
  if (std::all_of(records.begin(), records.end(), [&](const Record* record) { return record == sample.record; })) return out;
  picks_.push_back(std::move(records));
  out.picks = &picks_.back();
  out.scalar = apply(tape_, Op::select, condition, yes, no);
  return out;
}

Scalar Walk::on_curve(const Curve& curve, std::span<const Scalar> at) {
  if (tape_ == nullptr || std::all_of(at.begin(), at.end(), [](const Scalar& x) { return x.constant(); })) {
    std::array<double, Curve::kMaxCoordinates> x{};
    for (std::size_t i = 0; i < at.size(); ++i) x[i] = at[i].value;
    return real(curve(x.data()));
  }
  std::shared_ptr<const Curve>& kept = curves_[&curve];
  if (kept == nullptr) kept = std::make_shared<Curve>(curve);
  return tape_->curve(kept, at);
}

/// An item of a list of records.
Value Walk::pick(const Value& list, const Scalar& position, const Formula& f) {
  const auto& items = list.record->fields;
  const double at = position.value;
  if (at != std::floor(at) || at < 0 || at >= static_cast<double>(items.size())) {
    tape_->guard(position);  // others may do
    return fail(span_of(f), fmt::format("`{}`: there is no item {} in a list of {}", shown(f), exact(at), items.size()));
  }
  std::vector<const Record*> records;
  for (const auto& [_, item] : items) {
    if (item.kind == Value::Kind::record) records.push_back(item.record);
  }
  const Value& sample = items[static_cast<std::size_t>(at)].second;
  if (records.size() != items.size()) {
    tape_->guard(position);
    return stored(sample);
  }
  const Scalar not_below = apply(tape_, Op::greater_equal, position, integer(0));
  const Scalar not_beyond = apply(tape_, Op::less, position, integer(static_cast<double>(items.size())));
  tape_->guard(apply(tape_, Op::logical_and, not_below, not_beyond));
  picks_.push_back(std::move(records));
  Value v = sample;
  v.picks = &picks_.back();
  v.scalar = position;
  return v;
}

/// One of several numbers: a look-up, unless some are symbols.
Scalar Walk::picked(const std::vector<Scalar>& numbers, const Scalar& position) {
  std::vector<double> table;
  for (const Scalar& number : numbers) {
    if (number.constant()) table.push_back(number.value);
  }
  if (table.size() == numbers.size()) return tape_->gather(table, position);
  Scalar out = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i)
    out = apply(tape_, Op::select, apply(tape_, Op::equal, position, integer(static_cast<double>(i))), numbers[i], out);
  return out;
}

/// A field of such an item: a look-up by the symbol if it is a number.
Value Walk::picked_field(const Value& v, const std::string& name, const Formula& f) {
  const Value* sample = v.record->find(name);
  if (sample == nullptr) {
    tape_->guard(v.scalar);  // others may have it
    return fail(span_of(f), fmt::format("`{}`: there is no `{}`", shown(f), name));
  }
  std::vector<Scalar> numbers;
  std::vector<const Record*> records;
  std::vector<const Curve*> curves;
  std::size_t same_text = 0;
  for (const Record* record : *v.picks) {
    const Value* value = record->find(name);
    const bool alike = value != nullptr && value->kind == sample->kind && (value->kind != Value::Kind::number || value->unit == sample->unit);
    if (alike && value->record != nullptr && value->picks == nullptr) records.push_back(value->record);
    if (alike && value->curve != nullptr && value->curve_picks == nullptr) curves.push_back(value->curve);
    if (alike && value->text != nullptr && sample->text != nullptr && *value->text == *sample->text) ++same_text;
    if (alike && (value->is_number() || value->kind == Value::Kind::truth)) numbers.push_back(stored(*value).scalar);
  }
  Value out = stored(*sample);
  if (failed_) return {};
  if (numbers.size() == v.picks->size()) {
    out.scalar = picked(numbers, v.scalar);
  } else if (sample->kind == Value::Kind::record && records.size() == v.picks->size()) {
    picks_.push_back(std::move(records));
    out.picks = &picks_.back();
    out.scalar = v.scalar;
  } else if (sample->kind == Value::Kind::curve && curves.size() == v.picks->size()) {
    curve_picks_.push_back(std::move(curves));
    out.curve_picks = &curve_picks_.back();
    out.scalar = v.scalar;
  } else if (same_text != v.picks->size()) {
    tape_->guard(v.scalar);
  }
  return out;
}

}  // namespace opledger
