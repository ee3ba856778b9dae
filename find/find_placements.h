#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "find/factors.h"
#include "find/placed_graphs.h"
#include "find/placement_document.h"
#include "find/trial.h"

/// Finds the placements with which a run is fastest. The step time is a sum of small tables, whose exact optimum within a
/// memory budget is a rule document. Whole runs judge it and the rule documents that exist, so the answer is never slower
/// than the best of these.
namespace opledger {

/// A question for placements.
struct PlacementsRequest {
  RunRequest run;
  std::vector<std::string> axes;            ///< Searched axes of the mesh; empty: all that the accounting does not keep.
  std::optional<double> budget;             ///< Bytes of a rank, infinity for no limit; empty: the capacity that the accounting states.
  std::vector<std::string> baselines;       ///< Rule documents to compare with; empty: all that place nodes.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, the search ends and the answer is partial. Null: never.
  /// Called before each evaluation with the number of earlier ones. May be empty.
  std::function<void(std::size_t)> progress = {};
};

/// A run with other placements. `rules` are documents that place nodes.
struct PlacementsTrial : RulesTrial {
  StateChoice states = {};  ///< Of a trial of the search; else empty.
};

/// A line of the found document.
struct PlacementLine {
  std::string text;         ///< Names of nodes, or `DIMENSION: AXIS`.
  std::string otherwise;    ///< The next best state of its nodes.
  double more_seconds = 0;  ///< Seconds of a step that it takes more, by the sum of tables.
  bool has_other = false;   ///< The nodes have another state.
};

/// The answer.
struct FoundPlacements {
  std::string accounting, execution;       ///< Names; the execution is empty if the accounting does not use the default one.
  Value budget;                            ///< Bytes.
  PlacementsTrial given, found;            ///< The run itself, and the best trial.
  std::optional<PlacementsTrial> shipped;  ///< The best rule document; empty if none can be evaluated.
  std::vector<std::string> axes;           ///< Searched axes.
  bool in_turn = false;                    ///< The axes were searched one after the other, because all at once have too many combinations.
  PlacementSpace space;                    ///< Of the last search.
  std::vector<std::string> replaced;       ///< Rule documents of the run that `document` replaces.
  RunRequest run;                          ///< Request of the found run, to which `document` must be added.
  std::string document;                    ///< The best rules as a document; empty if existing rules are best.
  std::vector<PlacementLine> lines;        ///< Exceptions and then lines of the document.
  double estimate = 0;                     ///< Seconds of a step by the sum of tables, of the found trial.
  std::size_t tried = 0;                   ///< Number of evaluated runs, without those that fill the tables.
  PlacementsTrial searched;                ///< The document that the search found, whether or not it is best.
  std::string problem;                     ///< Why no trial fits; empty if one does.
  bool partial = false;                    ///< `stop` ended the search.
};

/// Finds placements. Empty, with errors, if the run can't be prepared, its accounting states no costs, or no axis is left
/// to search.
std::optional<FoundPlacements> find_placements(const PlacementsRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
