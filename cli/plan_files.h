#pragma once
#include "cli/command.h"
#include "report/plan_report.h"

namespace opledger {

/// Names and texts of documents.
using Texts = std::vector<std::pair<std::string, std::string>>;

/// An answered question and its texts.
struct AnsweredPlan {
  const PlanQuestion& question;
  const PlanAnswer& answer;
  const Texts& imported;  ///< An imported model, then its rules; empty for a model of the library.
  std::string command;    ///< The command line without `-o`.
};

/// Adds the files of `plan -o DIR` to an outcome: the execution, an imported model, the launch script of the stack, a
/// page for a browser, and a README about them. Adds the next commands to the report. A stack without launch format, or
/// a run that the format can't express, gives a warning. Reports errors if the execution or the page can't be written.
void add_plan_files(const AnsweredPlan& plan, const Options& options, Library& library, PlanReport& report, Outcome& outcome, Diagnostics& diagnostics);

}  // namespace opledger
