#include <bit>

#include "base/limits.h"
#include "formulas/evaluate/interpreter.h"

/// Incremental evaluation: several candidates are recorded one after another on one tape, and cached values are reused.
/// A cache entry lists its dependencies in the order in which they were requested: other entries, fields and presences of
/// elements, guards, and values that guards had determined. It is valid for another candidate if every dependency has the same version
/// or value, checked in this order. Until the first difference, a new evaluation would request the same dependencies.
/// The method is that of Salsa and Adapton. Elements keep their first numbers (VersionedElements).
namespace opledger {
namespace {

constexpr unsigned kElementBits = 10;                 // Bits of an element's number in keys, until a set has more elements.
constexpr std::size_t kMaxDependencies = 10'000'000;  // Maximum number of stored dependencies, about 240 MB.

}  // namespace

/// Starts the recording of another candidate of a search on the same tape, in this run and in the runs at other case
/// words; `inputs` are its values of the tape's inputs. The caches are cleared if they are too large together.
void Interpreter::begin(std::span<const double> inputs) {
  std::vector<Interpreter*> all{this};
  if (other_runs_ != nullptr) {
    for (const auto& [_, run] : other_runs_->runs) all.push_back(run->interpreter_.get());
  }
  std::size_t dependencies = 0;
  for (Interpreter* run : all) {
    run->memo_.compact_dependencies();
    dependencies += run->memo_.dependencies();
  }
  tape_->begin(inputs);
  const std::uint32_t next = revision_ + 1;
  for (Interpreter* run : all) {
    if (dependencies > kMaxDependencies) run->forget();
    run->begin_candidate(next);
  }
}

void Interpreter::begin_candidate(std::uint32_t revision) {
  // Prepares this run for another candidate. The cache `memo_` and the elements stay, and everything that belongs to one
  // candidate is dropped: running sums, node values, provided inputs. A new revision marks all cached values as
  // unchecked. The cache is cleared if definitions of single nodes made names depend on more sets, because the keys then
  // have other words. The first call reserves bits for element numbers in keys.
  if (!incremental_ || !nodes_.widened.empty()) forget();
  if (!incremental_) {
    versioned_.resize(program_.sets.size());
    versions_.resize(program_.sets.size());
    for (const SetId s : program_.sets.ids()) {
      if (program_.set(s).elements) widths_[s] = kElementBits;
    }
  }
  incremental_ = true;
  revision_ = revision;
  prefixes_.clear();
  dependencies_.clear();
  provided_.clear();
  base_values_.clear();
  same_elements_.clear();
  filled_ = Filled::no;
  node_values_ = nullptr;
  nodes_.widened.clear();
  for (const SetId s : program_.sets.ids()) elements_[s].known = false;  // the engine must fill the sets again
  for (const auto& list : records_) {                                    // lists in cached values have items of the last sample
    for (auto& [_, item] : list->fields) refresh(item);
  }
}

void Interpreter::forget() {
  memo_ = Memo();
  prefixes_.clear();
  chains_.clear();
}

void Interpreter::folded(std::int32_t symbol, double value) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::folded, {}, 0, static_cast<std::uint32_t>(symbol), value});
}

void Interpreter::guarded(const Scalar& condition, double value) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::guarded, {}, 0, static_cast<std::uint32_t>(condition.symbol), value});
}

void Interpreter::depend_on(const Memo::Entry& entry) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::entry, {}, 0, entry.number, static_cast<double>(entry.version)});
}

void Interpreter::depend_on_transient() {
  if (records_dependencies()) dependencies_.push_back({});
}

void Interpreter::depend_on_field(SetId set, WordId element, const Formula& field) {
  if (!records_dependencies()) return;
  auto& all = versions_[set];
  const auto slot = static_cast<std::size_t>(field.slot);
  if (all.size() <= slot) all.resize(slot + 1);
  if (all[slot] == nullptr) all[slot] = versioned_[set].versions(field.text);
  const std::uint32_t version = (*all[slot])[static_cast<std::size_t>(element)];
  dependencies_.push_back({Memo::Dependency::Kind::field, set, field.slot, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

void Interpreter::depend_on_presence(SetId set, WordId element) {
  if (!records_dependencies() || !program_.set(set).elements) return;
  const std::uint32_t version = versioned_[set].presence_version(element);
  dependencies_.push_back({Memo::Dependency::Kind::presence, set, 0, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

WordId Interpreter::element_at(SetId set, WordId place) const { return incremental_ ? versioned_[set].current()[static_cast<std::size_t>(place)] : place; }

/// Returns, for each of `count` nodes, a hash of its operator and its own definitions. Empty for other sets, and if the
/// operators of these nodes are not known yet.
std::vector<std::uint64_t> Interpreter::identities_of(SetId set, std::size_t count) const {
  std::vector<std::uint64_t> out;
  if (set != program_.engine->nodes || nodes_.operators.size() != count) return out;
  for (std::size_t n = 0; n < count; ++n) {
    std::uint64_t all = std::bit_cast<std::uintptr_t>(nodes_.operators[n]);
    for (const auto& [_, def] : nodes_.quantities[n]) all = all * 0xBF58476D1CE4E5B9u + std::bit_cast<std::uintptr_t>(def);
    out.push_back(all);
  }
  return out;
}

/// Merges a candidate's elements of a set into `elements_`, the elements of all candidates so far, where equal elements
/// keep their numbers. Sets to which they belong must be filled before, because memberships are translated to these
/// numbers first. If the fields or memberships are others than in earlier candidates, the set starts anew. Then, or if a
/// number no longer fits into the bits of a cache key, the caches are cleared.
void Interpreter::update_elements(SetId set, Elements elements) {
  for (auto& [other, words] : elements.belongs) {
    if (!program_.set(other).elements) continue;
    for (WordId& word : words) word = word < 0 ? word : element_at(other, word);
  }
  // nodes of equal name are equal only with the same operator and definitions
  const std::vector<std::uint64_t> identities = identities_of(set, elements.names.size());
  if (!versioned_[set].update(elements_[set], elements, identities)) {
    forget();
    versioned_[set] = {};
    versions_[set].clear();
    elements_[set] = {};
    versioned_[set].update(elements_[set], elements, identities);
  }
  columns_[set].clear();
  members_[set] = MembershipIndex(elements_[set], versioned_[set].current());
  const auto width = static_cast<unsigned>(std::bit_width(elements_[set].names.size() + 2));
  if (width <= widths_[set]) return;
  widths_[set] = width + 1;  // a bit more than needed, so that the cache is rarely cleared
  forget();
}

/// Updates a cached value of an earlier candidate to the current sample. A symbol is valid for every candidate, but the
/// value also stores the number that the symbol has for the sample. A symbolic word, record or curve stores the
/// alternative at this number, too (`picks` and `curve_picks` list the alternatives).
void Interpreter::refresh(Value& value) const {
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

/// Completes an entry after its evaluation. A changed value increments the version. After a failure the entry becomes
/// unknown, and its dependencies pass to the caller.
void Interpreter::complete(Memo::Entry& entry, const Value& value, std::size_t dependencies_from) {
  entry.state = failed_ ? Memo::Entry::State::unknown : Memo::Entry::State::known;
  entry.revision = revision_;
  if (incremental_ && !failed_) {
    if (!equivalent(memo_.value(entry), value)) ++entry.version;
    memo_.store_dependencies(entry, std::span(dependencies_).subspan(dependencies_from));
    dependencies_.resize(dependencies_from);
  }
  memo_.set_value(entry, value);
}

/// Returns whether an entry must be computed anew for every candidate: inputs, because their bounds are checked against
/// the sample, and node values.
bool Interpreter::must_recompute(const Memo::Entry& entry) const {
  const Name* const name = memo_.name(entry);
  return name == nullptr || name->input;
}

/// Returns the point of a key, restricted to `sets`.
Point Interpreter::point_of(const Key& key, const std::vector<SetId>& sets) const {
  Point out = nowhere();
  each_place(sets, [&](SetId s, std::size_t part, unsigned shift) {
    out[s] = static_cast<WordId>(key.words[part] >> shift & ((std::uint64_t{1} << widths_[s]) - 1)) - 2;
  });
  return out;
}

const std::vector<SetId>& Interpreter::owners(SetId set) {
  owners_.clear();
  for (const MembershipIndex::Column& column : members_[set].columns()) owners_.push_back(column.of);
  return owners_;
}

/// Revalidates a cache entry of an earlier candidate, as in Salsa. If all dependencies of a name are unchanged, the
/// entry keeps its value and their list; only the sample's number is updated. Otherwise the name is computed anew, with
/// a new list. Values of nodes (entries without a name) are always computed anew, so their lists are empty.
/// `dependencies_` is a stack: its tail from `dependencies_from` belongs to this entry and is removed here. `busy_` has
/// the names in evaluation, to find cycles. Returns false if no value was found; the caller then evaluates the entry,
/// unless the interpreter has failed.
bool Interpreter::revalidate(Memo::Entry& entry, const Point& point) {
  const std::size_t dependencies_from = dependencies_.size();
  const Name* const name = memo_.name(entry);
  if (name == nullptr) {
    const Key key = memo_.key(entry);
    const std::optional<Answer> answer = compute(memo_.node_value(entry), static_cast<WordId>(key.words[0]), static_cast<WordId>(key.words[1]));
    dependencies_.resize(dependencies_from);
    if (!answer || !answer->known()) return entry.state = Memo::Entry::State::unknown, false;
    complete(entry, answer->value, dependencies_from);
    return true;
  }
  if (busy_.size() >= kMaxEvaluationDepth) return entry.state = Memo::Entry::State::unknown, false;
  entry.state = Memo::Entry::State::busy;
  busy_.emplace_back(name, memo_.key(entry));
  const bool same = !must_recompute(entry) && is_valid(entry);
  dependencies_.resize(dependencies_from);  // drops guards that `is_valid` recorded again
  Value value;
  if (same) {
    value = memo_.value(entry);
    refresh(value);
    memo_.set_value(entry, value);
  } else {
    value = compute(*name, point);
  }
  busy_.pop_back();
  if (same) {
    entry.state = Memo::Entry::State::known;
    entry.revision = revision_;
  } else {
    complete(entry, value, dependencies_from);
  }
  return !failed_;
}

bool Interpreter::is_valid(const Memo::Entry& entry) {
  for (std::size_t i = 0, count = memo_.dependencies(entry).size(); i < count; ++i) {
    const Memo::Dependency dependency = memo_.dependencies(entry)[i];  // A copy, because the check of another entry may store dependencies.
    if (!is_valid(dependency)) return false;
  }
  return true;
}

/// Returns whether the set is filled, after filling it in a run at other case words. An error there recurs if the set is
/// needed.
bool Interpreter::is_filled(SetId set) {
  if (!elements_[set].known && !fill()) failed_ = absent_ = false, error_ = nullptr;
  return elements_[set].known;
}

/// Returns whether the candidate has the element of a dependency.
bool Interpreter::has_element(const Memo::Dependency& dependency) {
  return is_filled(dependency.set) && versioned_[dependency.set].has(static_cast<WordId>(dependency.of));
}

bool Interpreter::is_valid(const Memo::Dependency& dependency) {
  // Returns whether a dependency of a cached value has the same version or value for the current candidate. Fields and
  // presences of elements compare versions, which count changes. A folded symbol must be determined by guards to the
  // same number. A guard is recorded again, because the reused value depends on it, and must have the same value.
  // Another entry is revalidated first, by recursion; its version then says whether its value changed.
  switch (dependency.kind) {
    case Memo::Dependency::Kind::transient:
      return false;
    case Memo::Dependency::Kind::field:
      return has_element(dependency) &&
             static_cast<double>((*versions_[dependency.set][static_cast<std::size_t>(dependency.slot)])[dependency.of]) == dependency.value;
    case Memo::Dependency::Kind::presence:
      return has_element(dependency) &&
             static_cast<double>(versioned_[dependency.set].presence_version(static_cast<WordId>(dependency.of))) == dependency.value;
    case Memo::Dependency::Kind::folded: {
      const std::optional<double> now = tape_->decided(static_cast<std::int32_t>(dependency.of));
      return now && *now == dependency.value;
    }
    case Memo::Dependency::Kind::guarded: {
      const auto symbol = static_cast<std::int32_t>(dependency.of);
      return tape_->guard({tape_->sample(symbol), symbol, false}) == dependency.value;
    }
    case Memo::Dependency::Kind::entry: {
      Memo::Entry& other = memo_.entry(dependency.of);
      if (other.state != Memo::Entry::State::known) return false;
      if (other.revision != revision_ && !revalidate(other)) {
        failed_ = absent_ = false;  // the error occurs again if the value is needed
        error_ = nullptr;
        return false;
      }
      return static_cast<double>(other.version) == dependency.value;
    }
  }
  return false;
}

bool Interpreter::revalidate(Memo::Entry& entry) {
  if (const SetId set = Memo::visited(entry)) {
    if (!is_filled(set)) return false;
    revalidate_visited(entry, point_of(memo_.key(entry), owners(set)));
    return true;
  }
  const Name* const name = memo_.name(entry);
  return revalidate(entry, name != nullptr ? point_of(memo_.key(entry), variance(*name).key) : nowhere());
}

void Interpreter::revalidate_visited(Memo::Entry& entry, const Point& point) {
  std::vector<WordId> now = members_[Memo::visited(entry)].at(point);
  entry.revision = revision_;
  const std::vector<WordId>* const before = memo_.elements(entry);
  if (before != nullptr && now == *before) return;
  memo_.set_elements(entry, std::move(now));
  ++entry.version;
}

const std::vector<WordId>& Interpreter::visited(SetId set, const Point& point) {
  // The elements that agree with a point are cached like values, with a version that changes with the list.
  Memo::Entry& entry = memo_.at(key_of(Memo::kVisited | set.number(), owners(set), point));
  if (entry.state != Memo::Entry::State::known || entry.revision != revision_) {
    entry.state = Memo::Entry::State::known;
    revalidate_visited(entry, point);
  }
  depend_on(entry);
  return *memo_.elements(entry);
}

}  // namespace opledger
