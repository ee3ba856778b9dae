#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/combinations.h"
#include "search/plan.h"
#include "search/region.h"

/// The structures of a space that were met so far, each with what tells whether a candidate has it.
namespace opledger {

struct KnownStructure {
  explicit KnownStructure(Trace traced) : trace(std::move(traced)) {}

  Trace trace;
  std::vector<Filter> filters;         ///< A candidate that has this structure passes them all.
  AxisSet unfiltered = 0;              ///< What else decides, with all that these axes read: they can have too many values for a filter.
  std::optional<Structure> structure;  ///< For these alone.
  std::vector<std::string> reasons;    ///< By check.
  std::map<std::pair<AxisSet, AxisSet>, std::unique_ptr<Plan>> plans;  ///< By the axes that are fixed, and that stop and are settled.
};

class KnownStructures {
 public:
  /// `refused_by`: a reason; feasible are then those candidates that are refused for it. Empty: as they are.
  KnownStructures(Space& space, const FreeAxes& free, const Question& question, const std::string& refused_by);

  /// That of a candidate; a new one is traced. `values`: by axis.
  KnownStructure& of(const std::vector<double>& values);
  std::size_t size() const { return all_.size(); }

 private:
  bool covers(const KnownStructure& known, const std::vector<double>& values) const;
  void add_filters(KnownStructure& structure);

  Space& space_;
  const FreeAxes& free_;
  const Question& question_;
  const std::string& refused_by_;
  Combinations combinations_;
  Structure::Shared shared_;
  std::vector<std::unique_ptr<KnownStructure>> all_;
};

}  // namespace opledger
