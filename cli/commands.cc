#include "cli/command.h"
#include "report/writers.h"

namespace opledger {
namespace {

constexpr Argument kModel{"MODEL", "a model, by name (`opledger list model`) or path", true, false, true};
constexpr Argument kExecution{"EXECUTION", "a run of it: mesh, batch, rules, options; by name or path", true, false, true};
constexpr Argument kSystem{"SYSTEM", "the machine, by name or path", true, false, true};
constexpr Argument kSomeExecution{"EXECUTION", "a run of it: mesh, batch, rules, options; without one, one processor and one sequence", false};
constexpr Argument kSomeSystem{"SYSTEM", "the machine; without one, what needs a machine is left out", false};

Command report(std::string_view name, std::string_view doc) {
  return {name, doc, {kModel, kSomeExecution, kSomeSystem}, format_names(), kEveryGroup | kRunGroup | kFormatGroup, report_command};
}

std::vector<Command> make_commands() {
  std::vector<Command> all = {
      {"eval",
       "What a model costs on a machine: parameters, FLOPs, memory, time, communication, utilisation",
       {kModel, kExecution, kSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kEvalGroup,
       report_command},
      report("params", "Parameters by component and by weight tensor"),
      report("flops", "Operations of one step by component and phase"),
      report("memory", "Memory of the fullest rank, of every stage and of every activation kept for backward"),
      {"report",
       "A run in the style of another tool, as an accounting lays it out",
       {kModel, kExecution, kSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kStyleGroup,
       report_command},
      {"comm",
       "Communication: every collective that follows from the rules, its bytes, time and ranks",
       {kModel, kSomeExecution, kSomeSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kCommGroup,
       comm_command},
      {"train-time",
       "Days, GPU-hours and money of a whole training, at the computed speed or at an assumed utilisation",
       {kModel, kExecution, kSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kTrainGroup,
       train_time_command},
      {"fit",
       "The largest size that fits a machine, or the fewest processors that a run fits on",
       {kModel, kExecution, kSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kFitGroup,
       fit_command},
      {"search",
       "The best of all ways to run a model on a machine, out of a design space",
       {{"SPACE", "a document of kind search, by name or path: axes, their values and what is best"}, kModel, kSomeSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kSearchGroup,
       search_command},
      {"heatmap",
       "A picture (SVG) of what a search has found: the best value for every pair of values of two axes",
       {{"RUNS", "the store of a search, or all its candidates as CSV"}},
       {},
       kEveryGroup | kHeatmapGroup,
       heatmap_command},
      {"graph",
       "The operator graph; with an execution also placements, collectives and what is kept for backward",
       {kModel, kSomeExecution},
       {"text", "json", "dot"},
       kEveryGroup | kRunGroup | kFormatGroup,
       graph_command},
      {"explain",
       "Where a number comes from: formula, values put in, rules, file and line",
       {kModel, kExecution, kSomeSystem, {"NAME", "a metric or another name of the accounting, a node, or a pattern for nodes such as `*.norm`"}},
       {},
       kEveryGroup | kRunGroup | kDepthGroup,
       explain_command},
      {"diff",
       "Two runs, quantity by quantity: other documents, other values, or the same run in another accounting",
       {{"DOCUMENT", "models, executions, systems, accountings, in this order: where two of one kind are given, the second is the second run's", true, true}},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kDiffGroup,
       diff_command},
      {"compare",
       "One run as several accountings count it: a column for each, and why they differ",
       {kModel, kExecution, kSystem},
       format_names(),
       kEveryGroup | kSetGroup | kFormatGroup | kCompareGroup,
       compare_command},
      {"audit",
       "Whether a run agrees with itself and with what is published; unread keys, assumptions",
       {kModel, kExecution, kSomeSystem},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup | kAuditGroup,
       audit_command},
      {"validation",
       "Published numbers beside what accountings compute, and how far these are off",
       {{"VALIDATION", "published numbers and their runs, by name or path; without one, all that are found", false, true}},
       format_names(),
       kEveryGroup | kRunGroup | kFormatGroup,
       validation_command},
      {"peers",
       "The processors that each processor talks to, by axis of the mesh or as the accounting says",
       {{"EXECUTION", "a run, by name or path"}},
       {"json"},
       kEveryGroup | kRunGroup | kFormatGroup,
       peers_command},
      {"validate",
       "Checks documents of any kind: schema, formulas, units, names, graphs",
       {{"FILE", "documents, by path; a model is built, an accounting is linked and its units are checked", true, true}},
       {},
       kEveryGroup,
       validate_command},
      {"import",
       "Documents of other tools as opledger's",
       {{"FORMAT", "the tool that the document is of; a wrong one is answered with those that are known"},
        {"FILE", "the document, by path; its fields tell whether it is a model, an execution or a system"}},
       {},
       kEveryGroup | kImportGroup,
       import_command},
      {"list",
       "The documents on the search path and what they are about",
       {{"KIND", "only those of one kind, such as model or system", false}},
       {},
       kEveryGroup,
       list_command},
  };
  return all;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> kAll = make_commands();
  return kAll;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace opledger
