// Values of inputs: from documents, derived from others, from a tape, or units only.
#include <fmt/core.h>

#include <cmath>

#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"
#include "formulas/link/types.h"

namespace opledger {

/// Returns a record or list whose fields have the units of their types.
Value Interpreter::unit_of_fields(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields) {
  Record record;
  for (const auto& [name, type] : fields) record.fields.emplace_back(name, unit_of_type(*type));
  records_.push_back(std::make_unique<Record>(std::move(record)));
  Value v;
  v.kind = kind;
  v.record = records_.back().get();
  return v;
}

Value Interpreter::unit_of_type(const Type& type) {
  // Returns a sample value of an input's type, with which units mode evaluates formulas before a run has values. Only
  // kinds and units matter: a number is 1 in base units, and a word has its set without a position. Records are built
  // recursively, with a field for each declared field or for each word of the set. A list has one item, which
  // represents all items. Curves share sample objects of the interpreter.
  switch (type.kind) {
    case Type::Kind::record:
    case Type::Kind::tuple:
    case Type::Kind::per: {
      std::vector<std::pair<std::string, const Type*>> fields;
      for (const auto& [name, field] : type.fields) fields.emplace_back(name, &field);
      if (type.kind == Type::Kind::per) {
        for (const std::string& word : program_.set(type.set).words) fields.emplace_back(word, type.of.get());
        if (fields.empty()) fields.emplace_back("", type.of.get());  // a set whose words are not yet known has a unit, too
      }
      return unit_of_fields(Value::Kind::record, std::move(fields));
    }
    case Type::Kind::list:
      return unit_of_fields(Value::Kind::list, {{"", type.of.get()}});
    case Type::Kind::steps: {
      Value v;
      v.kind = Value::Kind::curve;
      v.unit = type.unit.dimension;
      v.curve = &sample_curve_;
      return v;
    }
    case Type::Kind::points: {
      Value v;
      v.kind = Value::Kind::curve;
      Curve& sample = sample_points_[type.coordinates - 1];
      sample.coordinates = type.coordinates;
      v.curve = &sample;
      return v;
    }
    case Type::Kind::boolean:
      return truth_value(true);
    case Type::Kind::words: {
      Value v;
      v.kind = Value::Kind::word;
      v.set = type.set;
      return v;
    }
    case Type::Kind::text: {
      Value v;
      v.kind = Value::Kind::text;
      return v;
    }
    default:
      return number_value(real(1), type.unit.dimension);
  }
}

Value Interpreter::chosen_document(const Name& name, Value v) {
  const Value which = evaluate(*name.chosen_by);
  if (failed_) return {};
  v.record = name.documents[which.word];
  if (which.scalar.constant()) return v;
  v.picks = &name.documents;
  v.scalar = which.scalar;
  return v;
}

/// Returns the value of a name without replacements of case words. The tape's inputs are thus the same for all words.
Value Interpreter::base_value(const Name& name) {
  if (!case_values_.contains(&name)) return evaluate(name);
  const auto known = base_values_.find(&name);
  if (known != base_values_.end()) return known->second;
  const Value v = input(name, nowhere());
  return failed_ ? v : base_values_[&name] = v;
}

Value Interpreter::input(const Name& name, const Point& point) {
  // Returns the value of an input from its first source. The sources are, in order: the record of a document, a formula
  // over other inputs (`derived_`), and a function of the caller (`provided_`). A candidate's number (`symbolic_`) and
  // the value or formula of a document or the command line follow. Units mode returns a sample of the type instead. An
  // input in `symbolic_` varies between the candidates of a search, so its value becomes an input of the tape, if there
  // is a tape. `root_` is the interpreter of the unchanged run. A run at other case words takes symbols and derived
  // inputs from there, because they have one value for all words.
  if (name.constant != nullptr) {
    Value v;
    v.kind = name.type.kind == Type::Kind::list ? Value::Kind::list : Value::Kind::record;
    v.record = name.constant;
    return name.chosen_by == nullptr || mode_ == Mode::units ? v : chosen_document(name, v);
  }
  if (mode_ == Mode::units) {
    if (!name.defs.empty() && scalar_type(name.type)) by_chain({&name.defs, 0, nullptr}, point, {});
    return unit_of_type(name.type);
  }
  if (root_ != nullptr) {  // symbols and derived inputs have one value for all words
    if (root_->symbolic_.contains(&name) || root_->derived_.contains(&name)) {
      const Answer answer = root_->answer([&] { return root_->base_value(name); });
      return answer.known() ? answer.value : failed(answer);
    }
    if (root_->provided_.contains(&name) && !provided_.contains(&name) && !fill()) return {};  // filling this run's sets provides the input here
  }
  if (const auto found = derived_.find(&name); found != derived_.end()) {
    const Value v = interpret(*found->second, nowhere(), {});  // evaluated without a point: the value is equal everywhere
    return failed_ ? Value{} : check_input(name, v, span_of(*found->second));
  }
  if (const auto found = provided_.find(&name); found != provided_.end()) {
    depend_on_transient();
    const Answer answer = found->second.second(*found->second.first);
    return answer.known() ? answer.value : failed(answer);
  }
  const auto symbolic = symbolic_.find(&name);
  if (symbolic != symbolic_.end() && tape_ == nullptr) read_.push_back(&name);
  if (symbolic != symbolic_.end() && symbolic->second) {
    Value v = input_value(program_, name.type, *symbolic->second);
    if (v.kind == Value::Kind::nothing) return fail({}, fmt::format("`{}`: {} is none of its words", name.name, exact(*symbolic->second)));
    if (tape_ != nullptr) v.scalar = tape_->input(name.name, v.scalar.value, v.scalar.exact);
    return v;
  }
  if (name.defs.empty() && !scalar_type(name.type)) {
    absent_ = name.missing;
    return fail({}, fmt::format("this needs a {}, and none is given", name.name));
  }
  if (name.defs.empty()) return fail({}, fmt::format("`{}` has no value: give it in the execution, or with --set {}=…", name.name, name.name));
  Value v = by_chain({&name.defs, 0, nullptr}, point, {});
  if (failed_) return {};
  v = check_input(name, v, name.defs[0]->span);
  if (failed_) return {};
  if (symbolic == symbolic_.end() || tape_ == nullptr) return v;
  if (v.kind == Value::Kind::word) v.scalar = integer(v.word);
  v.scalar = tape_->input(name.name, v.scalar.value, v.scalar.exact);
  return v;
}

/// Checks a value against the type and the literal bounds of its input, if the type is a number or a boolean. Returns the
/// value, or fails with a message at `span`. A plain number is understood in the unit of the type and converted to base
/// units. The check of a symbol records a guard, so that the recording is valid only for candidates with the same answer.
/// A failure records another guard on the number itself, because the message shows it. Whole numbers beyond 9e15 are
/// refused, because doubles skip integers above 2^53, about 9.007e15.
Value Interpreter::check_input(const Name& name, Value v, const Span& span) {
  const Type& type = name.type;
  const auto holds = [&](Op op, const Scalar& left, const Scalar& right) { return specialize(tape_, apply(tape_, op, left, right)) != 0; };
  const auto wrong = [&](const std::string& expected, const std::string& shown) {
    specialize(tape_, v.scalar);
    return fail(span, fmt::format("`{}` must be {}, not {}", name.name, expected, shown));
  };
  if (type.kind == Type::Kind::number || type.kind == Type::Kind::integer) {
    if (!v.is_number()) return wrong(describe(program_, type), describe(v));
    if (v.unit.plain() && !type.unit.dimension.plain()) {
      v.scalar = apply(tape_, Op::multiply, v.scalar, real(type.unit.factor));
      v.unit = type.unit.dimension;
    }
    if (!(v.unit == type.unit.dimension)) return wrong(describe(program_, type), describe(v));
    if (type.kind == Type::Kind::integer) {
      // an exact symbol is whole for every candidate and needs no guard
      const bool whole = (v.scalar.exact && !v.scalar.constant()) || holds(Op::equal, apply(tape_, Op::floor, v.scalar), v.scalar);
      if (!whole || std::fabs(v.scalar.value) > 9e15) return wrong("a whole number", human(v));
      v.scalar.exact = true;
    }
    for (const ExprPtr& bound : {type.minimum, type.maximum}) {
      if (!bound || bound->kind != Expr::Kind::number) continue;
      const bool low = bound == type.minimum;
      if (holds(low ? Op::less : Op::greater, v.scalar, real(bound->number)))
        return wrong(fmt::format("at {} {}", low ? "least" : "most", bound->text), exact(v.scalar.value));
    }
  } else if (type.kind == Type::Kind::boolean && v.kind != Value::Kind::truth) {
    return wrong("true or false", describe(v));
  }
  return v;
}

}  // namespace opledger
