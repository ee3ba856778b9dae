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

Point nowhere() {
  Point p;
  p.fill(kNoWord);
  return p;
}

Interpreter::Interpreter(const Program& program, Mode mode, Tape* tape) : program_(program), mode_(mode), tape_(tape), elements_(program.sets.size()) {
  widths_.resize(program.sets.size());
  columns_.resize(program.sets.size());
  members_.resize(program.sets.size());
  for (const SetId s : program.sets.ids()) measure(s);
  has_cases_ = mode == Mode::numbers && !program.cases.empty();
  words_.assign(program.cases.size(), 0);
  select_case_values();
}

Answer Interpreter::answer(FunctionRef<Value()> query) {
  std::shared_ptr<const Diagnostic> around = std::move(error_);
  const bool failed = std::exchange(failed_, false), absent = std::exchange(absent_, false);
  ++queries_in_progress_;
  TapeListener* const other = incremental_ ? tape_->set_listener(this) : nullptr;  // a run at other case words, which waits for the answer
  Answer out{query()};
  if (incremental_) tape_->set_listener(other);
  if (--queries_in_progress_ == 0 && memo_.size() > kMostEntries && can_trim()) memo_.trim(kMostEntriesOfName);
  if (failed_) out = {{}, std::move(error_), absent_};
  error_ = std::move(around);
  failed_ = failed;
  absent_ = absent;
  return out;
}

Value Interpreter::fail(const Span& span, std::string message) {
  if (!failed_) error_ = std::make_shared<Diagnostic>(Diagnostic{Severity::error, span, std::move(message), {}});
  failed_ = true;
  return {};
}

Value Interpreter::failed(const Answer& why) {
  error_ = why.error;
  absent_ = why.absent;
  failed_ = true;
  return {};
}

/// Computes the bits of a set's words in keys, including the codes for no word and any word.
void Interpreter::measure(SetId set) {
  std::size_t words = std::max(program_.sets[set]->words.size(), elements_[set].names.size());
  if (mode_ == Mode::units && set == program_.engine->nodes && program_.operators != nullptr)
    words = program_.operators->all().size();                                // operators replace nodes in units mode
  if (program_.sets[set]->positions != nullptr) words = kMaxDocumentValues;  // lists may have any length
  widths_[set] = static_cast<unsigned>(std::bit_width(words + 2));
}

/// Visits the position of each set's word in a packed key. Returns false if the words do not fit.
bool Interpreter::each_place(const std::vector<SetId>& sets, FunctionRef<void(SetId set, std::size_t part, unsigned shift)> visit) const {
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

Interpreter::Key Interpreter::key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point) {
  Key key;
  key.of = of;
  const auto put = [&](SetId s, std::size_t part, unsigned shift) { key.words[part] |= static_cast<std::uint64_t>(point[s] + 2) << shift; };
  if (!each_place(sets, put)) fail({}, "a formula varies with too many sets");
  return key;
}

void Interpreter::set_elements(SetId set, Elements elements) {
  if (incremental_) return update_elements(set, std::move(elements));
  elements.known = true;
  elements_[set] = std::move(elements);
  columns_[set].clear();
  members_[set] = MembershipIndex(elements_[set]);
  measure(set);
}

void Interpreter::set_nodes(NodeValues values, NodeFormulas formulas) {
  if (incremental_ && !formulas.widened.empty()) forget();  // widened variances change the keys
  node_values_ = std::move(values);
  nodes_ = std::move(formulas);
  chains_.clear();
}

Point Interpreter::choose(const Point& point, SetId set, WordId word) const {
  // Returns the point with a word or element of a set chosen. An element also chooses the words and elements to which
  // it belongs, as a message chooses its phase. If it belongs to a node, the node's own memberships follow where
  // nothing else has chosen a word. `members_` has these memberships as columns. Units mode, the check before a run,
  // has no elements: all these sets get kAnyWord, an unknown word.
  Point p = point;
  p[set] = word;
  const Set& s = program_.set(set);
  if (!s.elements) return p;
  if (mode_ == Mode::units) {
    for (const SetId other : s.belongs_to) p[other] = kAnyWord;
    return p;
  }
  for (const auto& [other, words] : members_[set].columns()) {
    const WordId w = words[word];
    if (w == kNoWord) continue;
    p[other] = w;
    if (other != program_.engine->nodes || set == other) continue;
    for (const auto& [indirect, node_words] : members_[other].columns()) {
      if (p[indirect] == kNoWord) p[indirect] = node_words[w];
    }
  }
  return p;
}

std::vector<WordId> Interpreter::visit(SetId id, const Point& point) {
  // Returns the members of a set over which an aggregate runs. A word set gives all its words, and a set of positions
  // all positions of its list. An element set gives the elements that belong to every word the point has chosen. The
  // list may be symbolic (`picks` has its alternatives). If their lengths differ, a guard fixes the alternative of the
  // sample candidate, because the number of terms can't be a symbol. Units mode, the check before a run, visits the
  // operators instead of nodes and one member of any other set of elements or positions.
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
  return incremental_ ? visited(id, point) : members_[id].at(point);
}

std::optional<WordId> Interpreter::current(SetId id, const Point& point) {
  // Returns the current word of a set from its first source. The sources are the point, the case word of this run, the
  // value of the name that binds the set, and the default word. Returns nothing if no source has a word, or after an
  // error. A symbolic word becomes a guard, because the caller continues with the word of the sample candidate.
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
        specialize(tape_, v.scalar);  // the caller depends on the word itself
        return found->second;
      }
    }
    fail(set.binder->defs.empty() ? set.span : set.binder->defs[0]->span, fmt::format("`{}` must be one of {}", set.name, join(set.words, ", ")));
    return std::nullopt;
  }
  if (set.default_word >= 0) return set.default_word;
  return std::nullopt;
}

Value Interpreter::evaluate(const Formula& formula, const Point& point, const std::vector<Value>* locals) {
  return interpret(formula, point, {nullptr, 0, locals});
}

/// Returns the point without the words of sets that a value does not depend on. A run at other case words may lack such an
/// element, and a value of that run would then be absent.
Point Interpreter::restricted(const Point& point, const Variance& variance) const {
  Point out = nowhere();
  for (std::uint64_t left = variance.varies | variance.needs; left != 0; left &= left - 1) {
    const SetId set(static_cast<std::uint32_t>(std::countr_zero(left)));
    out[set] = point[set];
  }
  return out;
}

Value Interpreter::evaluate(const Name& name, const Point& point) {
  // Returns the value of a name at a point by memoized evaluation. The key has the words of the sets that the name
  // depends on (its variance), so points that differ elsewhere share an entry. An entry of an earlier candidate is
  // revalidated first. A busy entry is a cycle, and the stack of busy names gives its path. If the point has other case
  // words, the run of these words evaluates the name. `dependencies_from` marks where the dependencies of this value
  // begin in the list that evaluations append to.
  if (failed_) return {};
  if (has_cases_ && changes_case(point)) return in_other_case(point, [&](Interpreter& there, const Point& p) { return there.evaluate(name, p); });
  const std::vector<SetId>& sets = variance(name).key;
  const Key key = key_of(name.id, sets, point);
  if (failed_) return {};
  Memo::Entry& known = sets.empty() ? memo_.global_entry(name.id) : memo_.at(key);
  if (known.state == Memo::Entry::State::known && (known.revision == revision_ || revalidate(known, point))) {
    depend_on(known);
    return memo_.value(known);
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
  memo_.set_name(known, name);
  busy_.emplace_back(&name, key);
  const std::size_t dependencies_from = dependencies_.size();
  const Value v = compute(name, has_cases_ ? restricted(point, variance(name)) : point);
  busy_.pop_back();
  complete(known, v, dependencies_from);
  depend_on(known);
  return v;
}

Value Interpreter::compute(const Name& name, const Point& point) {
  // Evaluates a name without the cache. The first case that applies counts: a replacement at this run's case words, an
  // input, or the chain of definitions that replace each other. A quantity of operators (`name.of` is their set, a
  // family) depends on the current operator. A symbolic operator differs between the candidates of a search: the value
  // at each word is joined on the tape. An unknown operator (kAnyWord, in the check before a run) gives the common unit
  // of all operators.
  if (const auto other = case_values_.find(&name); other != case_values_.end())
    return combined_runs_.empty() ? evaluate(*other->second, point) : combined_value(name, point);
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

/// Returns the common unit of a quantity over all words of its set.
Value Interpreter::every_word(const Name& name, const Point& point) {
  Value all;
  for (std::size_t w = 0; w < program_.set(name.of).words.size() && !failed_; ++w) {
    Point p = point;
    p[name.of] = static_cast<WordId>(w);
    all = unify(all, evaluate(name, p), name.span());
  }
  return all;
}

/// Appends the definitions of an operator: its own first, then inherited ones.
void Interpreter::add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain) {
  if (name.by_op.empty()) return;
  for (const Operator* o : lineage(op)) {
    if (const auto found = name.by_op.find(o); found != name.by_op.end()) chain.insert(chain.end(), found->second.begin(), found->second.end());
  }
}

/// Returns the definitions of a name at an element: the element's own, then the name's. A chain is built once and kept
/// until nodes are set again.
const std::vector<const Def*>& Interpreter::chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own) {
  if (chains_.size() <= name.id) chains_.resize(name.id + 1);
  auto& all = chains_[name.id];
  if (all.size() <= element) all.resize(element + 1);
  std::vector<const Def*>& chain = all[element];
  if (!chain.empty()) return chain;
  add_own(chain);
  chain.insert(chain.end(), name.defs.begin(), name.defs.end());
  return chain;
}

const std::vector<const Def*>& Interpreter::chain_of(const Name& name, const Point& point) {
  // Returns the chain of a name: the definitions that replace each other, newest first. A quantity of nodes has a chain
  // for each node. The node's own definitions come first, then those of its operator and of the operators that it
  // extends, then general ones. A quantity of operators (`name.of` is their set, a family) has a chain for each
  // operator. Such chains are built once and cached. Other names have one chain. An unknown node or word gives the
  // general definitions. Units mode has operators in place of nodes.
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
    const auto place = static_cast<std::size_t>(place_of(program_.engine->nodes, node));
    const auto& own = nodes_.quantities[place];
    if (const auto found = own.find(name.name); found != own.end()) chain.push_back(found->second);
    if (nodes_.operators[place] != nullptr) add_definitions(name, *nodes_.operators[place], chain);
  });
}

Value Interpreter::by_chain(const Frame& frame, const Point& point, const Span& call_span) {
  // Evaluates a chain of definitions that replace each other, newest first, from the frame's position on: the first
  // with a formula for the current word counts (`by_case`). The newest `when` from this position on decides for all of
  // them: if it does not hold, the value is an absent zero. The newest declared unit is checked against the result; a value
  // that is compatible with every unit takes this unit. A missing formula of a function is reported at `call_span`, the
  // position of its call.
  const std::vector<const Def*>& chain = *frame.chain;
  const std::size_t i = frame.index;
  if (i >= chain.size()) {
    if (chain.empty()) return fail(call_span, "no formula");
    const Def& last = *chain.back();
    const std::optional<WordId> word = last.set ? current(last.set, point) : std::nullopt;
    const std::string here = word && *word >= 0 ? fmt::format("`{}`", program_.set(last.set).words[*word]) : "this case";
    return fail(frame.locals != nullptr ? call_span : last.span, fmt::format("`{}` has no formula for {}", last.name, here));
  }
  const Def* guard = nullptr;
  std::size_t j = i;
  for (; j < chain.size() && guard == nullptr; ++j) {
    if (chain[j]->when != nullptr) guard = chain[j];
  }
  Value v;
  if (guard != nullptr) {
    const Value holds = interpret(*guard->when, point, {&chain, j - 1, frame.locals});  // j - 1 is the position of `guard`
    if (failed_) return {};
    v = branch(
        holds, [&] { return by_case(frame, point, call_span); },
        [&] {
          Value zero = number_value(integer(0));
          zero.any_unit = zero.absent = true;
          return zero;
        },
        guard->span);
  } else {
    v = by_case(frame, point, call_span);
  }
  if (failed_) return {};
  for (std::size_t k = i; k < chain.size(); ++k) {
    if (!chain[k]->unit) continue;
    if (v.kind == Value::Kind::number && v.any_unit) v.unit = *chain[k]->unit;
    if (v.kind != Value::Kind::nothing && (v.kind != Value::Kind::number || !(v.unit == *chain[k]->unit))) {
      return fail(chain[i]->span, fmt::format("`{}` is declared in {}, but its formula is {}", chain[i]->name, chain[k]->unit_text, describe(v)));
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
  const std::vector<const Def*>& chain = *frame.chain;
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
    return choice(*word, program_.set(def.set).words.size(), of, def.span);
  }
  if (failed_) return {};
  if (!def.set) return def.otherwise == nullptr ? by_chain(next, point, at) : interpret(*def.otherwise, point, frame);
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
      if (!has) continue;  // a word without a formula is an error only where it is used
      Point p = point;
      p[def.set] = static_cast<WordId>(w);
      all = unify(all, by_case(frame, p, call_span), def.span);
    }
    return all;
  }
  for (const auto& [w, formula] : def.cases) {
    if (w == *word) return interpret(*formula, point, frame);
  }
  return def.otherwise != nullptr ? interpret(*def.otherwise, point, frame) : by_chain(next, point, at);
}

Interpreter::Chosen Interpreter::chosen(const Name& name, const Point& point) {
  if (const auto other = case_values_.find(&name); other != case_values_.end() && combined_runs_.empty()) return chosen(*other->second, point);
  if (!name.input) return chosen_of(chain_of(name, point), nullptr, point);
  return name.defs.empty() ? Chosen{} : Chosen{name.defs[0], name.defs[0]->otherwise, false};
}

Interpreter::Chosen Interpreter::chosen(const Function& function, const std::vector<Value>& arguments, const Point& point) {
  return chosen_of(function.defs, &arguments, point);
}

Interpreter::Chosen Interpreter::chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point) {
  // Returns the definition and formula of a chain that give the value at a point, for explanations. The order is that
  // of evaluation: the newest `when` first, then, from the newest definition on, the formula of the current word, else
  // the general one. A formula that is only `inherited` leaves the value to an older definition, so it is skipped.
  for (const Def* def : chain) {
    if (def->when == nullptr) continue;
    const Value holds = interpret(*def->when, point, {&chain, 0, locals});
    if (!failed_ && holds.scalar.value == 0) return {def, def->when, true};
    break;
  }
  for (const Def* def : chain) {
    if (failed_) break;
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

/// Stores a list that a formula creates for the life of the evaluator.
Value Interpreter::keep_list(Record items) {
  records_.push_back(std::make_unique<Record>(std::move(items)));
  Value v;
  v.kind = Value::Kind::list;
  v.record = records_.back().get();
  return v;
}

}  // namespace opledger
