#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "find/find_part.h"
#include "find/find_placements.h"
#include "find/find_recompute.h"
#include "find/find_stages.h"

/// Finds several parts of a run, one after the other. Each part changes the value of the others: recomputation leaves bytes
/// to faster placements and divisions. Each answer is therefore the run of the next question, and all are asked twice. No
/// answer within the budget is worse than its run, so the last one is best.
namespace opledger {

/// A question for several parts.
struct TogetherRequest {
  RunRequest run;
  std::vector<FindPart> parts;              ///< Each once, in the order of FindPart.
  std::vector<std::string> axes;            ///< Axes that placements search; see PlacementsRequest.
  std::optional<double> budget;             ///< Bytes of a rank, infinity for no limit; empty: the capacity that the accounting states.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, the search ends and the answer is partial. Null: never.
  /// Called before each evaluation with the number of earlier ones. May be empty.
  std::function<void(std::size_t)> progress = {};
};

/// The answer.
struct FoundTogether {
  /// The answer to one question.
  struct Step {
    FindPart part;
    RulesTrial found;        ///< The best run so far.
    bool is_better = false;  ///< The answer is better than the run of the question.
    bool is_free = false;    ///< The question had no budget.
  };
  /// A rule document of the found run.
  struct NamedDocument {
    FindPart part;
    std::string name, text;
    std::vector<std::string> replaced;  ///< Rule documents of the given run that this document replaces.
  };
  std::string accounting, execution;  ///< Names; the execution is empty if the accounting does not use the default one.
  Value budget;                       ///< Bytes.
  RulesTrial given, found;            ///< The run itself, and the run with all that was found.
  std::vector<Step> steps;
  std::vector<std::pair<FindPart, std::string>> refused;  ///< Parts that the run does not have, with the reason.
  std::vector<NamedDocument> documents;
  RunRequest run;  ///< Request of the found run. Its rules name `documents`.
  /// The last answers that changed the run; empty without one.
  std::optional<FoundPlacements> placements;
  std::optional<FoundRecompute> recompute;
  std::optional<FoundStages> stages;
  std::size_t tried = 0;  ///< Number of evaluated runs.
  std::string problem;    ///< Why the found run does not fit; empty if it does.
  bool partial = false;   ///< `stop` ended the search.
};

/// Finds parts. Empty, with errors, if no part can be found.
std::optional<FoundTogether> find_together(const TogetherRequest& request, const Library& library, Diagnostics& diagnostics);

/// Returns a library that also has the documents of an answer.
Library with_documents(const Library& library, const FoundTogether& found);

/// Returns the name of the file of a document of an answer, such as `placements.yaml`.
std::string file_of(const FoundTogether::NamedDocument& document, const std::string& prefix = "");

/// Returns the execution of the found run, for a file in `folder`: an execution with the list of rules and the inputs that
/// were found. Documents of the answer are listed as files of the folder, whose names begin with `prefix`.
Datum found_execution(const FoundTogether& found, const RunRequest& given, const Document& execution, const std::filesystem::path& folder,
                      const std::string& prefix = "");

}  // namespace opledger
