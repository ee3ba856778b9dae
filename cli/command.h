#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_table.h"
#include "cli/options.h"

/// A subcommand: what it takes and what it does. Commands print nothing: results and messages are handed to whoever called them.
namespace opledger {

struct Command;
class TableStream;

/// What a command found out. If it reported an error nothing of this is shown.
struct Outcome {
  std::string text;                                             ///< For standard output or `--output`.
  std::vector<std::string> infeasible;                          ///< Why the run is impossible, a line each: exit status 1.
  std::vector<std::string> failures = {};                       ///< What was checked and doesn't hold, a line each: the same status.
  std::vector<std::pair<std::string, std::string>> files = {};  ///< Path and content: what is written besides. Folders of one level are made.
  std::shared_ptr<TableStream> stream = {};                     ///< That has got the result: only its end is missing.
  bool wrote_output = false;                                    ///< `--output` has got something else: the text is for standard output.
  bool interrupted = false;                                     ///< By a signal: what is told is not all.
  bool reader_gone = false;                                     ///< Nobody reads standard output any more: nothing is left to say.
};

/// What a command does.
using CommandAction = Outcome(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics);

struct Argument {
  std::string_view name, doc;
  std::string_view of =
      {};  ///< What shells offer for it: kinds of documents, what a catalogue lists, or `kinds`, `catalogues`, `commands`, `shells`; with blanks between them.
  bool required = true;
  bool several = false;      ///< The last one only: any number of them.
  bool dispensable = false;  ///< May lack with `--accounting`, though required: some accountings need no documents, or only values for their fields.
};

struct Command {
  std::string_view name, doc;
  std::vector<Argument> arguments;
  std::vector<std::string> formats;  ///< The first is the default; none: `--format` is not taken.
  std::vector<OptionGroup> options;  ///< Besides those of every command.
  CommandAction* run;

  bool takes(OptionGroup group) const { return group == OptionGroup::every || contains(options, group); }
};

/// `out of memory: a rank needs …`, a line each.
std::vector<std::string> infeasible_lines(const std::vector<Violation>& violations);

/// Keeps what a command works with until the program ends. It would be taken apart piece by piece otherwise, when all that is left to do is to end.
template <class T>
T& kept(std::unique_ptr<T> value) {
  static auto* const kAll = new std::vector<std::unique_ptr<T>>;
  return *kAll->emplace_back(std::move(value));
}

/// All of them, in the order in which help lists them.
const std::vector<Command>& commands();
const Command* find_command(std::string_view name);

CommandAction report_command, timeline_command, train_time_command, fit_command, search_command, heatmap_command, comm_command, audit_command, graph_command,
    diff_command, explore_command, compare_command, explain_command, validate_command, import_command, export_command, peers_command, validation_command,
    calibrate_command, list_command, schema_command, man_command, completion_command;

}  // namespace opledger
