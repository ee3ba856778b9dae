#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/processes/ranks.h"
#include "search/sweep/known_structures.h"
#include "search/sweep/sweep_request.h"

/// The structures of a space, each traced once for all processes that search it.
namespace opledger {

/// The first number of a rank's tapes.
inline std::uint64_t first_tape(int rank) { return static_cast<std::uint64_t>(rank) << 32; }

/// The leader's part.
class Discovery : public TracersAhead {
 public:
  Discovery(Space& space, const SweepRequest& request, Ranks& ranks) : space_(space), request_(request), ranks_(ranks) {}

  /// Divides the space; those that are idle trace what is going to be needed. Ends when all structures are known, or so many that whoever meets others had
  /// better trace these himself; or with an error, if a rank can't go on.
  void run(Diagnostics& diagnostics);

  const std::deque<int>& idle() const { return idle_; }  ///< Ranks that have nothing to do now.
  std::size_t structures() const { return found_.size(); }
  /// Sends them to a rank, not twice: those that it has traced too, since not all of these were taken.
  void tell(int rank);

  void expect(const std::vector<double>& candidate) override;
  std::optional<Traced> take(const std::vector<double>& candidate) override;
  void forget(const std::vector<double>& candidate) override;

 private:
  using Candidate = std::vector<double>;

  bool goes_on() const { return !failed_ && !request_.stopped(); }
  /// Whether there was anything to hear.
  bool listen();
  void exchange();
  bool begun(const Candidate& candidate) const;

  Space& space_;
  const SweepRequest& request_;
  Ranks& ranks_;
  const Question question_ = question_of(space_, request_);
  KnownStructures* structures_ = nullptr;  ///< While the space is divided.
  std::optional<Diagnostic> failed_;       ///< Why a rank can't go on.
  std::deque<int> idle_;
  std::vector<Candidate> expected_;     ///< Nobody has begun with these. The last are needed first.
  std::map<int, Candidate> at_work_;    ///< By rank.
  std::map<Candidate, Traced> traced_;  ///< Not taken yet.
  std::vector<std::string> found_;      ///< Packed.
  std::set<int> told_;
};

}  // namespace opledger
