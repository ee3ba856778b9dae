#pragma once
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// A run translated to another accounting. The section `compares` of that accounting states constraints on the run and
/// a formula for each input.
namespace opledger {

/// A run under another accounting.
struct TranslatedRun {
  std::string accounting;    ///< Name of the accounting to which the run is translated.
  Diagnostics messages;      ///< Messages of preparing the run.
  std::unique_ptr<Run> run;  ///< Null if the translation fails; `why` then holds the reason.
  std::string why;           ///< Reason of a failure; empty if the translation succeeds.
};

/// Accountings on the search path to which a run can be translated.
struct Translations {
  /// Accountings with reports whose `compares` covers inputs and metrics of the run's accounting; sorted.
  std::vector<std::string> names;
  std::set<std::string> sources;                                ///< Names of accountings whose runs some accounting can translate.
  std::vector<std::pair<std::string, std::string>> unreadable;  ///< Accountings that can't be read, with the reason.
};
/// Finds the accountings to which the run can be translated.
Translations find_translations(const LinkedRun& run, Library& library);

/// Returns whether an accounting can translate inputs from the run. False, with errors, if it can't be loaded.
bool can_translate(const std::string& accounting, const LinkedRun& run, Library& library, Diagnostics& diagnostics);

/// Translates a run to an accounting. If the accounting defines inputs for the run's accounting, its inputs come from
/// these formulas alone. Otherwise the run's own request is used with the new accounting. `changes` are additional
/// settings of the translated run. The result is never null; its run is null after a failure.
std::unique_ptr<TranslatedRun> translate_run(Run& run, const std::string& accounting, Library& library,
                                             const std::vector<std::pair<std::string, std::string>>& changes = {});

/// Returns the section `compares` of `declaring`'s accounting about the accounting of `other`; null without one.
const Comparison* comparison_with(const LinkedRun& declaring, const LinkedRun& other);

}  // namespace opledger
