#include "cli/command.h"
#include "report/writers.h"

namespace opledger {
namespace {

using Group = OptionGroup;

constexpr Argument kModel{"MODEL", "a model, by name (`opledger list model`) or path", "model", true, false, true};
constexpr Argument kExecution{"EXECUTION", "how the model is run: mesh, batch, rules, options; by name or path", "execution", true, false, true};
constexpr Argument kSystem{"SYSTEM", "the machine, by name or path", "system", true, false, true};
constexpr Argument kOptionalExecution{"EXECUTION", "how the model is run: mesh, batch, rules, options; default: one processor, one sequence", "execution",
                                      false};
constexpr Argument kOptionalSystem{"SYSTEM", "the machine; without one, results that need a machine are left out", "system", false};

Command report(std::string_view name, std::string_view doc, const std::vector<Group>& more = {}) {
  std::vector<Group> groups = {Group::set, Group::accounting, Group::format, Group::report};
  groups.insert(groups.end(), more.begin(), more.end());
  return {name, doc, {kModel, kOptionalExecution, kOptionalSystem}, format_names(), groups, report_command};
}

/// Returns the formats of `timeline`: `auto` (by the suffix of the output file), tables, traces and pictures.
std::vector<std::string> timeline_formats() {
  std::vector<std::string> out = {"auto"};
  for (const std::string& format : format_names()) out.push_back(format);
  out.insert(out.end(), {"chrome", "perfetto", "svg"});
  return out;
}

/// Returns all commands in the order of the help. An entry has name, description, arguments, output formats with the
/// default first, groups of options, and the function. Help, manual pages, completion and the parser read only this
/// table and the table of options. Commands that print a report of their own name share `report_command`.
std::vector<Command> make_commands() {
  std::vector<Command> all = {
      {"plan",
       "How to train or serve a model on some GPUs: configuration, time, memory, cost, launch script",
       {{"MODEL", "a model, by name (`opledger list model`) or path; or a config.json of Hugging Face", "model"}},
       {"text", "json"},
       {Group::set, Group::format, Group::plan},
       plan_command,
       true},
      {"eval",
       "What a model costs on a machine: parameters, FLOPs, memory, time, communication, utilization",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::report, Group::eval},
       report_command},
      report("params", "Parameters by component and by weight tensor"),
      report("flops", "Operations of one step by component and phase"),
      report("memory", "Memory of the fullest rank, of every pipeline stage, and of every activation kept for backward", {Group::memory}),
      {"report",
       "A run in the layout of another tool, as an accounting defines it",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::report, Group::style},
       report_command},
      {"comm",
       "Communication: every derived collective, with its bytes, time and ranks",
       {kModel, kOptionalExecution, kOptionalSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::report, Group::comm},
       comm_command},
      {"timeline",
       "A simulated step: the tasks of each pipeline stage over time, as a table, a trace or a picture",
       {kModel, kExecution, kSystem},
       timeline_formats(),
       {Group::set, Group::accounting, Group::format, Group::timeline},
       timeline_command},
      {"train-time",
       "Days, GPU-hours and cost of a whole training, at the computed speed or at an assumed utilization",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::report, Group::train},
       train_time_command},
      {"fit",
       "The largest value that fits into memory, the fewest processors, or changes that make a run fit",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::fit},
       fit_command},
      {"find",
       "Layers of stages, recomputed nodes or placements with which a run is fastest, within the memory",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::find},
       find_command},
      {"search",
       "The best configurations of a design space for a model on a machine",
       {{"SPACE", "a document of kind search, by name or path: axes, their values and the objective; `opledger search SPACE --help` lists its inputs",
         "search"},
        kModel,
        kOptionalSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::search},
       search_command},
      {"heatmap",
       "An image (SVG) of the results of a search: the best value for each pair of values of two axes",
       {{"RUNS", "the store of a search, or all its candidates as CSV"}},
       {},
       {Group::heatmap},
       heatmap_command},
      {"graph",
       "The operator graph; with an execution also placements, collectives and kept activations",
       {kModel, kOptionalExecution, kOptionalSystem},
       {"text", "json", "dot", "svg"},
       {Group::set, Group::accounting, Group::graph, Group::format},
       graph_command},
      {"explain",
       "How a number is computed: the formula, its values, the rules, file and line",
       {kModel,
        kExecution,
        kOptionalSystem,
        {"NAME", "a metric or another name of the accounting, a name in a report, a node, or a pattern for nodes such as `*.norm`", "metrics"}},
       {"text", "json"},
       {Group::set, Group::accounting, Group::format, Group::explain},
       explain_command},
      {"diff",
       "The differences between two runs: other documents, other values, or another accounting",
       {{"DOCUMENT", "models, executions, systems, accountings, in this order; of two documents of one kind, the second belongs to the second run",
         "model execution system accounting", true, true}},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::diff},
       diff_command},
      {"explore",
       "A run as one page for a browser: graph, memory, simulated step, every number down to its formulas",
       {{"MODEL|RUNS", "the architecture, by name or path; or the results of a search: its store, or all its candidates as CSV", "model"},
        kOptionalExecution,
        kOptionalSystem},
       {"html", "json"},
       {Group::set, Group::accounting, Group::explore, Group::format},
       explore_command},
      {"compare",
       "One run under several accountings, one column each, with the reasons for the differences",
       {kModel, kExecution, kSystem},
       format_names(),
       {Group::set, Group::format, Group::compare},
       compare_command},
      {"audit",
       "Checks of a run against itself and against published numbers; unread keys, assumptions",
       {kModel, kExecution, kOptionalSystem},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::audit},
       audit_command},
      {"validation",
       "Published numbers next to computed ones, with the errors",
       {{"VALIDATION", "published numbers and their runs, by name or path; default: all that are found", "validation", false, true}},
       format_names(),
       {Group::set, Group::accounting, Group::format, Group::validation},
       validation_command},
      {"calibrate",
       "A system or a stack with constants fitted to measured times, and the errors left",
       {{"SYSTEM|STACK", "the machine or the framework, by name or path; it is not changed", "system stack"}},
       format_names(),
       {Group::format, Group::calibrate},
       calibrate_command},
      {"peers",
       "For each processor, those that it communicates with, by mesh axis or as the accounting defines",
       {{"EXECUTION", "a run, by name or path", "execution"}},
       {"json"},
       {Group::set, Group::accounting, Group::format},
       peers_command},
      {"validate",
       "Checks documents of any kind: schema, formulas, units, names, graphs",
       {{"FILE", "documents, by path; the graph of a model is built, and the units of an accounting are checked", "", true, true}},
       {},
       {},
       validate_command},
      {"import",
       "Conversion of documents of other tools to opledger documents",
       {{"FORMAT", "the tool that wrote the document; the message for a wrong one lists the known ones"},
        {"FILE",
         "the document, by path; its fields show whether it is a model, an execution or a system. Several files: a folder for -o. With --base: the script, "
         "then the execution that it changes",
         "", true, true}},
       format_names(),
       {Group::set, Group::mapping, Group::import, Group::format},
       import_command},
      {"export",
       "A run as other tools take it: the arguments that start a framework, or execution traces",
       {{"FORMAT", "a framework, whose arguments are written, or chakra: traces that ASTRA-sim plays"}, kModel, kExecution, kOptionalSystem},
       {},
       {Group::set, Group::accounting, Group::mapping, Group::chakra},
       export_command},
      {"list",
       "The documents on the search path, or what is in them: metrics, inputs, operators, blocks",
       {{"KIND", "documents of one kind, such as model or system; or metrics, inputs, quantities, operators, block-definitions", "kinds catalogues", false},
        {"DOCUMENT", "the document whose contents are listed: an accounting, an ops or a blocks document; default: the standard accounting, or all documents",
         "", false}},
       format_names(),
       {Group::format},
       list_command},
      {"schema",
       "JSON Schema of documents for editors: keys, values and names, with their meanings",
       {{"KIND", "documents of one kind, such as execution; default: all kinds, distinguished by the key `kind`", "kinds", false}},
       {"json"},
       {Group::schema},
       schema_command},
      {"man",
       "Manual pages, in the language mdoc, of the program and of its commands",
       {{"COMMAND", "a command; default: the program", "commands", false}},
       {"mdoc"},  // The program `man` reads the text.
       {Group::man},
       man_command},
      {"completion",
       "Completion of command lines for a shell: commands, options, names of documents, keys",
       {{"SHELL", "bash, zsh or fish", "shells"}, {"WORD", "of `words`, for shells: a command line whose last word is to be completed", "", false, true}},
       {"script"},  // Shells read the text.
       {},
       completion_command},
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
