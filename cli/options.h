#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/page.h"
#include "run/run.h"

/// What a command line says. The parser fills it in, commands read it.
namespace opledger {

struct Options {
  std::vector<std::string> arguments;                          ///< The command's own, in order.
  std::vector<std::pair<std::string, std::string>> overrides;  ///< `--set key=value`
  std::vector<std::pair<std::string, std::string>> against;    ///< `--against key=value`
  std::vector<std::pair<std::string, std::string>> expect;     ///< `--expect metric=value`
  std::string format;                                          ///< One of the command's formats.
  std::string output;                                          ///< Empty or `-`: standard output.
  std::string accounting;                                      ///< Empty: the execution's.
  std::vector<std::string> path;                               ///< In front of the search path.
  std::string table;                                           ///< CSV of runs.
  std::string only;                                            ///< The one part of a report; empty: all of it.
  std::string style;                                           ///< The accounting whose report `report` is asked for.
  std::string model, system;                                   ///< Of its rows, where no column says.
  bool layers = false;                                         ///< The report `layers` too.
  std::vector<std::pair<std::string, std::string>> at;         ///< `--at set=word`
  int depth = 3, terms = 4;                                    ///< Of explanations.
  std::string tokens, mfu, price;                              ///< Of a training; empty: not given.
  std::vector<std::string> with;                               ///< Accountings.
  std::vector<std::string> vary;                               ///< Keys.
  std::string x, y, value;                                     ///< Of a map: axes and what is shown.
  std::string mapping;                                         ///< Of an import; empty: found by itself.
  std::string step, most;                                      ///< Empty: not given.
  int top = 10, jobs = 0;                                      ///< Of the best candidates; threads, 0: all.
  std::vector<std::string> metrics, sums, pareto;              ///< Of candidates.
  std::vector<std::string> where;                              ///< Conditions on them.
  std::vector<std::string> stop;                               ///< Axes.
  bool groups = false, all = false;                            ///< Groups of ranks; long lists in full; all feasible candidates.
  bool refused = false;                                        ///< What the best infeasible candidates lack.
  std::string write;                                           ///< Where the best go as executions; empty: nowhere.
  bool resume = false;                                         ///< A search goes on.
  bool strict = false;                                         ///< Remarks fail an audit.
  bool help = false;
  PageSize page = {};  ///< How results for people are laid out.
};

/// The run that a command line asks for: MODEL [EXECUTION] [SYSTEM].
inline RunRequest run_request(const Options& options, const std::vector<std::string>& names) {
  RunRequest request;
  if (!names.empty()) request.model = names[0];
  if (names.size() > 1) request.execution = names[1];
  if (names.size() > 2) request.system = names[2];
  request.accounting = options.style.empty() ? options.accounting : options.style;
  request.overrides = options.overrides;
  return request;
}

}  // namespace opledger
