#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/limits.h"
#include "base/text.h"
#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"

namespace opledger {
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
      return aggregation_.aggregate(f, point, frame);
    case Formula::Kind::running:
      return aggregation_.running(f, point, frame);
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
    return error_.fail(span_of(f), "`inherited` refers to a replaced definition, and this definition replaces none");
  return by_chain({frame.chain, frame.index + 1, frame.locals}, point, span_of(f));
}

Value Interpreter::list(const Formula& f, const Point& point, const Frame& frame) {
  Record items;
  for (const Formula* item : f.args) items.fields.emplace_back("", interpret(*item, point, frame));
  return error_.failed() ? Value{} : arithmetic_.keep_list(std::move(items));
}

/// Evaluates `x in [a, b]`, and `x in divisors(n)` by a division. If x is a list, the result says whether the other list
/// has all of its items.
Value Interpreter::contained(const Formula& f, const Point& point, const Frame& frame) {
  const Value a = interpret(*f.args[0], point, frame);
  if (error_.failed()) return {};
  if (f.args[1]->kind == Formula::Kind::builtin) {
    const Formula& divisors = *f.args[1];
    if (divisors.text != "divisors" || divisors.args.size() != 1) return error_.fail(span_of(divisors), "`in` needs a list or `divisors(n)` after it");
    const Value n = interpret(*divisors.args[0], point, frame);
    return error_.failed() ? Value{} : arithmetic_.divides(a, n, divisors);
  }
  if (a.kind != Value::Kind::list) return among(a, f, point, frame);
  Value all = truth_value(true);
  for (const auto& [_, item] : a.record->fields) {
    const Value v = among(field_value(item), f, point, frame);
    if (error_.failed()) return {};
    all = mode_ == Mode::units ? v : truth_value(apply(tape_, Op::logical_and, all.scalar, v.scalar));
  }
  return all;
}

/// Returns whether `a` equals an item of the list after `in`, as a disjunction of comparisons. The list is written, or the
/// value of a name. A value that is no list counts as a list of one.
Value Interpreter::among(const Value& a, const Formula& f, const Point& point, const Frame& frame) {
  Value v = truth_value(false);
  const auto compare = [&](const Value& item) {
    const Value same = error_.failed() ? Value{} : arithmetic_.binary(Op::equal, a, item, f);
    if (!error_.failed()) v = mode_ == Mode::units ? same : truth_value(apply(tape_, Op::logical_or, v.scalar, same.scalar));
    return !error_.failed();
  };
  const Formula& list = *f.args[1];
  if (list.kind == Formula::Kind::list) {
    for (const Formula* item : list.args) {
      if (!compare(interpret(*item, point, frame))) break;
    }
    return v;
  }
  const Value items = interpret(list, point, frame);
  if (items.kind != Value::Kind::list) {
    compare(items);
    return v;
  }
  for (const auto& [_, item] : items.record->fields) {
    if (!compare(field_value(item))) break;
  }
  return v;
}

Value Interpreter::operation(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates the operands, then applies the operator. `and` and `or` have their own function, because they may skip the
  // right operand. An absent operand of `not` counts as false.
  if (f.op == Op::logical_and || f.op == Op::logical_or) return logic(f, point, frame);
  const Value a = f.op == Op::logical_not ? as_truth(interpret(*f.args[0], point, frame)) : interpret(*f.args[0], point, frame);
  if (error_.failed()) return {};
  if (f.args.size() == 1) return arithmetic_.unary(f.op, a, f);
  const Value b = interpret(*f.args[1], point, frame);
  return error_.failed() ? Value{} : arithmetic_.binary(f.op, a, b, f);
}

Value Interpreter::logic(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates `and` and `or`. A constant left operand that decides the result skips the right operand. A symbolic left
  // operand has different values for the candidates of a search. If its value for the sample decides, the right operand
  // is still evaluated, because other candidates need it. The right operand may fail then: a guard on the left operand
  // restricts the recording to candidates with the sample's value. Units mode, the check before a run, evaluates both
  // operands for their kinds.
  const Value a = as_truth(interpret(*f.args[0], point, frame));
  if (error_.failed()) return {};
  if (a.kind != Value::Kind::truth) return error_.fail(span_of(f), fmt::format("`{}` joins true and false, not {}", symbol_of(f.op), describe(a)));
  const bool decides = mode_ == Mode::numbers && (a.scalar.value != 0) == (f.op == Op::logical_or);
  if (decides && a.scalar.constant()) return a;
  const auto right = [&] { return interpret(*f.args[1], point, frame); };
  const std::optional<Value> tried = decides ? choices_.attempt(right) : right();
  if (error_.failed()) {
    specialize(tape_, a.scalar);  // other candidates may have a value
    return {};
  }
  if (!tried) return truth_value(tape_->guard(a.scalar) != 0);
  const Value b = as_truth(*tried);
  if (b.kind != Value::Kind::truth) return error_.fail(span_of(f), fmt::format("`{}` joins true and false, not {}", symbol_of(f.op), describe(b)));
  return truth_value(apply(tape_, f.op, a.scalar, b.scalar));
}

Value Interpreter::builtin(const Formula& f, const Point& point, const Frame& frame) {
  std::vector<Value> args;
  for (const Formula* arg : f.args) {
    args.push_back(interpret(*arg, point, frame));
    if (error_.failed()) return {};
    if (!args.back().is_number()) return error_.fail(span_of(f), fmt::format("`{}` works on numbers, not on {}", f.text, describe(args.back())));
  }
  return arithmetic_.builtin(f, args);
}

Value Interpreter::condition(const Formula& f, const Point& point, const Frame& frame) {
  const Value c = interpret(*f.args[0], point, frame);
  if (error_.failed()) return {};
  return choices_.branch(
      c, [&] { return interpret(*f.args[1], point, frame); }, [&] { return interpret(*f.args[2], point, frame); }, span_of(f));
}

Value Interpreter::set_word(const Formula& f, const Point& point) {
  const Set& set = program_.set(f.set);
  if (symbolic_word(f.set, point)) return evaluate(*set.binder, point);
  const std::optional<WordId> word = current(f.set, point);
  if (error_.failed()) return {};
  if (!word) return error_.fail(span_of(f), fmt::format("nothing chooses a word of `{}` here", set.name));
  if (set.positions_formula != nullptr) return number_value(integer(*word == kAnyWord ? 0 : *word));
  if (*word == kAnyWord || mode_ == Mode::units) return word_value(f.set, kAnyWord, nullptr);
  const std::string& text = set.elements ? tables_.name(f.set, *word) : set.words[static_cast<std::size_t>(*word)];
  return word_value(f.set, *word, &text);
}

/// Returns a field of the current element of a set, such as `stage.layers`: the entry of the field's column for the
/// element that the point has chosen. A run at other case words first fills its sets (`fill`). Units mode, the check
/// before a run, returns a sample value of the field's type. A combined run unites several runs; its columns have
/// `nothing` where these runs differ, which is an error here.
Value Interpreter::element_field(const Formula& f, const Point& point) {
  const SetId id = f.args[0]->set;
  const Set& set = program_.set(id);
  if (mode_ == Mode::units) return sample_value(set.fields.find(f.text)->second);
  if (!fill()) return {};
  const WordId e = point[id];
  if (e < 0) return error_.fail(span_of(f), fmt::format("`{}.{}`: nothing chooses a {} here", set.name, f.text, set.name));
  const Column* column = tables_.column(id, f);
  if (column == nullptr) return error_.fail(span_of(f), fmt::format("`{}.{}` is not known in this run", set.name, f.text));
  cache_.depend_on_field(id, e, f);
  const Value v = (*column)[static_cast<std::size_t>(e)];
  if (v.kind == Value::Kind::nothing && case_.is_combined())
    return error_.fail(span_of(f), fmt::format("`{}.{}` of `{}` differs between the words that are combined here: choose one word, or define a value", set.name,
                                               f.text, tables_.name(id, e)));
  return v;
}

Value Interpreter::field(const Formula& f, const Point& point, const Frame& frame) {
  if (f.args[0]->kind == Formula::Kind::set && program_.set(f.args[0]->set).elements) return element_field(f, point);
  const Value v = interpret(*f.args[0], point, frame);
  if (error_.failed()) return {};
  if (v.kind != Value::Kind::record) return error_.fail(span_of(f), fmt::format("`{}`: {} has no fields", shown(f), describe(v)));
  const auto read = [&](const Value& stored) { return field_value(stored); };
  if (v.picks != nullptr) return choices_.field(v, f.text, f, read);
  const Value* found = v.record->find(f.text);
  if (found != nullptr) return field_value(*found);
  return error_.fail(span_of(f), fmt::format("`{}`: there is no `{}`{}", shown(f), f.text, suggestion(f.text, names_of(v.record->fields))));
}

Value Interpreter::index(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates `v[i]`. A record is indexed by a word or text, a list by a number or by an element, whose position counts. A
  // constant index is looked up. A symbolic index differs between the candidates of a search. The values at all words are
  // joined on the tape (`at_word`), and a list of records gives a symbolic record (`item`); items of another list need a
  // guard. A symbolic record (`picks` has its alternatives) selects among the alternatives' fields. Units mode, the check
  // before a run, reads the first item, because items of a list, and values per word, share a unit.
  const Value v = interpret(*f.args[0], point, frame);
  const Value i = error_.failed() ? Value{} : interpret(*f.args[1], point, frame);
  if (error_.failed()) return {};
  if (v.kind != Value::Kind::record && v.kind != Value::Kind::list)
    return error_.fail(span_of(f), fmt::format("`{}`: {} can't be indexed", shown(f), describe(v)));
  if (mode_ == Mode::units) return v.record->fields.empty() ? Value{} : field_value(v.record->fields[0].second);
  const auto read = [&](const Value& stored) { return field_value(stored); };
  if (v.kind == Value::Kind::record) {
    if (i.kind == Value::Kind::word && !i.scalar.constant()) {
      const Set& set = program_.set(i.set);
      const auto of = [&](WordId w) {
        const Value* found = v.record->find(set.words[w]);
        return found != nullptr ? field_value(*found) : error_.fail(span_of(f), fmt::format("`{}`: there is no value for `{}`", shown(f), set.words[w]));
      };
      if (v.picks != nullptr) tape_->guard(v.scalar);  // fixes the record: a symbolic word of a symbolic record would select twice
      return choices_.at_word(i.scalar, set.words.size(), of, span_of(f));
    }
    if (v.picks != nullptr && i.text != nullptr) return choices_.field(v, *i.text, f, read);
    const Value* found = i.text != nullptr ? v.record->find(*i.text) : nullptr;
    if (found == nullptr)
      return error_.fail(span_of(f), fmt::format("`{}`: there is no value for {}", shown(f), i.text != nullptr ? "`" + *i.text + "`" : describe(i)));
    return field_value(*found);
  }
  const bool element = i.kind == Value::Kind::word && i.set && program_.set(i.set).elements;
  if (!element && !i.is_number()) return error_.fail(span_of(f), fmt::format("`{}`: a position must be a number, or an element of a set", shown(f)));
  if (!i.scalar.constant() && v.picks == nullptr) return choices_.item(v, i.scalar, f, read);
  if (element) cache_.depend_on_transient();  // the position differs between candidates
  const double at = element ? tables_.place_of(i.set, i.word) : specialize(tape_, i.scalar);
  if (at != std::floor(at) || at < 0 || at >= static_cast<double>(v.record->fields.size())) {
    return error_.fail(span_of(f), fmt::format("`{}`: there is no item {} in a list of {}", shown(f), exact(at), v.record->fields.size()));
  }
  return field_value(v.record->fields[static_cast<std::size_t>(at)].second);
}

Value Interpreter::curve(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates a curve, such as an efficiency as a function of a size, at one to three numbers in the curve's unit.
  // Curves have a plain result. A curve may be symbolic, with an alternative for each choice that candidates of a
  // search can make (`curve_picks`). Each alternative is evaluated, and a chain of selects on the symbol for their
  // position joins the results.
  const Value c = interpret(*f.args[0], point, frame);
  if (error_.failed()) return {};
  if (c.kind != Value::Kind::curve) return error_.fail(span_of(f), fmt::format("`{}` is no function and no curve", shown(*f.args[0])));
  const std::size_t count = c.curve->arguments();
  if (f.args.size() != count + 1)
    return error_.fail(span_of(f), fmt::format("`{}`: the curve takes {} argument{}, not {}", shown(f), count, count == 1 ? "" : "s", f.args.size() - 1));
  std::array<Scalar, Curve::kMaxCoordinates> at;
  for (std::size_t i = 0; i < count; ++i) {
    const Value x = interpret(*f.args[i + 1], point, frame);
    if (error_.failed()) return {};
    if (!x.is_number() || (!x.any_unit && !(x.unit == c.unit)))
      return error_.fail(span_of(f), fmt::format("`{}`: the curve is over {}, not {}", shown(f), to_string(c.unit), describe(x)));
    at[i] = x.scalar;
  }
  if (mode_ == Mode::units) return number_value(real(1));
  const std::span<const Scalar> arguments(at.data(), count);
  return number_value(choices_.on_curve(c, arguments));
}

Value Interpreter::function(const Formula& f, const Point& point, const Frame& frame) {
  std::vector<Value> arguments;
  arguments.reserve(f.args.size());
  for (const Formula* arg : f.args) {
    arguments.push_back(interpret(*arg, point, frame));
    if (error_.failed()) return {};
  }
  return call(*f.function, arguments, point, span_of(f));
}

Value Interpreter::node_value(const Formula& f, const Point& point) {
  // Returns a value of the current node that the engine computes, such as `volume` or a dimension. The extent selects
  // the value on one rank or in total. Units mode returns a sample of the declared type.
  const Engine& engine = *program_.engine;
  const WordId node = point[engine.nodes];
  if (node == kNoWord) return error_.fail(span_of(f), fmt::format("`{}` is a node's, and nothing chooses a node here", f.text));
  if (mode_ == Mode::units) {
    const NodeValueType* type = engine.node_value(f.text);
    return type == nullptr ? number_value(real(1)) : sample_value(type->type);
  }
  const WordId extent = point[engine.extents];
  return cache_.node_value(f, node, extent == kNoWord ? engine.extent : extent);
}

}  // namespace opledger
