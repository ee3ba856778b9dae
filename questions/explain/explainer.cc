#include "questions/explain/explainer.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "expr/aggregates.h"
#include "expr/printer.h"

namespace opledger {

ExplainedValue explained(const Value& value) { return {value, human(value)}; }

/// Sets the arguments that formulas see while a function body is explained.
class Explainer::LocalsScope {
 public:
  LocalsScope(Explainer& explainer, const std::vector<Value>* locals) : explainer_(explainer), before_(explainer.locals_) { explainer.locals_ = locals; }
  ~LocalsScope() { explainer_.locals_ = before_; }
  LocalsScope(const LocalsScope&) = delete;
  LocalsScope& operator=(const LocalsScope&) = delete;

 private:
  Explainer& explainer_;
  const std::vector<Value>* before_;
};

/// Switches to another evaluator while a value at other words of cases is explained. Points inside belong to that
/// evaluator.
class Explainer::EvaluatorScope {
 public:
  EvaluatorScope(Explainer& explainer, Evaluator& there) : explainer_(explainer), before_(explainer.evaluator_) { explainer.evaluator_ = &there; }
  ~EvaluatorScope() { explainer_.evaluator_ = before_; }
  EvaluatorScope(const EvaluatorScope&) = delete;
  EvaluatorScope& operator=(const EvaluatorScope&) = delete;

 private:
  Explainer& explainer_;
  Evaluator* before_;
};

/// Explains the value of a name at a point, a current word for each set. A run has one evaluator for each combination
/// of case words; `at` returns the evaluator of this point, and the point in that evaluator. `chosen` is the definition
/// that applies there, with its formula. The explanation gets value, definition, words and the formula with values
/// inserted. While `depth` is positive, `open` adds the parts of the formula as children. A false `when` is the whole
/// explanation; an input without a formula has no children. Empty, with an error, if the value can't be computed.
std::optional<Explanation> Explainer::name(const Name& name, const Point& outer_point, int depth) {
  const LocalsScope none(*this, nullptr);  // Arguments are not visible inside names.
  const auto there = evaluator_->at(outer_point);
  if (!there) return std::nullopt;
  const EvaluatorScope evaluator_scope(*this, *there->first);
  const Point& point = there->second;
  const Answer answer = evaluator_->ask(name, point);
  if (!answer.report(diagnostics_)) return std::nullopt;
  const Evaluator::Chosen chosen = evaluator_->chosen(name, point);
  Explanation out{Explanation::Kind::name, name.name, define(name.name, chosen), explained(answer.value)};
  add_point(name, point, out);
  out.own_unit = in_own_unit(name, answer.value);
  // A simulated step provides the value, so no formula of the accounting applies.
  if (evaluator_->provides(name)) out.definition = define_played(name);
  if (chosen.absent) return out.because = to_source(*chosen.formula->source), out;
  if (chosen.formula == nullptr || chosen.formula->source == nullptr) return out;
  out.documented = depth == options_.depth;  // The requested name has the full depth, and so has each entry of an expansion table.
  out.substituted = substituted(*chosen.formula, point);
  std::set<std::string> visited;
  if (depth > 0) open(*chosen.formula, point, depth, visited, out.children);
  return out;
}

int Explainer::define(const std::string& name, const Evaluator::Chosen& chosen) {
  if (chosen.def == nullptr) return -1;
  const auto [known, fresh] = defined_.try_emplace({chosen.def, chosen.formula}, static_cast<int>(out_.definitions.size()));
  if (!fresh) return known->second;
  const bool written = !chosen.absent && chosen.formula != nullptr && chosen.formula->source != nullptr;
  out_.definitions.push_back({name, chosen.def->unit_text, std::string(trim(chosen.def->doc)), std::string(trim(chosen.def->source)),
                              written ? to_source(*chosen.formula->source) : "", chosen.def->span});
  return known->second;
}

/// Adds a definition for a value of the simulated step: the order and size of the step.
int Explainer::define_played(const Name& name) {
  const auto known = played_.find(&name);
  if (known != played_.end()) return known->second;
  const std::optional<ValueSource> source = run_.extensions().describe(run_.evaluator(), run_, run_.graph_run());
  if (!source) return -1;
  out_.definitions.push_back({name.name, name.type.unit_text, name.type.doc, "", source->text, source->span});
  return played_[&name] = static_cast<int>(out_.definitions.size()) - 1;
}

/// Returns an input in its declared unit, for example `80 GB`, if it is shown in another unit.
std::string Explainer::in_own_unit(const Name& name, const Value& value) {
  if (!name.input || name.type.unit.factor == 1 || !value.is_number()) return {};
  const std::string& unit = name.type.unit_text;
  return human(value).ends_with(unit) ? "" : fmt::format("{} {}", exact(value.scalar.value / name.type.unit.factor), unit);
}

std::string Explainer::word(SetId id, WordId word) const {
  const Set& set = run_.program().set(id);
  return set.elements ? evaluator_->elements(id).names[word] : set.words.empty() ? std::to_string(word) : set.words[word];
}

/// Returns the documents that a word of cases uses in place of the run's: ` (gpt2)`.
std::string Explainer::documents_of(SetId cases, WordId word) const {
  const std::vector<CaseSet>& all = run_.program().cases;
  const auto set = std::find_if(all.begin(), all.end(), [&](const CaseSet& s) { return s.set == cases; });
  std::vector<std::string> names;
  for (const auto& [_, name] : set->words[word].documents) names.push_back(name);
  return names.empty() ? "" : " (" + join(names, ", ") + ")";
}

/// Adds the words that the value depends on: to `out.point` as pairs of set and word, and to `out.where` as text, such
/// as `forward decoder.mlp.up`. Words of cases come first, with the documents that replace the run's. Other sets follow
/// in the order of the program. A set is skipped if the value does not vary with it, no word is chosen, or the chosen
/// node implies the word. The usual extent, one rank, is skipped, too. Words that are bare numbers, such as stages,
/// follow the name of their set.
void Explainer::add_point(const Name& name, const Point& point, Explanation& out) const {
  std::vector<std::string> words;
  for (const auto& [set, word] : evaluator_->cases()) {
    out.point.emplace_back(run_.program().set(set).name, run_.program().set(set).words[word]);
    words.push_back(out.point.back().second + documents_of(set, word));
  }
  for (const SetId s : run_.program().sets.ids()) {
    if ((evaluator_->variance(name).varies & bit(s)) == 0 || point[s] < 0) continue;
    const Set& set = *run_.program().sets[s];
    if (set.elements && point[kNodeSet] >= 0 && (s == kComponentSet || s == kKernelSet || s == kSegmentSet)) continue;  // Implied by the node.
    if (s == kExtentSet && point[s] == kRank) continue;                                                                 // The usual extent is not mentioned.
    out.point.emplace_back(set.name, word(s, point[s]));
    const bool number = s == kStageSet || (!set.elements && set.words.empty());
    words.push_back((number ? set.name + " " : "") + out.point.back().second);
  }
  out.where = join(words, " ");
}

/// Evaluates a formula and reports its error, if any.
Answer Explainer::value_of(const Formula& f, const Point& point) {
  Answer answer = evaluator_->ask(f, point, locals_);
  answer.report(diagnostics_);
  return answer;
}

/// Prints the formula with the values of its replaceable parts. Empty if the text does not change.
std::string Explainer::substituted(const Formula& f, const Point& point) {
  std::map<const Expr*, std::string> values;
  collect(f, point, values);
  if (values.empty()) return {};
  std::string out = to_source(*f.source, [&](const Expr& e) -> std::optional<std::string> {
    const auto found = values.find(&e);
    return found == values.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
  return out == to_source(*f.source) ? std::string() : out;
}

namespace {

/// Returns true if a substituted text shows the whole formula as one value, for example for a name, a call or an
/// aggregate. Other formulas, such as sums and products, keep their operators, and their operands are replaced one by
/// one.
bool opaque(const Formula& f) {
  switch (f.kind) {
    case Formula::Kind::name:
    case Formula::Kind::local:
    case Formula::Kind::node_value:
    case Formula::Kind::field:
    case Formula::Kind::index:
    case Formula::Kind::curve:
    case Formula::Kind::function:
    case Formula::Kind::aggregate:
    case Formula::Kind::running:
    case Formula::Kind::set:
    case Formula::Kind::at:
      return true;
    default:
      return false;
  }
}

}  // namespace

/// Collects the text of a value for each replaceable part of a formula, by its expression in the source. Only the
/// condition and the taken branch of a conditional formula are visited.
void Explainer::collect(const Formula& f, const Point& point, std::map<const Expr*, std::string>& out) {
  if (f.kind == Formula::Kind::condition) {
    collect(*f.args[0], point, out);
    const Answer c = value_of(*f.args[0], point);
    if (c.known()) collect(*f.args[c.value.scalar.value != 0 ? 1 : 2], point, out);
    return;
  }
  if (opaque(f) && f.source != nullptr) {
    const Value v = value_of(f, point).value;
    if (v.kind == Value::Kind::number || v.kind == Value::Kind::truth || v.kind == Value::Kind::word) out[f.source.get()] = human(v);
    return;
  }
  for (const Formula* arg : f.args) collect(*arg, point, out);
}

/// Adds explanations of the parts of a formula to `out`: names, function calls and aggregates. The recursion descends
/// through operators, through `at`, which binds words of sets, and through the taken branch of a condition. `visited`
/// holds the listed names with their words, and the listed calls with their arguments. Each is thus listed once for the
/// whole formula; every term of an aggregate has a list of its own. Inputs with a constant value are not listed,
/// because the formula with values shows them. `depth` limits the levels of names and calls below.
void Explainer::open(const Formula& f, const Point& outer_point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out) {
  const auto there = evaluator_->at(outer_point);
  if (!there) return;
  const EvaluatorScope evaluator_scope(*this, *there->first);
  const Point& point = there->second;
  switch (f.kind) {
    case Formula::Kind::name:
      if (!(f.name->input && f.name->constant != nullptr)) open_name(*f.name, point, depth, visited, out);
      return;
    case Formula::Kind::at:
      open(*f.args[0], bound(point, f), depth, visited, out);
      return;
    case Formula::Kind::aggregate:
      terms(f, point, depth, out);
      return;
    case Formula::Kind::function:
      for (const Formula* arg : f.args) open(*arg, point, depth, visited, out);
      call(f, point, depth, visited, out);
      return;
    case Formula::Kind::condition: {
      open(*f.args[0], point, depth, visited, out);
      const Answer c = value_of(*f.args[0], point);
      if (c.known()) open(*f.args[c.value.scalar.value != 0 ? 1 : 2], point, depth, visited, out);
      return;
    }
    default:
      for (const Formula* arg : f.args) open(*arg, point, depth, visited, out);
  }
}

void Explainer::open_name(const Name& name, const Point& point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out) {
  Explanation at{Explanation::Kind::name, name.name, -1, {}};
  add_point(name, point, at);
  if (!visited.insert(name.name + " [" + at.where + "]").second) return;
  if (std::optional<Explanation> opened = name_or_place(name, point, depth - 1)) out.push_back(std::move(*opened));
}

std::optional<Explanation> Explainer::name_or_place(const Name& name, const Point& outer_point, int depth) {
  if (expansions_ == nullptr) return this->name(name, outer_point, depth);
  const auto there = evaluator_->at(outer_point);
  if (!there) return std::nullopt;
  const EvaluatorScope evaluator_scope(*this, *there->first);
  Explanation out{Explanation::Kind::name, name.name, -1, {}};
  out.place = expansions_->place(*evaluator_, name, there->second, words_at(name, there->second));
  return out.place >= 0 ? std::optional(std::move(out)) : this->name(name, outer_point, 0);
}

/// Returns the current word of every set on which the value depends; equal words mean an equal value.
std::vector<WordId> Explainer::words_at(const Name& name, const Point& point) const {
  std::vector<WordId> out;
  for (const SetId s : run_.program().sets.ids()) {
    if ((evaluator_->variance(name).varies & bit(s)) != 0) out.push_back(point[s]);
  }
  return out;
}

void Explainer::open_all() {
  for (std::size_t i = out_.names.size(); i < expansions_->size(); ++i) {
    const ExpansionTable::Entry next = (*expansions_)[i];
    const EvaluatorScope evaluator_scope(*this, *next.evaluator);
    std::optional<Explanation> opened = name(*next.name, next.point, options_.depth);
    out_.names.push_back(opened ? std::move(*opened) : Explanation{Explanation::Kind::name, next.name->name, -1, {}});
  }
}

/// Explains a function call: its arguments and value, then the parts of the function's formula one level deeper. That
/// formula sees the arguments as locals while LocalsScope exists. Calls of one function with equal argument texts are
/// listed once in the explanation of a name or term (`visited`), at any level. A call at the last level is not listed,
/// because only its formula would add information; its arguments are explained by the caller.
void Explainer::call(const Formula& f, const Point& point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out) {
  std::vector<Value> arguments;
  Explanation own{Explanation::Kind::call, f.function->name, -1, {}};
  std::string key = f.function->name;
  for (std::size_t i = 0; i < f.args.size(); ++i) {
    arguments.push_back(value_of(*f.args[i], point).value);
    own.arguments.emplace_back(f.function->parameters[i], explained(arguments.back()));
    key += ", " + own.arguments.back().second.text;
  }
  own.value = explained(value_of(f, point).value);
  const Evaluator::Chosen chosen = evaluator_->chosen(*f.function, arguments, point);
  if (depth <= 1 || chosen.formula == nullptr || !visited.insert(key).second) return;
  own.definition = define(f.function->name, chosen);
  const LocalsScope inside(*this, &arguments);
  own.substituted = substituted(*chosen.formula, point);
  open(*chosen.formula, point, depth - 1, visited, own.children);
  out.push_back(std::move(own));
}

/// Explains an aggregate over a set by its largest nonzero terms. `args[0]` is the term, `args[1]` an optional
/// condition on elements; both are evaluated at `around`, the point without a word of the set, completed by each
/// element. The sorted terms are cut to `options_.terms`. `joined.more` is the number of omitted terms; a sum also gets
/// their sum. A product keeps the order of the set and its zero factors, since a zero decides the product. Nothing is
/// added if a term has no value or no term is left. Without an expansion table only the first term is expanded, because
/// the text would become too long.
void Explainer::terms(const Formula& f, const Point& point, int depth, std::vector<Explanation>& out) {
  const bool factors = f.aggregate == Aggregate::product;
  Point around = point;
  around[f.set] = kNoWord;
  std::vector<std::pair<WordId, Value>> all;
  for (const WordId w : evaluator_->visit(f.set, around)) {
    const Point element_point = evaluator_->choose(around, f.set, w);
    if (f.args.size() > 1 && value_of(*f.args[1], element_point).value.scalar.value == 0) continue;
    const Answer answer = value_of(*f.args[0], element_point);
    if (!answer.known()) return;
    if (answer.value.is_number() && (answer.value.scalar.value != 0 || factors)) all.emplace_back(w, answer.value);
  }
  if (all.empty()) return;
  if (!factors) std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.scalar.value > b.second.scalar.value; });
  Explanation joined{Explanation::Kind::terms, run_.program().set(f.set).name, -1, explained(value_of(f, point).value)};
  joined.joined_by = name_of(f.aggregate);
  const std::size_t shown = std::min<std::size_t>(all.size(), static_cast<std::size_t>(options_.terms));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [w, value] = all[i];
    Explanation& term = joined.children.emplace_back(Explanation{Explanation::Kind::term, word(f.set, w), -1, explained(value)});
    if ((i > 0 && expansions_ == nullptr) || depth <= 1) continue;
    std::set<std::string> visited;
    open(*f.args[0], evaluator_->choose(around, f.set, w), depth, visited, term.children);
  }
  joined.more = all.size() - shown;
  if (joined.more > 0 && f.aggregate == Aggregate::sum) joined.rest = explained(rest_of(all, shown));
  out.push_back(std::move(joined));
}

Value Explainer::rest_of(const std::vector<std::pair<WordId, Value>>& all, std::size_t from) {
  Value sum = all[from].second;
  for (std::size_t i = from + 1; i < all.size(); ++i) sum.scalar.value += all[i].second.scalar.value;
  return sum;
}

}  // namespace opledger
