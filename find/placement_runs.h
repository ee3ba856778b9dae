#pragma once
#include <memory>
#include <string>
#include <vector>

#include "find/find_placements.h"
#include "find/rule_trials.h"
#include "run/run.h"

/// The runs that a search of placements compares.
namespace opledger {

/// Evaluates assignments on one linked run, and documents as whole runs.
class PlacementRuns {
 public:
  /// Prepares the run itself, whose accounting must state step, memory and capacity. Null, with errors, on failure.
  static std::unique_ptr<PlacementRuns> prepare(const PlacementsRequest& request, const Library& library, Diagnostics& diagnostics);

  /// Evaluates the rule documents that exist. The best values of their options then belong to the linked run, so `graphs`
  /// returns another object. False, with errors, on failure.
  bool compare_documents(Diagnostics& diagnostics);

  PlacedGraphs& graphs() { return *graphs_; }
  double budget() const { return trials_.budget(); }

  const PlacementsTrial& given() const { return given_; }  ///< The run itself.
  /// Evaluates an assignment on the linked run.
  PlacementsTrial trial(const PlacementSpace& space, const StateChoice& states);
  /// Evaluates a rule document in place of the run's documents that place nodes, as a whole run.
  PlacementsTrial trial_of_text(const std::string& document);
  /// Returns the best run with rule documents that exist; empty before `compare_documents`, or if none can be evaluated.
  const std::optional<PlacementsTrial>& best_document() const { return best_; }
  const RunRequest& request_of_best() const { return best_request_; }  ///< Request of this run.
  RunRequest without_placing() const;                                  ///< The request without its documents that place nodes.

  /// Returns the documents of the run that place nodes, by name.
  std::vector<std::string> replaced() const;
  /// Returns the sections of these documents that place no nodes, in YAML, without conditions that hold in this run.
  /// Options stay, although nothing reads them, because an execution may set them.
  std::string kept_sections();

  std::size_t count() const { return trials_.count(); }
  bool stopped() const { return trials_.stopped(); }

 private:
  PlacementRuns(const PlacementsRequest& request, const Library& library) : request_(request), trials_(library, request.stop, request.progress) {}
  bool read_given(Diagnostics& diagnostics);
  /// Returns the options of the run's placing documents that are true or false, with the other value.
  std::vector<std::pair<std::string, std::string>> other_options() const;
  /// Returns the names of the documents to compare with; empty for the run's own.
  std::vector<std::string> documents();
  /// Returns the request with a further document in front of those that place nodes.
  RunRequest with_first(const std::string& document) const;
  /// Returns an item of a section without its condition; empty if the condition or the mesh rules the item out.
  std::optional<Datum> kept_item(const Datum& item);

  const PlacementsRequest& request_;
  RuleTrials trials_;
  std::unique_ptr<PlacedGraphs> graphs_;
  std::vector<const Document*> placing_;  ///< Documents of the run that place nodes.
  std::string step_, memory_;             ///< Names of metrics.
  PlacementsTrial given_;
  std::optional<PlacementsTrial> best_;  ///< Of the documents that exist.
  RunRequest best_request_;
};

}  // namespace opledger
