#include <bit>

#include "base/limits.h"
#include "formulas/evaluate/walk.h"

/// Several candidates, recorded one after the other on one tape: the part of Walk that takes over for one what was evaluated for those before. An entry of the memo
/// knows what it was made of, in the order in which that was asked for: other entries, guards, what guards had decided. It holds for another candidate if
/// all of that comes to the same, looked at in this order: until something differs, evaluating it anew would ask for nothing else. Elements keep the
/// numbers that they had first (Roster), and their fields have versions.
namespace opledger {
namespace {

constexpr unsigned kElementBits = 10;          // of keys, for the elements of a set, until it has more
constexpr std::size_t kMostUses = 10'000'000;  // that are kept of all entries: some 240 MB

}  // namespace

void Walk::begin(std::span<const double> inputs) {
  if (!lasting_ || !nodes_.widened.empty() || memo_.uses() > kMostUses) forget();
  if (!lasting_) {
    rosters_.resize(program_.sets.size());
    versions_.resize(program_.sets.size());
    for (const SetId s : program_.sets.ids()) {
      if (program_.set(s).elements) widths_[s] = kElementBits;
    }
  }
  lasting_ = true;
  ++candidate_;
  tape_->set_listener(this);
  tape_->begin(inputs);
  prefixes_.clear();
  uses_.clear();
  provided_.clear();
  node_values_ = nullptr;
  nodes_.widened.clear();
  for (const SetId s : program_.sets.ids()) elements_[s].known = false;
  for (const auto& list : samples_) {
    for (auto& [_, item] : list->fields) refresh(item);
  }
}

void Walk::forget() {
  memo_ = Memo();
  prefixes_.clear();
  chains_.clear();
}

void Walk::folded(std::int32_t symbol, double value) {
  if (notes()) uses_.push_back({Memo::Use::Kind::folded, {}, 0, static_cast<std::uint32_t>(symbol), value});
}

void Walk::guarded(const Scalar& condition, double value) {
  if (notes()) uses_.push_back({Memo::Use::Kind::guarded, {}, 0, static_cast<std::uint32_t>(condition.symbol), value});
}

void Walk::note(const Memo::Entry& entry) {
  if (notes()) uses_.push_back({Memo::Use::Kind::entry, {}, 0, entry.number, static_cast<double>(entry.version)});
}

void Walk::note_passing() {
  if (notes()) uses_.push_back({});
}

void Walk::note_field(SetId set, WordId element, const Formula& field) {
  if (!notes()) return;
  auto& all = versions_[set];
  const auto slot = static_cast<std::size_t>(field.slot);
  if (all.size() <= slot) all.resize(slot + 1);
  if (all[slot] == nullptr) all[slot] = rosters_[set].versions(field.text);
  const std::uint32_t version = (*all[slot])[static_cast<std::size_t>(element)];
  uses_.push_back({Memo::Use::Kind::field, set, field.slot, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

void Walk::note_there(SetId set, WordId element) {
  if (!notes() || !program_.set(set).elements) return;
  const std::uint32_t version = rosters_[set].there_version(element);
  uses_.push_back({Memo::Use::Kind::there, set, 0, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

WordId Walk::element_at(SetId set, WordId place) const { return lasting_ ? rosters_[set].here()[static_cast<std::size_t>(place)] : place; }

/// What tells nodes apart besides their fields: the operator, and the definitions of their own.
std::vector<std::uint64_t> Walk::told_apart(SetId set, std::size_t count) const {
  std::vector<std::uint64_t> out;
  if (set != program_.engine->nodes || nodes_.operators.size() != count) return out;
  for (std::size_t n = 0; n < count; ++n) {
    std::uint64_t all = std::bit_cast<std::uintptr_t>(nodes_.operators[n]);
    for (const auto& [_, def] : nodes_.quantities[n]) all = all * 0xBF58476D1CE4E5B9u + std::bit_cast<std::uintptr_t>(def);
    out.push_back(all);
  }
  return out;
}

/// The sets that they belong to are filled in before.
void Walk::take_elements(SetId set, Elements elements) {
  for (auto& [other, words] : elements.belongs) {
    if (!program_.set(other).elements) continue;
    for (WordId& word : words) word = word < 0 ? word : element_at(other, word);
  }
  const std::vector<std::uint64_t> apart = told_apart(set, elements.names.size());
  if (!rosters_[set].take(elements_[set], elements, apart)) {
    forget();
    rosters_[set] = {};
    versions_[set].clear();
    elements_[set] = {};
    rosters_[set].take(elements_[set], elements, apart);
  }
  columns_[set].clear();
  joined_[set] = Belongings(elements_[set], rosters_[set].here());
  const auto width = static_cast<unsigned>(std::bit_width(elements_[set].names.size() + 2));
  if (width <= widths_[set]) return;
  widths_[set] = width + 1;
  forget();
}

/// What is worth of the sample, not of the candidate that it was evaluated for.
void Walk::refresh(Value& value) const {
  if (value.scalar.constant()) return;
  tape_->refresh(value.scalar);
  const double which = value.scalar.value;
  if (value.kind == Value::Kind::word) {
    const std::vector<std::string>& words = program_.set(value.set).words;
    if (which >= 0 && which < static_cast<double>(words.size())) {
      value.word = static_cast<WordId>(which);
      value.text = &words[static_cast<std::size_t>(which)];
    }
  }
  const auto pick = [which](const auto* picks, auto& picked) {
    if (picks != nullptr && which >= 0 && which < static_cast<double>(picks->size())) picked = (*picks)[static_cast<std::size_t>(which)];
  };
  pick(value.picks, value.record);
  pick(value.curve_picks, value.curve);
}

/// The entry was evaluated. Of what failed whoever asked has used all that it was made of.
void Walk::conclude(Memo::Entry& entry, const Value& value, std::size_t uses_from) {
  entry.state = failed_ ? Memo::Entry::State::unknown : Memo::Entry::State::known;
  entry.candidate = candidate_;
  if (lasting_ && !failed_) {
    if (!equivalent(entry.value, value)) ++entry.version;
    memo_.keep(entry, std::span(uses_).subspan(uses_from));
    uses_.resize(uses_from);
  }
  entry.value = value;
}

/// Inputs are checked against the sample, and nodes are other nodes.
bool Walk::is_asked_anew(const Memo::Entry& entry) const { return entry.name == nullptr || entry.name->input; }

/// The point of a key, as far as it matters.
Point Walk::point_of(const Key& key, const std::vector<SetId>& sets) const {
  Point out = nowhere();
  each_place(sets, [&](SetId s, std::size_t part, unsigned shift) {
    out[s] = static_cast<WordId>(key.words[part] >> shift & ((std::uint64_t{1} << widths_[s]) - 1)) - 2;
  });
  return out;
}

const std::vector<SetId>& Walk::owners(SetId set) {
  owners_.clear();
  for (const Belongings::Column& column : joined_[set].columns()) owners_.push_back(column.of);
  return owners_;
}

/// Finds what an entry of an earlier candidate is worth now. False: it has no value, and the walk has failed, or it is being evaluated.
bool Walk::renew(Memo::Entry& entry, const Point& point) {
  const std::size_t uses_from = uses_.size();
  if (entry.name == nullptr) {
    const std::optional<Answer> answer = worked_out(*entry.node_value, static_cast<WordId>(entry.key.words[0]), static_cast<WordId>(entry.key.words[1]));
    uses_.resize(uses_from);
    if (!answer || !answer->known()) return entry.state = Memo::Entry::State::unknown, false;
    conclude(entry, answer->value, uses_from);
    return true;
  }
  if (busy_.size() >= kMaxEvaluationDepth) return entry.state = Memo::Entry::State::unknown, false;
  entry.state = Memo::Entry::State::busy;
  busy_.emplace_back(entry.name, entry.key);
  const bool same = !is_asked_anew(entry) && holds(entry);
  uses_.resize(uses_from);
  if (same) refresh(entry.value);
  const Value value = same ? entry.value : worked_out(*entry.name, point);
  busy_.pop_back();
  if (same) {
    entry.state = Memo::Entry::State::known;
    entry.candidate = candidate_;
  } else {
    conclude(entry, value, uses_from);
  }
  return !failed_;
}

bool Walk::holds(const Memo::Entry& entry) {
  for (std::uint32_t i = 0; i < entry.uses; ++i) {
    if (!holds(Memo::Use(memo_.use(entry, i)))) return false;
  }
  return true;
}

/// Whether the candidate has the element.
bool Walk::is_here(const Memo::Use& use) const { return elements_[use.set].known && rosters_[use.set].has(static_cast<WordId>(use.of)); }

bool Walk::holds(const Memo::Use& use) {
  switch (use.kind) {
    case Memo::Use::Kind::passing:
      return false;
    case Memo::Use::Kind::field:
      return is_here(use) && static_cast<double>((*versions_[use.set][static_cast<std::size_t>(use.slot)])[use.of]) == use.value;
    case Memo::Use::Kind::there:
      return is_here(use) && static_cast<double>(rosters_[use.set].there_version(static_cast<WordId>(use.of))) == use.value;
    case Memo::Use::Kind::folded: {
      const std::optional<double> now = tape_->decided(static_cast<std::int32_t>(use.of));
      return now && *now == use.value;
    }
    case Memo::Use::Kind::guarded: {
      const auto symbol = static_cast<std::int32_t>(use.of);
      return tape_->guard({tape_->sample(symbol), symbol, false}) == use.value;
    }
    case Memo::Use::Kind::entry: {
      Memo::Entry& other = memo_.entry(use.of);
      if (other.state != Memo::Entry::State::known) return false;
      if (other.candidate != candidate_ && !renew(other)) {
        failed_ = absent_ = false;  // it is found again by whoever is evaluated anew for it
        error_ = nullptr;
        return false;
      }
      return static_cast<double>(other.version) == use.value;
    }
  }
  return false;
}

bool Walk::renew(Memo::Entry& entry) {
  if (entry.visited) return elements_[entry.visited].known && renew_visited(entry, point_of(entry.key, owners(entry.visited)));
  return renew(entry, entry.name != nullptr ? point_of(entry.key, variance(*entry.name).key) : nowhere());
}

bool Walk::renew_visited(Memo::Entry& entry, const Point& point) {
  std::vector<WordId> now = joined_[entry.visited].at(point);
  entry.candidate = candidate_;
  if (entry.elements != nullptr && now == *entry.elements) return true;
  entry.elements = std::make_unique<const std::vector<WordId>>(std::move(now));
  ++entry.version;
  return true;
}

const std::vector<WordId>& Walk::visited(SetId set, const Point& point) {
  Memo::Entry& entry = memo_.at(key_of(Memo::kVisited | set.number(), owners(set), point));
  if (entry.state != Memo::Entry::State::known || entry.candidate != candidate_) {
    entry.state = Memo::Entry::State::known;
    entry.visited = set;
    renew_visited(entry, point);
  }
  note(entry);
  return *entry.elements;
}

}  // namespace opledger
