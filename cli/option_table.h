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
     "another value for a field of the execution or of the system (`system.memory.capacity`), a parameter of the model or an axis of the mesh; lists as `[1, "
     "2]`; repeatable",
     kSetGroup},
    {"--against", "", "KEY=VALUE", "what differs in the second run: `model`, `execution`, `system`, `accounting` or any `--set` key; repeatable", kDiffGroup},
    {"--with", "", "NAMES", "the accountings that are asked too, with commas between them; without it, all that say how (`compares`)", kCompareGroup},
    {"--expect", "", "METRIC=VALUE", "what a metric must be: `memory=70GiB+-1%`, `mfu=0.52+-0.01` (or with ±); repeatable", kAuditGroup},
    {"--strict", "", "", "keys that nothing reads and remarks of the rules fail the audit too", kAuditGroup},
    {"--tokens", "", "COUNT", "tokens of the whole training: 15T, 300B, 1e12", kTrainGroup},
    {"--mfu", "", "SHARE", "model FLOPs utilisation to take for granted instead of the computed one: 0.5 or 50%", kTrainGroup},
    {"--price", "", "USD", "of one processor for an hour, instead of the system's", kTrainGroup},
    {"--vary", "", "KEYS", "what may change: a parameter of the model, a field of the execution, or axes of the mesh with commas between them", kFitGroup},
    {"--step", "", "N", "only multiples of N away from the present value; of processors, multiples of N", kFitGroup},
    {"--most", "", "N", "nothing larger than N is tried", kFitGroup},
    {"--groups", "", "", "the groups of ranks that communicate, and the ranks in them", kCommGroup},
    {"--all", "", "", "long lists of groups in full, for people too", kCommGroup},
    {"--accounting", "", "NAME", "count as this accounting does, not as the execution says", kAccountingGroup},
    {"--accounting", "", "NAME",
     "the first column, instead of what the execution says: an accounting of whose runs others say how they are asked (`compares`), or that extends such a one",
     kCompareGroup},
    {"--style", "", "NAME", "the accounting that counts and lays out the report", kStyleGroup},
    {"--layers", "", "", "what one layer costs too, operator by operator", kEvalGroup},
    {"--table", "", "FILE",
     "a run for every row of a CSV file (.gz too): columns are `model`, `system` and any field; metrics are appended. Written as csv unless `--format` says "
     "otherwise; exit status 1 if no row has figures",
     kEvalGroup},
    {"--model", "", "MODEL", "of a table without that column", kEvalGroup},
    {"--system", "", "SYSTEM", "of a table without that column", kEvalGroup},
    {"--mapping", "", "MAPPING", "how the file's fields become a model: a document of kind import, by name or path; without it, the one for its family",
     kImportGroup},
    {"--top", "", "N", "how many of the best are told (10)", kSearchGroup},
    {"--jobs", "-j", "N", "threads at most (all processors); results do not depend on it", kSearchGroup},
    {"--metrics", "", "NAMES", "metrics of the best candidates, with commas between them", kSearchGroup},
    {"--sums", "", "NAMES", "metrics that are added up over all feasible candidates", kSearchGroup},
    {"--where", "", "CONDITION", "a further condition on candidates and their metrics, such as `memory < 60 GiB`; repeatable", kSearchGroup},
    {"--pareto", "", "NAMES", "the front over these metrics: the smallest is best, or as the space says of its objective; `+NAME`: the largest", kSearchGroup},
    {"--stop", "", "AXES", "skip what comes behind the first value of such an axis with which nothing is feasible, the axes before it alike", kSearchGroup},
    {"--refused", "", "", "for each reason the best candidate that is infeasible for it, and what it lacks; takes a search for each", kSearchGroup},
    {"--all", "", "",
     "every feasible candidate as it is found, to `-o` FILE.csv, .jsonl, .json (each .gz too), or to standard output; a FILE.sqlite gets it in any case",
     kSearchGroup},
    {"--resume", "", "", "continue the search of the store `-o` FILE.sqlite where it stopped", kSearchGroup},
    {"--x", "", "AXIS", "from left to right", kHeatmapGroup},
    {"--y", "", "AXIS", "from the bottom up", kHeatmapGroup},
    {"--value", "", "METRIC", "what is shown, the best of each cell (a store's objective); `+METRIC`: the largest is best, `=-METRIC`: the smallest",
     kHeatmapGroup},
    {"--format", "", "FORMAT", "how results are written", kFormatGroup},
    {"--at", "", "SET=WORD", "of a name that has several values the one of this stage, phase, node …: `stage=0`; repeatable", kDepthGroup},
    {"--depth", "", "N", "names opened below the one asked for (3)", kDepthGroup},
    {"--terms", "", "N", "terms of a sum that are shown (4)", kDepthGroup},
    {"--output", "-o", "FILE", "results go to FILE, whole or not at all; FILE.gz is compressed", kEveryGroup},
    {"--path", "", "FOLDER", "look for documents here first; repeatable", kEveryGroup},
    {"--help", "-h", "", "this help", kEveryGroup},
});

}  // namespace opledger
