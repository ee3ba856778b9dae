#include "formulas/evaluate/inputs.h"

#include <fmt/core.h>

#include <cmath>

#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"
#include "formulas/link/types.h"

namespace opledger {

Inputs::Inputs(Interpreter& run) : run_(run), samples_(run.program_) {}

std::vector<const Name*> Inputs::symbols() const {
  std::vector<const Name*> out;
  for (const auto& [name, _] : symbolic_) {
    if (!derived_.contains(name)) out.push_back(name);
  }
  std::sort(out.begin(), out.end(), [](const Name* a, const Name* b) { return a->name < b->name; });
  return out;
}

void Inputs::take(const Inputs& other) {
  symbolic_ = other.symbolic_;
  derived_ = other.derived_;
}

void Inputs::begin_candidate() {
  provided_.clear();
  base_values_.clear();
}

Value Inputs::chosen_document(const Name& name, Value v) {
  const Value which = run_.evaluate(*name.chosen_by);
  if (run_.error_.failed()) return {};
  v.record = name.documents[which.word];
  if (which.scalar.constant()) return v;
  v.picks = &name.documents;
  v.scalar = which.scalar;
  return v;
}

/// Returns the value of a name without replacements of case words. The tape's inputs are thus the same for all words.
Value Inputs::base_value(const Name& name) {
  if (!run_.case_.replaces(name)) return run_.evaluate(name);
  const auto known = base_values_.find(&name);
  if (known != base_values_.end()) return known->second;
  const Value v = value(name, nowhere());
  return run_.error_.failed() ? v : base_values_[&name] = v;
}

Value Inputs::value(const Name& name, const Point& point) {
  // Returns the value of an input from its first source. The sources are, in order: the record of a document, a formula
  // over other inputs (`derived_`), and a function of the caller (`provided_`). A candidate's number (`symbolic_`) and
  // the value or formula of a document or the command line follow. Units mode returns a sample of the type instead. An
  // input in `symbolic_` varies between the candidates of a search, so its value becomes an input of the tape, if there
  // is a tape. A run at other case words takes symbols and derived
  // inputs from the unchanged run, because they have one value for all words.
  if (name.constant != nullptr) {
    Value v;
    v.kind = name.type.kind == Type::Kind::list ? Value::Kind::list : Value::Kind::record;
    v.record = name.constant;
    return name.chosen_by == nullptr || run_.mode_ == Evaluator::Mode::units ? v : chosen_document(name, v);
  }
  if (run_.mode_ == Evaluator::Mode::units) {
    if (!name.defs.empty() && scalar_type(name.type)) run_.by_chain({&name.defs, 0, nullptr}, point, {});
    return samples_.of(name.type);
  }
  if (Interpreter* const root = run_.case_.root()) {  // symbols and derived inputs have one value for all words
    if (root->inputs_.is_common(name)) {
      const Answer answer = root->answer([&] { return root->inputs_.base_value(name); });
      return answer.known() ? answer.value : run_.error_.take(answer);
    }
    if (root->inputs_.provides(name) && !provides(name) && !run_.case_.fill()) return {};  // filling this run's sets provides the input here
  }
  if (const auto found = derived_.find(&name); found != derived_.end()) {
    const Value v = run_.interpret(*found->second, nowhere(), {});  // evaluated without a point: the value is equal everywhere
    return run_.error_.failed() ? Value{} : check(name, v, span_of(*found->second));
  }
  if (const auto found = provided_.find(&name); found != provided_.end()) {
    run_.cache_.depend_on_transient();
    const Answer answer = found->second.second(*found->second.first);
    return answer.known() ? answer.value : run_.error_.take(answer);
  }
  const auto symbolic = symbolic_.find(&name);
  if (symbolic != symbolic_.end() && run_.tape_ == nullptr) read_.push_back(&name);
  if (symbolic != symbolic_.end() && symbolic->second) {
    Value v = input_value(run_.program_, name.type, *symbolic->second);
    if (v.kind == Value::Kind::nothing) return run_.error_.fail({}, fmt::format("`{}`: {} is none of its words", name.name, exact(*symbolic->second)));
    if (run_.tape_ != nullptr) v.scalar = run_.tape_->input(name.name, v.scalar.value, v.scalar.exact);
    return v;
  }
  if (name.defs.empty() && !scalar_type(name.type)) {
    run_.error_.set_absent(name.missing);
    return run_.error_.fail({}, fmt::format("this needs a {}, and none is given", name.name));
  }
  if (name.defs.empty()) return run_.error_.fail({}, fmt::format("`{}` has no value: give it in the execution, or with --set {}=…", name.name, name.name));
  Value v = run_.by_chain({&name.defs, 0, nullptr}, point, {});
  if (run_.error_.failed()) return {};
  v = check(name, v, name.defs[0]->span);
  if (run_.error_.failed()) return {};
  if (symbolic == symbolic_.end() || run_.tape_ == nullptr) return v;
  if (v.kind == Value::Kind::word) v.scalar = integer(v.word);
  v.scalar = run_.tape_->input(name.name, v.scalar.value, v.scalar.exact);
  return v;
}

/// Checks a value against the type and the literal bounds of its input, if the type is a number or a boolean. Returns the
/// value, or fails with a message at `span`. A plain number is understood in the unit of the type and converted to base
/// units. The check of a symbol records a guard, so that the recording is valid only for candidates with the same answer.
/// A failure records another guard on the number itself, because the message shows it. Whole numbers beyond 9e15 are
/// refused, because doubles skip integers above 2^53, about 9.007e15.
Value Inputs::check(const Name& name, Value v, const Span& span) {
  const Type& type = name.type;
  const auto holds = [&](Op op, const Scalar& left, const Scalar& right) { return specialize(run_.tape_, apply(run_.tape_, op, left, right)) != 0; };
  const auto wrong = [&](const std::string& expected, const std::string& shown) {
    specialize(run_.tape_, v.scalar);
    return run_.error_.fail(span, fmt::format("`{}` must be {}, not {}", name.name, expected, shown));
  };
  if (type.kind == Type::Kind::number || type.kind == Type::Kind::integer) {
    if (!v.is_number()) return wrong(describe(run_.program_, type), describe(v));
    if (v.unit.plain() && !type.unit.dimension.plain()) {
      v.scalar = apply(run_.tape_, Op::multiply, v.scalar, real(type.unit.factor));
      v.unit = type.unit.dimension;
    }
    if (!(v.unit == type.unit.dimension)) return wrong(describe(run_.program_, type), describe(v));
    if (type.kind == Type::Kind::integer) {
      // an exact symbol is whole for every candidate and needs no guard
      const bool whole = (v.scalar.exact && !v.scalar.constant()) || holds(Op::equal, apply(run_.tape_, Op::floor, v.scalar), v.scalar);
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
