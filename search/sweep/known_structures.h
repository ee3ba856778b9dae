#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/structure.h"
#include "search/space/combinations.h"
#include "search/sweep/guarded_trace.h"

/// The structures of a space that were met so far, each with what tells whether a candidate has it. Those that are going to be asked for can be traced meanwhile
/// by other threads: which one traces what makes no difference.
namespace opledger {

/// Where structures that are going to be asked for are traced meanwhile. Candidates are told by axis.
class TracersAhead {
 public:
  virtual ~TracersAhead() = default;
  /// Will be asked for. The last one first, if there is a choice.
  virtual void expect(const std::vector<double>& candidate) = 0;
  /// Waits for it. Empty: nobody has begun with it, nor will.
  virtual std::optional<Traced> take(const std::vector<double>& candidate) = 0;
  /// Won't be asked for.
  virtual void forget(const std::vector<double>& candidate) = 0;
};

class KnownStructures {
 public:
  /// `refused_by`: a reason; feasible are then those candidates that are refused for it. Empty: as they are.
  KnownStructures(Space& space, FreeAxes free, Question question, std::string refused_by);
  ~KnownStructures();

  /// Of whom structures are expected; in place of the threads of this process.
  void ask(TracersAhead& others) { ahead_ = &others; }
  /// Numbers of tapes, where several processes trace.
  void number_tapes_from(std::uint64_t first);
  /// `of` will be asked for that of this candidate.
  void expect(const std::vector<double>& values);
  /// What is expected isn't any more.
  void expect_nothing();
  /// As `of` would trace it; it is not known then. Safe to call from several threads.
  Traced trace(const std::vector<double>& values);
  /// One that was traced elsewhere.
  GuardedTrace& add(Traced traced);
  /// That of a candidate; a new one is traced. `values`: by axis.
  GuardedTrace& of(const std::vector<double>& values);
  std::size_t size() const { return all_.size(); }
  const std::vector<std::unique_ptr<GuardedTrace>>& all() const { return all_; }
  const Question& question() const { return question_; }
  /// By axis: all values that it has in the space, rising; null: they are too many, or it is derived.
  const std::vector<const std::vector<double>*>& values() const { return values_; }

 private:
  struct Threads;

  GuardedTrace* find(const std::vector<double>& values);
  bool covers(const GuardedTrace& known, const std::vector<double>& values) const;
  void add_filters(GuardedTrace& structure);

  Space& space_;
  const FreeAxes free_;
  const Question question_;
  const std::string refused_by_;
  Combinations combinations_;
  std::vector<const std::vector<double>*> values_;
  Candidates candidates_;
  std::map<std::pair<std::uint64_t, std::vector<std::pair<std::int32_t, std::uint64_t>>>, Filter>
      filters_;  ///< By tape, and guards that its traces share, bit for bit.
  std::vector<std::unique_ptr<GuardedTrace>> all_;
  std::unique_ptr<Threads> threads_;
  TracersAhead* ahead_;
};

}  // namespace opledger
