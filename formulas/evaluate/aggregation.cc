#include "formulas/evaluate/aggregation.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"
#include "formulas/link/variance.h"

namespace opledger {

namespace {

/// Returns the neutral term of an aggregate.
Scalar neutral(Aggregate aggregate) {
  if (aggregate == Aggregate::max) return real(-std::numeric_limits<double>::infinity());
  if (aggregate == Aggregate::min) return real(std::numeric_limits<double>::infinity());
  return integer(aggregate == Aggregate::product || aggregate == Aggregate::all ? 1 : 0);
}

}  // namespace

/// Returns the value of an aggregate `f`, such as `sum(x over stage)`, if no element of its set contributes a term.
/// `any` is false, `all` is true, and a product is 1. Sums and maxima give 0, compatible with every unit (`any_unit`). A
/// minimum or mean without terms is an error.
Value Aggregation::empty(const Formula& f) {
  switch (f.aggregate) {
    case Aggregate::any:
    case Aggregate::all:
      return truth_value(f.aggregate == Aggregate::all);
    case Aggregate::product:
      return number_value(integer(1));
    case Aggregate::min:
      return run_.error_.fail(span_of(f), fmt::format("`{}`: there is no {} to take the least of", shown(f), run_.program_.set(f.set).name));
    case Aggregate::mean:
      return run_.error_.fail(span_of(f), fmt::format("the mean over no {}", run_.program_.set(f.set).name));
    default: {
      Value zero = number_value(integer(0));
      zero.any_unit = true;
      return zero;
    }
  }
}

/// Combines `sum`, the aggregate of the earlier terms, with one more term by the aggregate's operation. The caller
/// divides the sum of a mean by the number of terms and counts terms itself, so a count returns `sum` unchanged. Units
/// mode, the check of units before a run, has no values: `any` and `all` check only kinds there.
Value Aggregation::add_term(const Formula& f, const Value& sum, const Value& term) {
  switch (f.aggregate) {
    case Aggregate::sum:
    case Aggregate::mean:
      return run_.arithmetic_.binary(Op::add, sum, term, f);
    case Aggregate::product:
      if (!sum.unit.plain()) return run_.error_.fail(span_of(f), "a product over a set must be of plain numbers");
      return run_.arithmetic_.binary(Op::multiply, sum, term, f);
    case Aggregate::max:
      return run_.arithmetic_.binary(Op::maximum, sum, term, f);
    case Aggregate::min:
      return run_.arithmetic_.binary(Op::minimum, sum, term, f);
    case Aggregate::any:
    case Aggregate::all:
      if (sum.kind != Value::Kind::truth || term.kind != Value::Kind::truth) return run_.error_.fail(span_of(f), "`any` and `all` join true and false");
      if (run_.mode_ == Evaluator::Mode::units) return sum;
      return truth_value(apply(run_.tape_, f.aggregate == Aggregate::any ? Op::logical_or : Op::logical_and, sum.scalar, term.scalar));
    case Aggregate::count:
    case Aggregate::running:
      break;
  }
  return sum;
}

/// Returns whether the element that the point `p` has chosen contributes a term to the aggregate `f`. The element must
/// be present, and the optional condition `where` (args[1]) must hold. The answer is a constant, or a symbol if the
/// candidates of a search differ in it. Units mode, the check before a run, tests only the kind of the condition.
/// Returns nothing after an error.
std::optional<Scalar> Aggregation::counts(const Formula& f, const Point& p, const Frame& frame) {
  run_.cache_.depend_on_presence(f.set, p[f.set]);
  const Scalar there = run_.tables_.presence(f.set, p[f.set]);
  if (f.args.size() < 2 || (there.constant() && there.value == 0)) return there;
  const Value where = as_truth(run_.interpret(*f.args[1], p, frame));
  if (run_.error_.failed()) return std::nullopt;
  if (where.kind != Value::Kind::truth) {
    run_.error_.fail(span_of(f), fmt::format("`where` must be true or false, not {}", describe(where)));
    return std::nullopt;
  }
  if (run_.mode_ == Evaluator::Mode::units) return truth(true);
  return there.constant() ? where.scalar : apply(run_.tape_, Op::logical_and, there, where.scalar);
}

/// Returns whether the set of an aggregate is filled, after filling it in a run at other case words. Before the graph is
/// built its sets are empty, and aggregates over them would be wrong: they fail here. Word sets are always filled.
bool Aggregation::is_known(const Formula& f) {
  if (run_.mode_ == Evaluator::Mode::units || !run_.program_.set(f.set).elements || run_.tables_[f.set].known) return true;
  if (!run_.fill()) return false;
  if (run_.tables_[f.set].known) return true;
  run_.error_.fail(span_of(f), fmt::format("`{}`: the elements of `{}` are not known before the graph is built", shown(f), run_.program_.set(f.set).name));
  return false;
}

Value Aggregation::aggregate(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates an aggregate, such as `sum(args[0] over set where args[1])`, at a point: visits the elements of the set
  // that agree with the point's words, and combines their terms. A search records formulas on `run_.tape_` for one sample
  // candidate, and the recording must hold for others. An element may then have a symbolic condition, whose value
  // differs between candidates. A select records its term or the neutral term. If the term is no number or truth, a
  // guard restricts the recording to candidates with the sample's condition. The cost is linear in the number of
  // visited elements.
  if (!is_known(f)) return {};
  Point around = point;
  around[f.set] = kNoWord;
  Tape* const tape = run_.mode_ == Evaluator::Mode::units ? nullptr : run_.tape_;
  Value out;
  Scalar visited = integer(0);
  for (const WordId w : run_.visit(f.set, around)) {
    if (!run_.spend(8, f)) return {};  // an element counts as eight steps toward the limit of a query
    const Point p = run_.tables_.choose(around, f.set, w);
    const std::optional<Scalar> holds = counts(f, p, frame);
    if (!holds) return {};
    if (holds->constant() && holds->value == 0) continue;
    const auto inside = [&] { return run_.interpret(*f.args[0], p, frame); };
    const std::optional<Value> tried =
        holds->value == 0 ? run_.choices_.attempt(inside) : inside();  // a symbol that is false for the sample, which does not need the term
    const bool adds = !run_.error_.failed() && tried && (tried->is_number() || tried->kind == Value::Kind::truth);
    if (!adds) specialize(run_.tape_, *holds);  // other candidates may have a value
    if (run_.error_.failed()) return {};
    if (!adds && holds->value == 0) continue;
    if (tried->kind == Value::Kind::nothing && run_.mode_ != Evaluator::Mode::units)
      return run_.error_.fail(span_of(f), fmt::format("`{}`: `{}` has no value at a {}", shown(f), shown(*f.args[0]), run_.program_.set(f.set).name));
    Value term = f.aggregate == Aggregate::any || f.aggregate == Aggregate::all ? as_truth(*tried) : *tried;
    if (!holds->constant()) term.scalar = apply(tape, Op::select, *holds, term.scalar, neutral(f.aggregate));
    visited = apply(tape, Op::add, visited, holds->constant() ? integer(1) : *holds);
    out = out.kind == Value::Kind::nothing ? term : add_term(f, out, term);
    if (run_.error_.failed()) return {};
  }
  if (f.aggregate == Aggregate::count) return number_value(run_.mode_ == Evaluator::Mode::units ? real(1) : visited);
  if (out.kind == Value::Kind::nothing) return empty(f);
  const bool needs_some = f.aggregate == Aggregate::max || f.aggregate == Aggregate::min || f.aggregate == Aggregate::mean;
  return needs_some ? of_any(f, out, visited) : out;
}

/// Completes an aggregate of at least one recorded term whose result without terms is special: max, min or mean. `all`
/// combines the terms, and `count` is their number. A symbolic count may be 0 for some candidates: a select gives a
/// maximum of 0. A guard restricts the recording of a minimum or mean to candidates that agree with the sample.
Value Aggregation::of_any(const Formula& f, Value all, const Scalar& count) {
  Tape* const tape = run_.mode_ == Evaluator::Mode::units ? nullptr : run_.tape_;
  const Scalar some = apply(tape, Op::not_equal, count, integer(0));
  if (f.aggregate == Aggregate::max) {
    all.scalar = apply(tape, Op::select, some, all.scalar, integer(0));
    return all;
  }
  if (specialize(tape, some) == 0) return empty(f);
  if (f.aggregate == Aggregate::mean) all.scalar = apply(tape, Op::divide, all.scalar, count);
  return all;
}

bool Aggregation::force(const Value& value, bool& holds, const Span& span) {
  const Value v = as_truth(value);
  if (v.kind != Value::Kind::truth) {
    if (!run_.error_.failed()) run_.error_.fail(span, fmt::format("a condition must be true or false, not {}", describe(v)));
    return false;
  }
  holds = specialize(run_.tape_, v.scalar) != 0;
  return true;
}

/// Evaluates a running sum: the sum of the terms of all elements up to and including the current one, in the order of
/// the set. Only elements of the same segment and with the same words of other sets (such as the phase) are added.
/// Prefix sums of such a group are computed together and cached under the formula and the words that the terms may vary
/// with. Each term is thus evaluated once for its group; a look-up scans the group. Units mode, the check before a run,
/// has no single current element, so the last sum represents all.
Value Aggregation::running(const Formula& f, const Point& point, const Frame& frame) {
  const WordId here = point[f.set];
  if (here == kNoWord) return run_.error_.fail(span_of(f), fmt::format("`running` needs a current {}", run_.program_.set(f.set).name));
  Point around = point;
  around[f.set] = kNoWord;
  std::uint64_t mask = 0;
  for (const Formula* arg : f.args) mask |= varies(run_.program_, *arg, run_.definitions_.nodes().widened);
  for (const SetId s : run_.program_.set(f.set).belongs_to) {
    if (run_.program_.set(s).elements && !run_.program_.set(s).restarts) around[s] = kNoWord;  // a current node would leave only its own elements
    mask |= bit(s);
  }
  mask &= ~bit(f.set);
  std::vector<SetId> sets;
  for (const SetId s : run_.program_.sets.ids()) {
    if ((mask & bit(s)) != 0) sets.push_back(s);
  }
  Memo::Key words;
  if (!run_.tables_.pack(sets, around, words)) return run_.error_.fail(span_of(f), "a formula varies with too many sets");
  const Prefixes* const known = prefixes({&f, words.words}, around, frame);
  if (known == nullptr) return {};
  for (const auto& [w, v] : known->sums) {
    if (w == here) return v;
  }
  return run_.mode_ == Evaluator::Mode::units && !known->sums.empty() ? known->sums.back().second : Value{};
}

/// Returns all prefix sums of one group of elements of a running sum, computed on first use; null after an error. The
/// pointer is valid until the next call. `prefixes_` has a list for each key (the formula and the words of the group),
/// with one item for each combination of the enclosing function's arguments (`locals`). A cached group must add its stored
/// dependencies again, as if it were computed here.
const Aggregation::Prefixes* Aggregation::prefixes(const PrefixKey& key, const Point& around, const Frame& frame) {
  const std::vector<Value> locals = frame.locals == nullptr ? std::vector<Value>{} : *frame.locals;
  const auto known = [&]() -> const Prefixes* {
    const auto& all = prefixes_[key];
    const auto same = [&](const Prefixes& one) { return std::equal(locals.begin(), locals.end(), one.locals.begin(), one.locals.end(), equivalent); };
    const auto found = std::find_if(all.begin(), all.end(), same);
    return found == all.end() ? nullptr : &*found;
  };
  if (const Prefixes* const before = known()) {
    run_.cache_.depend_on(before->dependencies);
    return before;
  }
  Prefixes created{locals, {}, {}};
  created.dependencies = run_.cache_.dependencies_of([&] { created.sums = running_sums(*key.first, around, frame); });
  if (run_.error_.failed()) return nullptr;
  prefixes_[key].push_back(std::move(created));
  return &prefixes_[key].back();
}

std::vector<std::pair<WordId, Value>> Aggregation::running_sums(const Formula& f, const Point& around, const Frame& frame) {
  // Returns pairs of an element and the sum up to this element, by one pass in order. An element that is absent or
  // fails `where` (args[1]) keeps the previous sum. A condition may be a symbol, whose value differs between the
  // candidates of a search. `force` takes the sample's value and records a guard, because all later sums depend on the
  // condition. Units mode, the check before a run, does not evaluate `where`.
  std::vector<std::pair<WordId, Value>> out;
  Value total = number_value(integer(0));
  total.any_unit = true;
  for (const WordId w : run_.visit(f.set, around)) {
    const Point p = run_.tables_.choose(around, f.set, w);
    bool holds = true;
    run_.cache_.depend_on_presence(f.set, w);
    if (!force(truth_value(run_.tables_.presence(f.set, w)), holds, span_of(f))) return {};
    if (holds && f.args.size() > 1 && run_.mode_ == Evaluator::Mode::numbers) {
      const Value where = run_.interpret(*f.args[1], p, frame);
      if (run_.error_.failed() || !force(where, holds, span_of(f))) return {};
    }
    if (holds) total = run_.arithmetic_.binary(Op::add, total, run_.interpret(*f.args[0], p, frame), f);
    if (run_.error_.failed()) return {};
    out.emplace_back(w, total);
  }
  return out;
}

}  // namespace opledger
