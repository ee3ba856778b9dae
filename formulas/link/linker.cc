#include "formulas/link/linker.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "formulas/elements.h"

namespace opledger {
namespace {

const std::vector<std::string>& builtins() {
  static const std::vector<std::string> kNames = {"min", "max", "floor", "ceil", "ceil_div", "abs", "sqrt", "log2", "gcd", "divisors", "range", "parameter"};
  return kNames;
}

bool names_dimension(const ExprPtr& dims, std::string_view name) {
  if (!dims) return false;
  if (dims->kind == Expr::Kind::name && dims->text == name) return true;
  return std::any_of(dims->args.begin(), dims->args.end(), [&](const ExprPtr& a) { return names_dimension(a, name); });
}

void collect(const Operator& op, std::vector<const Operator*>& out) {
  // Depth-first over the parents, last named first. An operator that is reached twice keeps its first place.
  if (contains(out, &op)) return;
  out.push_back(&op);
  for (auto p = op.parents.rbegin(); p != op.parents.rend(); ++p) collect(**p, out);
}

}  // namespace

std::vector<const Operator*> lineage(const Operator& op) {
  std::vector<const Operator*> out;
  collect(op, out);
  return out;
}

bool operator_knows(const Operator& op, std::string_view name) {
  for (const Operator* o : lineage(op)) {
    if (o->port(name) != nullptr || o->attribute(name) != nullptr) return true;
    if (contains(o->parameters, name)) return true;
    for (const auto* ports : {&o->inputs, &o->weights, &o->outputs}) {
      for (const Port& port : *ports) {
        if (names_dimension(port.dims, name)) return true;
      }
    }
  }
  return false;
}

NameScope& Linker::scope(const NameScope* parent) {
  into_.scopes.push_back(std::make_unique<NameScope>());
  into_.scopes.back()->parent = parent;
  return *into_.scopes.back();
}

Name& Linker::name(std::string text, bool at_node) {
  auto n = std::make_unique<Name>();
  n->name = std::move(text);
  n->at_node = at_node;
  n->id = program_.next_name();
  into_.names.push_back(std::move(n));
  return *into_.names.back();
}

void Linker::define_constant(Name& name, const Value& value, const Span& at) {
  Formula& formula = into_.formulas.emplace_back();
  formula.kind = Formula::Kind::constant;
  formula.value = &into_.values.emplace_back(value);
  Def& def = into_.defs.emplace_back();
  def.name = name.name;
  def.span = at;
  def.otherwise = &formula;
  name.defs.push_back(&def);
}

const std::string* Linker::intern(std::string_view text) {
  for (const auto& t : into_.texts) {
    if (*t == text) return t.get();
  }
  into_.texts.push_back(std::make_unique<std::string>(text));
  return into_.texts.back().get();
}

Formula& Linker::add(Formula::Kind kind, const ExprPtr& expr) {
  Formula& f = into_.formulas.emplace_back();
  f.kind = kind;
  f.source = expr;
  return f;
}

std::vector<std::string> Linker::known(const NameScope& scope) const {
  std::vector<std::string> out;
  for (const NameScope* s = &scope; s != nullptr; s = s->parent) {
    for (const auto& [n, _] : s->names) out.push_back(n);
    for (const auto& [n, _] : s->locals) out.push_back(n);
  }
  for (const auto& set : program_.sets) {
    out.push_back(set->name);
    if (!set->elements) out.insert(out.end(), set->words.begin(), set->words.end());
  }
  for (const NodeValueType& t : program_.engine->node_values) out.emplace_back(t.name);
  std::sort(out.begin(), out.end());
  return out;
}

bool Linker::visible(const std::string& text, const NameScope& scope) const {
  for (const NameScope* s = &scope; s != nullptr; s = s->parent) {
    if (s->names.count(text) != 0 || s->locals.count(text) != 0) return true;
    if (s->op != nullptr && operator_knows(*s->op, text)) return true;
  }
  return false;
}

/// Returns the set of this name. A former name of an engine set is accepted with a warning, unless a name in scope hides
/// it. Returns no set if none exists.
SetId Linker::find_set(const std::string& text, const Span& span, const NameScope& scope) {
  const auto [set, is_former] = program_.find_set_or_former(text);
  if (!is_former) return set;
  return visible(text, scope) ? SetId() : program_.find_set(text, span, diagnostics_);
}

const Formula* Linker::word_of(const std::string& text, SetId set, const ExprPtr& expr) {
  Formula& f = add(Formula::Kind::word, expr);
  Value& value = into_.values.emplace_back();
  value.kind = Value::Kind::word;
  value.text = intern(text);
  value.set = set;
  if (set) value.word = program_.set(set).index.at(text);
  f.value = &value;
  f.text = text;
  return &f;
}

const Formula* Linker::resolve(const std::string& text, const ExprPtr& expr, const NameScope& scope) {
  // Links a single name: looks it up in order of precedence and returns a formula of the matching form, or null after
  // an error. Scopes come first, from the innermost outward: arguments of a function (`locals`), names, and ports,
  // attributes and dimensions of the scope's operator. Sets, inputs of case words, values of nodes that the engine
  // computes, and finally words of sets follow. A word of several sets stays without a set; a comparison decides later.
  for (const NameScope* s = &scope; s != nullptr; s = s->parent) {
    if (const auto local = s->locals.find(text); local != s->locals.end()) {
      Formula& f = add(Formula::Kind::local, expr);
      f.slot = local->second;
      f.text = text;
      return &f;
    }
    const auto named = s->names.find(text);
    if (named != s->names.end() && (s != program_.global || !program_.find_set(text))) {  // a set's current word wins over the name that binds it
      Formula& f = add(Formula::Kind::name, expr);
      f.name = named->second;
      f.text = text;
      return &f;
    }
    if (s->op != nullptr && operator_knows(*s->op, text)) {
      Formula& f = add(Formula::Kind::node_value, expr);
      f.text = text;
      f.slot = program_.field_id(text);
      return &f;
    }
  }
  if (const SetId set = find_set(text, expr->span, scope); set) {
    Formula& f = add(Formula::Kind::set, expr);
    f.set = set;
    f.text = program_.set(set).name;
    return &f;
  }
  // an input of a word of cases, such as `decode.tp`
  if (const Name* const input = text.find('.') != std::string::npos ? program_.find_input(text) : nullptr) {
    Formula& f = add(Formula::Kind::name, expr);
    f.name = input;
    f.text = text;
    return &f;
  }
  if (program_.engine->node_value(text) != nullptr) {
    Formula& f = add(Formula::Kind::node_value, expr);
    f.text = text;
    f.slot = program_.field_id(text);
    return &f;
  }
  SetId last;
  int sets_with_word = 0;
  for (const auto& set : program_.sets) {
    if (set->index.count(text) != 0) {
      last = set->id;
      ++sets_with_word;
    }
  }
  if (sets_with_word > 0) return word_of(text, sets_with_word == 1 ? last : SetId(), expr);
  const bool is_number = text[0] >= '0' && text[0] <= '9';  // of a mistyped unit
  diagnostics_.error(expr->span,
                     fmt::format("{} `{}`{}", is_number ? "neither a number with a unit nor a name:" : "unknown name", text, suggestion(text, known(scope))));
  return nullptr;
}

/// Links `parameter(NAME, FORMULA)`: the parameter of the model, or the formula if the model has none of this name. The
/// choice is made here, once. Formulas that hold for every model, such as metrics, can't make it: an error.
const Formula* Linker::link_parameter(const ExprPtr& expr, const NameScope& scope) {
  if (expr->args.size() != 3 || expr->args[1]->kind != Expr::Kind::name) {
    diagnostics_.error(expr->span, "`parameter` takes the name of a parameter of the model, and a formula for models without it");
    return nullptr;
  }
  const auto is_model = [&](const NameScope* s) {
    return s == program_.model || std::any_of(program_.models.begin(), program_.models.end(), [&](const CaseModel& model) { return model.scope == s; });
  };
  const std::string& name = expr->args[1]->text;
  const Name* const global = program_.find(name);
  for (const NameScope* s = &scope; s != nullptr; s = s->parent) {
    if (!is_model(s)) continue;
    const bool known = s->names.count(name) != 0 || (global != nullptr && global->input);
    return link(expr->args[known ? 1 : 2], scope);
  }
  diagnostics_.error(expr->span, "`parameter` reads a model, so only values of inputs, axes and parameters can use it: declare an input with this default");
  return nullptr;
}

const Formula* Linker::link_call(const ExprPtr& expr, const NameScope& scope) {
  // Links a call `callee(arguments)`. The callee may be a path `a.b.c`: words in front, as in `decode.f(x)`, become
  // bindings of the call. The remaining name is a function or a built-in if no scope defines it. Any other callee is
  // linked as a value, such as a field of a document, and evaluation requires a curve. Returns null after an error,
  // such as a wrong number of arguments.
  ExprPtr base;
  std::vector<std::string> parts = flatten(expr->args[0], base);
  if (base->kind == Expr::Kind::name && parts.size() == 1 && parts[0] == "parameter" && !visible(parts[0], scope) &&
      program_.find_function(parts[0]) == nullptr)
    return link_parameter(expr, scope);
  std::vector<const Formula*> args;
  for (std::size_t i = 1; i < expr->args.size(); ++i) {
    args.push_back(link(expr->args[i], scope));
    if (args.back() == nullptr) return nullptr;
  }
  Bindings bindings;
  if (base->kind == Expr::Kind::name) bindings = take_bindings(parts, base->span, scope);
  if (base->kind == Expr::Kind::name && parts.size() == 1 && !visible(parts[0], scope)) {
    const Function* const function = program_.find_function(parts[0]);
    const bool built_in = contains(builtins(), parts[0]);
    if (function == nullptr && !built_in) {
      std::vector<std::string> names = builtins();
      for (const auto& f : program_.functions) names.push_back(f->name);
      diagnostics_.error(expr->span, fmt::format("unknown function `{}`{}", parts[0], suggestion(parts[0], names)));
      return nullptr;
    }
    Formula& f = add(function == nullptr ? Formula::Kind::builtin : Formula::Kind::function, expr);
    f.text = parts[0];
    f.args = std::move(args);
    if (f.kind == Formula::Kind::function) {
      f.function = function;
      if (f.function->parameters.size() != f.args.size()) {
        diagnostics_.error(expr->span, fmt::format("`{}` takes {} arguments, not {}", parts[0], f.function->parameters.size(), f.args.size()));
        return nullptr;
      }
    }
    return bound(std::move(bindings), &f, expr);
  }
  const Formula* curve = link(expr->args[0], scope);
  if (curve == nullptr) return nullptr;
  if (args.empty() || args.size() > Curve::kMaxCoordinates) {
    diagnostics_.error(expr->span, fmt::format("a curve takes 1 to {} arguments", Curve::kMaxCoordinates));
    return nullptr;
  }
  Formula& f = add(Formula::Kind::curve, expr);
  f.args = {curve};
  f.args.insert(f.args.end(), args.begin(), args.end());
  return &f;
}

const NameScope& Linker::scope_with(const Datum& lets, const NameScope& outer) {
  NameScope& own = scope(&outer);
  const std::vector<Definition> definitions = parse_definitions(lets, diagnostics_);
  for (const Definition& d : definitions) own.names.emplace(d.name, &name(d.name));
  for (const Definition& d : definitions) {
    Name& n = *own.names.at(d.name);
    if (const Def* def = define(d, own)) n.defs.insert(n.defs.begin(), def);
  }
  return own;
}

SetId Linker::set_named(const std::string& text, const Span& span) {
  const SetId set = find_set(text, span, *program_.global);
  if (set) return set;
  diagnostics_.error(span, fmt::format("unknown set `{}`{}", text, suggestion(text, names_of(program_.sets))));
  return set;
}

const Formula* Linker::link_aggregate(const ExprPtr& expr, const NameScope& scope) {
  const SetId set = set_named(expr->text, expr->span);
  if (!set) return nullptr;
  Formula& f = add(expr->aggregate == Aggregate::running ? Formula::Kind::running : Formula::Kind::aggregate, expr);
  f.aggregate = expr->aggregate;
  f.set = set;
  const Formula* linked = children(f, expr, scope);
  return expr->per.empty() || linked == nullptr ? linked : per(expr, linked);
}

/// Links `sum(x over SET per A, B)`. The aggregate is evaluated at a point without words, except those of A, B and the
/// sets that their elements belong to.
const Formula* Linker::per(const ExprPtr& expr, const Formula* aggregate) {
  std::vector<SetId> named;
  for (const ExprPtr& name : expr->per) {
    named.push_back(set_named(name->text, name->span));
    if (!named.back()) return nullptr;
  }
  const std::vector<SetId> kept = program_.with_joined(named);
  Bindings cleared;
  for (const auto& set : program_.sets) {
    if (!contains(kept, set->id)) cleared.emplace_back(set->id, kNoWord);
  }
  return bound(std::move(cleared), aggregate, expr);
}

const Formula* Linker::children(Formula& formula, const ExprPtr& expr, const NameScope& scope) {
  formula.args.reserve(expr->args.size());
  for (const ExprPtr& arg : expr->args) {
    const Formula* linked = link(arg, scope);
    if (linked == nullptr) return nullptr;
    formula.args.push_back(linked);
  }
  return &formula;
}

const Formula* Linker::link_operand(const ExprPtr& expr, const NameScope& scope, SetId compared_set) {
  if (compared_set && expr->kind == Expr::Kind::name && program_.set(compared_set).index.count(expr->text) != 0) return word_of(expr->text, compared_set, expr);
  if (compared_set && expr->kind == Expr::Kind::list) {
    Formula& f = add(Formula::Kind::list, expr);
    for (const ExprPtr& item : expr->args) {
      const Formula* linked = link_operand(item, scope, compared_set);
      if (linked == nullptr) return nullptr;
      f.args.push_back(linked);
    }
    return &f;
  }
  return link(expr, scope);
}

/// Links `==`, `!=` and `in`. An operand may be a word set, or a path such as `message.phase` to a word set of the
/// current element. The opposite operand then prefers words of this set over names: `phase == forward` works even if a
/// name is called `forward`. `compared_set` has, for each operand, the word set on the opposite side, if any. Returns
/// null after an error.
const Formula* Linker::link_comparison(const ExprPtr& expr, const NameScope& scope) {
  SetId compared_set[2];
  for (int i = 0; i < 2; ++i) {
    const ExprPtr& operand = expr->args[i];
    const bool path = operand->kind == Expr::Kind::member && operand->args[0]->kind == Expr::Kind::name;
    if (operand->kind != Expr::Kind::name && !path) continue;
    const SetId elements = path ? find_set(operand->args[0]->text, operand->args[0]->span, scope) : SetId();
    const SetId set = path ? (elements ? joined(elements, operand->text) : SetId()) : program_.find_set(operand->text);
    if (set && !program_.set(set).elements) compared_set[1 - i] = set;
  }
  Formula& f = add(expr->kind == Expr::Kind::in ? Formula::Kind::in : Formula::Kind::operation, expr);
  f.op = expr->op;
  for (std::size_t i = 0; i < 2; ++i) {
    const Formula* linked = link_operand(expr->args[i], scope, compared_set[i]);
    if (linked == nullptr) return nullptr;
    f.args.push_back(linked);
  }
  return &f;
}

const Formula* Linker::link_literal(const ExprPtr& expr) {
  // Links a number, truth, text or `null` as a constant. Whole plain numbers below 9e15 are exact integers; doubles
  // represent all integers of this size. A literal 0 is compatible with every unit, even if it has a unit. `null` is
  // `nothing`. The storage `into_` owns value and formula.
  Value& value = into_.values.emplace_back();
  if (expr->kind == Expr::Kind::number) {
    const bool whole = expr->dimension.plain() && std::fabs(expr->number) < 9e15 && expr->number == std::trunc(expr->number);
    value = number_value(whole ? integer(expr->number) : real(expr->number), expr->dimension);
    value.any_unit = expr->number == 0;
  } else if (expr->kind == Expr::Kind::boolean) {
    value = truth_value(expr->number != 0);
  } else if (expr->kind == Expr::Kind::text) {
    value.kind = Value::Kind::text;
    value.text = intern(expr->text);
  }
  Formula& f = add(Formula::Kind::constant, expr);
  f.value = &value;
  return &f;
}

/// Links `WORD.(…)`: the expression, evaluated at a point with the words of the prefix.
const Formula* Linker::link_at(const ExprPtr& expr, const NameScope& scope) {
  ExprPtr base;
  std::vector<std::string> parts = flatten(expr->args[0], base);
  parts.emplace_back();
  Bindings bindings = take_bindings(parts, base->span, scope);
  if (parts.size() == 1) return bound(std::move(bindings), link(expr->args[1], scope), expr);
  diagnostics_.error(expr->span, fmt::format("`{}` is no word of one set", parts[0]));
  return nullptr;
}

const Formula* Linker::link(const ExprPtr& expr, const NameScope& scope) {
  // Turns a syntax tree into a linked formula: names are resolved in `scope`, and the arguments are linked recursively.
  // Dispatches on the kind of the expression. Equality is linked as a comparison, because its operands may be words.
  // Returns null after an error, and for a missing expression.
  if (!expr) return nullptr;
  switch (expr->kind) {
    case Expr::Kind::number:
    case Expr::Kind::boolean:
    case Expr::Kind::text:
    case Expr::Kind::null:
      return link_literal(expr);
    case Expr::Kind::inherited:
      return &add(Formula::Kind::inherited, expr);
    case Expr::Kind::name:
      return resolve(expr->text, expr, scope);
    case Expr::Kind::member:
      return link_path(expr, scope);
    case Expr::Kind::call:
      return link_call(expr, scope);
    case Expr::Kind::aggregate:
      return link_aggregate(expr, scope);
    case Expr::Kind::in:
      return link_comparison(expr, scope);
    case Expr::Kind::operation:
      if (expr->op == Op::equal || expr->op == Op::not_equal) return link_comparison(expr, scope);
      {
        Formula& f = add(Formula::Kind::operation, expr);
        f.op = expr->op;
        return children(f, expr, scope);
      }
    case Expr::Kind::condition:
      return children(add(Formula::Kind::condition, expr), expr, scope);
    case Expr::Kind::list:
      return children(add(Formula::Kind::list, expr), expr, scope);
    case Expr::Kind::index:
      return children(add(Formula::Kind::index, expr), expr, scope);
    case Expr::Kind::at:
      return link_at(expr, scope);
  }
  return nullptr;
}

SetId Linker::set_of(const std::vector<std::string>& words, const std::vector<Span>& spans) {
  // Returns the only set that contains all of `words`, the keys of a definition by cases. Two such sets are ambiguous.
  // If no set has all words, the error names the first word that is missing in the first set with words[0]. If no set
  // has words[0] either, the key may be a misspelled property of a definition, so the suggestions include these. The
  // cost is at most one look-up for each set and word; an error also collects the words of all sets.
  std::vector<const Set*> with_first, with_all;
  for (const auto& set : program_.sets) {
    if (set->index.count(words[0]) == 0) continue;
    with_first.push_back(set.get());
    if (std::all_of(words.begin(), words.end(), [&](const std::string& w) { return set->index.count(w) != 0; })) with_all.push_back(set.get());
  }
  if (with_all.size() == 1) return with_all[0]->id;
  if (with_all.size() > 1) {
    diagnostics_.error(spans[0], fmt::format("`{}` is a word of `{}` and of `{}`", words[0], with_all[0]->name, with_all[1]->name));
    return {};
  }
  std::vector<std::string> candidates = {"is", "when", "else", "unit", "doc", "as", "let", "source"};
  for (const auto& set : program_.sets) {
    if (!set->elements) candidates.insert(candidates.end(), set->words.begin(), set->words.end());
  }
  if (with_first.empty()) {
    diagnostics_.error(spans[0], fmt::format("unknown key `{}`{}", words[0], known_names(words[0], "keys", candidates)));
  } else {
    const Set& first = *with_first[0];
    const auto missing = std::find_if(words.begin(), words.end(), [&](const std::string& w) { return first.index.count(w) == 0; });
    diagnostics_.error(spans[missing - words.begin()],
                       fmt::format("`{}` is no word of `{}`{}", *missing, first.name, known_names(*missing, "words", first.words)));
  }
  return {};
}

const Def* Linker::define(const Definition& definition, const NameScope& outer) {
  // Links a parsed definition of a name: its formula (`otherwise`), its formulas by word of a set (`cases`), and its
  // condition `when`. The words of the cases identify their set. Local names (`lets`) live in a scope inside `outer`;
  // all are declared before the first is linked, because they may use each other. Formulas are linked even after an
  // error in another, to report every error; the result is null then. If the words have no common set, null is returned at
  // once. A local name with an error stays without a definition.
  const NameScope* inner = &outer;
  if (!definition.lets.empty()) {
    NameScope& own = scope(&outer);
    for (const Definition& let : definition.lets) own.names.emplace(let.name, &name(let.name));
    for (const Definition& let : definition.lets) {
      if (const Def* def = define(let, own)) own.names.at(let.name)->defs.push_back(def);
    }
    inner = &own;
  }
  Def def;
  def.name = definition.name;
  def.span = definition.span;
  def.doc = definition.doc;
  def.source = definition.source;
  def.unit = definition.unit;
  def.unit_text = definition.unit_text;
  bool good = true;
  if (!definition.cases.empty()) {
    def.set = set_of(names_of(definition.cases), definition.case_spans);
    if (!def.set) return nullptr;
    for (const auto& [word, expr] : definition.cases) {
      const Formula* linked = link(expr, *inner);
      good = good && linked != nullptr;
      def.cases.emplace_back(program_.set(def.set).index.at(word), linked);
    }
  }
  if (definition.otherwise) good = (def.otherwise = link(definition.otherwise, *inner)) != nullptr && good;
  if (definition.when) good = (def.when = link(definition.when, *inner)) != nullptr && good;
  if (!good) return nullptr;
  return &into_.defs.emplace_back(std::move(def));
}

}  // namespace opledger
