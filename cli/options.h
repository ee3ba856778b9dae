#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/page.h"
#include "run/run.h"

/// The values of a command line. The parser sets them by the table in option_table.h, which explains each option.
namespace opledger {

/// Pairs of `KEY=VALUE`.
using Pairs = std::vector<std::pair<std::string, std::string>>;
struct Names : std::vector<std::string> {};  ///< Names separated by commas.
struct Files : std::vector<std::string> {};  ///< All following words up to the next option, because shells expand `*` to several words.

/// The values of a command line. Each field is named after its option; an empty text means that the option is absent.
struct Options {
  std::vector<std::string> arguments;  ///< Positional arguments of the command, in order.

  Pairs overrides;  ///< `--set`: fields that replace values of documents.
  Pairs against;    ///< `--against`: differences of a second run, of `diff` and `explore`.
  Pairs at;         ///< `--at SET=WORD` of `explain`: elements for which a value is explained.
  Pairs measured;   ///< Measured values: METRIC=COLUMN of a table, or NAME=FILE of a calibration.
  /// Output format and file; names of documents. `style`: the accounting that defines the report; `table`: a CSV file
  /// of runs; `only`: the only part of a report to write.
  std::string format, output, accounting, style, table, model, system, only;
  std::string tokens, mfu, price;   ///< Options of `train-time`, as written: number of tokens, utilization, price of an hour.
  std::string step, most;           ///< Options of `fit`, as written: distance of candidates, and limit.
  std::string program_point;        ///< `--at peak` of `memory`.
  std::string over;                 ///< `--over time` of `memory`.
  std::string plan, objective;      ///< Plan of `plan`, a name or a path; metric that `search` optimizes.
  std::string find, memory_budget;  ///< Options of `find`, as written: what is found, and bytes of a rank or `none`.
  std::string x, y, value;          ///< Axes and metric of `heatmap`; `value` also of `explore`.
  /// Texts of `import`, `export` and `search`. `export_format`: a framework; `mapping`: a document; `base`: the model
  /// that an imported file changes; `import_rules`, `import_execution` and `write`: files to write.
  std::string export_format, mapping, import_rules, import_execution, base, write;
  Names vary;                         ///< Keys that `fit` varies.
  std::optional<std::string> change;  ///< `--change` of `fit`: a document of changes, by name or path; an empty text: the default one.
  Names baselines;                    ///< Rule documents with which `find` compares.
  Names axes;                         ///< Axes of the mesh for which `find` searches placements.
  Names with;                         ///< Accountings that `compare` adds.
  Names by;                           ///< Columns that group the errors of a table.
  Names metrics, sums, pareto;        ///< Metrics that `search` shows, sums, or optimizes together.
  Names stop;                         ///< Axes that `search` stops at their first value without a feasible candidate.
  Names cases;                        ///< Case words at which `graph` shows a run.
  std::vector<std::string> path;      ///< Folders searched first for documents.
  std::vector<std::string> where;     ///< Conditions on candidates of `search`.
  std::vector<std::string> open;      ///< Constants that `calibrate` fits.
  std::vector<std::string> expect;    ///< Expected values of `audit`.
  Files checkpoint;                   ///< Files, index or folder of a checkpoint.
  int depth = 3, terms = 4;           ///< Levels of names, and terms of a sum, in explanations.
  int played = 0;                     ///< Number of best candidates whose steps are simulated.
  int found = 0;                      ///< Number of best candidates for which `--find` is asked.
  int microbatches = 0;               ///< Number of microbatches in a timeline or trace; 0: all.
  int runs = -1;                      ///< Number of runs on the page of a search; -1: the usual number.
  std::string ranks, detail, color;   ///< Words of choices; the parser or the command checks them.
  int top = 10, jobs = 0;             ///< Number of best candidates; number of threads, 0 for all processors.
  /// Flags, named after their options; each command gives `all` its own meaning.
  bool front = false, layers = false, groups = false, all = false, refused = false, resume = false, simplest = false, strict = false, summary = false,
       why = false, check = false, unquantized = false, library = false, full = false, help = false;
  PageSize page = {};  ///< Page size for results in text format.
};

/// Returns the run that a command line describes: MODEL [EXECUTION] [SYSTEM], options and accounting. The accounting is
/// that of `--style`, else of `--accounting`. If both are absent, the execution names the accounting.
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
