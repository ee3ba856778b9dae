#pragma once
#include <string>
#include <vector>

#include "find/trial.h"
#include "report/report.h"

/// The table of runs that a search for rules compares.
namespace opledger {

/// The compared runs, and the notes below them.
struct ComparedRules {
  std::string title;
  const RulesTrial* given = nullptr;    ///< The run itself.
  const RulesTrial* shipped = nullptr;  ///< The best rule document; null without one.
  const RulesTrial* found = nullptr;    ///< The found document; null if it is not best.
  Value budget;                         ///< Bytes; infinity for no budget.
  std::string evidence;                 ///< The evaluated runs, in a sentence.
  std::vector<std::string> replaced;    ///< Rule documents of the run that the found document replaces.
};

/// Returns the table `runs`: a row for each run, with its gain over the run itself.
ReportTable compared_rules(const ComparedRules& compared, ValueOwners& kept);

}  // namespace opledger
