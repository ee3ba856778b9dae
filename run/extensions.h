#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/documents.h"

/// Functions that every run calls although their folders include run/. A program hands them over once, so that run/ includes none of these folders.
namespace opledger {

class Evaluator;
class Linked;
struct GraphRun;

/// The key of a system that names documents of measured rows.
inline constexpr const char* kCorrections = "corrections";

/// Values for the inputs of an accounting that counts by formulas alone, where a model is named.
struct Asked {
  std::vector<Given> values;    ///< Values of the accounting's inputs.
  std::set<std::string> names;  ///< Names that can be set of the model and its run: these are not the accounting's own inputs.
};

/// The source of values that nobody wrote down and no formula gives.
struct ValueSource {
  std::string text;
  Span span;
};

struct RunExtensions {
  /// Returns the system with the corrections that its measured rows give. Empty, with errors: rows can't be read, or one of them has no computed time.
  std::optional<Document> (*correct)(const Document& system, Library& library, Diagnostics& diagnostics) = nullptr;
  /// Returns the values that the model, or a run of another accounting, has for the inputs of the accounting `asked` (its documents). Empty: that accounting
  /// says nothing of such runs, or, with errors, it can't be asked.
  std::optional<Asked> (*ask)(const RunRequest& request, const std::vector<const Document*>& asked, Library& library, Diagnostics& diagnostics) = nullptr;
  /// Gives the inputs that the accounting names under `play` and `streams` the values of the played step, worked out when a formula first uses one.
  void (*provide)(Evaluator& evaluator, const Linked& run, const GraphRun& graph) = nullptr;
  /// Returns the order that the played step follows, for explanations of those values. Empty: no step can be played.
  std::optional<ValueSource> (*describe)(Evaluator& evaluator, const Linked& run, const GraphRun& graph) = nullptr;
};

/// Sets the functions for all runs of this process. Must be called before the first run.
void extend_runs(const RunExtensions& extensions);

/// Returns the functions; null, with an error, if none were set.
const RunExtensions* run_extensions(Diagnostics& diagnostics);

}  // namespace opledger
