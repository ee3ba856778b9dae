#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"
#include "formulas/link/variance.h"

/// Aggregates over the words or elements of a set that agree with a point.
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
Value Interpreter::empty_aggregate(const Formula& f) {
  switch (f.aggregate) {
    case Aggregate::any:
    case Aggregate::all:
      return truth_value(f.aggregate == Aggregate::all);
    case Aggregate::product:
      return number_value(integer(1));
    case Aggregate::min:
      return fail(span_of(f), fmt::format("`{}`: there is no {} to take the least of", shown(f), program_.set(f.set).name));
    case Aggregate::mean:
      return fail(span_of(f), fmt::format("the mean over no {}", program_.set(f.set).name));
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
Value Interpreter::add_term(const Formula& f, const Value& sum, const Value& term) {
  switch (f.aggregate) {
    case Aggregate::sum:
    case Aggregate::mean:
      return arithmetic(Op::add, sum, term, f);
    case Aggregate::product:
      if (!sum.unit.plain()) return fail(span_of(f), "a product over a set must be of plain numbers");
      return arithmetic(Op::multiply, sum, term, f);
    case Aggregate::max:
      return arithmetic(Op::maximum, sum, term, f);
    case Aggregate::min:
      return arithmetic(Op::minimum, sum, term, f);
    case Aggregate::any:
    case Aggregate::all:
      if (sum.kind != Value::Kind::truth || term.kind != Value::Kind::truth) return fail(span_of(f), "`any` and `all` join true and false");
      if (mode_ == Mode::units) return sum;
      return truth_value(apply(tape_, f.aggregate == Aggregate::any ? Op::logical_or : Op::logical_and, sum.scalar, term.scalar));
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
std::optional<Scalar> Interpreter::counts(const Formula& f, const Point& p, const Frame& frame) {
  depend_on_presence(f.set, p[f.set]);
  const Scalar there = presence(f.set, p[f.set]);
  if (f.args.size() < 2 || (there.constant() && there.value == 0)) return there;
  const Value where = as_truth(interpret(*f.args[1], p, frame));
  if (failed_) return std::nullopt;
  if (where.kind != Value::Kind::truth) {
    fail(span_of(f), fmt::format("`where` must be true or false, not {}", describe(where)));
    return std::nullopt;
  }
  if (mode_ == Mode::units) return truth(true);
  return there.constant() ? where.scalar : apply(tape_, Op::logical_and, there, where.scalar);
}

Scalar Interpreter::presence(SetId set, WordId element) const {
  const auto& sometimes = elements_[set].sometimes;
  const auto found = sometimes.find(element);
  return found == sometimes.end() ? truth(true) : found->second;
}

/// Returns whether the set of an aggregate is filled, after filling it in a run at other case words. Before the graph is
/// built its sets are empty, and aggregates over them would be wrong: they fail here. Word sets are always filled.
bool Interpreter::is_known(const Formula& f) {
  if (mode_ == Mode::units || !program_.set(f.set).elements || elements_[f.set].known) return true;
  if (!fill()) return false;
  if (elements_[f.set].known) return true;
  fail(span_of(f), fmt::format("`{}`: the elements of `{}` are not known before the graph is built", shown(f), program_.set(f.set).name));
  return false;
}

Value Interpreter::aggregate(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates an aggregate, such as `sum(args[0] over set where args[1])`, at a point: visits the elements of the set
  // that agree with the point's words, and combines their terms. A search records formulas on `tape_` for one sample
  // candidate, and the recording must hold for others. An element may then have a symbolic condition, whose value
  // differs between candidates. A select records its term or the neutral term. If the term is no number or truth, a
  // guard restricts the recording to candidates with the sample's condition. The cost is linear in the number of
  // visited elements.
  if (!is_known(f)) return {};
  Point around = point;
  around[f.set] = kNoWord;
  Tape* const tape = mode_ == Mode::units ? nullptr : tape_;
  Value out;
  Scalar visited = integer(0);
  for (const WordId w : visit(f.set, around)) {
    if (!spend(8, f)) return {};  // an element counts as eight steps toward the limit of a query
    const Point p = choose(around, f.set, w);
    const std::optional<Scalar> holds = counts(f, p, frame);
    if (!holds) return {};
    if (holds->constant() && holds->value == 0) continue;
    const auto inside = [&] { return interpret(*f.args[0], p, frame); };
    const std::optional<Value> tried = holds->value == 0 ? attempt(inside) : inside();  // a symbol that is false for the sample, which does not need the term
    const bool adds = !failed_ && tried && (tried->is_number() || tried->kind == Value::Kind::truth);
    if (!adds) specialize(tape_, *holds);  // other candidates may have a value
    if (failed_) return {};
    if (!adds && holds->value == 0) continue;
    if (tried->kind == Value::Kind::nothing && mode_ != Mode::units)
      return fail(span_of(f), fmt::format("`{}`: `{}` has no value at a {}", shown(f), shown(*f.args[0]), program_.set(f.set).name));
    Value term = f.aggregate == Aggregate::any || f.aggregate == Aggregate::all ? as_truth(*tried) : *tried;
    if (!holds->constant()) term.scalar = apply(tape, Op::select, *holds, term.scalar, neutral(f.aggregate));
    visited = apply(tape, Op::add, visited, holds->constant() ? integer(1) : *holds);
    out = out.kind == Value::Kind::nothing ? term : add_term(f, out, term);
    if (failed_) return {};
  }
  if (f.aggregate == Aggregate::count) return number_value(mode_ == Mode::units ? real(1) : visited);
  if (out.kind == Value::Kind::nothing) return empty_aggregate(f);
  const bool needs_some = f.aggregate == Aggregate::max || f.aggregate == Aggregate::min || f.aggregate == Aggregate::mean;
  return needs_some ? of_any(f, out, visited) : out;
}

/// Completes an aggregate of at least one recorded term whose result without terms is special: max, min or mean. `all`
/// combines the terms, and `count` is their number. A symbolic count may be 0 for some candidates: a select gives a
/// maximum of 0. A guard restricts the recording of a minimum or mean to candidates that agree with the sample.
Value Interpreter::of_any(const Formula& f, Value all, const Scalar& count) {
  Tape* const tape = mode_ == Mode::units ? nullptr : tape_;
  const Scalar some = apply(tape, Op::not_equal, count, integer(0));
  if (f.aggregate == Aggregate::max) {
    all.scalar = apply(tape, Op::select, some, all.scalar, integer(0));
    return all;
  }
  if (specialize(tape, some) == 0) return empty_aggregate(f);
  if (f.aggregate == Aggregate::mean) all.scalar = apply(tape, Op::divide, all.scalar, count);
  return all;
}

/// Evaluates a running sum: the sum of the terms of all elements up to and including the current one, in the order of
/// the set. Only elements of the same segment and with the same words of other sets (such as the phase) are added.
/// Prefix sums of such a group are computed together and cached under the formula and the words that the terms may vary
/// with. Each term is thus evaluated once for its group; a look-up scans the group. Units mode, the check before a run,
/// has no single current element, so the last sum represents all.
Value Interpreter::running(const Formula& f, const Point& point, const Frame& frame) {
  const WordId here = point[f.set];
  if (here == kNoWord) return fail(span_of(f), fmt::format("`running` needs a current {}", program_.set(f.set).name));
  Point around = point;
  around[f.set] = kNoWord;
  std::uint64_t mask = 0;
  for (const Formula* arg : f.args) mask |= varies(program_, *arg, nodes_.widened);
  for (const SetId s : program_.set(f.set).belongs_to) {
    if (program_.set(s).elements && !program_.set(s).restarts) around[s] = kNoWord;  // a current node would leave only its own elements
    mask |= bit(s);
  }
  mask &= ~bit(f.set);
  std::vector<SetId> sets;
  for (const SetId s : program_.sets.ids()) {
    if ((mask & bit(s)) != 0) sets.push_back(s);
  }
  const PrefixKey key = {&f, key_of(0, sets, around).words};
  if (failed_) return {};
  const Prefixes* const known = prefixes(key, around, frame);
  if (known == nullptr) return {};
  for (const auto& [w, v] : known->sums) {
    if (w == here) return v;
  }
  return mode_ == Mode::units && !known->sums.empty() ? known->sums.back().second : Value{};
}

/// Returns all prefix sums of one group of elements of a running sum, computed on first use; null after an error. The
/// pointer is valid until the next call. `prefixes_` has a list for each key (the formula and the words of the group),
/// with one item for each combination of the enclosing function's arguments (`locals`). `dependencies_` collects
/// everything that the cached value in evaluation depends on. A cached group must add its stored list again, as if it
/// were computed here; a list that no value needs is dropped.
const Interpreter::Prefixes* Interpreter::prefixes(const PrefixKey& key, const Point& around, const Frame& frame) {
  const std::vector<Value> locals = frame.locals == nullptr ? std::vector<Value>{} : *frame.locals;
  const auto known = [&]() -> const Prefixes* {
    const auto& all = prefixes_[key];
    const auto same = [&](const Prefixes& one) { return std::equal(locals.begin(), locals.end(), one.locals.begin(), one.locals.end(), equivalent); };
    const auto found = std::find_if(all.begin(), all.end(), same);
    return found == all.end() ? nullptr : &*found;
  };
  if (const Prefixes* const before = known()) {
    if (records_dependencies()) dependencies_.insert(dependencies_.end(), before->dependencies.begin(), before->dependencies.end());
    return before;
  }
  const std::size_t dependencies_from = dependencies_.size();
  ++prefix_depth_;
  Prefixes created{locals, running_sums(*key.first, around, frame), {}};
  --prefix_depth_;
  created.dependencies.assign(dependencies_.begin() + static_cast<std::ptrdiff_t>(dependencies_from), dependencies_.end());
  if (!records_dependencies()) dependencies_.resize(dependencies_from);
  if (failed_) return nullptr;
  prefixes_[key].push_back(std::move(created));
  return &prefixes_[key].back();
}

std::vector<std::pair<WordId, Value>> Interpreter::running_sums(const Formula& f, const Point& around, const Frame& frame) {
  // Returns pairs of an element and the sum up to this element, by one pass in order. An element that is absent or
  // fails `where` (args[1]) keeps the previous sum. A condition may be a symbol, whose value differs between the
  // candidates of a search. `force` takes the sample's value and records a guard, because all later sums depend on the
  // condition. Units mode, the check before a run, does not evaluate `where`.
  std::vector<std::pair<WordId, Value>> out;
  Value total = number_value(integer(0));
  total.any_unit = true;
  for (const WordId w : visit(f.set, around)) {
    const Point p = choose(around, f.set, w);
    bool holds = true;
    depend_on_presence(f.set, w);
    if (!force(truth_value(presence(f.set, w)), holds, span_of(f))) return {};
    if (holds && f.args.size() > 1 && mode_ == Mode::numbers) {
      const Value where = interpret(*f.args[1], p, frame);
      if (failed_ || !force(where, holds, span_of(f))) return {};
    }
    if (holds) total = arithmetic(Op::add, total, interpret(*f.args[0], p, frame), f);
    if (failed_) return {};
    out.emplace_back(w, total);
  }
  return out;
}

}  // namespace opledger
