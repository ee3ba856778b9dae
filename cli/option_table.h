#pragma once
#include <array>
#include <string_view>
#include <variant>

#include "cli/options.h"

/// The table of all options: names, descriptions, the commands with the option, and the field it sets.
/// The parser, the help, the manual pages and the completion of shells read only this table and the command table.
/// A new option needs a field in Options, an entry here, and the entry's group in the command table (commands.cc).
namespace opledger {

/// Groups of options. A command accepts the groups in its table entry and the group `every`.
enum class OptionGroup {
  every,       ///< Accepted by every command.
  set,         ///< Values of inputs and parameters of a run.
  accounting,  ///< Choice of the accounting.
  format,      ///< Output format.
  report,      ///< Restriction of the output to one part of a report.
  explain,     ///< Depth and size of explanations, and the element to explain.
  eval,        ///< Tables of runs, measured values, layers.
  diff,        ///< Changes of the second run.
  explore,     ///< Further runs on a page, and choices for the page of a search.
  audit,       ///< Expected values, strictness, checkpoint.
  train,       ///< Tokens of a training, its utilization and its price.
  find,        ///< Subject of `find`, budget of memory and compared documents.
  fit,         ///< The varied quantity and its bounds, or the changes to try.
  comm,        ///< Groups of ranks.
  search,      ///< Limits, goals and files of a search.
  plan,        ///< Machine, plan and reasons; further options of the command are in its plan.
  heatmap,     ///< Axes and metric of the picture.
  import,      ///< Further files and settings of an import.
  mapping,     ///< Mapping of a foreign format.
  chakra,      ///< Extent and detail of Chakra traces.
  style,       ///< Accounting that defines a report.
  compare,     ///< Accountings to compare.
  validation,  ///< Extent of the report.
  calibrate,   ///< Measured times and constants to fit.
  graph,       ///< Case words of the graph.
  timeline,    ///< Extent and detail of a simulated step.
  memory,      ///< Memory at the peak, or over time.
  schema,      ///< Extent of the schema, and names in it.
  man          ///< Extent of the manual pages.
};

/// The field of Options that an option sets. The type of the field decides the reading of the words: a flag, a whole
/// number, the last text or all texts, a text that may be absent, names separated by commas, files, pairs `KEY=VALUE`.
using OptionField = std::variant<bool Options::*, int Options::*, std::string Options::*, std::optional<std::string> Options::*,
                                 std::vector<std::string> Options::*, Names Options::*, Files Options::*, Pairs Options::*>;

/// The name, form and description of an option.
struct OptionSpec {
  std::string_view name, letter, value, doc;  ///< Name `--output`, letter `-o`, value `FILE`, description. A flag has no value.
  OptionGroup group;                          ///< Commands that list the group accept the option.
  OptionField field;                          ///< The field that receives the value; several entries may set one field.
  std::string_view completions = {};          ///< Completions for the value in shells, in the form of Argument::completions.
};

/// A former name of an option, accepted with a warning.
struct FormerOption {
  std::string_view former, present;
};
inline constexpr FormerOption kFormerOptions[] = {{"--unquantised", "--unquantized"}};

/// All options in the order of the help. An option name may occur once in each group, with a description for that
/// group.
inline constexpr auto kOptions = std::to_array<OptionSpec>({
    {"--set", "", "KEY=VALUE",
     "replaces a field of the execution or of the system (`system.memory.capacity`), a parameter of the model or the degree of a mesh axis; lists as `[1, "
     "2]`; repeatable",
     OptionGroup::set, &Options::overrides, "inputs"},
    {"--against", "", "KEY=VALUE", "a difference of the second run: `model`, `execution`, `system`, `accounting` or any `--set` key; repeatable",
     OptionGroup::diff, &Options::against, "inputs"},
    {"--against", "", "KEY=VALUE", "another run on the page, with this difference: `model`, `execution`, `system`, `accounting` or any `--set` key; repeatable",
     OptionGroup::explore, &Options::against, "inputs"},
    {"--with", "", "NAMES", "the other accountings, separated by commas; default: all that can take their inputs from this run (`compares`)",
     OptionGroup::compare, &Options::with, "accounting"},
    {"--expect", "", "METRIC=VALUE",
     "the expected value of a metric: `memory=70GiB+-1%`, `mfu=0.52+-0.01` (or with ±), or a limit: `memory < 76 GiB`; repeatable", OptionGroup::audit,
     &Options::expect, "metrics"},
    {"--strict", "", "", "unread keys and warnings of the rules fail the audit too", OptionGroup::audit, &Options::strict},
    {"--checkpoint", "", "FILES",
     "compare names, shapes and the number of parameters with a checkpoint: its .safetensors files, of which only headers are read, its index (.json), or its "
     "folder; "
     "needs only MODEL",
     OptionGroup::audit, &Options::checkpoint},
    {"--mapping", "", "MAPPING",
     "what the checkpoint calls its tensors: a document of kind import, by name or path; default: as the model says (`checkpoint`), or "
     "the config.json in the folder of the files",
     OptionGroup::audit, &Options::mapping, "import"},
    {"--tokens", "", "COUNT", "tokens of the whole training: 15T, 300B, 1e12", OptionGroup::train, &Options::tokens},
    {"--mfu", "", "SHARE", "an assumed model FLOPs utilization instead of the computed one: 0.5 or 50%", OptionGroup::train, &Options::mfu},
    {"--price", "", "USD", "the price of one processor for one hour, instead of that of the system", OptionGroup::train, &Options::price},
    {"--vary", "", "KEYS", "what varies: a parameter of the model, a field of the execution, or axes of the mesh, separated by commas", OptionGroup::fit,
     &Options::vary, "inputs"},
    {"--step", "", "N", "try only values that differ from the present one by a multiple of N; of processors, multiples of N", OptionGroup::fit, &Options::step},
    {"--most", "", "N", "try nothing larger than N", OptionGroup::fit, &Options::most},
    {"--change", "", "[NAME]",
     "instead of --vary: the changes that make the run fit, the fastest first. NAME is a document of kind changes, by name or path; without it, the default "
     "one. Write the option last, or as `--change=NAME`",
     OptionGroup::fit, &Options::change, "changes"},
    {"--jobs", "-j", "N", "threads at most, with --change (all processors); results do not depend on it", OptionGroup::fit, &Options::jobs},
    {"--find", "", "PARTS",
     "what is found: `stages` (layers of every pipeline stage; the default), `recompute` (nodes to recompute in backward), `placements` (of nodes over axes of "
     "the "
     "mesh), or several of them, separated by commas",
     OptionGroup::find, &Options::find},
    {"--axes", "", "NAMES", "for placements: axes of the mesh, separated by commas; default: all except those of the layers and the outermost of the batch",
     OptionGroup::find, &Options::axes},
    {"--memory-budget", "", "BYTES", "bytes that a rank may use, such as `60 GiB`, or `none`; default: the memory of the processor", OptionGroup::find,
     &Options::memory_budget},
    {"--baselines", "", "NAMES", "rule documents to compare with, separated by commas; default: all that recompute, or all that place nodes", OptionGroup::find,
     &Options::baselines, "rules"},
    {"--write", "", "FILE",
     "write the found rules as a document, for which `eval` gives the same numbers; several parts as an execution and its documents, in a folder, DIR/",
     OptionGroup::find, &Options::write},
    {"--groups", "", "", "the groups of ranks that communicate, and the ranks in them", OptionGroup::comm, &Options::groups},
    {"--all", "", "", "show long lists of groups completely", OptionGroup::comm, &Options::all},
    {"--accounting", "", "NAME", "use this accounting instead of that of the execution", OptionGroup::accounting, &Options::accounting, "accounting"},
    {"--accounting", "", "NAME",
     "the accounting of the first column, instead of that of the execution: one that others can take their inputs from (`compares`), or that extends such a "
     "one",
     OptionGroup::compare, &Options::accounting, "accounting"},
    {"--style", "", "NAME", "the accounting that defines the report", OptionGroup::style, &Options::style, "accounting"},
    {"--layers", "", "", "also show the cost of one layer, operator by operator", OptionGroup::eval, &Options::layers},
    {"--table", "", "FILE",
     "one run for each row of a CSV file (.gz too): columns are `model`, `execution`, `system`, `rules` and any field; metrics are appended. The default "
     "format is csv; "
     "exit status 1 if no row has results",
     OptionGroup::eval, &Options::table},
    {"--measured", "", "METRIC=COLUMN",
     "a column of the table with measured values of the metric: errors are reported, in csv row by row; `tpot=tpot_ms:ms` says the column's unit; "
     "repeatable",
     OptionGroup::eval, &Options::measured},
    {"--by", "", "COLUMNS", "columns by which rows are grouped for these errors, separated by commas", OptionGroup::eval, &Options::by},
    {"--model", "", "MODEL", "the model, for a table without this column", OptionGroup::eval, &Options::model, "model"},
    {"--system", "", "SYSTEM", "the system, for a table without this column", OptionGroup::eval, &Options::system, "system"},
    {"--mapping", "", "MAPPING",
     "how fields of the file become documents, and back: a document of kind import, by name or path; default: the library's for them", OptionGroup::mapping,
     &Options::mapping, "import"},
    {"--execution", "", "FILE", "write the execution that the file describes", OptionGroup::import, &Options::import_execution},
    {"--base", "", "MODEL",
     "the model, for a file without one: a command line of an engine, or only differences from this model and from the execution after FILE",
     OptionGroup::import, &Options::base, "model"},
    {"--rules", "", "FILE", "write rules for the quantized weights that the file describes; an execution can name them", OptionGroup::import,
     &Options::import_rules},
    {"--unquantized", "", "", "import the model as trained, and ignore quantized weights", OptionGroup::import, &Options::unquantized},
    {"--top", "", "N", "number of best candidates to show (10)", OptionGroup::search, &Options::top},
    {"--jobs", "-j", "N", "threads at most (all processors); results do not depend on it", OptionGroup::search, &Options::jobs},
    {"--system", "", "SYSTEM", "the machine, by name (`opledger list system`) or path", OptionGroup::plan, &Options::system, "system"},
    {"--plan", "", "PLAN", "the question: a document of kind plan, by name or path; `--NAME` chooses the plan NAME, too", OptionGroup::plan, &Options::plan,
     "plan"},
    {"--front", "", "", "further candidates: those that no other one beats in every metric of the plan's front", OptionGroup::plan, &Options::front},
    {"--why", "", "", "what decided each choice: the cost of every other value, all else equal", OptionGroup::plan, &Options::why},
    {"--jobs", "-j", "N", "threads at most (all processors); results do not depend on it", OptionGroup::plan, &Options::jobs},
    {"--objective", "", "METRIC", "optimize this metric in place of that of the space, in the same direction", OptionGroup::search, &Options::objective,
     "metrics"},
    {"--metrics", "", "NAMES", "metrics to show for the best candidates, separated by commas", OptionGroup::search, &Options::metrics, "metrics"},
    {"--sums", "", "NAMES", "metrics to sum over all feasible candidates", OptionGroup::search, &Options::sums, "metrics"},
    {"--where", "", "CONDITION", "a further condition on candidates and their metrics, such as `memory < 60 GiB`; repeatable", OptionGroup::search,
     &Options::where},
    {"--pareto", "", "NAMES",
     "the Pareto front of these metrics: smallest is best; the objective keeps the direction of the space; `+NAME`: largest, `--pareto=-NAME`: smallest",
     OptionGroup::search, &Options::pareto},
    {"--stop", "", "AXES", "stop these axes at their first value without a feasible candidate, for given values of the axes before", OptionGroup::search,
     &Options::stop},
    {"--summary", "", "",
     "one table of the errors of all documents, and nothing else; with -o FILE.yaml a document of kind accuracy: errors of runs to which no constant was "
     "fitted",
     OptionGroup::validation, &Options::summary},
    {"--refused", "", "", "for each reason, the best candidate that is infeasible because of it, and the violation; needs one search for each",
     OptionGroup::search, &Options::refused},
    {"--all", "", "",
     "write every feasible candidate when it is found, to `-o` FILE.csv, .jsonl, .json (each .gz too), or to standard output; FILE.sqlite always has all",
     OptionGroup::search, &Options::all},
    {"--write", "", "FILE",
     "write the best candidate as an execution, FILE.yaml, for which `eval` gives the same numbers; in a folder, DIR/, all of the best that are shown: 1.yaml "
     "…",
     OptionGroup::search, &Options::write},
    {"--export", "", "FORMAT", "with --write: the best as arguments that start this framework, instead of executions", OptionGroup::search,
     &Options::export_format},
    {"--simplest", "", "", "with --write: the simplest candidate that is almost as good as the best, instead of the best", OptionGroup::search,
     &Options::simplest},
    {"--played", "", "N", "simulate the steps of the N best, and report the difference from the schedules' formulas, which a search uses", OptionGroup::search,
     &Options::played},
    {"--found", "", "N", "find placements, or the parts of `--find`, for the N best, and report their new order; `--write` then writes the found runs",
     OptionGroup::search, &Options::found},
    {"--find", "", "PARTS", "with --found: `placements` (the default), `stages`, `recompute`, or several of them, separated by commas", OptionGroup::search,
     &Options::find},
    {"--resume", "", "", "continue the search of the store `-o` FILE.sqlite where it stopped", OptionGroup::search, &Options::resume},
    {"--measured", "", "NAME=FILE",
     "measured times: a document of kind measurements, which describes the columns (`opledger list measurements`), and a CSV file (.gz too); for a stack "
     "also `runs=NAME` (steps of training) or `served=NAME` (times of a token), a document of kind validation; repeatable",
     OptionGroup::calibrate, &Options::measured},
    {"--open", "", "PATH",
     "the constants to fit, instead of those that the measurements name: `system.memory.bandwidth`, `system.kernels.*.launch`; repeatable",
     OptionGroup::calibrate, &Options::open},
    {"--check", "", "", "fit nothing, only report the errors", OptionGroup::calibrate, &Options::check},
    {"--case", "", "WORDS", "the graph at these words of the accounting's `cases`, separated by commas; default: at the first one of each set",
     OptionGroup::graph, &Options::cases},
    {"--microbatches", "", "N", "show only what belongs to the first N microbatches; 0: all", OptionGroup::timeline, &Options::microbatches},
    {"--microbatches", "", "N", "write only the first N microbatches of the step; 0: all", OptionGroup::chakra, &Options::microbatches},
    {"--detail", "", "phases|operators", "phases: one node for all compute between two messages; operators: one node for each kernel", OptionGroup::chakra,
     &Options::detail},
    {"--detail", "", "passes|operators", "passes: whole tasks; operators: also every kernel and message of a task, on streams", OptionGroup::timeline,
     &Options::detail},
    {"--ranks", "", "stages|kinds|all", "one rank of each stage; one of each kind of equal stages; or all ranks", OptionGroup::timeline, &Options::ranks},
    {"--x", "", "AXIS", "the axis from left to right", OptionGroup::heatmap, &Options::x},
    {"--y", "", "AXIS", "the axis from bottom to top", OptionGroup::heatmap, &Options::y},
    {"--value", "", "METRIC",
     "the metric whose best value each cell shows (the objective of the store); `--value=+METRIC`: largest is best, `--value=-METRIC`: smallest",
     OptionGroup::heatmap, &Options::value},
    {"--value", "", "METRIC",
     "of a search: what is best instead of the objective of its store; `--value=+METRIC`: the largest, `--value=-METRIC`: the smallest (the default; of CSV "
     "the largest)",
     OptionGroup::explore, &Options::value},
    {"--pareto", "", "METRICS",
     "of a search: metrics of the front besides what is best; the smallest is best, of `+METRIC` the largest (the first that it has)", OptionGroup::explore,
     &Options::pareto},
    {"--runs", "", "N", "of a search: so many of the best candidates and of the front are on the page as whole runs (3)", OptionGroup::explore, &Options::runs},
    {"--all", "", "", "a file for each kind, and opledger.schema.json for all of them, in the folder `-o`", OptionGroup::schema, &Options::all},
    {"--accounting", "", "NAME", "executions and stacks have the inputs of this accounting, whichever they name; default: of the one that they name",
     OptionGroup::schema, &Options::accounting, "accounting"},
    {"--all", "", "", "every page, opledger.1 and opledger-COMMAND.1, in the folder `-o`", OptionGroup::man, &Options::all},
    {"--library", "", "", "names of documents are those found now, and paths; editors mark other names, also of documents in the same folder",
     OptionGroup::schema, &Options::library},
    {"--format", "", "FORMAT", "output format", OptionGroup::format, &Options::format},
    {"--full", "", "", "every part of a report, not only those of the first screen, and every column of its tables on a narrow terminal", OptionGroup::format,
     &Options::full},
    {"--only", "", "TABLE", "only this table of the report, as `--format csv` calls it, or `metrics`; CSV and JSON are then this table and nothing else",
     OptionGroup::report, &Options::only},
    {"--at", "", "SET=WORD", "of a name with several values, explain the one of this stage, phase, node …: `stage=0`; repeatable", OptionGroup::explain,
     &Options::at},
    {"--at", "", "peak", "the memory of the fullest stage at its peak: its parts, and every live tensor of the current layer", OptionGroup::memory,
     &Options::program_point},
    {"--over", "", "time", "memory over time while a microbatch passes the fullest stage", OptionGroup::memory, &Options::over},
    {"--depth", "", "N", "levels of names to explain (3)", OptionGroup::explain, &Options::depth},
    {"--terms", "", "N", "terms of a sum to show (4)", OptionGroup::explain, &Options::terms},
    {"--output", "-o", "FILE", "write results to FILE, completely or not at all; FILE.gz is compressed", OptionGroup::every, &Options::output},
    {"--path", "", "FOLDER", "look for documents here first; repeatable", OptionGroup::every, &Options::path},
    {"--color", "", "auto|always|never", "colors; auto: on a terminal, unless NO_COLOR is set", OptionGroup::every, &Options::color},
    {"--help", "-h", "", "this help", OptionGroup::every, &Options::help},
});

}  // namespace opledger
