#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/limits.h"
#include "formulas/evaluate/interpreter.h"

/// Runs at other case words: transitions to such a run and back. Each run has elements of its own. Elements of equal
/// keys (name, kind, segment and words; see `element_keys`) are the same element in all runs.
namespace opledger {
namespace {

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  if (a.is_number() || a.kind == Value::Kind::truth) return a.unit == b.unit && a.scalar.value == b.scalar.value && a.scalar.symbol == b.scalar.symbol;
  if (a.text != nullptr && b.text != nullptr) return *a.text == *b.text;
  return a.word == b.word && a.record == b.record && a.curve == b.curve;
}

Value nothing_there() {
  Value zero = number_value(integer(0));
  zero.any_unit = zero.absent = true;
  return zero;
}

}  // namespace

void Interpreter::select_case_values() {
  // Fills `case_values_`, the names that have another definition in this run, and `model_`, the counted model. A case
  // is a word, such as `decode`, at which inputs or parameters have other values; `words_` has this run's word of each
  // set of cases. Replacements are collected in order, and later ones win. The inputs that another model determines
  // come first. Set by set, the values of the word and of the words that it combines follow.
  case_values_.clear();
  model_ = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (const std::size_t own = program_.cases[i].words[words_[i]].model; own != 0) model_ = own;
  }
  const auto take = [&](const std::vector<CaseValue>& values) {
    for (const CaseValue& value : values) case_values_[value.of] = value.value;
  };
  if (model_ != 0) take(program_.models[model_].values);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::vector<CaseWord>& all = program_.cases[i].words;
    take(all[words_[i]].values[model_]);
    for (const WordId part : all[words_[i]].together) take(all[part].values[model_]);
  }
}

/// Returns whether a document field may have another value here: a replacement, a symbol, a derived or provided value.
bool Interpreter::has_override(const Name& field) const {
  const Interpreter& root = root_ != nullptr ? *root_ : *this;
  return case_values_.contains(&field) || root.symbolic_.contains(&field) || root.derived_.contains(&field) || root.provided_.contains(&field);
}

Value Interpreter::field_value(const Value& field) {
  if (field.input == nullptr || (mode_ == Mode::numbers && !has_override(*field.input))) return field;
  return evaluate(*field.input);
}

bool Interpreter::changes_case(const Point& point) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const WordId word = point[program_.cases[i].set];
    if (word >= 0 && word != words_[i]) return true;
  }
  return false;
}

Interpreter& Interpreter::at(const Point& point) {
  std::vector<WordId> words = words_;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const WordId word = point[program_.cases[i].set]; word >= 0) words[i] = word;
  }
  return at(words);
}

Interpreter& Interpreter::at(const std::vector<WordId>& words) {
  // Returns the interpreter of the run at these case words, one for each set of cases. Runs are created on first use
  // and owned by the root, the interpreter of the unchanged run. A combined word unites the elements of several words:
  // its run refers to the runs at each of these words, with the other sets' words unchanged. The runs share the root's
  // tape.
  Interpreter& root = root_ != nullptr ? *root_ : *this;
  if (words == root.words_) return root;
  if (root.other_runs_ == nullptr) root.other_runs_ = std::make_unique<OtherRuns>();
  std::unique_ptr<Evaluator>& run = root.other_runs_->runs[words];
  if (run == nullptr) {
    run = std::make_unique<Evaluator>(program_, mode_, tape_);
    Interpreter& created = *run->interpreter_;
    created.root_ = &root;
    created.evaluator_ = run.get();
    created.words_ = words;
    created.select_case_values();
    if (root.incremental_) created.begin_candidate(root.revision_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const WordId part : program_.cases[i].words[words[i]].together) {
        std::vector<WordId> others = words;
        others[i] = part;
        created.combined_runs_.push_back(&at(others));
      }
    }
  }
  return *run->interpreter_;
}

Value Interpreter::in_other_case(const Point& point, FunctionRef<Value(Interpreter&, const Point&)> ask) {
  // Evaluates a query in the run at the point's case words, which has its own elements. The point is translated to that
  // run, `ask` is called there, and the value is translated back. If the run lacks an element of the point, the value
  // is an absent zero. An error there becomes an error here. Runs may refer to each other, so the nesting of names and
  // formulas is limited here too.
  if (busy_.size() + depth_ > kMaxEvaluationDepth * 8) return fail({}, "this formula is nested too deeply");
  Interpreter& there = at(point);
  bool absent = false;
  const Answer answer = there.answer([&] {
    const std::optional<Point> p = there.translate(*this, point);
    absent = !p;
    return there.failed_ || absent ? Value{} : ask(there, *p);
  });
  depend_on_transient();  // the other run's cache has dependencies of its own
  if (!answer.known()) return failed(answer);
  return absent ? nothing_there() : translate(there, answer.value);
}

/// Returns the element of `set` that an element of the point belongs to.
WordId Interpreter::owner(SetId set, const Point& point) const {
  for (const SetId s : program_.sets.ids()) {
    if (s == set || point[s] < 0 || !program_.set(s).elements) continue;
    for (const auto& [other, words] : elements_[s].belongs) {
      if (other == set) return words[point[s]];
    }
  }
  return kNoWord;
}

/// Translates a point of the run `from` to this run, in which equal elements have other numbers (`same_element`). Case
/// words are cleared, because this run has them already. An element of the point may have no equal here, such as the
/// node of a transfer. The transfer, if found, may belong to another node here, which then replaces the missing node.
/// Returns nothing if an element remains missing, or after an error.
std::optional<Point> Interpreter::translate(Interpreter& from, const Point& point) {
  Point out = point;
  for (const CaseSet& cases : program_.cases) out[cases.set] = kNoWord;
  std::vector<SetId> lacking;
  for (const SetId s : program_.sets.ids()) {
    if (point[s] < 0 || !program_.set(s).elements) continue;
    out[s] = same_element(from, s, point[s]);
    if (failed_) return std::nullopt;
    if (out[s] < 0) lacking.push_back(s);
  }
  for (const SetId s : lacking) {
    out[s] = owner(s, out);
    if (out[s] < 0) return std::nullopt;
  }
  return out;
}

Value Interpreter::translate(Interpreter& from, Value value) {
  if (value.kind == Value::Kind::word && value.word >= 0 && value.set && program_.set(value.set).elements)
    value.word = same_element(from, value.set, value.word);
  return value;
}

std::vector<Value> Interpreter::translate(Interpreter& from, const std::vector<Value>& locals) {
  std::vector<Value> out;
  for (const Value& local : locals) out.push_back(translate(from, local));
  return out;
}

std::size_t Interpreter::count_of(SetId set) const {
  if (!incremental_) return elements_[set].names.size();
  return elements_[set].known ? versioned_[set].current().size() : 0;
}

std::vector<WordId> Interpreter::elements_of(SetId set) const {
  if (incremental_) return elements_[set].known ? versioned_[set].current() : std::vector<WordId>{};
  std::vector<WordId> out(elements_[set].names.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Returns a key for each element of a set that identifies the element in runs at other case words. It consists of the
/// name, the second key (`kinds`), the segment, and the words of word sets. Elements with equal parts are numbered in
/// order. Other elements to which it belongs are left out, because they may differ between runs. The cost is one look-up
/// in a sorted map per element.
std::vector<std::string> Interpreter::element_keys(SetId set) const {
  std::vector<std::string> out;
  std::map<std::string, int> occurrences;
  const Elements& all = elements_[set];
  for (const WordId element : elements_of(set)) {
    const auto e = static_cast<std::size_t>(element);
    std::string key = all.names[e] + (all.kinds.empty() ? "" : '\n' + all.kinds[e]);
    for (const auto& [other, words] : all.belongs) {
      const Set& to = program_.set(other);
      const WordId word = words[e];
      if (word < 0 || (to.elements && !to.restarts)) continue;
      key += '\n' + (to.elements ? elements_[other].names[word] : to.words[word]);
    }
    out.push_back(key + '\n' + std::to_string(occurrences[key]++));
  }
  return out;
}

WordId Interpreter::same_element(Interpreter& from, SetId set, WordId element) {
  // Returns the element of this run that equals an element of the run `from`; kNoWord if none does, or after an error.
  // The first call maps all elements of the set by their keys (`element_keys`). The map is cached, and rebuilt if a set has
  // another number of elements.
  if (!fill()) return kNoWord;
  SameElements& same = same_elements_[{&from, set}];
  // queries may come while sets are being filled
  if (same.theirs != from.count_of(set) || same.own != count_of(set)) {
    const std::vector<WordId> own = elements_of(set), theirs = from.elements_of(set);
    same = {std::vector<WordId>(from.elements_[set].names.size(), kNoWord), own.size(), theirs.size()};
    std::unordered_map<std::string, WordId> by_key;
    std::vector<std::string> keys = element_keys(set);
    for (std::size_t e = 0; e < own.size(); ++e) by_key.emplace(std::move(keys[e]), own[e]);
    keys = from.element_keys(set);
    for (std::size_t e = 0; e < theirs.size(); ++e) {
      const auto found = by_key.find(keys[e]);
      if (found != by_key.end()) same.here[theirs[e]] = found->second;
    }
  }
  return same.here[element];
}

/// Fills the sets of a run at other case words on first use, by uniting other runs or by the caller's filler. Returns
/// false after an error. Returns true in the root, whose caller fills the sets, and for queries during the filling.
bool Interpreter::fill() {
  if (root_ == nullptr || filled_ == Filled::busy) return true;
  if (filled_ == Filled::no) {
    filled_ = Filled::busy;
    const std::size_t dependencies = dependencies_.size();  // every candidate fills the sets anew
    if (!combined_runs_.empty())
      fill_error_ = answer([&] { return combine(), Value{}; });
    else if (root_->other_runs_->fill)
      fill_error_ = root_->other_runs_->fill(*evaluator_);
    else
      fill_error_ = {};
    dependencies_.resize(dependencies);
    filled_ = Filled::yes;
  }
  if (fill_error_.known()) return true;
  failed(fill_error_);
  return false;
}

/// A builder of the elements of a combined run: the union of several runs' elements by element key. A field has a value
/// if all runs agree that have the element and the field.
class CombinedRun {
 public:
  explicit CombinedRun(Interpreter& whole) : whole_(whole), combined_runs_(whole.combined_runs_), sets_(whole.program_.sets.size()) {}

  void make() {
    for (Interpreter* part : combined_runs_) {
      const Answer filled = part->answer([&] { return part->fill(), Value{}; });
      if (!filled.known()) return static_cast<void>(whole_.failed(filled));
    }
    for (const SetId s : whole_.program_.sets.ids()) {
      if (is_filled(s)) add_names(s);
    }
    add_nodes();  // operators tell nodes of several candidates apart
    for (const SetId s : whole_.program_.sets.ids()) {
      if (is_filled(s)) set(s);
    }
  }

 private:
  /// Fills a set. Sets to which its elements belong are filled first.
  void set(SetId s) {
    if (std::exchange(sets_[s].is_set, true)) return;
    Elements all = elements(s);
    for (const auto& [other, _] : all.belongs) {
      if (is_filled(other)) set(other);
    }
    whole_.set_elements(s, std::move(all));
  }

  using Places = std::vector<WordId>;  ///< Positions of an element in each of the runs; kNoWord: the run lacks it.
  struct Members {
    std::vector<std::string> names, kinds;
    std::vector<Places> places;
    std::vector<std::vector<WordId>> of_part;  ///< Element here, by run and element there.
    bool is_set = false;                       ///< The run has the elements.
  };

  bool is_filled(SetId s) const {
    return whole_.program_.set(s).elements &&
           std::all_of(combined_runs_.begin(), combined_runs_.end(), [&](const Interpreter* part) { return part->elements_[s].known; });
  }

  void add_names(SetId s) {
    // Collects the union of a set's elements over all combined runs. Elements with equal keys (`element_keys`) are one
    // element. The union is numbered in the order of first occurrence; `places` maps an element to its position in each
    // run, and `of_part` maps a run's position back.
    Members& members = sets_[s];
    std::unordered_map<std::string, WordId> known;
    for (std::size_t p = 0; p < combined_runs_.size(); ++p) {
      const Elements& elements = combined_runs_[p]->elements_[s];
      auto& here = members.of_part.emplace_back(elements.names.size(), kNoWord);
      const std::vector<WordId> all = combined_runs_[p]->elements_of(s);
      const std::vector<std::string> keys = combined_runs_[p]->element_keys(s);
      for (std::size_t e = 0; e < keys.size(); ++e) {
        const auto [found, fresh] = known.emplace(keys[e], static_cast<WordId>(members.names.size()));
        if (fresh) {
          members.names.push_back(elements.names[all[e]]);
          if (!elements.kinds.empty()) members.kinds.push_back(elements.kinds[all[e]]);
          members.places.emplace_back(combined_runs_.size(), kNoWord);
        }
        members.places[found->second][p] = all[e];
        here[all[e]] = found->second;
      }
    }
  }

  Elements elements(SetId s) {
    // Builds the columns of a combined run's set from the union of the runs' elements (`sets_`, filled by `add_names`).
    // Each field of some run becomes a column: its value is the runs' common value, or `nothing` if they differ.
    // Memberships come from the first run with the element, and an element is present if it is present in some run.
    const Members& members = sets_[s];
    Elements out;
    out.names = members.names;
    out.kinds = members.kinds;
    std::set<std::string> fields;
    for (const Interpreter* part : combined_runs_) {
      for (const auto& [name, _] : part->elements_[s].fields) fields.insert(name);
    }
    for (std::size_t e = 0; e < members.names.size(); ++e) {
      for (const std::string& field : fields) out.fields[field].push_back(value(s, members.places[e], field));
      belong(s, members.places[e], out);
      add_there(s, members.places[e], static_cast<WordId>(e), out);
    }
    return out;
  }

  /// Returns the value that all runs with the element and the field agree on; `nothing` if they differ.
  Value value(SetId s, const Places& places, const std::string& field) const {
    std::optional<Value> all;
    for (std::size_t p = 0; p < combined_runs_.size(); ++p) {
      const auto column = combined_runs_[p]->elements_[s].fields.find(field);
      if (places[p] < 0 || column == combined_runs_[p]->elements_[s].fields.end()) continue;
      const Value own = column->second[static_cast<std::size_t>(places[p])];
      if (all && !same(*all, own)) return {};
      all = own;
    }
    return all.value_or(Value{});
  }

  void belong(SetId s, const Places& places, Elements& out) const {
    const std::size_t p = first(places);
    for (const auto& [other, words] : combined_runs_[p]->elements_[s].belongs) {
      const WordId word = words[places[p]];
      out.belongs[other].push_back(word < 0 || !whole_.program_.set(other).elements ? word : sets_[other].of_part[p][word]);
    }
  }

  void add_there(SetId s, const Places& places, WordId element, Elements& out) const {
    Scalar there = truth(false);
    for (std::size_t p = 0; p < combined_runs_.size(); ++p) {
      if (places[p] >= 0) there = apply(whole_.tape_, Op::logical_or, there, combined_runs_[p]->presence(s, places[p]));
    }
    if (!there.constant() || there.value == 0) out.sometimes.emplace(element, there);
  }

  static std::size_t first(const Places& places) {
    return static_cast<std::size_t>(std::find_if(places.begin(), places.end(), [](WordId w) { return w >= 0; }) - places.begin());
  }

  void add_nodes() {
    // Sets the nodes of the combined run. A node takes its operator and its own definitions from the first run that has
    // the node. A value of a node, such as the bytes of an output, is requested from all runs that have the node;
    // different values are an error. `places` has each node's position in every run. The callback shares it, because
    // the callback outlives this builder.
    const SetId nodes = whole_.program_.engine->nodes;
    const auto places = std::make_shared<std::vector<Places>>(sets_[nodes].places);
    NodeFormulas formulas;
    for (const Places& place : *places) {
      const std::size_t p = first(place);
      const auto own = static_cast<std::size_t>(combined_runs_[p]->place_of(nodes, place[p]));
      formulas.operators.push_back(combined_runs_[p]->nodes_.operators[own]);
      formulas.quantities.push_back(combined_runs_[p]->nodes_.quantities[own]);
    }
    for (const Interpreter* part : combined_runs_) formulas.widened.insert(part->nodes_.widened.begin(), part->nodes_.widened.end());
    Interpreter& whole = whole_;
    whole_.set_nodes(
        [places, nodes, &whole](WordId node, const std::string& name, WordId extent) -> std::optional<Answer> {
          std::vector<Answer> all;
          for (std::size_t p = 0; p < whole.combined_runs_.size(); ++p) {
            const WordId own = (*places)[node][p];
            std::optional<Answer> answer =
                own < 0 ? std::nullopt : whole.combined_runs_[p]->node_values_(whole.combined_runs_[p]->place_of(nodes, own), name, extent);
            if (answer) all.push_back(std::move(*answer));
          }
          if (all.empty()) return std::nullopt;
          return whole.answer([&] { return whole.agreed_value(all, name, {}); });
        },
        std::move(formulas));
  }

  Interpreter& whole_;
  const std::vector<Interpreter*>& combined_runs_;
  IdVector<SetId, Members> sets_;
};

void Interpreter::combine() { CombinedRun(*this).make(); }

/// Returns the common value of all answers; an error if they differ.
Value Interpreter::agreed_value(const std::vector<Answer>& answers, const std::string& subject, const Span& at) {
  for (const Answer& answer : answers) {
    if (!answer.known()) return failed(answer);
    if (!same(answer.value, answers.front().value))
      return fail(at, fmt::format("`{}` differs between the words that are combined here: choose one word, or define a value", subject));
  }
  return answers.empty() ? Value{} : answers.front().value;
}

Value Interpreter::combined_value(const Name& name, const Point& point) {
  std::vector<Answer> all;
  for (Interpreter* part : combined_runs_) {
    all.push_back(part->answer([&] {
      const std::optional<Point> p = part->translate(*this, point);
      return p ? part->evaluate(name, *p) : Value{};
    }));
  }
  return agreed_value(all, name.name, name.span());
}

}  // namespace opledger
