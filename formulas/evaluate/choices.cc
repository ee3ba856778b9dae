#include "formulas/evaluate/choices.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formulas/formula_text.h"

namespace opledger {

/// Evaluates the alternative of a symbolic choice that the sample does not take. It may fail without effect, because
/// the sample does not need it.
std::optional<Value> Choices::attempt(FunctionRef<Value()> alternative) {
  const Value v = alternative();
  if (!error_.failed()) return v;
  error_.clear();
  return std::nullopt;
}

Value Choices::branch(const Value& test, FunctionRef<Value()> then, FunctionRef<Value()> otherwise, const Span& span) {
  // Evaluates `then` or `otherwise` by a condition. A constant condition evaluates one branch. A symbolic condition
  // differs between the candidates of a search, so both branches are evaluated, first the sample's. Two numbers or two
  // truths are joined by a select, and two records become alternatives. In any other case a guard on the condition
  // restricts the recording to candidates that take the sample's branch, and this branch is the result. Units mode, the
  // check before a run, unifies both branches.
  const Value c = as_truth(test);
  if (c.kind != Value::Kind::truth) return error_.failed() ? Value{} : error_.fail(span, fmt::format("a condition must be true or false, not {}", describe(c)));
  if (mode_ == Evaluator::Mode::units) {
    const Value a = then();
    if (error_.failed()) return {};
    return arithmetic_.unify(a, otherwise(), span);
  }
  if (c.scalar.constant()) return c.scalar.value != 0 ? then() : otherwise();
  const bool holds = c.scalar.value != 0;
  Value taken = holds ? then() : otherwise();
  if (error_.failed()) {
    tape_->guard(c.scalar);  // other candidates may have a value
    return {};
  }
  std::optional<Value> other = attempt(holds ? otherwise : then);
  if (other && taken.kind == Value::Kind::truth) other = as_truth(*other);
  if (other && other->kind == Value::Kind::truth) taken = as_truth(taken);
  if (other && taken.kind == Value::Kind::record && other->kind == Value::Kind::record)
    return holds ? either_record(c.scalar, taken, *other, taken) : either_record(c.scalar, *other, taken, taken);
  const bool numbers = other && (taken.is_number() || taken.kind == Value::Kind::truth) && taken.kind == other->kind;
  if (!numbers) {
    tape_->guard(c.scalar);
    return taken;
  }
  Value v = arithmetic_.unify(taken, *other, span);
  v.scalar = apply(tape_, Op::select, c.scalar, holds ? taken.scalar : other->scalar, holds ? other->scalar : taken.scalar);
  v.absent = taken.absent && other->absent;
  return v;
}

Value Choices::at_word(const Scalar& word, std::size_t words, AtWord of, const Span& span) {
  // Returns the value of a formula `of` a symbolic word, which differs between the candidates of a search; `words` is
  // the size of its set. The value is recorded as a chain of selects: the sample's value, replaced by the value of each
  // other word if the symbol equals this word. The sample's word is evaluated first, because its kind and unit decide.
  // Every other word that a candidate may have is then attempted. One word without a fitting value turns the choice into a
  // guard: the recording is valid for the sample's word only. Records become alternatives instead. The cost is linear in
  // the number of words.
  const WordId sample = static_cast<WordId>(word.value);
  Value out = of(sample);
  if (error_.failed()) {
    tape_->guard(word);  // other candidates may have a value
    return {};
  }
  const auto numeric = [](const Value& v) { return v.is_number() || v.kind == Value::Kind::truth; };
  if (out.kind == Value::Kind::record && out.picks == nullptr) return record_at_word(out, word, words, of);
  if (!numeric(out)) {
    tape_->guard(word);
    return out;
  }
  std::vector<std::pair<Scalar, Value>> others;
  for (std::size_t w = 0; w < words; ++w) {
    if (static_cast<WordId>(w) == sample) continue;
    const Scalar is_it = apply(tape_, Op::equal, word, integer(static_cast<double>(w)));
    if (is_it.constant()) continue;  // no candidate of this recording has the word
    const std::optional<Value> other = attempt([&] { return of(static_cast<WordId>(w)); });
    const bool fits = other && numeric(*other) && (other->kind == out.kind || other->absent || out.absent);
    if (!fits) {
      tape_->guard(word);
      return out;
    }
    others.emplace_back(is_it, *other);
  }
  // Kinds differ only if a value is absent. An absent value fits numbers as 0 and truths as false, so it takes the
  // other value's kind.
  for (const auto& [is_it, other] : others) {
    Scalar result = out.scalar;
    if (other.kind != out.kind) {
      if (out.absent) out = as_truth(out);
      result = out.scalar;
    } else if (out.is_number()) {
      const Value unit = arithmetic_.unify(out, other, span);
      if (error_.failed()) return {};
      out.unit = unit.unit;
    }
    out.any_unit = out.any_unit && other.any_unit;
    out.absent = out.absent && other.absent;
    out.scalar = apply(tape_, Op::select, is_it, other.kind == out.kind ? other.scalar : as_truth(other).scalar, result);
  }
  return out;
}

/// Returns a symbolic record with an alternative for each word, where `word` is a symbol that differs between the
/// candidates of a search. A field that is read later selects among the alternatives' fields. A guard excludes
/// candidates whose word has no record, or has a record with alternatives of its own; the alternative of such a word is
/// never used. `picks_` owns the lists of alternatives for the life of the interpreter.
Value Choices::record_at_word(const Value& sample, const Scalar& word, std::size_t words, AtWord of) {
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

/// Returns a symbolic record for a symbolic condition whose branches both give records, possibly symbolic themselves.
/// The alternatives of `otherwise` come first, then those of `then`. The position is a select between the positions in
/// both parts, shifted by the beginning of each part. If all alternatives are the sample's record, the result is not
/// symbolic.
Value Choices::either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample) {
  std::vector<const Record*> records;
  const auto add = [&](const Value& alternative) {
    const Scalar before = integer(static_cast<double>(records.size()));
    if (alternative.picks == nullptr) return records.push_back(alternative.record), before;
    records.insert(records.end(), alternative.picks->begin(), alternative.picks->end());
    return apply(tape_, Op::add, alternative.scalar, before);
  };
  const Scalar no = add(otherwise), yes = add(then);
  Value out = sample;
  if (std::all_of(records.begin(), records.end(), [&](const Record* record) { return record == sample.record; })) return out;
  picks_.push_back(std::move(records));
  out.picks = &picks_.back();
  out.scalar = apply(tape_, Op::select, condition, yes, no);
  return out;
}

Scalar Choices::on_curve(const Value& c, std::span<const Scalar> at) {
  Scalar out = on_curve(*c.curve, at);
  for (std::size_t i = 0; c.curve_picks != nullptr && i < c.curve_picks->size(); ++i) {
    const Scalar is_it = apply(tape_, Op::equal, c.scalar, integer(static_cast<double>(i)));
    if ((*c.curve_picks)[i] != c.curve) out = apply(tape_, Op::select, is_it, on_curve(*(*c.curve_picks)[i], at), out);
  }
  return out;
}

Scalar Choices::on_curve(const Curve& curve, std::span<const Scalar> at) {
  if (tape_ == nullptr || std::all_of(at.begin(), at.end(), [](const Scalar& x) { return x.constant(); })) {
    std::array<double, Curve::kMaxCoordinates> x{};
    for (std::size_t i = 0; i < at.size(); ++i) x[i] = at[i].value;
    return real(curve(x.data()));
  }
  std::shared_ptr<const Curve>& copy = curves_[&curve];
  if (copy == nullptr) copy = std::make_shared<Curve>(curve);
  return tape_->curve(copy, at);
}

/// Returns the item of a list at a symbolic position, which differs between the candidates of a search. A list of
/// records gives a symbolic record with an alternative for each item; a guard keeps the position inside the list. Other
/// lists give the sample's item, and a guard fixes the position. A position outside the list for the sample is an
/// error.
Value Choices::item(const Value& list, const Scalar& position, const Formula& f, ReadField read) {
  const auto& items = list.record->fields;
  const double at = position.value;
  if (at != std::floor(at) || at < 0 || at >= static_cast<double>(items.size())) {
    tape_->guard(position);  // other candidates may have an item
    return error_.fail(span_of(f), fmt::format("`{}`: there is no item {} in a list of {}", shown(f), exact(at), items.size()));
  }
  std::vector<const Record*> records;
  for (const auto& [_, item] : items) {
    if (item.kind == Value::Kind::record) records.push_back(item.record);
  }
  const Value& sample = items[static_cast<std::size_t>(at)].second;
  if (records.size() != items.size()) {
    tape_->guard(position);
    return read(sample);
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

/// Returns one of several numbers by position: a table look-up for constants, otherwise a chain of selects.
Scalar Choices::number_at(const std::vector<Scalar>& numbers, const Scalar& position) {
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

/// Returns a field of a symbolic record `v`. `v.picks` has its alternatives, `v.scalar` is the symbol for the position,
/// and `v.record` is the alternative of the sample candidate. All alternatives must have the field with one kind and
/// unit. Then numbers and truths are selected by position (`number_at`), records and curves become alternatives themselves,
/// and equal texts need nothing. In any other case a guard fixes the position. The cost is linear in the number of
/// alternatives.
Value Choices::field(const Value& v, const std::string& name, const Formula& f, ReadField read) {
  const Value* sample = v.record->find(name);
  if (sample == nullptr) {
    tape_->guard(v.scalar);  // other candidates may have the field
    return error_.fail(span_of(f), fmt::format("`{}`: there is no `{}`", shown(f), name));
  }
  std::vector<Scalar> numbers;
  std::vector<const Record*> records;
  std::vector<const Curve*> curves;
  std::size_t same_text = 0;
  for (const Record* record : *v.picks) {
    const Value* value = record->find(name);
    const bool comparable = value != nullptr && value->kind == sample->kind && (value->kind != Value::Kind::number || value->unit == sample->unit);
    if (comparable && value->record != nullptr && value->picks == nullptr) records.push_back(value->record);
    if (comparable && value->curve != nullptr && value->curve_picks == nullptr) curves.push_back(value->curve);
    if (comparable && value->text != nullptr && sample->text != nullptr && *value->text == *sample->text) ++same_text;
    if (comparable && (value->is_number() || value->kind == Value::Kind::truth)) numbers.push_back(read(*value).scalar);
  }
  Value out = read(*sample);
  if (error_.failed()) return {};
  if (numbers.size() == v.picks->size()) {
    out.scalar = number_at(numbers, v.scalar);
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
