#include "formulas/evaluate/query_cache.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "formulas/formula_text.h"

namespace opledger {
namespace {

/// Limits of the cache between queries: above kMostEntries, names with more than kMostEntriesOfName entries lose them.
constexpr std::size_t kMostEntries = 3'000'000, kMostEntriesOfName = 1'000;

}  // namespace

QueryCache::Scope::Scope(QueryCache& cache, bool may_trim)
    : cache_(cache), may_trim_(may_trim), around_(cache.is_recording() ? cache.tape_->set_listener(&cache) : nullptr) {
  if (cache.queries_++ == 0 && ++cache.query_ == Memo::kReused) ++cache.query_;
}

QueryCache::Scope::~Scope() {
  if (cache_.is_recording()) cache_.tape_->set_listener(around_);
  if (--cache_.queries_ == 0 && may_trim_ && cache_.memo_.size() > kMostEntries) cache_.trim(true);
}

Value QueryCache::value(const Name& name, const Point& point) {
  // Returns the value of a name at a point by memoized evaluation. The key has the words of the sets that the name
  // depends on, so points that differ elsewhere share an entry. An entry of an earlier candidate is revalidated first. A
  // busy entry is a cycle. `dependencies_from` marks where the dependencies of this value begin in the list that
  // evaluations append to. If the cache is forgotten meanwhile, the entry counts no longer: a revalidation begins anew,
  // and a computed value is returned without being stored.
  const std::vector<SetId>& sets = source_.sets_of(name);
  Memo::Key key;
  key.of = name.id;
  if (!tables_.pack(sets, point, key)) return error_.fail({}, "a formula varies with too many sets");
  Memo::Entry& known = sets.empty() ? memo_.global_entry(name.id) : memo_.at(key);
  const std::uint32_t generation = generation_;
  if (known.state == Memo::Entry::State::known && (known.revision == revision_ || revalidate(known, point))) {
    use(known);
    depend_on(known);
    return memo_.value(known);
  }
  if (error_.failed()) return {};
  if (generation != generation_) return value(name, point);
  if (known.state == Memo::Entry::State::busy) return fail_busy(name, key);
  if (busy_.size() >= kMaxEvaluationDepth) return error_.fail(name.span(), fmt::format("`{}` is nested too deeply", name.name));
  known.state = Memo::Entry::State::busy;
  memo_.set_name(known, name);
  busy_.emplace_back(&name, key);
  const std::size_t dependencies_from = dependencies_.size();
  const Value v = source_.compute(name, point);
  busy_.pop_back();
  if (generation != generation_) {
    dependencies_.resize(dependencies_from);
    depend_on_transient();
    return v;
  }
  complete(known, v, dependencies_from);
  depend_on(known);
  return v;
}

/// Reports a cycle; the stack of busy names gives its path.
Value QueryCache::fail_busy(const Name& name, const Memo::Key& key) {
  std::string path;
  bool inside = false;
  for (const auto& [n, k] : busy_) {
    inside = inside || k == key;
    if (inside) path += n->name + " -> ";
  }
  return error_.fail(name.span(), fmt::format("`{}` depends on itself: {}{}", name.name, path, name.name));
}

Value QueryCache::node_value(const Formula& f, WordId node, WordId extent) {
  // Values are cached by field, node and extent; an entry of an earlier candidate is computed anew. The engine may start
  // further queries. Dependencies that these queries record are dropped, because every candidate computes the value anew.
  Memo::Entry& known =
      memo_.at({Memo::kNodeValue | static_cast<std::uint32_t>(f.slot), {static_cast<std::uint64_t>(node), static_cast<std::uint64_t>(extent)}});
  const std::uint32_t generation = generation_;
  if (known.state == Memo::Entry::State::known && (known.revision == revision_ || revalidate_node_value(known))) {
    use(known);
    depend_on(known);
    return memo_.value(known);
  }
  if (error_.failed()) return {};
  const std::size_t dependencies_from = dependencies_.size();
  const std::optional<Answer> v = source_.compute(f, node, extent);
  if (v && !v->known()) return error_.take(*v);
  if (!v) return error_.fail(span_of(f), fmt::format("node `{}` has no `{}`", tables_[program_.engine->nodes].names[static_cast<std::size_t>(node)], f.text));
  dependencies_.resize(dependencies_from);
  if (generation != generation_) {
    depend_on_transient();
    return v->value;
  }
  memo_.set_node_value(known, f);
  complete(known, v->value, dependencies_from);
  depend_on(known);
  return v->value;
}

const std::vector<WordId>& QueryCache::elements(SetId set, const Point& point) {
  // The elements that agree with a point are cached like values, with a version that changes with the list.
  Memo::Key key;
  key.of = Memo::kVisited | set.number();
  if (!tables_.pack(tables_.owners(set), point, key)) error_.fail({}, "a formula varies with too many sets");
  Memo::Entry& entry = memo_.at(key);
  if (entry.state != Memo::Entry::State::known || entry.revision != revision_) {
    entry.state = Memo::Entry::State::known;
    entry.query = query_;
    revalidate_elements(entry, point);
  }
  use(entry);
  depend_on(entry);
  return *memo_.elements(entry);
}

void QueryCache::begin_candidate(std::uint32_t revision) {
  revision_ = revision;
  dependencies_.clear();
  former_.clear();
}

void QueryCache::forget() {
  former_.push_back(std::exchange(memo_, Memo()));
  ++generation_;
}

void QueryCache::trim(bool keep_reused) {
  if (is_recording() || !busy_.empty()) return;
  memo_.trim(kMostEntriesOfName, keep_reused, query_);
  if (memo_.size() > kMostEntries / 2) memo_.trim(kMostEntriesOfName, false, query_);
}

std::size_t QueryCache::compact_dependencies() {
  memo_.compact_dependencies();
  return memo_.dependencies();
}

void QueryCache::folded(std::int32_t symbol, double value) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::folded, {}, 0, static_cast<std::uint32_t>(symbol), value});
}

void QueryCache::guarded(const Scalar& condition, double value) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::guarded, {}, 0, static_cast<std::uint32_t>(condition.symbol), value});
}

void QueryCache::depend_on(const Memo::Entry& entry) {
  if (records_dependencies()) dependencies_.push_back({Memo::Dependency::Kind::entry, {}, 0, entry.number, static_cast<double>(entry.version)});
}

void QueryCache::depend_on_transient() {
  if (records_dependencies()) dependencies_.push_back({});
}

void QueryCache::depend_on(const Dependencies& group) {
  if (records_dependencies()) dependencies_.insert(dependencies_.end(), group.begin(), group.end());
}

void QueryCache::depend_on_field(SetId set, WordId element, const Formula& field) {
  if (!records_dependencies()) return;
  const std::uint32_t version = tables_.field_version(set, element, field);
  dependencies_.push_back({Memo::Dependency::Kind::field, set, field.slot, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

void QueryCache::depend_on_presence(SetId set, WordId element) {
  if (!records_dependencies() || !program_.set(set).elements) return;
  const std::uint32_t version = tables_.presence_version(set, element);
  dependencies_.push_back({Memo::Dependency::Kind::presence, set, 0, static_cast<std::uint32_t>(element), static_cast<double>(version)});
}

QueryCache::Dependencies QueryCache::dependencies_of(FunctionRef<void()> compute) {
  const std::size_t dependencies_from = dependencies_.size();
  const std::uint32_t generation = generation_;
  ++groups_;
  compute();
  --groups_;
  Dependencies out(dependencies_.begin() + static_cast<std::ptrdiff_t>(dependencies_from), dependencies_.end());
  if (generation != generation_) out = {Memo::Dependency{}};  // the entries were forgotten
  dependencies_.resize(dependencies_from);
  depend_on(out);
  return out;
}

void QueryCache::separately(FunctionRef<void()> compute) {
  const std::size_t dependencies_from = dependencies_.size();
  compute();
  dependencies_.resize(dependencies_from);
}

/// Updates a cached value of an earlier candidate to the current sample. A symbol is valid for every candidate, but the
/// value also stores the number that the symbol has for the sample. A symbolic word, record or curve stores the
/// alternative at this number, too (`picks` and `curve_picks` list the alternatives).
void QueryCache::refresh(Value& value) const {
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
void QueryCache::complete(Memo::Entry& entry, const Value& value, std::size_t dependencies_from) {
  entry.state = error_.failed() ? Memo::Entry::State::unknown : Memo::Entry::State::known;
  entry.revision = revision_;
  entry.query = query_;
  if (is_recording() && !error_.failed()) {
    if (!equivalent(memo_.value(entry), value)) ++entry.version;
    memo_.store_dependencies(entry, std::span(dependencies_).subspan(dependencies_from));
    dependencies_.resize(dependencies_from);
  }
  memo_.set_value(entry, value);
}

/// Revalidates a cache entry of an earlier candidate, as in Salsa. If all dependencies of a name are unchanged, the
/// entry keeps its value and their list; only the sample's number is updated. Otherwise the name is computed anew, with
/// a new list. `dependencies_` is a stack: its tail from `dependencies_from` belongs to this entry and is removed here.
/// Returns false if no value was found, or if the cache was forgotten meanwhile; the caller then evaluates the name,
/// unless the query has failed.
bool QueryCache::revalidate(Memo::Entry& entry, const Point& point) {
  if (busy_.size() >= kMaxEvaluationDepth) return entry.state = Memo::Entry::State::unknown, false;
  const std::size_t dependencies_from = dependencies_.size();
  const std::uint32_t generation = generation_;
  const Name& name = *memo_.name(entry);
  entry.state = Memo::Entry::State::busy;
  busy_.emplace_back(&name, memo_.key(entry));
  const bool same = !name.input && is_valid(entry);  // inputs are computed anew: their bounds are checked against the sample
  dependencies_.resize(dependencies_from);           // drops guards that `is_valid` recorded again
  const Value value = same || generation != generation_ ? Value{} : source_.compute(name, point);
  busy_.pop_back();
  if (generation != generation_) return dependencies_.resize(dependencies_from), false;
  if (!same) {
    complete(entry, value, dependencies_from);
    return !error_.failed();
  }
  Value kept = memo_.value(entry);
  refresh(kept);
  memo_.set_value(entry, kept);
  entry.state = Memo::Entry::State::known;
  entry.revision = revision_;
  return !error_.failed();
}

/// Computes a value of a node anew, as for every candidate.
bool QueryCache::revalidate_node_value(Memo::Entry& entry) {
  const std::size_t dependencies_from = dependencies_.size();
  const std::uint32_t generation = generation_;
  const Memo::Key key = memo_.key(entry);
  const std::optional<Answer> answer = source_.compute(memo_.node_value(entry), static_cast<WordId>(key.words[0]), static_cast<WordId>(key.words[1]));
  dependencies_.resize(dependencies_from);
  if (generation != generation_) return false;
  if (!answer || !answer->known()) return entry.state = Memo::Entry::State::unknown, false;
  complete(entry, answer->value, dependencies_from);
  return true;
}

bool QueryCache::revalidate(Memo::Entry& entry) {
  if (const SetId set = Memo::visited(entry)) {
    const std::uint32_t generation = generation_;
    if (!is_filled(set) || generation != generation_) return false;
    revalidate_elements(entry, tables_.unpack(memo_.key(entry), tables_.owners(set)));
    return true;
  }
  const Name* const name = memo_.name(entry);
  return name == nullptr ? revalidate_node_value(entry) : revalidate(entry, tables_.unpack(memo_.key(entry), source_.sets_of(*name)));
}

void QueryCache::revalidate_elements(Memo::Entry& entry, const Point& point) {
  std::vector<WordId> now = tables_.at(Memo::visited(entry), point);
  entry.revision = revision_;
  const std::vector<WordId>* const before = memo_.elements(entry);
  if (before != nullptr && now == *before) return;
  memo_.set_elements(entry, std::move(now));
  ++entry.version;
}

bool QueryCache::is_valid(const Memo::Entry& entry) {
  const std::uint32_t generation = generation_;
  for (std::size_t i = 0, count = memo_.dependencies(entry).size(); i < count; ++i) {
    const Memo::Dependency dependency = memo_.dependencies(entry)[i];  // a copy, because the check of another entry may store dependencies
    if (!is_valid(dependency) || generation != generation_) return false;
  }
  return true;
}

/// Returns whether the set is filled, after filling it in a run at other case words. An error there recurs if the set is
/// needed.
bool QueryCache::is_filled(SetId set) {
  if (!tables_[set].known && !source_.fill()) error_.clear();
  return tables_[set].known;
}

/// Returns whether the candidate has the element of a dependency.
bool QueryCache::has_element(const Memo::Dependency& dependency) {
  const std::uint32_t generation = generation_;
  return is_filled(dependency.set) && generation == generation_ && tables_.has(dependency.set, static_cast<WordId>(dependency.of));
}

bool QueryCache::is_valid(const Memo::Dependency& dependency) {
  // Returns whether a dependency of a cached value has the same version or value for the current candidate. Fields and
  // presences of elements compare versions, which count changes. A folded symbol must be determined by guards to the
  // same number. A guard is recorded again, because the reused value depends on it, and must have the same value.
  // Another entry is revalidated first, by recursion; its version then says whether its value changed.
  switch (dependency.kind) {
    case Memo::Dependency::Kind::transient:
      return false;
    case Memo::Dependency::Kind::field:
      return has_element(dependency) &&
             static_cast<double>(tables_.field_version(dependency.set, static_cast<WordId>(dependency.of), dependency.slot)) == dependency.value;
    case Memo::Dependency::Kind::presence:
      return has_element(dependency) && static_cast<double>(tables_.presence_version(dependency.set, static_cast<WordId>(dependency.of))) == dependency.value;
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
        error_.clear();  // it occurs again if the value is needed
        return false;
      }
      return static_cast<double>(other.version) == dependency.value;
    }
  }
  return false;
}

}  // namespace opledger
