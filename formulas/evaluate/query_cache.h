#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "formulas/evaluate/element_tables.h"
#include "formulas/evaluate/memo.h"
#include "formulas/evaluate/query_error.h"

/// The cache of a run, with reuse between candidates. Several candidates are recorded one after another on one tape. A
/// cache entry lists its dependencies in the order in which they were requested: other entries, fields and presences of
/// elements, guards, and values that guards had determined. It is valid for another candidate if every dependency has the
/// same version or value, checked in this order. Until the first difference, a new evaluation would request the same
/// dependencies. The method is that of Salsa and Adapton. Elements keep their first numbers (VersionedElements).
namespace opledger {

/// Cached values of names and nodes at points. The cache knows no formulas: a Source computes missing values.
class QueryCache : private TapeListener {
 public:
  /// Computes values, and may query the cache meanwhile.
  class Source {
   public:
    virtual Value compute(const Name& name, const Point& point) = 0;
    /// Computes a value of a node; `extent` selects the value on one rank or in total. Returns nothing if the node has no
    /// such value.
    virtual std::optional<Answer> compute(const Formula& node_value, WordId node, WordId extent) = 0;
    /// Returns the sets that a name depends on, in order.
    virtual const std::vector<SetId>& sets_of(const Name& name) const = 0;
    /// Fills the sets of the run, if it does so on first use. Returns false after an error.
    virtual bool fill() = 0;

   protected:
    ~Source() = default;
  };
  using Dependencies = std::vector<Memo::Dependency>;
  /// A query in progress: while candidates are recorded, the cache listens to the tape. Queries may nest, also those of
  /// other runs with the same tape. If `may_trim`, the end of the outermost query drops values of single elements when
  /// there are too many values.
  class Scope {
   public:
    Scope(QueryCache& cache, bool may_trim);
    ~Scope();
    Scope(const Scope&) = delete;

   private:
    QueryCache& cache_;
    const bool may_trim_;
    TapeListener* const around_;
  };

  /// Everything passed must outlive the object; `tape` may be null.
  QueryCache(Source& source, const Program& program, ElementTables& tables, Tape* tape, QueryError& error)
      : source_(source), program_(program), tables_(tables), tape_(tape), error_(error) {}

  /// Returns the cached value of a name, or computes it.
  Value value(const Name& name, const Point& point);
  /// Returns the cached value of a node, or computes it.
  Value node_value(const Formula& f, WordId node, WordId extent);
  /// Returns the elements of a set that agree with a point.
  const std::vector<WordId>& elements(SetId set, const Point& point);

  /// Prepares the cache for the candidate with this number, from 1. Cached values stay, but are unchecked.
  void begin_candidate(std::uint32_t revision);
  std::uint32_t revision() const { return revision_; }
  /// Returns whether several candidates are recorded: `begin_candidate` was called.
  bool is_recording() const { return revision_ > 0; }
  /// Forgets all values. Queries may be in progress: their values are not stored.
  void forget();
  /// Drops values of names with many entries, such as values of single nodes. With `keep_reused`, names that several queries
  /// used stay (the clock algorithm of page caches), unless too few values go. Without effect while candidates are recorded.
  void trim(bool keep_reused = false);
  /// May remove replaced dependencies. Returns the number of stored ones, including replaced ones.
  std::size_t compact_dependencies();
  /// Returns the number of names in evaluation.
  std::size_t depth() const { return busy_.size(); }
  /// Updates a value of an earlier candidate to the current sample.
  void refresh(Value& value) const;

  // Dependencies of the value in evaluation.
  void depend_on_field(SetId set, WordId element, const Formula& field);
  void depend_on_presence(SetId set, WordId element);
  /// Marks the value in evaluation as valid for this candidate only.
  void depend_on_transient();
  void depend_on(const Dependencies& group);
  /// Returns the dependencies recorded by `compute`, and adds them to the value in evaluation.
  Dependencies dependencies_of(FunctionRef<void()> compute);
  /// Calls `compute` without effect on the dependencies of the value in evaluation.
  void separately(FunctionRef<void()> compute);

 private:
  /// Returns whether dependencies are recorded: a cached value is in evaluation.
  bool records_dependencies() const { return is_recording() && (!busy_.empty() || groups_ > 0); }
  void folded(std::int32_t symbol, double value) override;
  void guarded(const Scalar& condition, double value) override;
  void depend_on(const Memo::Entry& entry);
  Value fail_busy(const Name& name, const Memo::Key& key);
  /// Stores a value and the dependencies from `dependencies_from` on in an entry.
  void complete(Memo::Entry& entry, const Value& value, std::size_t dependencies_from);
  /// Makes an entry of an earlier candidate valid for this one. Returns false if no value was found.
  bool revalidate(Memo::Entry& entry);
  bool revalidate(Memo::Entry& entry, const Point& point);
  bool revalidate_node_value(Memo::Entry& entry);
  /// Computes the elements that an entry lists at a point, and increments its version if they changed.
  void revalidate_elements(Memo::Entry& entry, const Point& point);
  /// Returns whether all dependencies of an entry, or a single dependency, are unchanged.
  bool is_valid(const Memo::Entry& entry);
  bool is_valid(const Memo::Dependency& dependency);
  /// Returns whether the candidate has the element of a dependency.
  bool has_element(const Memo::Dependency& dependency);
  bool is_filled(SetId set);
  /// Marks a cached value as used by the current query.
  void use(Memo::Entry& entry) const {
    if (entry.query != query_) entry.query = Memo::kReused;
  }

  Source& source_;
  const Program& program_;
  ElementTables& tables_;
  Tape* const tape_;
  QueryError& error_;
  Memo memo_;                                            ///< Names by id, and node values by kNodeValue and field.
  std::deque<Memo> former_;                              ///< Caches that were forgotten while queries may refer to them.
  std::uint32_t generation_ = 0;                         ///< Number of calls of `forget`.
  std::vector<std::pair<const Name*, Memo::Key>> busy_;  ///< Stack of names in evaluation, to find cycles.
  std::uint32_t revision_ = 0;                           ///< Number of the current candidate, from 1; 0: only one run is evaluated.
  Dependencies dependencies_;                            ///< Dependencies of the values in evaluation, innermost last.
  std::size_t queries_ = 0;                              ///< Number of nested queries.
  std::uint8_t query_ = 1;                               ///< Number of the outermost query, from 1 to 255, then 1 again.
  int groups_ = 0;                                       ///< Number of calls of `dependencies_of` in progress.
};

}  // namespace opledger
