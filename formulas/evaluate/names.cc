#include "formulas/evaluate/interpreter.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "formulas/formula_text.h"
#include "formulas/link/linker.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

/// Returns the point without the words of sets that a value does not depend on. A run at other case words may lack such an
/// element, and a value of that run would then be absent.
Point restricted(const Point& point, const Variance& variance) {
  Point out = nowhere();
  for (std::uint64_t left = variance.varies | variance.needs; left != 0; left &= left - 1) {
    const SetId set(static_cast<std::uint32_t>(std::countr_zero(left)));
    out[set] = point[set];
  }
  return out;
}

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

/// Returns the symbol that decides the current word of a set. Returns nothing if the point has chosen a word, if the word
/// is a constant, or without a tape.
std::optional<Scalar> Interpreter::symbolic_word(SetId set, const Point& point) {
  if (tape_ == nullptr || !set || point[set] != kNoWord) return std::nullopt;
  const Name* binder = program_.set(set).binder;
  if (binder == nullptr) return std::nullopt;
  const Value v = evaluate(*binder, point);
  if (error_.failed() || v.kind != Value::Kind::word || v.scalar.constant()) return std::nullopt;
  return v.scalar;
}

Value Interpreter::field_value(const Value& field) {
  if (field.input == nullptr) return field;
  const Interpreter& root = case_.root() != nullptr ? *case_.root() : *this;
  const bool differs = mode_ == Mode::units || case_.replaces(*field.input) || root.inputs_.is_replaced(*field.input);
  return differs ? evaluate(*field.input) : field;
}

Value Interpreter::evaluate(const Name& name, const Point& point) {
  // If the point has other case words, the run of these words evaluates the name.
  if (error_.failed()) return {};
  if (case_.has_cases() && case_.changes(point)) return case_.ask_there(point, [&](Interpreter& there, const Point& p) { return there.evaluate(name, p); });
  return cache_.value(name, point);
}

Value Interpreter::compute(const Name& name, const Point& at) {
  // Evaluates a name without the cache. The first case that applies counts: a replacement at this run's case words, an
  // input, or the chain of definitions that replace each other. A quantity of operators (`name.of` is their set, a
  // family) depends on the current operator. A symbolic operator differs between the candidates of a search: the value
  // at each word is joined on the tape. An unknown operator (kAnyWord, in the check before a run) gives the common unit
  // of all operators.
  Point own;
  const Point& point = case_.has_cases() ? own = restricted(at, definitions_.variance(name)) : at;
  if (const Name* const other = case_.replacement(name)) return case_.is_combined() ? case_.combined_value(name, point) : evaluate(*other, point);
  if (name.input) return inputs_.value(name, point);
  const auto at_word = [&](WordId w) { return evaluate(name, tables_.choose(point, name.of, w)); };
  if (const std::optional<Scalar> word = symbolic_word(name.of, point))
    return choices_.at_word(*word, program_.set(name.of).words.size(), at_word, name.span());
  if (error_.failed()) return {};
  if (name.of && current(name.of, point) == kAnyWord) return every_word(name.of, at_word, name.span());
  if (error_.failed()) return {};
  const DefinitionChain& chain = chain_of(name, point);
  return error_.failed() ? Value{} : by_chain({&chain, 0, nullptr}, point, {});
}

Value Interpreter::every_word(SetId set, FunctionRef<Value(WordId)> of, const Span& span) {
  Value all;
  for (std::size_t w = 0; w < program_.set(set).words.size() && !error_.failed(); ++w) all = arithmetic_.unify(all, of(static_cast<WordId>(w)), span);
  return all;
}

const DefinitionChain& Interpreter::chain_of(const Name& name, const Point& point) {
  // A quantity of nodes has a chain for each node. A quantity of operators (`name.of` is their set, a family) has a chain
  // for each operator. Other names have one chain. An unknown node or word gives the general definitions.
  if (name.of) {
    const std::optional<WordId> word = current(name.of, point);
    if (error_.failed() || !word || *word < 0) return name.defs;
    return definitions_.at_word(name, *word);
  }
  if (!name.at_node) {
    if (name.defs.empty()) error_.fail({}, fmt::format("`{}` has no value: give it in the execution, or with --set {}=…", name.name, name.name));
    return name.defs;
  }
  const WordId node = point[program_.engine->nodes];
  if (node == kNoWord) {
    error_.fail(name.span(), fmt::format("`{}` varies with node, and nothing chooses one where it is used", name.name));
    return name.defs;
  }
  if (node < 0) return name.defs;
  return definitions_.at_node(name, node, mode_ == Mode::units ? node : tables_.place_of(program_.engine->nodes, node));
}

Value Interpreter::by_chain(const Frame& frame, const Point& point, const Span& call_span) {
  // Evaluates a chain of definitions that replace each other, newest first, from the frame's position on: the first
  // with a formula for the current word counts (`by_case`). The newest `when` from this position on decides for all of
  // them: if it does not hold, the value is an absent zero. The newest declared unit is checked against the result; a value
  // that is compatible with every unit takes this unit. A missing formula of a function is reported at `call_span`, the
  // position of its call.
  const DefinitionChain& chain = *frame.chain;
  const std::size_t i = frame.index;
  if (i >= chain.size()) {
    if (chain.empty()) return error_.fail(call_span, "no formula");
    const Def& last = *chain.back();
    const std::optional<WordId> word = last.set ? current(last.set, point) : std::nullopt;
    const std::string here = word && *word >= 0 ? fmt::format("`{}`", program_.set(last.set).words[*word]) : "this case";
    return error_.fail(frame.locals != nullptr ? call_span : last.span, fmt::format("`{}` has no formula for {}", last.name, here));
  }
  const Def* guard = nullptr;
  std::size_t j = i;
  for (; j < chain.size() && guard == nullptr; ++j) {
    if (chain[j]->when != nullptr) guard = chain[j];
  }
  Value v;
  if (guard != nullptr) {
    const Value holds = interpret(*guard->when, point, {&chain, j - 1, frame.locals});  // j - 1 is the position of `guard`
    if (error_.failed()) return {};
    v = choices_.branch(
        holds, [&] { return by_case(frame, point, call_span); }, [] { return absent_value(); }, guard->span);
  } else {
    v = by_case(frame, point, call_span);
  }
  if (error_.failed()) return {};
  for (std::size_t k = i; k < chain.size(); ++k) {
    if (!chain[k]->unit) continue;
    if (v.kind == Value::Kind::number && v.any_unit) v.unit = *chain[k]->unit;
    if (v.kind != Value::Kind::nothing && (v.kind != Value::Kind::number || !(v.unit == *chain[k]->unit))) {
      return error_.fail(chain[i]->span, fmt::format("`{}` is declared in {}, but its formula is {}", chain[i]->name, chain[k]->unit_text, describe(v)));
    }
    v.any_unit = mode_ == Mode::numbers && v.any_unit;  // the check before a run takes the declared unit as fixed
    break;
  }
  return v;
}

Value Interpreter::by_case(const Frame& frame, const Point& point, const Span& call_span) {
  // Evaluates one definition of a chain: the formula of the current word of its set, else its general formula
  // (`otherwise`), else the next older definition. A symbolic word differs between the candidates of a search, so the
  // cases of all words are evaluated and joined on the tape. Units mode, the check before a run, has an unknown word
  // (kAnyWord) and unifies the cases of all words.
  const DefinitionChain& chain = *frame.chain;
  const std::size_t i = frame.index;
  const Def& def = *chain[i];
  const Frame next{&chain, i + 1, frame.locals};
  const Span& at = frame.locals != nullptr ? call_span : def.span;  // errors of a function point at the call, where a word can be chosen
  if (const std::optional<Scalar> word = symbolic_word(def.set, point)) {
    const auto of = [&](WordId w) {
      Point p = point;
      p[def.set] = w;
      return by_case(frame, p, call_span);
    };
    return choices_.at_word(*word, program_.set(def.set).words.size(), of, def.span);
  }
  if (error_.failed()) return {};
  if (!def.set) return def.otherwise == nullptr ? by_chain(next, point, at) : interpret(*def.otherwise, point, frame);
  const std::optional<WordId> word = current(def.set, point);
  if (error_.failed()) return {};
  if (!word) {
    const Set& set = program_.set(def.set);
    if (frame.locals != nullptr) return error_.fail(at, fmt::format("`{}` varies with {}, and nothing chooses one here", def.name, set.name));
    return error_.fail(def.span, fmt::format("`{}` varies with {}, and nothing chooses one where it is used: write {}.{} or aggregate over {}", def.name,
                                             set.name, set.words.empty() ? set.name : set.words[0], def.name, set.name));
  }
  if (*word == kAnyWord) {
    const auto at_word = [&](WordId w) {
      const bool has =
          def.otherwise != nullptr || i + 1 < chain.size() || std::any_of(def.cases.begin(), def.cases.end(), [w](const auto& one) { return one.first == w; });
      if (!has) return Value{};  // a word without a formula is an error only where it is used
      Point p = point;
      p[def.set] = w;
      return by_case(frame, p, call_span);
    };
    return every_word(def.set, at_word, def.span);
  }
  for (const auto& [w, formula] : def.cases) {
    if (w == *word) return interpret(*formula, point, frame);
  }
  return def.otherwise != nullptr ? interpret(*def.otherwise, point, frame) : by_chain(next, point, at);
}

Value Interpreter::call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& call_span) {
  const auto answer = [&] { return by_chain({&function.defs, 0, &arguments}, point, call_span); };
  if (mode_ != Mode::units) return answer();
  const std::string key = call_key(function, definitions_.variance(function), arguments, point);
  if (const auto known = calls_.find(key); known != calls_.end()) return known->second;
  const Value v = answer();
  if (!error_.failed()) calls_.emplace(key, v);
  return v;
}

Interpreter::Chosen Interpreter::chosen(const Name& name, const Point& point) {
  if (const Name* const other = case_.replacement(name); other != nullptr && !case_.is_combined()) return chosen(*other, point);
  if (!name.input) return chosen(chain_of(name, point), nullptr, point);
  return name.defs.empty() ? Chosen{} : Chosen{name.defs[0], name.defs[0]->otherwise, false};
}

Interpreter::Chosen Interpreter::chosen(const DefinitionChain& chain, const std::vector<Value>* locals, const Point& point) {
  // Returns the definition and formula of a chain that give the value at a point, for explanations. The order is that
  // of evaluation: the newest `when` first, then, from the newest definition on, the formula of the current word, else
  // the general one. A formula that is only `inherited` leaves the value to an older definition, so it is skipped.
  for (const Def* def : chain) {
    if (def->when == nullptr) continue;
    const Value holds = interpret(*def->when, point, {&chain, 0, locals});
    if (!error_.failed() && holds.scalar.value == 0) return {def, def->when, true};
    break;
  }
  for (const Def* def : chain) {
    if (error_.failed()) break;
    if (def->set) {
      const std::optional<WordId> word = current(def->set, point);
      const auto has_word = [&](const auto& word_formula) { return word && word_formula.first == *word; };
      const auto found = std::find_if(def->cases.begin(), def->cases.end(), has_word);
      if (found != def->cases.end() && found->second->kind == Formula::Kind::inherited) continue;
      if (found != def->cases.end()) return {def, found->second, false};
    }
    if (def->otherwise != nullptr && def->otherwise->kind != Formula::Kind::inherited) return {def, def->otherwise, false};
  }
  return {};
}

}  // namespace opledger
