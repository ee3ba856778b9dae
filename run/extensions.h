#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/documents.h"

/// Functions that every run calls although their folders include run/. A program sets them once by `extend_runs`, so
/// that run/ includes none of these folders.
namespace opledger {

class Evaluator;
class LinkedRun;
struct GraphRun;

/// The key of a system that names documents of measured rows.
inline constexpr const char* kCorrections = "corrections";

/// Input values that a section `compares` translates from a model, or from a run of another accounting, for an
/// accounting of closed formulas.
struct TranslatedInputs {
  std::vector<FieldAssignment> values;  ///< Translated values of the accounting's inputs.
  std::set<std::string> names;          ///< Names of the model and of its run; setting one changes the source of the translation.
};

/// The source of a value that is neither stated in a document nor computed by a formula.
struct ValueSource {
  std::string text;  ///< Name of the source, for people.
  Span span;         ///< Position of the source in a document.
};

/// Pointers to the functions; all must be set.
struct RunExtensions {
  /// Returns the system with the corrections that its measured rows imply. Empty, with errors, if rows can't be read or
  /// a row has no computed time.
  std::optional<Document> (*correct)(const Document& system, Library& library, Diagnostics& diagnostics) = nullptr;
  /// Translates inputs for the accounting with these documents from the model, or from a run of another accounting.
  /// Empty if the accounting has no such section, or, with errors, if the translation fails.
  std::optional<TranslatedInputs> (*translate)(const RunRequest& request, const std::vector<const Document*>& accounting, Library& library,
                                               Diagnostics& diagnostics) = nullptr;
  /// Provides the inputs that the accounting names under `play` and `streams`, computed by simulating a step when a
  /// formula first reads one.
  void (*provide)(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) = nullptr;
  /// Returns the order of the simulated step, for explanations of simulated inputs. Empty if no step can be simulated.
  std::optional<ValueSource> (*describe)(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) = nullptr;
};

/// Sets the functions for all runs of this process. The program must call it before the first run.
void extend_runs(const RunExtensions& extensions);

/// Returns the functions; null, with an error, if they are not set.
const RunExtensions* run_extensions(Diagnostics& diagnostics);

}  // namespace opledger
