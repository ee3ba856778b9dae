#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_table.h"
#include "cli/options.h"

/// A subcommand: its arguments, its options and its function. Commands print nothing: the caller receives results and
/// messages.
namespace opledger {

struct Command;
class TableStream;

/// The result of a command. After an error the program shows only the diagnostics.
struct Outcome {
  std::string text;                                             ///< Text for standard output or for the file of `--output`.
  std::vector<std::string> infeasible;                          ///< Reasons why the run is impossible, one line each; exit status 1.
  std::vector<std::string> failures = {};                       ///< Checks that failed, one line each; exit status 1.
  std::vector<std::pair<std::string, std::string>> files = {};  ///< Path and content of further files. Missing folders of one level are created.
  std::shared_ptr<TableStream> stream = {};                     ///< Stream that has already received the rows of the result; the program writes its end.
  bool wrote_output = false;                                    ///< The command has written `--output` itself; `text` goes to standard output.
  bool interrupted = false;                                     ///< A signal stopped the command; the result is incomplete.
  bool reader_gone = false;                                     ///< The reader of standard output has closed it; nothing more is written.
};

/// The function of a command. It returns its result and reports mistakes to `diagnostics`.
using CommandAction = Outcome(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics);

/// A positional argument of a command.
struct Argument {
  std::string_view name, doc;  ///< Name in usage lines, such as `MODEL`, and description.
  std::string_view completions =
      {};  ///< Completions for shells, separated by blanks: kinds of documents, names of catalogues, or `kinds`, `catalogues`, `commands`, `shells`.
  bool is_required = true;     ///< False for an argument in brackets.
  bool is_repeatable = false;  ///< Any number of values; only for the last argument.
  bool omittable_with_accounting =
      false;  ///< May be omitted with `--accounting`, though required: some accountings read no document, or only values of fields.
};

/// An entry of the command table.
struct Command {
  std::string_view name, doc;        ///< Word of the command line, and description.
  std::vector<Argument> arguments;   ///< Positional arguments, in order.
  std::vector<std::string> formats;  ///< Output formats; the first one is the default. Empty: the command lacks `--format`.
  std::vector<OptionGroup> options;  ///< Groups of options; the group `every` belongs to all commands.
  CommandAction* run;                ///< Function of the command; several commands may share one.
  /// True if a document defines further options. The parser then passes words that it does not know to the command, as
  /// arguments, which the command checks.
  bool has_document_options = false;

  /// Returns whether the command accepts the options of a group.
  bool accepts(OptionGroup group) const { return group == OptionGroup::every || contains(options, group); }
};

/// Returns one line for each violation, with the position of the constraint: `out of memory: a rank needs …`.
std::vector<std::string> infeasible_lines(const std::vector<Violation>& violations);

/// Keeps a value alive until the process ends. Destruction of large runs takes noticeable time just before the exit,
/// and the operating system frees the memory anyway.
template <class T>
T& keep_until_exit(std::unique_ptr<T> value) {
  static auto* const kAll = new std::vector<std::unique_ptr<T>>;
  return *kAll->emplace_back(std::move(value));
}

/// Returns all commands, in the order of the help.
const std::vector<Command>& commands();
/// Returns the command with this name; null for an unknown name.
const Command* find_command(std::string_view name);

/// The functions of all commands, one file each, in the form of CommandAction.
CommandAction report_command, timeline_command, train_time_command, fit_command, find_command, plan_command, search_command, heatmap_command, comm_command,
    audit_command, graph_command, diff_command, explore_command, compare_command, explain_command, validate_command, import_command, export_command,
    peers_command, validation_command, calibrate_command, list_command, schema_command, man_command, completion_command;

}  // namespace opledger
