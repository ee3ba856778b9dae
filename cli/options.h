#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/page.h"
#include "run/run.h"

/// What a command line says. The parser fills it in by option_table.h, which explains each option; commands read it. Empty: not given.
namespace opledger {

using Pairs = std::vector<std::pair<std::string, std::string>>;
struct Names : std::vector<std::string> {};  ///< With commas between them.
struct Files : std::vector<std::string> {};  ///< As many as follow, as shells write out `*`.

struct Options {
  std::vector<std::string> arguments;  ///< The command's own, in order.
  Pairs overrides, against, at, measured;
  std::string format, output, accounting, style, table, model, system, only;
  std::string tokens, mfu, price;  ///< Of a training.
  std::string step, most;          ///< Of a fit.
  std::string moment, over;        ///< Of memory.
  std::string x, y, value;         ///< Of a map.
  std::string export_format, mapping, import_rules, import_execution, base, write;
  Names vary, with, by, metrics, sums, pareto, stop;
  Names cases;  ///< Words at which a run is shown.
  std::vector<std::string> path, where, open, expect;
  Files checkpoint;
  int depth = 3, terms = 4;  ///< Of explanations.
  int played = 0;            ///< Of the best of a search.
  int microbatches = 0;      ///< Of a timeline; 0: all.
  int runs = -1;             ///< On the page of a search; -1: as many as usual.
  std::string ranks, detail, color;
  int top = 10, jobs = 0;  ///< Of the best candidates; threads, 0: all.
  bool layers = false, groups = false, all = false, refused = false, resume = false, strict = false, summary = false, check = false, unquantised = false,
       library = false, help = false;
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
