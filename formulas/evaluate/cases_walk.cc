#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "formulas/evaluate/walk.h"

/// Runs at other words of cases: the part of Walk that goes there, and comes back. Each has elements of its own; those of one name, segment and words are one
/// and the same.
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

void Walk::take_case_values() {
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

/// Whether something else may stand in for a field of documents here than what its document says.
bool Walk::is_apart(const Name& field) const {
  const Walk& home = home_ != nullptr ? *home_ : *this;
  return case_values_.contains(&field) || home.symbolic_.contains(&field) || home.derived_.contains(&field) || home.provided_.contains(&field);
}

Value Walk::stored(const Value& field) {
  if (field.input == nullptr || (mode_ == Mode::numbers && !is_apart(*field.input))) return field;
  return evaluate(*field.input);
}

bool Walk::leaves(const Point& point) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const WordId word = point[program_.cases[i].set];
    if (word >= 0 && word != words_[i]) return true;
  }
  return false;
}

Walk& Walk::at(const Point& point) {
  std::vector<WordId> words = words_;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const WordId word = point[program_.cases[i].set]; word >= 0) words[i] = word;
  }
  return at(words);
}

Walk& Walk::at(const std::vector<WordId>& words) {
  Walk& home = home_ != nullptr ? *home_ : *this;
  if (words == home.words_) return home;
  if (home.elsewhere_ == nullptr) home.elsewhere_ = std::make_unique<Elsewhere>();
  std::unique_ptr<Evaluator>& run = home.elsewhere_->runs[words];
  if (run == nullptr) {
    run = std::make_unique<Evaluator>(program_, mode_, tape_);
    Walk& made = *run->walk_;
    made.home_ = &home;
    made.self_ = run.get();
    made.words_ = words;
    made.take_case_values();
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const WordId part : program_.cases[i].words[words[i]].together) {
        std::vector<WordId> others = words;
        others[i] = part;
        made.parts_.push_back(&at(others));
      }
    }
  }
  return *run->walk_;
}

Value Walk::leave(const Point& point, FunctionRef<Value(Walk&, const Point&)> ask) {
  if (busy_.size() + depth_ > kMaxEvaluationDepth * 8) return fail({}, "this formula is nested too deeply");
  Walk& there = at(point);
  bool absent = false;
  const Answer answer = there.answer([&] {
    const std::optional<Point> p = there.arrive(*this, point);
    absent = !p;
    return there.failed_ || absent ? Value{} : ask(there, *p);
  });
  if (!answer.known()) return failed(answer);
  return absent ? nothing_there() : arrive(there, answer.value);
}

/// The element that one of those that a point chooses belongs to.
WordId Walk::owner(SetId set, const Point& point) const {
  for (const SetId s : program_.sets.ids()) {
    if (s == set || point[s] < 0 || !program_.set(s).elements) continue;
    for (const auto& [other, words] : elements_[s].belongs) {
      if (other == set) return words[point[s]];
    }
  }
  return kNoWord;
}

/// The same point here; nothing if some element that it chooses is not. An element may belong to others here than there.
std::optional<Point> Walk::arrive(Walk& from, const Point& point) {
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

Value Walk::arrive(Walk& from, Value value) {
  if (value.kind == Value::Kind::word && value.word >= 0 && value.set && program_.set(value.set).elements)
    value.word = same_element(from, value.set, value.word);
  return value;
}

std::vector<Value> Walk::arrive(Walk& from, const std::vector<Value>& locals) {
  std::vector<Value> out;
  for (const Value& local : locals) out.push_back(arrive(from, local));
  return out;
}

/// What tells elements of a set apart, whatever the run: their names, segments and words, and their order among those alike.
std::vector<std::string> Walk::element_keys(SetId set) const {
  std::vector<std::string> out;
  std::map<std::string, int> alike;
  const Elements& all = elements_[set];
  for (std::size_t e = 0; e < all.names.size(); ++e) {
    std::string key = all.names[e] + (all.kinds.empty() ? "" : '\n' + all.kinds[e]);
    for (const auto& [other, words] : all.belongs) {
      const Set& to = program_.set(other);
      const WordId word = words[e];
      if (word < 0 || (to.elements && !to.restarts)) continue;
      key += '\n' + (to.elements ? elements_[other].names[word] : to.words[word]);
    }
    out.push_back(key + '\n' + std::to_string(alike[key]++));
  }
  return out;
}

WordId Walk::same_element(Walk& from, SetId set, WordId element) {
  if (!fill()) return kNoWord;
  SameElements& same = same_elements_[{&from, set}];
  // while sets are being filled something may ask already
  if (same.here.size() != from.elements_[set].names.size() || same.own != elements_[set].names.size()) {
    std::unordered_map<std::string, WordId> own;
    for (std::string& key : element_keys(set)) own.emplace(std::move(key), static_cast<WordId>(own.size()));
    same = {{}, own.size()};
    for (const std::string& key : from.element_keys(set)) {
      const auto found = own.find(key);
      same.here.push_back(found == own.end() ? kNoWord : found->second);
    }
  }
  return same.here[element];
}

/// The sets, when something asks for them.
bool Walk::fill() {
  if (home_ == nullptr || filled_ == Filled::busy) return true;
  if (filled_ == Filled::no) {
    filled_ = Filled::busy;
    if (!parts_.empty())
      unfilled_ = answer([&] { return unite(), Value{}; });
    else if (home_->elsewhere_->fill)
      unfilled_ = home_->elsewhere_->fill(*self_);
    filled_ = Filled::yes;
  }
  if (unfilled_.known()) return true;
  failed(unfilled_);
  return false;
}

/// Elements of several walks as those of one.
class Union {
 public:
  explicit Union(Walk& whole) : whole_(whole), parts_(whole.parts_), sets_(whole.program_.sets.size()) {}

  void make() {
    for (Walk* part : parts_) {
      const Answer filled = part->answer([&] { return part->fill(), Value{}; });
      if (!filled.known()) return static_cast<void>(whole_.failed(filled));
    }
    for (const SetId s : whole_.program_.sets.ids()) {
      if (is_filled(s)) add_names(s);
    }
    for (const SetId s : whole_.program_.sets.ids()) {
      if (is_filled(s)) whole_.set_elements(s, elements(s));
    }
    add_nodes();
  }

 private:
  using Places = std::vector<WordId>;  ///< Of an element in each of the parts; kNoWord: it is not there.
  struct Members {
    std::vector<std::string> names, kinds;
    std::vector<Places> places;
    std::vector<std::vector<WordId>> of_part;  ///< By part and its element: here.
  };

  bool is_filled(SetId s) const {
    return whole_.program_.set(s).elements && std::all_of(parts_.begin(), parts_.end(), [&](const Walk* part) { return part->elements_[s].known; });
  }

  void add_names(SetId s) {
    Members& members = sets_[s];
    std::unordered_map<std::string, WordId> known;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      auto& here = members.of_part.emplace_back();
      const std::vector<std::string> keys = parts_[p]->element_keys(s);
      for (std::size_t e = 0; e < keys.size(); ++e) {
        const auto [found, fresh] = known.emplace(keys[e], static_cast<WordId>(members.names.size()));
        if (fresh) {
          members.names.push_back(parts_[p]->elements_[s].names[e]);
          if (!parts_[p]->elements_[s].kinds.empty()) members.kinds.push_back(parts_[p]->elements_[s].kinds[e]);
          members.places.emplace_back(parts_.size(), kNoWord);
        }
        members.places[found->second][p] = static_cast<WordId>(e);
        here.push_back(found->second);
      }
    }
  }

  Elements elements(SetId s) {
    const Members& members = sets_[s];
    Elements out;
    out.names = members.names;
    out.kinds = members.kinds;
    std::set<std::string> fields;
    for (const Walk* part : parts_) {
      for (const auto& [name, _] : part->elements_[s].fields) fields.insert(name);
    }
    for (std::size_t e = 0; e < members.names.size(); ++e) {
      for (const std::string& field : fields) out.fields[field].push_back(value(s, members.places[e], field));
      belong(s, members.places[e], out);
      add_there(s, members.places[e], static_cast<WordId>(e), out);
    }
    return out;
  }

  /// What all that have the element say; nothing if they differ.
  Value value(SetId s, const Places& places, const std::string& field) const {
    std::optional<Value> all;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto column = parts_[p]->elements_[s].fields.find(field);
      if (places[p] < 0 || column == parts_[p]->elements_[s].fields.end()) continue;
      const Value own = column->second[static_cast<std::size_t>(places[p])];
      if (all && !same(*all, own)) return {};
      all = own;
    }
    return all.value_or(Value{});
  }

  void belong(SetId s, const Places& places, Elements& out) const {
    const std::size_t p = first(places);
    for (const auto& [other, words] : parts_[p]->elements_[s].belongs) {
      const WordId word = words[places[p]];
      out.belongs[other].push_back(word < 0 || !whole_.program_.set(other).elements ? word : sets_[other].of_part[p][word]);
    }
  }

  void add_there(SetId s, const Places& places, WordId element, Elements& out) const {
    Scalar there = truth(false);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (places[p] >= 0) there = apply(whole_.tape_, Op::logical_or, there, parts_[p]->there(s, places[p]));
    }
    if (!there.constant() || there.value == 0) out.sometimes.emplace(element, there);
  }

  static std::size_t first(const Places& places) {
    return static_cast<std::size_t>(std::find_if(places.begin(), places.end(), [](WordId w) { return w >= 0; }) - places.begin());
  }

  void add_nodes() {
    const SetId nodes = whole_.program_.engine->nodes;
    const auto places = std::make_shared<std::vector<Places>>(sets_[nodes].places);
    NodeFormulas formulas;
    for (const Places& place : *places) {
      const std::size_t p = first(place);
      formulas.operators.push_back(parts_[p]->nodes_.operators[place[p]]);
      formulas.quantities.push_back(parts_[p]->nodes_.quantities[place[p]]);
    }
    for (const Walk* part : parts_) formulas.widened.insert(part->nodes_.widened.begin(), part->nodes_.widened.end());
    Walk& whole = whole_;
    whole_.set_nodes(
        [places, &whole](WordId node, const std::string& name, WordId extent) -> std::optional<Answer> {
          std::vector<Answer> all;
          for (std::size_t p = 0; p < whole.parts_.size(); ++p) {
            const WordId own = (*places)[node][p];
            std::optional<Answer> answer = own < 0 ? std::nullopt : whole.parts_[p]->node_values_(own, name, extent);
            if (answer) all.push_back(std::move(*answer));
          }
          if (all.empty()) return std::nullopt;
          return whole.answer([&] { return whole.agreed(all, name, {}); });
        },
        std::move(formulas));
  }

  Walk& whole_;
  const std::vector<Walk*>& parts_;
  IdVector<SetId, Members> sets_;
};

void Walk::unite() { Union(*this).make(); }

/// What all say; an error if they differ.
Value Walk::agreed(const std::vector<Answer>& answers, const std::string& what, const Span& at) {
  for (const Answer& answer : answers) {
    if (!answer.known()) return failed(answer);
    if (!same(answer.value, answers.front().value))
      return fail(at, fmt::format("`{}` is not the same at the words that are taken together here: choose one, or say what it is", what));
  }
  return answers.empty() ? Value{} : answers.front().value;
}

Value Walk::united_value(const Name& name, const Point& point) {
  std::vector<Answer> all;
  for (Walk* part : parts_) {
    all.push_back(part->answer([&] {
      const std::optional<Point> p = part->arrive(*this, point);
      return p ? part->evaluate(name, *p) : Value{};
    }));
  }
  return agreed(all, name.name, name.span());
}

}  // namespace opledger
