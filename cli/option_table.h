#pragma once
#include <array>
#include <cstdint>
#include <string_view>

/// All options, and which commands know them.
namespace opledger {

/// An option as it is written and explained. A command takes the groups that it names.
struct OptionSpec {
  std::string_view name, letter, value, doc;  ///< `--output`, `-o`, `FILE`; no value: a flag.
  std::uint16_t group;
};

inline constexpr std::uint16_t kEveryGroup = 1, kSetGroup = 2, kFormatGroup = 4, kDepthGroup = 8, kEvalGroup = 16, kDiffGroup = 32, kAuditGroup = 64,
                               kTrainGroup = 128, kFitGroup = 256, kCommGroup = 512, kSearchGroup = 1024, kHeatmapGroup = 2048, kImportGroup = 4096,
                               kStyleGroup = 8192, kCompareGroup = 16384, kAccountingGroup = 32768, kRunGroup = kSetGroup | kAccountingGroup;

inline constexpr auto kOptions = std::to_array<OptionSpec>({
    {"--set", "", "KEY=VALUE",
     "replaces a field of the execution or of the system (`system.memory.capacity`), a parameter of the model or the degree of a mesh axis; lists as `[1, "
     "2]`; repeatable",
     kSetGroup},
    {"--against", "", "KEY=VALUE", "a difference of the second run: `model`, `execution`, `system`, `accounting` or any `--set` key; repeatable", kDiffGroup},
    {"--with", "", "NAMES", "the other accountings, separated by commas; default: all that can take their inputs from this run (`compares`)", kCompareGroup},
    {"--expect", "", "METRIC=VALUE", "the expected value of a metric: `memory=70GiB+-1%`, `mfu=0.52+-0.01` (or with ±); repeatable", kAuditGroup},
    {"--strict", "", "", "unread keys and warnings of the rules fail the audit too", kAuditGroup},
    {"--tokens", "", "COUNT", "tokens of the whole training: 15T, 300B, 1e12", kTrainGroup},
    {"--mfu", "", "SHARE", "an assumed model FLOPs utilisation instead of the computed one: 0.5 or 50%", kTrainGroup},
    {"--price", "", "USD", "the price of one processor for one hour, instead of that of the system", kTrainGroup},
    {"--vary", "", "KEYS", "what varies: a parameter of the model, a field of the execution, or axes of the mesh, separated by commas", kFitGroup},
    {"--step", "", "N", "try only values that differ from the present one by a multiple of N; of processors, multiples of N", kFitGroup},
    {"--most", "", "N", "try nothing larger than N", kFitGroup},
    {"--groups", "", "", "the groups of ranks that communicate, and the ranks in them", kCommGroup},
    {"--all", "", "", "show long lists of groups completely", kCommGroup},
    {"--accounting", "", "NAME", "use this accounting instead of that of the execution", kAccountingGroup},
    {"--accounting", "", "NAME",
     "the accounting of the first column, instead of that of the execution: one that others can take their inputs from (`compares`), or that extends such a "
     "one",
     kCompareGroup},
    {"--style", "", "NAME", "the accounting that defines the report", kStyleGroup},
    {"--layers", "", "", "also show the cost of one layer, operator by operator", kEvalGroup},
    {"--table", "", "FILE",
     "one run for each row of a CSV file (.gz too): columns are `model`, `system` and any field; metrics are appended. The default format is csv; "
     "exit status 1 if no row has results",
     kEvalGroup},
    {"--model", "", "MODEL", "the model, for a table without this column", kEvalGroup},
    {"--system", "", "SYSTEM", "the system, for a table without this column", kEvalGroup},
    {"--mapping", "", "MAPPING", "how fields of the file become a model: a document of kind import, by name or path; default: the one for the model family",
     kImportGroup},
    {"--top", "", "N", "number of best candidates to show (10)", kSearchGroup},
    {"--jobs", "-j", "N", "threads at most (all processors); results do not depend on it", kSearchGroup},
    {"--metrics", "", "NAMES", "metrics to show for the best candidates, separated by commas", kSearchGroup},
    {"--sums", "", "NAMES", "metrics to sum over all feasible candidates", kSearchGroup},
    {"--where", "", "CONDITION", "a further condition on candidates and their metrics, such as `memory < 60 GiB`; repeatable", kSearchGroup},
    {"--pareto", "", "NAMES", "the Pareto front of these metrics: smallest is best, except for the objective of the space and with `+NAME`: largest",
     kSearchGroup},
    {"--stop", "", "AXES", "stop these axes at their first value without a feasible candidate, for given values of the axes before", kSearchGroup},
    {"--refused", "", "", "for each reason, the best candidate that is infeasible because of it, and what it lacks; needs one search for each", kSearchGroup},
    {"--all", "", "",
     "write every feasible candidate when it is found, to `-o` FILE.csv, .jsonl, .json (each .gz too), or to standard output; FILE.sqlite always has all",
     kSearchGroup},
    {"--resume", "", "", "continue the search of the store `-o` FILE.sqlite where it stopped", kSearchGroup},
    {"--x", "", "AXIS", "the axis from left to right", kHeatmapGroup},
    {"--y", "", "AXIS", "the axis from bottom to top", kHeatmapGroup},
    {"--value", "", "METRIC", "the metric whose best value each cell shows (the objective of the store); `+METRIC`: largest is best, `=-METRIC`: smallest",
     kHeatmapGroup},
    {"--format", "", "FORMAT", "output format", kFormatGroup},
    {"--at", "", "SET=WORD", "of a name with several values, explain the one of this stage, phase, node …: `stage=0`; repeatable", kDepthGroup},
    {"--depth", "", "N", "levels of names to explain (3)", kDepthGroup},
    {"--terms", "", "N", "terms of a sum to show (4)", kDepthGroup},
    {"--output", "-o", "FILE", "write results to FILE, completely or not at all; FILE.gz is compressed", kEveryGroup},
    {"--path", "", "FOLDER", "look for documents here first; repeatable", kEveryGroup},
    {"--help", "-h", "", "this help", kEveryGroup},
});

}  // namespace opledger
