#include "questions/explain/explainer.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "expr/aggregates.h"
#include "expr/printer.h"

namespace opledger {

ExplainedValue explained(const Value& value) { return {value, human(value)}; }

/// Arguments that formulas see while a function is opened.
class Explainer::Locals {
 public:
  Locals(Explainer& explainer, const std::vector<Value>* locals) : explainer_(explainer), before_(explainer.locals_) { explainer.locals_ = locals; }
  ~Locals() { explainer_.locals_ = before_; }
  Locals(const Locals&) = delete;
  Locals& operator=(const Locals&) = delete;

 private:
  Explainer& explainer_;
  const std::vector<Value>* before_;
};

/// While something at other words of cases is opened: points are those of the run there.
class Explainer::Elsewhere {
 public:
  Elsewhere(Explainer& explainer, Evaluator& there) : explainer_(explainer), before_(explainer.evaluator_) { explainer.evaluator_ = &there; }
  ~Elsewhere() { explainer_.evaluator_ = before_; }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  Explainer& explainer_;
  Evaluator* before_;
};

std::optional<Explanation> Explainer::name(const Name& name, const Point& asked_at, int depth) {
  const Locals none(*this, nullptr);  // names see no arguments
  const auto there = evaluator_->at(asked_at);
  if (!there) return std::nullopt;
  const Elsewhere elsewhere(*this, *there->first);
  const Point& point = there->second;
  const Answer answer = evaluator_->ask(name, point);
  if (!answer.tell(diagnostics_)) return std::nullopt;
  const Evaluator::Chosen chosen = evaluator_->chosen(name, point);
  Explanation out{Explanation::Kind::name, name.name, define(name.name, chosen), explained(answer.value)};
  add_point(name, point, out);
  out.own_unit = in_own_unit(name, answer.value);
  if (evaluator_->provides(name)) out.definition = define_played(name);
  if (chosen.absent) return out.because = to_source(*chosen.formula->source), out;
  if (chosen.formula == nullptr || chosen.formula->source == nullptr) return out;
  out.documented = depth == options_.depth;
  out.put_in = put_in(*chosen.formula, point);
  std::set<std::string> said;
  if (depth > 0) open(*chosen.formula, point, depth, said, out.children);
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

/// Describes a value that follows from the played step by the step's order and size.
int Explainer::define_played(const Name& name) {
  const auto known = played_.find(&name);
  if (known != played_.end()) return known->second;
  const std::optional<ValueSource> source = run_.extensions().describe(run_.evaluator(), run_, run_.graph_run());
  if (!source) return -1;
  out_.definitions.push_back({name.name, name.type.unit_text, name.type.doc, "", source->text, source->span});
  return played_[&name] = static_cast<int>(out_.definitions.size()) - 1;
}

/// `80 GB`: an input in the unit that it is declared in, where it is shown in another.
std::string Explainer::in_own_unit(const Name& name, const Value& value) {
  if (!name.input || name.type.unit.factor == 1 || !value.is_number()) return {};
  const std::string& unit = name.type.unit_text;
  return human(value).ends_with(unit) ? "" : fmt::format("{} {}", exact(value.scalar.value / name.type.unit.factor), unit);
}

std::string Explainer::word(SetId id, WordId word) const {
  const Set& set = run_.program().set(id);
  return set.elements ? evaluator_->elements(id).names[word] : set.words.empty() ? std::to_string(word) : set.words[word];
}

/// ` (gpt2)`: what a word of cases has instead of the run's.
std::string Explainer::documents_of(SetId cases, WordId word) const {
  const std::vector<CaseSet>& all = run_.program().cases;
  const auto set = std::find_if(all.begin(), all.end(), [&](const CaseSet& s) { return s.set == cases; });
  std::vector<std::string> names;
  for (const auto& [_, name] : set->words[word].documents) names.push_back(name);
  return names.empty() ? "" : " (" + join(names, ", ") + ")";
}

/// The words that the value depends on: `forward decoder.mlp.up`.
void Explainer::add_point(const Name& name, const Point& point, Explanation& out) const {
  std::vector<std::string> words;
  for (const auto& [set, word] : evaluator_->cases()) {
    out.point.emplace_back(run_.program().set(set).name, run_.program().set(set).words[word]);
    words.push_back(out.point.back().second + documents_of(set, word));
  }
  for (const SetId s : run_.program().sets.ids()) {
    if ((evaluator_->variance(name).varies & bit(s)) == 0 || point[s] < 0) continue;
    const Set& set = *run_.program().sets[s];
    if (set.elements && point[kNodeSet] >= 0 && (s == kComponentSet || s == kKernelSet || s == kSegmentSet)) continue;  // they are the node's
    if (s == kExtentSet && point[s] == kRank) continue;
    out.point.emplace_back(set.name, word(s, point[s]));
    const bool number = s == kStageSet || (!set.elements && set.words.empty());
    words.push_back((number ? set.name + " " : "") + out.point.back().second);
  }
  out.where = join(words, " ");
}

/// Nothing, after its error was told, where there is none.
Answer Explainer::value_of(const Formula& f, const Point& point) {
  Answer answer = evaluator_->ask(f, point, locals_);
  answer.tell(diagnostics_);
  return answer;
}

std::string Explainer::put_in(const Formula& f, const Point& point) {
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

/// Whether it stands for a value as a whole.
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

/// Values of the parts of a formula that stand for something; only the branches that were taken.
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

/// What the formula is made of, one level down.
void Explainer::open(const Formula& f, const Point& asked_at, int depth, std::set<std::string>& said, std::vector<Explanation>& out) {
  const auto there = evaluator_->at(asked_at);
  if (!there) return;
  const Elsewhere elsewhere(*this, *there->first);
  const Point& point = there->second;
  switch (f.kind) {
    case Formula::Kind::name:
      if (!(f.name->input && f.name->constant != nullptr)) open_name(*f.name, point, depth, said, out);
      return;
    case Formula::Kind::at:
      open(*f.args[0], bound(point, f), depth, said, out);
      return;
    case Formula::Kind::aggregate:
      terms(f, point, depth, out);
      return;
    case Formula::Kind::function:
      for (const Formula* arg : f.args) open(*arg, point, depth, said, out);
      call(f, point, depth, said, out);
      return;
    case Formula::Kind::condition: {
      open(*f.args[0], point, depth, said, out);
      const Answer c = value_of(*f.args[0], point);
      if (c.known()) open(*f.args[c.value.scalar.value != 0 ? 1 : 2], point, depth, said, out);
      return;
    }
    default:
      for (const Formula* arg : f.args) open(*arg, point, depth, said, out);
  }
}

void Explainer::open_name(const Name& name, const Point& point, int depth, std::set<std::string>& said, std::vector<Explanation>& out) {
  Explanation at{Explanation::Kind::name, name.name, -1, {}};
  add_point(name, point, at);
  if (!said.insert(name.name + " [" + at.where + "]").second) return;
  if (std::optional<Explanation> opened = name_or_place(name, point, depth - 1)) out.push_back(std::move(*opened));
}

std::optional<Explanation> Explainer::name_or_place(const Name& name, const Point& asked_at, int depth) {
  if (openings_ == nullptr) return this->name(name, asked_at, depth);
  const auto there = evaluator_->at(asked_at);
  if (!there) return std::nullopt;
  const Elsewhere elsewhere(*this, *there->first);
  Explanation out{Explanation::Kind::name, name.name, -1, {}};
  out.place = openings_->place(*evaluator_, name, there->second, words_at(name, there->second));
  return out.place >= 0 ? std::optional(std::move(out)) : this->name(name, asked_at, 0);
}

/// Of every set with which it varies.
std::vector<WordId> Explainer::words_at(const Name& name, const Point& point) const {
  std::vector<WordId> out;
  for (const SetId s : run_.program().sets.ids()) {
    if ((evaluator_->variance(name).varies & bit(s)) != 0) out.push_back(point[s]);
  }
  return out;
}

void Explainer::open_all() {
  for (std::size_t i = out_.names.size(); i < openings_->size(); ++i) {
    const Openings::Opening next = (*openings_)[i];
    const Elsewhere elsewhere(*this, *next.evaluator);
    std::optional<Explanation> opened = name(*next.name, next.point, options_.depth);
    out_.names.push_back(opened ? std::move(*opened) : Explanation{Explanation::Kind::name, next.name->name, -1, {}});
  }
}

/// A function with its arguments, as a name is opened.
void Explainer::call(const Formula& f, const Point& point, int depth, std::set<std::string>& said, std::vector<Explanation>& out) {
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
  if (depth <= 1 || chosen.formula == nullptr || !said.insert(key).second) return;
  own.definition = define(f.function->name, chosen);
  const Locals inside(*this, &arguments);
  own.put_in = put_in(*chosen.formula, point);
  open(*chosen.formula, point, depth - 1, said, own.children);
  out.push_back(std::move(own));
}

/// The largest terms of a sum (or whatever joins them), and how many more there are; then the largest opened. Factors stay in their order.
void Explainer::terms(const Formula& f, const Point& point, int depth, std::vector<Explanation>& out) {
  const bool factors = f.aggregate == Aggregate::product;
  Point around = point;
  around[f.set] = kNoWord;
  std::vector<std::pair<WordId, Value>> all;
  for (const WordId w : evaluator_->visit(f.set, around)) {
    const Point p = evaluator_->choose(around, f.set, w);
    if (f.args.size() > 1 && value_of(*f.args[1], p).value.scalar.value == 0) continue;
    const Answer answer = value_of(*f.args[0], p);
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
    if ((i > 0 && openings_ == nullptr) || depth <= 1) continue;  // a page opens any
    std::set<std::string> said;
    open(*f.args[0], evaluator_->choose(around, f.set, w), depth, said, term.children);
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
