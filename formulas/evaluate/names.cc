#include "formulas/evaluate/walk.h"

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

Point nowhere() {
  Point p;
  p.fill(kNoWord);
  return p;
}

Walk::Walk(const Program& program, Mode mode, Tape* tape) : program_(program), mode_(mode), tape_(tape), elements_(program.sets.size()) {
  widths_.resize(program.sets.size());
  columns_.resize(program.sets.size());
  joined_.resize(program.sets.size());
  for (const SetId s : program.sets.ids()) measure(s);
  has_cases_ = mode == Mode::numbers && !program.cases.empty();
  words_.assign(program.cases.size(), 0);
  take_case_values();
}

Answer Walk::answer(FunctionRef<Value()> question) {
  std::shared_ptr<const Diagnostic> around = std::move(error_);
  const bool failed = std::exchange(failed_, false), absent = std::exchange(absent_, false);
  Answer out{question()};
  if (failed_) out = {{}, std::move(error_), absent_};
  error_ = std::move(around);
  failed_ = failed;
  absent_ = absent;
  return out;
}

Value Walk::fail(const Span& span, std::string message) {
  if (!failed_) error_ = std::make_shared<Diagnostic>(Diagnostic{Severity::error, span, std::move(message), {}});
  failed_ = true;
  return {};
}

Value Walk::failed(const Answer& why) {
  error_ = why.error;
  absent_ = why.absent;
  failed_ = true;
  return {};
}

/// How many bits the words of a set take, those included that say that there is none.
void Walk::measure(SetId set) {
  std::size_t words = std::max(program_.sets[set]->words.size(), elements_[set].names.size());
  if (mode_ == Mode::units && set == program_.engine->nodes && program_.operators != nullptr)
    words = program_.operators->all().size();                                // visited in place of nodes
  if (program_.sets[set]->positions != nullptr) words = kMaxDocumentValues;  // of a list of any length
  widths_[set] = static_cast<unsigned>(std::bit_width(words + 2));
}

/// Where the words of sets stand in a key. False: they don't fit.
bool Walk::each_place(const std::vector<SetId>& sets, FunctionRef<void(SetId set, std::size_t part, unsigned shift)> visit) const {
  std::size_t part = 0;
  unsigned used = 0;
  for (const SetId s : sets) {
    if (used + widths_[s] > 64) {
      used = 0;
      if (++part == std::tuple_size_v<decltype(Key::words)>) return false;
    }
    visit(s, part, used);
    used += widths_[s];
  }
  return true;
}

Walk::Key Walk::key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point) {
  Key key;
  key.of = of;
  const auto put = [&](SetId s, std::size_t part, unsigned shift) { key.words[part] |= static_cast<std::uint64_t>(point[s] + 2) << shift; };
  if (!each_place(sets, put)) fail({}, "a formula varies with too many sets");
  return key;
}

void Walk::set_elements(SetId set, Elements elements) {
  if (lasting_) return take_elements(set, std::move(elements));
  elements.known = true;
  elements_[set] = std::move(elements);
  columns_[set].clear();
  joined_[set] = Belongings(elements_[set]);
  measure(set);
}

void Walk::set_nodes(NodeValues values, NodeFormulas formulas) {
  if (lasting_ && !formulas.widened.empty()) forget();  // keys are others from here on
  node_values_ = std::move(values);
  nodes_ = std::move(formulas);
  chains_.clear();
}

Point Walk::choose(const Point& point, SetId set, WordId word) const {
  Point p = point;
  p[set] = word;
  const Set& s = program_.set(set);
  if (!s.elements) return p;
  if (mode_ == Mode::units) {
    for (const SetId other : s.belongs_to) p[other] = kAnyWord;
    return p;
  }
  for (const auto& [other, words] : joined_[set].columns()) {
    const WordId w = words[word];
    if (w == kNoWord) continue;
    p[other] = w;
    if (other != program_.engine->nodes || set == other) continue;
    for (const auto& [indirect, node_words] : joined_[other].columns()) {
      if (p[indirect] == kNoWord) p[indirect] = node_words[w];
    }
  }
  return p;
}

std::vector<WordId> Walk::visit(SetId id, const Point& point) {
  const Set& set = program_.set(id);
  std::vector<WordId> out;
  if (set.elements && !fill()) return out;
  if (!set.elements) {
    std::size_t count = set.words.size();
    if (set.positions_formula != nullptr) {
      const Value list = evaluate(*set.positions_formula);
      count = mode_ == Mode::units ? 1 : list.record != nullptr ? list.record->fields.size() : 0;
      const auto as_long = [&](const Record* other) { return other->fields.size() == count; };
      if (list.picks != nullptr && !std::all_of(list.picks->begin(), list.picks->end(), as_long)) tape_->guard(list.scalar);
    }
    for (std::size_t w = 0; w < count; ++w) out.push_back(static_cast<WordId>(w));
    return out;
  }
  if (mode_ == Mode::units) {
    if (id != program_.engine->nodes || program_.operators == nullptr) return {0};
    return program_.nodes;
  }
  return lasting_ ? visited(id, point) : joined_[id].at(point);
}

std::optional<WordId> Walk::current(SetId id, const Point& point) {
  const WordId chosen = point[id];
  if (chosen != kNoWord) return chosen;
  const Set& set = program_.set(id);
  for (std::size_t i = 0; has_cases_ && i < words_.size(); ++i) {
    if (program_.cases[i].set == id) return words_[i];
  }
  if (set.binder != nullptr) {
    const Value v = evaluate(*set.binder, point);
    if (failed_) return std::nullopt;
    if (mode_ == Mode::units) return kAnyWord;
    if (v.kind == Value::Kind::word && v.text != nullptr) {
      const auto found = set.index.find(*v.text);
      if (found != set.index.end()) {
        pin(tape_, v.scalar);  // who asks for the word itself depends on it
        return found->second;
      }
    }
    fail(set.binder->defs.empty() ? set.span : set.binder->defs[0]->span, fmt::format("`{}` must be one of {}", set.name, join(set.words, ", ")));
    return std::nullopt;
  }
  if (set.default_word >= 0) return set.default_word;
  return std::nullopt;
}

Value Walk::evaluate(const Formula& formula, const Point& point, const std::vector<Value>* locals) { return walk(formula, point, {nullptr, 0, locals}); }

Value Walk::evaluate(const Name& name, const Point& point) {
  if (failed_) return {};
  if (has_cases_ && leaves(point)) return leave(point, [&](Walk& there, const Point& p) { return there.evaluate(name, p); });
  const std::vector<SetId>& sets = variance(name).key;
  const Key key = key_of(name.id, sets, point);
  if (failed_) return {};
  Memo::Entry& known = sets.empty() ? memo_.alone(name.id) : memo_.at(key);
  if (known.state == Memo::Entry::State::known && (known.candidate == candidate_ || renew(known, point))) {
    note(known);
    return known.value;
  }
  if (failed_) return {};
  if (known.state == Memo::Entry::State::busy) {
    std::string path;
    bool inside = false;
    for (const auto& [n, k] : busy_) {
      inside = inside || k == key;
      if (inside) path += n->name + " -> ";
    }
    return fail(name.span(), fmt::format("`{}` depends on itself: {}{}", name.name, path, name.name));
  }
  if (busy_.size() >= kMaxEvaluationDepth) return fail(name.span(), fmt::format("`{}` is nested too deeply", name.name));
  known.state = Memo::Entry::State::busy;
  known.name = &name;
  busy_.emplace_back(&name, key);
  const std::size_t uses_from = uses_.size();
  const Value v = worked_out(name, point);
  busy_.pop_back();
  conclude(known, v, uses_from);
  note(known);
  return v;
}

Value Walk::worked_out(const Name& name, const Point& point) {
  if (const auto other = case_values_.find(&name); other != case_values_.end())
    return parts_.empty() ? evaluate(*other->second, point) : united_value(name, point);
  if (name.input) return input(name, point);
  if (const std::optional<Scalar> word = symbolic_word(name.of, point)) {
    return choice(
        *word, program_.set(name.of).words.size(), [&](WordId w) { return evaluate(name, choose(point, name.of, w)); }, name.span());
  }
  if (failed_) return {};
  if (name.of && current(name.of, point) == kAnyWord) return every_word(name, point);
  if (failed_) return {};
  const std::vector<const Def*>& chain = chain_of(name, point);
  return failed_ ? Value{} : by_chain({&chain, 0, nullptr}, point, {});
}

/// The unit that a quantity of a set's words has, whichever is current.
Value Walk::every_word(const Name& name, const Point& point) {
  Value all;
  for (std::size_t w = 0; w < program_.set(name.of).words.size() && !failed_; ++w) {
    Point p = point;
    p[name.of] = static_cast<WordId>(w);
    all = unify(all, evaluate(name, p), name.span());
  }
  return all;
}

/// Definitions of an operator, its own first, before those that hold for all.
void Walk::add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain) {
  if (name.by_op.empty()) return;
  for (const Operator* o : lineage(op)) {
    if (const auto found = name.by_op.find(o); found != name.by_op.end()) chain.insert(chain.end(), found->second.begin(), found->second.end());
  }
}

/// The definitions of a name at an element: its own, then those of the name. Put together once.
const std::vector<const Def*>& Walk::chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own) {
  if (chains_.size() <= name.id) chains_.resize(name.id + 1);
  auto& all = chains_[name.id];
  if (all.size() <= element) all.resize(element + 1);
  std::vector<const Def*>& chain = all[element];
  if (!chain.empty()) return chain;
  add_own(chain);
  chain.insert(chain.end(), name.defs.begin(), name.defs.end());
  return chain;
}

const std::vector<const Def*>& Walk::chain_of(const Name& name, const Point& point) {
  if (name.of) {
    const std::optional<WordId> word = current(name.of, point);
    if (failed_ || !word || *word < 0) return name.defs;
    const auto element = static_cast<std::size_t>(*word);
    return chain_at(name, element, [&](auto& chain) { add_definitions(name, *program_.set(name.of).operators[element], chain); });
  }
  if (!name.at_node) {
    if (name.defs.empty()) fail({}, fmt::format("`{}` has no value: give it in the execution, or with --set {}=…", name.name, name.name));
    return name.defs;
  }
  const WordId node = point[program_.engine->nodes];
  if (node == kNoWord) {
    fail(name.span(), fmt::format("`{}` varies with node, and nothing chooses one where it is used", name.name));
    return name.defs;
  }
  if (node < 0) return name.defs;
  const auto element = static_cast<std::size_t>(node);
  return chain_at(name, element, [&](auto& chain) {
    if (mode_ == Mode::units) {
      if (program_.operators != nullptr && !program_.operators->all().empty())
        add_definitions(name, std::next(program_.operators->all().begin(), node)->second, chain);
      return;
    }
    const auto place = lasting_ ? static_cast<std::size_t>(rosters_[program_.engine->nodes].place(node)) : element;
    const auto& own = nodes_.quantities[place];
    if (const auto found = own.find(name.name); found != own.end()) chain.push_back(found->second);
    if (nodes_.operators[place] != nullptr) add_definitions(name, *nodes_.operators[place], chain);
  });
}

Value Walk::by_chain(const Frame& frame, const Point& point, const Span& asked_at) {
  const std::vector<const Def*>& chain = *frame.chain;
  const std::size_t i = frame.index;
  if (i >= chain.size()) {
    if (chain.empty()) return fail(asked_at, "no formula");
    const Def& last = *chain.back();
    const std::optional<WordId> word = last.set ? current(last.set, point) : std::nullopt;
    const std::string here = word && *word >= 0 ? fmt::format("`{}`", program_.set(last.set).words[*word]) : "this case";
    return fail(frame.locals != nullptr ? asked_at : last.span, fmt::format("`{}` has no formula for {}", last.name, here));
  }
  const Def* guard = nullptr;
  std::size_t j = i;
  for (; j < chain.size() && guard == nullptr; ++j) {
    if (chain[j]->when != nullptr) guard = chain[j];
  }
  Value v;
  if (guard != nullptr) {
    const Value holds = walk(*guard->when, point, {&chain, j - 1, frame.locals});
    if (failed_) return {};
    v = branch(
        holds, [&] { return by_case(frame, point, asked_at); },
        [&] {
          Value zero = number_value(integer(0));
          zero.any_unit = zero.absent = true;
          return zero;
        },
        guard->span);
  } else {
    v = by_case(frame, point, asked_at);
  }
  if (failed_) return {};
  for (std::size_t k = i; k < chain.size(); ++k) {
    if (!chain[k]->unit) continue;
    if (v.kind == Value::Kind::number && v.any_unit) v.unit = *chain[k]->unit;
    if (v.kind != Value::Kind::nothing && (v.kind != Value::Kind::number || !(v.unit == *chain[k]->unit))) {
      return fail(chain[i]->span, fmt::format("`{}` is declared in {}, but its formula is {}", chain[i]->name, chain[k]->unit_text, describe(v)));
    }
    v.any_unit = mode_ == Mode::numbers && v.any_unit;
    break;
  }
  return v;
}

Value Walk::by_case(const Frame& frame, const Point& point, const Span& asked_at) {
  const std::vector<const Def*>& chain = *frame.chain;
  const std::size_t i = frame.index;
  const Def& def = *chain[i];
  const Frame next{&chain, i + 1, frame.locals};
  const Span& at = frame.locals != nullptr ? asked_at : def.span;  // of a function whoever calls it can choose a word
  if (const std::optional<Scalar> word = symbolic_word(def.set, point)) {
    const auto of = [&](WordId w) {
      Point p = point;
      p[def.set] = w;
      return by_case(frame, p, asked_at);
    };
    return choice(*word, program_.set(def.set).words.size(), of, def.span);
  }
  if (failed_) return {};
  if (!def.set) return def.otherwise == nullptr ? by_chain(next, point, at) : walk(*def.otherwise, point, frame);
  const std::optional<WordId> word = current(def.set, point);
  if (failed_) return {};
  if (!word) {
    const Set& set = program_.set(def.set);
    if (frame.locals != nullptr) return fail(at, fmt::format("`{}` varies with {}, and nothing chooses one here", def.name, set.name));
    return fail(def.span, fmt::format("`{}` varies with {}, and nothing chooses one where it is used: write {}.{} or aggregate over {}", def.name, set.name,
                                      set.words.empty() ? set.name : set.words[0], def.name, set.name));
  }
  if (*word == kAnyWord) {
    Value all;
    for (std::size_t w = 0; w < program_.set(def.set).words.size() && !failed_; ++w) {
      bool has = def.otherwise != nullptr || i + 1 < chain.size();
      for (const auto& [c, _] : def.cases) has = has || c == static_cast<WordId>(w);
      if (!has) continue;
      Point p = point;
      p[def.set] = static_cast<WordId>(w);
      all = unify(all, by_case(frame, p, asked_at), def.span);
    }
    return all;
  }
  for (const auto& [w, formula] : def.cases) {
    if (w == *word) return walk(*formula, point, frame);
  }
  return def.otherwise != nullptr ? walk(*def.otherwise, point, frame) : by_chain(next, point, at);
}

Walk::Chosen Walk::chosen(const Name& name, const Point& point) {
  if (const auto other = case_values_.find(&name); other != case_values_.end() && parts_.empty()) return chosen(*other->second, point);
  if (!name.input) return chosen_of(chain_of(name, point), nullptr, point);
  return name.defs.empty() ? Chosen{} : Chosen{name.defs[0], name.defs[0]->otherwise, false};
}

Walk::Chosen Walk::chosen(const Function& function, const std::vector<Value>& arguments, const Point& point) {
  return chosen_of(function.defs, &arguments, point);
}

Walk::Chosen Walk::chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point) {
  for (const Def* def : chain) {
    if (def->when == nullptr) continue;
    const Value holds = walk(*def->when, point, {&chain, 0, locals});
    if (!failed_ && holds.scalar.value == 0) return {def, def->when, true};
    break;
  }
  for (const Def* def : chain) {
    if (failed_) break;
    if (def->set) {
      const std::optional<WordId> word = current(def->set, point);
      const auto is_it = [&](const auto& one) { return word && one.first == *word; };
      const auto one = std::find_if(def->cases.begin(), def->cases.end(), is_it);
      if (one != def->cases.end() && one->second->kind == Formula::Kind::inherited) continue;
      if (one != def->cases.end()) return {def, one->second, false};
    }
    if (def->otherwise != nullptr && def->otherwise->kind != Formula::Kind::inherited) return {def, def->otherwise, false};
  }
  return {};
}

/// `[a, b]`: a list that a formula makes lives as long as the evaluator.
Value Walk::keep_list(Record items) {
  samples_.push_back(std::make_unique<Record>(std::move(items)));
  Value v;
  v.kind = Value::Kind::list;
  v.record = samples_.back().get();
  return v;
}

}  // namespace opledger
