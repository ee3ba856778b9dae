#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/limits.h"
#include "base/text.h"
#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"

/// Evaluation of all forms of formulas.
namespace opledger {
namespace {

/// Returns the key under which the result of a function call is cached in units mode, the check of units before a run.
/// The key has the bytes of everything that the result can depend on. These are the function's address, the current
/// word of each set in its variance, and the kind, unit and value of each argument. Texts, records and curves enter by
/// address; an equal object at another address only costs another evaluation.
std::string call_key(const Function& function, const Variance& variance, const std::vector<Value>& arguments, const Point& point) {
  std::string out;
  const auto add = [&](const auto& part) { out.append(reinterpret_cast<const char*>(&part), sizeof part); };
  const Function* const at = &function;
  add(at);
  for (const SetId s : variance.key) add(point[s]);
  for (const Value& v : arguments) {
    add(v.kind);
    add(v.any_unit);
    add(v.absent);
    add(v.set);
    add(v.unit);
    add(v.scalar.value);
    add(v.word);
    add(v.text);
    add(v.record);
    add(v.curve);
  }
  return out;
}

}  // namespace
namespace {

Value word_value(SetId set, WordId word, const std::string* text) {
  Value v;
  v.kind = Value::Kind::word;
  v.set = set;
  v.word = word;
  v.text = text;
  return v;
}

}  // namespace

Point bound(const Point& point, const Formula& at) {
  Point p = point;
  for (const auto& [set, word] : *at.bindings) {
    if (!set)
      p = nowhere();
    else
      p[set] = word;
  }
  return p;
}

Value Interpreter::finish(Scalar scalar, Dimension unit, const Formula& f) {
  if (tape_ == nullptr && mode_ == Mode::numbers && !std::isfinite(scalar.value))
    return fail(span_of(f), fmt::format("overflow: `{}` is not a finite number", shown(f)));
  return number_value(scalar, unit);
}

Value Interpreter::interpret(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates a formula at a point; every part of a formula is evaluated through this function, too. `frame` has the
  // arguments of the enclosing function (`locals`) and the definition that `inherited` continues from. If the point has
  // other case words than this run, the run of these words evaluates the formula, after a translation of the arguments.
  // Steps are counted from the outermost formula (`depth_` 0). The limit of nested formulas is eight times the limit of
  // nested names, because a name's definition nests several formulas. After an error nothing is evaluated.
  if (failed_) return {};
  if (has_cases_ && changes_case(point)) {
    return in_other_case(point, [&](Interpreter& there, const Point& p) {
      const std::vector<Value> locals = frame.locals == nullptr ? std::vector<Value>{} : there.translate(*this, *frame.locals);
      return there.interpret(f, p, {frame.chain, frame.index, frame.locals == nullptr ? nullptr : &locals});
    });
  }
  if (depth_ == 0) steps_ = 0;
  if (depth_ > kMaxEvaluationDepth * 8) return fail(span_of(f), "this formula is nested too deeply");
  if (!spend(1, f)) return {};
  ++depth_;
  Value v = by_kind(f, point, frame);
  --depth_;
  return v;
}

/// Evaluates a formula by its form: a tree-walking interpreter with one function for each kind of node. `point` has the
/// current word of each set, and `frame` the arguments of the enclosing function and its chain of definitions.
/// `WORD.(…)` (`at`) changes the point for the part inside.
Value Interpreter::by_kind(const Formula& f, const Point& point, const Frame& frame) {
  switch (f.kind) {
    case Formula::Kind::constant:
    case Formula::Kind::word:
      return *f.value;
    case Formula::Kind::name:
      return evaluate(*f.name, point);
    case Formula::Kind::set:
      return set_word(f, point);
    case Formula::Kind::local:
      return (*frame.locals)[f.slot];
    case Formula::Kind::node_value:
      return node_value(f, point);
    case Formula::Kind::at:
      return interpret(*f.args[0], bound(point, f), frame);
    case Formula::Kind::field:
      return field(f, point, frame);
    case Formula::Kind::index:
      return index(f, point, frame);
    case Formula::Kind::curve:
      return curve(f, point, frame);
    case Formula::Kind::builtin:
      return builtin(f, point, frame);
    case Formula::Kind::function:
      return function(f, point, frame);
    case Formula::Kind::operation:
      return operation(f, point, frame);
    case Formula::Kind::condition:
      return condition(f, point, frame);
    case Formula::Kind::aggregate:
      return aggregate(f, point, frame);
    case Formula::Kind::running:
      return running(f, point, frame);
    case Formula::Kind::inherited:
      return inherited(f, point, frame);
    case Formula::Kind::in:
      return contained(f, point, frame);
    case Formula::Kind::list:
      return list(f, point, frame);
  }
  return {};
}

Value Interpreter::inherited(const Formula& f, const Point& point, const Frame& frame) {
  if (frame.chain == nullptr || frame.index + 1 >= frame.chain->size())
    return fail(span_of(f), "`inherited` refers to a replaced definition, and this definition replaces none");
  return by_chain({frame.chain, frame.index + 1, frame.locals}, point, span_of(f));
}

Value Interpreter::list(const Formula& f, const Point& point, const Frame& frame) {
  Record items;
  for (const Formula* item : f.args) items.fields.emplace_back("", interpret(*item, point, frame));
  return failed_ ? Value{} : keep_list(std::move(items));
}

/// Evaluates `x in [a, b]` as a disjunction of comparisons, and `x in divisors(n)` by `divides`.
Value Interpreter::contained(const Formula& f, const Point& point, const Frame& frame) {
  const Value a = interpret(*f.args[0], point, frame);
  if (!failed_ && f.args[1]->kind == Formula::Kind::builtin) return divides(a, *f.args[1], point, frame);
  Value v = truth_value(false);
  for (const Formula* item : f.args[1]->args) {
    const Value same = compare(Op::equal, a, interpret(*item, point, frame), f);
    if (failed_) break;
    v = mode_ == Mode::units ? same : truth_value(apply(tape_, Op::logical_or, v.scalar, same.scalar));
  }
  return v;
}

/// Evaluates `x in divisors(n)`: x is a positive whole number and n modulo x is 0. A select avoids a division by zero.
Value Interpreter::divides(const Value& x, const Formula& list, const Point& point, const Frame& frame) {
  if (list.text != "divisors" || list.args.size() != 1) return fail(span_of(list), "`in` needs a list or `divisors(n)` after it");
  const Value n = interpret(*list.args[0], point, frame);
  if (failed_) return {};
  if (!x.is_number() || !n.is_number() || !x.unit.plain() || !n.unit.plain()) return fail(span_of(list), "`divisors` works on plain numbers");
  if (mode_ == Mode::units) return truth_value(true);
  const Scalar positive = apply(tape_, Op::less, integer(0), x.scalar);
  const Scalar whole = apply(tape_, Op::equal, apply(tape_, Op::floor, x.scalar), x.scalar);
  const Scalar divisor = apply(tape_, Op::select, positive, x.scalar, integer(1));
  const Scalar even = apply(tape_, Op::equal, apply(tape_, Op::modulo, n.scalar, divisor), integer(0));
  return truth_value(apply(tape_, Op::logical_and, apply(tape_, Op::logical_and, positive, whole), even));
}

bool Interpreter::spend(std::size_t steps, const Formula& f) {
  steps_ += steps;
  if (steps_ <= kMaxEvaluationSteps) return true;
  fail(span_of(f), fmt::format("this takes too long to compute: more than {} steps", kMaxEvaluationSteps));
  return false;
}

bool Interpreter::force(const Value& value, bool& holds, const Span& span) {
  const Value v = as_truth(value);
  if (v.kind != Value::Kind::truth) {
    if (!failed_) fail(span, fmt::format("a condition must be true or false, not {}", describe(v)));
    return false;
  }
  holds = specialize(tape_, v.scalar) != 0;
  return true;
}

Value Interpreter::unify(const Value& a, const Value& b, const Span& span) {
  // Returns the one of two values whose kind and unit fit both, or fails. Callers use its kind and unit, and combine
  // the numbers themselves. The literal 0 and absent values (`any_unit`) adapt to the other value, and so does
  // `nothing`.
  if (failed_ || a.kind == Value::Kind::nothing) return b;
  if (b.kind == Value::Kind::nothing) return a;
  if (a.kind == Value::Kind::number && b.kind == Value::Kind::number) {
    if (a.any_unit) return b;
    if (b.any_unit) return a;
    if (!(a.unit == b.unit)) return fail(span, fmt::format("{} and {} do not go together", to_string(a.unit), to_string(b.unit)));
    return a;
  }
  // a truth with a false `when` is false
  const bool zero_truth = (a.any_unit && b.kind == Value::Kind::truth) || (b.any_unit && a.kind == Value::Kind::truth);
  if (zero_truth) return a.kind == Value::Kind::truth ? a : b;
  if (a.kind != b.kind) return fail(span, fmt::format("{} and {} do not go together", describe(a), describe(b)));
  return a;
}

/// Evaluates the alternative of a symbolic choice that the sample does not take. It may fail without effect, because
/// the sample does not need it.
std::optional<Value> Interpreter::attempt(FunctionRef<Value()> alternative) {
  const Value v = alternative();
  if (!failed_) return v;
  failed_ = absent_ = false;
  error_ = nullptr;
  return std::nullopt;
}

Value Interpreter::branch(const Value& test, FunctionRef<Value()> then, FunctionRef<Value()> otherwise, const Span& span) {
  // Evaluates `then` or `otherwise` by a condition. A constant condition evaluates one branch. A symbolic condition
  // differs between the candidates of a search, so both branches are evaluated, first the sample's. Two numbers or two
  // truths are joined by a select, and two records become alternatives. In any other case a guard on the condition
  // restricts the recording to candidates that take the sample's branch, and this branch is the result. Units mode, the
  // check before a run, unifies both branches.
  const Value c = as_truth(test);
  if (c.kind != Value::Kind::truth) return failed_ ? Value{} : fail(span, fmt::format("a condition must be true or false, not {}", describe(c)));
  if (mode_ == Mode::units) {
    const Value a = then();
    if (failed_) return {};
    return unify(a, otherwise(), span);
  }
  if (c.scalar.constant()) return c.scalar.value != 0 ? then() : otherwise();
  const bool holds = c.scalar.value != 0;
  Value taken = holds ? then() : otherwise();
  if (failed_) {
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
  Value v = unify(taken, *other, span);
  v.scalar = apply(tape_, Op::select, c.scalar, holds ? taken.scalar : other->scalar, holds ? other->scalar : taken.scalar);
  v.absent = taken.absent && other->absent;
  return v;
}

Value Interpreter::condition(const Formula& f, const Point& point, const Frame& frame) {
  const Value c = interpret(*f.args[0], point, frame);
  if (failed_) return {};
  return branch(
      c, [&] { return interpret(*f.args[1], point, frame); }, [&] { return interpret(*f.args[2], point, frame); }, span_of(f));
}

Value Interpreter::set_word(const Formula& f, const Point& point) {
  const Set& set = program_.set(f.set);
  if (symbolic_word(f.set, point)) return evaluate(*set.binder, point);
  const std::optional<WordId> word = current(f.set, point);
  if (failed_) return {};
  if (!word) return fail(span_of(f), fmt::format("nothing chooses a word of `{}` here", set.name));
  if (set.positions_formula != nullptr) return number_value(integer(*word == kAnyWord ? 0 : *word));
  if (*word == kAnyWord || mode_ == Mode::units) return word_value(f.set, kAnyWord, nullptr);
  const std::string& text = !set.elements ? set.words[*word] : incremental_ ? versioned_[f.set].name(*word) : elements_[f.set].names[*word];
  return word_value(f.set, *word, &text);
}

/// Returns the column of a field by its number. Formulas linked after the set was filled may add fields.
const Column* Interpreter::column_of(SetId set, const Formula& f) {
  auto& columns = columns_[set];
  const auto slot = static_cast<std::size_t>(f.slot);
  if (columns.size() <= slot) columns.resize(slot + 1);
  if (columns[slot] == nullptr) {
    const auto& fields = elements_[set].fields;
    if (const auto found = fields.find(f.text); found != fields.end()) columns[slot] = &found->second;
  }
  return columns[slot];
}

/// Returns a field of the current element of a set, such as `stage.layers`: the entry of the field's column for the
/// element that the point has chosen. A run at other case words first fills its sets (`fill`). Units mode, the check
/// before a run, returns a sample value of the field's type. A combined run unites several runs; its columns have
/// `nothing` where these runs differ, which is an error here.
Value Interpreter::element_field(const Formula& f, const Point& point) {
  const SetId id = f.args[0]->set;
  const Set& set = program_.set(id);
  if (mode_ == Mode::units) {
    const FieldType& type = set.fields.find(f.text)->second;
    Value v;
    v.kind = type.kind;
    v.unit = type.unit;
    v.scalar = real(1);
    return v;
  }
  if (!fill()) return {};
  const WordId e = point[id];
  if (e < 0) return fail(span_of(f), fmt::format("`{}.{}`: nothing chooses a {} here", set.name, f.text, set.name));
  const Column* column = column_of(id, f);
  if (column == nullptr) return fail(span_of(f), fmt::format("`{}.{}` is not known in this run", set.name, f.text));
  depend_on_field(id, e, f);
  const Value v = (*column)[static_cast<std::size_t>(e)];
  if (v.kind == Value::Kind::nothing && !combined_runs_.empty())
    return fail(span_of(f), fmt::format("`{}.{}` of `{}` differs between the words that are combined here: choose one word, or define a value", set.name,
                                        f.text, elements_[id].names[e]));
  return v;
}

Value Interpreter::field(const Formula& f, const Point& point, const Frame& frame) {
  if (f.args[0]->kind == Formula::Kind::set && program_.set(f.args[0]->set).elements) return element_field(f, point);
  const Value v = interpret(*f.args[0], point, frame);
  if (failed_) return {};
  if (v.kind != Value::Kind::record) return fail(span_of(f), fmt::format("`{}`: {} has no fields", shown(f), describe(v)));
  if (v.picks != nullptr) return picked_field(v, f.text, f);
  const Value* found = v.record->find(f.text);
  if (found != nullptr) return field_value(*found);
  return fail(span_of(f), fmt::format("`{}`: there is no `{}`{}", shown(f), f.text, suggestion(f.text, names_of(v.record->fields))));
}

Value Interpreter::index(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates `v[i]`. A record is indexed by a word or text, a list by a number or by an element, whose position counts. A
  // constant index is looked up. A symbolic index differs between the candidates of a search. The values at all words are
  // joined on the tape (`choice`), and a list of records gives a symbolic record (`pick`); items of another list need a
  // guard. A symbolic record (`picks` has its alternatives) selects among the alternatives' fields. Units mode, the check
  // before a run, reads the first item, because items of a list, and values per word, share a unit.
  const Value v = interpret(*f.args[0], point, frame);
  const Value i = failed_ ? Value{} : interpret(*f.args[1], point, frame);
  if (failed_) return {};
  if (v.kind != Value::Kind::record && v.kind != Value::Kind::list) return fail(span_of(f), fmt::format("`{}`: {} can't be indexed", shown(f), describe(v)));
  if (mode_ == Mode::units) return v.record->fields.empty() ? Value{} : field_value(v.record->fields[0].second);
  if (v.kind == Value::Kind::record) {
    if (i.kind == Value::Kind::word && !i.scalar.constant()) {
      const Set& set = program_.set(i.set);
      const auto of = [&](WordId w) {
        const Value* found = v.record->find(set.words[w]);
        return found != nullptr ? field_value(*found) : fail(span_of(f), fmt::format("`{}`: there is no value for `{}`", shown(f), set.words[w]));
      };
      if (v.picks != nullptr) tape_->guard(v.scalar);  // fixes the record: a symbolic word of a symbolic record would select twice
      return choice(i.scalar, set.words.size(), of, span_of(f));
    }
    if (v.picks != nullptr && i.text != nullptr) return picked_field(v, *i.text, f);
    const Value* found = i.text != nullptr ? v.record->find(*i.text) : nullptr;
    if (found == nullptr)
      return fail(span_of(f), fmt::format("`{}`: there is no value for {}", shown(f), i.text != nullptr ? "`" + *i.text + "`" : describe(i)));
    return field_value(*found);
  }
  const bool element = i.kind == Value::Kind::word && i.set && program_.set(i.set).elements;
  if (!element && !i.is_number()) return fail(span_of(f), fmt::format("`{}`: a position must be a number, or an element of a set", shown(f)));
  if (!i.scalar.constant() && v.picks == nullptr) return pick(v, i.scalar, f);
  if (element && incremental_) depend_on_transient();  // the position differs between candidates
  const double at = element ? place_of(i.set, i.word) : specialize(tape_, i.scalar);
  if (at != std::floor(at) || at < 0 || at >= static_cast<double>(v.record->fields.size())) {
    return fail(span_of(f), fmt::format("`{}`: there is no item {} in a list of {}", shown(f), exact(at), v.record->fields.size()));
  }
  return field_value(v.record->fields[static_cast<std::size_t>(at)].second);
}

Value Interpreter::curve(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates a curve, such as an efficiency as a function of a size, at one to three numbers in the curve's unit.
  // Curves have a plain result. A curve may be symbolic, with an alternative for each choice that candidates of a
  // search can make (`curve_picks`). Each alternative is evaluated, and a chain of selects on the symbol for their
  // position joins the results.
  const Value c = interpret(*f.args[0], point, frame);
  if (failed_) return {};
  if (c.kind != Value::Kind::curve) return fail(span_of(f), fmt::format("`{}` is no function and no curve", shown(*f.args[0])));
  const std::size_t count = c.curve->arguments();
  if (f.args.size() != count + 1)
    return fail(span_of(f), fmt::format("`{}`: the curve takes {} argument{}, not {}", shown(f), count, count == 1 ? "" : "s", f.args.size() - 1));
  std::array<Scalar, Curve::kMaxCoordinates> at;
  for (std::size_t i = 0; i < count; ++i) {
    const Value x = interpret(*f.args[i + 1], point, frame);
    if (failed_) return {};
    if (!x.is_number() || (!x.any_unit && !(x.unit == c.unit)))
      return fail(span_of(f), fmt::format("`{}`: the curve is over {}, not {}", shown(f), to_string(c.unit), describe(x)));
    at[i] = x.scalar;
  }
  if (mode_ == Mode::units) return number_value(real(1));
  const std::span<const Scalar> arguments(at.data(), count);
  if (c.curve_picks == nullptr) return number_value(on_curve(*c.curve, arguments));
  Scalar out = on_curve(*c.curve, arguments);
  for (std::size_t i = 0; i < c.curve_picks->size(); ++i) {
    const Scalar is_it = apply(tape_, Op::equal, c.scalar, integer(static_cast<double>(i)));
    if ((*c.curve_picks)[i] != c.curve) out = apply(tape_, Op::select, is_it, on_curve(*(*c.curve_picks)[i], arguments), out);
  }
  return number_value(out);
}

Value Interpreter::function(const Formula& f, const Point& point, const Frame& frame) {
  std::vector<Value> arguments;
  arguments.reserve(f.args.size());
  for (const Formula* arg : f.args) {
    arguments.push_back(interpret(*arg, point, frame));
    if (failed_) return {};
  }
  return call(*f.function, arguments, point, span_of(f));
}

Value Interpreter::call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& call_span) {
  const auto answer = [&] { return by_chain({&function.defs, 0, &arguments}, point, call_span); };
  if (mode_ != Mode::units) return answer();
  const std::string key = call_key(function, variance(function), arguments, point);
  if (const auto known = calls_.find(key); known != calls_.end()) return known->second;
  const Value v = answer();
  if (!failed_) calls_.emplace(key, v);
  return v;
}

Value Interpreter::node_value(const Formula& f, const Point& point) {
  // Returns a value of the current node that the engine computes, such as `volume` or a dimension. The extent selects
  // the value on one rank or in total. Values are cached by field, node and extent; an entry of an earlier candidate
  // must be computed anew by `revalidate`. The engine may start further queries. Dependencies that these queries record
  // are dropped, because every candidate computes the value anew. Units mode returns a sample of the declared type.
  const Engine& engine = *program_.engine;
  const WordId node = point[engine.nodes];
  if (node == kNoWord) return fail(span_of(f), fmt::format("`{}` is a node's, and nothing chooses a node here", f.text));
  if (mode_ == Mode::units) {
    const NodeValueType* type = engine.node_value(f.text);
    if (type == nullptr) return number_value(real(1));
    Value v;
    v.kind = type->type.kind;
    v.unit = type->type.unit;
    v.scalar = real(1);
    return v;
  }
  const WordId chosen = point[engine.extents], extent = chosen == kNoWord ? engine.extent : chosen;
  Memo::Entry& known =
      memo_.at({Memo::kNodeValue | static_cast<std::uint32_t>(f.slot), {static_cast<std::uint64_t>(node), static_cast<std::uint64_t>(extent)}});
  if (known.state == Memo::Entry::State::known && (known.revision == revision_ || revalidate(known, point))) {
    depend_on(known);
    return memo_.value(known);
  }
  if (failed_) return {};
  const std::size_t dependencies_from = dependencies_.size();
  const std::optional<Answer> v = compute(f, node, extent);
  if (v && !v->known()) return failed(*v);
  if (!v) return fail(span_of(f), fmt::format("node `{}` has no `{}`", elements_[engine.nodes].names[node], f.text));
  dependencies_.resize(dependencies_from);  // the value is computed anew for every candidate
  memo_.set_node_value(known, f);
  complete(known, v->value, dependencies_from);
  depend_on(known);
  return v->value;
}

std::optional<Answer> Interpreter::compute(const Formula& node_value, WordId node, WordId extent) {
  if (!node_values_) return std::nullopt;
  return node_values_(place_of(program_.engine->nodes, node), node_value.text, extent);
}

}  // namespace opledger
