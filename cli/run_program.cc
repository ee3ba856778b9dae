#include "cli/run_program.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/colors.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_parser.h"
#include "cli/terminal.h"
#include "report/cells.h"
#include "report/output.h"
#include "report/set_up.h"
#include "report/table_stream.h"

namespace opledger {
namespace {

/// Prints the messages and the command that shows the help. Returns the exit status of bad usage.
int usage_error(Diagnostics& diagnostics, const std::string& help, const std::string& color) {
  print_message(render(diagnostics) + fmt::format("see `{}`\n", help), color);
  return kFailed;
}

// Replaces control characters in text for people, because names could otherwise control the terminal. Text for
// programs stays unchanged.
std::string readable(const std::string& text, const std::string& format) {
  const bool for_people = format.empty() || format == "text" || format == "markdown";
  return for_people ? visible_lines(text) : text;
}

int end_stream(TableStream& stream, const Options& options) {
  const std::string problem = stream.finish();
  if (stream.reader_gone()) return kReaderGone;
  if (!problem.empty()) print_message("error: " + problem + "\n", options.color);
  return problem.empty() ? kDone : kFailed;
}

/// Writes the result to the stream, to standard output or to `--output`. Returns an exit status.
int deliver(const Command& command, const Outcome& outcome, const Options& options) {
  if (outcome.stream != nullptr) return end_stream(*outcome.stream, options);
  const std::string text = readable(outcome.text, options.format);
  if (outcome.wrote_output || options.output.empty() || options.output == "-") {
    const bool plain = options.format != "text" || !is_colored(options.color, STDOUT_FILENO);
    return print_results(plain ? text : command.accepts(OptionGroup::diff) ? color_differences(text) : color_results(text));
  }
  const std::string problem = write_file(options.output, text);
  if (!problem.empty()) print_message("error: " + problem + "\n", options.color);
  return problem.empty() ? kDone : kFailed;
}

/// Wraps a message to the page width and indents continuation lines.
std::string wrap_message(const std::string& message) {
  const std::string indent(4, ' ');
  std::string out;
  for (const std::string& line : wrapped(message, kPageWidth - indent.size())) out += (out.empty() ? "" : indent) + line + "\n";
  return out;
}

/// Runs a command and delivers its result: messages on standard error, further files, then the text, then reasons for
/// infeasibility and failed checks. The order ensures that a failed command writes no files, and that no result is
/// announced before it is written. The library is kept until the process ends, which saves the time to destroy it.
/// Returns the exit status: that of the first failing step, else interrupted after a signal, else infeasible if a
/// constraint or check failed.
int run_command(const Command& command, const Options& options) {
  Diagnostics diagnostics;
  Library& library = keep_until_exit(std::make_unique<Library>(search_path(options.path, "--path", diagnostics)));
  Outcome outcome;
  if (!diagnostics.has_errors()) outcome = command.run(command, options, library, diagnostics);
  if (outcome.reader_gone) return kReaderGone;
  const auto print = [&](const std::string& message) { print_message(message, options.color); };
  print(render(diagnostics));
  if (diagnostics.has_errors()) return kFailed;
  if (const std::string problem = write_files(outcome.files); !problem.empty()) {
    print("error: " + problem + "\n");
    return kFailed;
  }
  if (const int status = deliver(command, outcome, options); status != kDone) return status;
  for (const std::string& reason : outcome.infeasible) print(wrap_message("infeasible: " + reason));
  for (const std::string& failure : outcome.failures) print(wrap_message("failed: " + failure));
  if (outcome.interrupted) return kInterrupted;
  return outcome.infeasible.empty() && outcome.failures.empty() ? kDone : kInfeasible;
}

/// Returns help that documents define: the inputs of the space of a search, or the options of plans.
std::string help_of_arguments(const Command& command, const Options& options, const std::string& color) {
  const bool has_space = command.accepts(OptionGroup::search) && !options.arguments.empty();
  if (!has_space && !command.has_document_options) return {};
  Diagnostics diagnostics;
  Library library(search_path(options.path, "--path", diagnostics));
  const std::string text = has_space ? help_of_space(options.arguments[0], library, diagnostics) : help_of_plans(library, diagnostics);
  print_message(render(diagnostics), color);
  return text;
}

/// Reports an unknown first word, with a suggestion, as an option if it begins with `-` and as a command otherwise.
int unknown_command(const std::string& word, const std::string& color) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = names_of(commands());
  const bool option = word.size() > 1 && word[0] == '-';
  const std::string meant = suggestion(word, option ? std::vector<std::string>{"--help", "--version"} : names);
  diagnostics.error({}, fmt::format("unknown {} `{}`{}", option ? "option" : "command", word, meant));
  return usage_error(diagnostics, "opledger --help", color);
}

}  // namespace

void print_message(const std::string& text, const std::string& color) {
  const std::string harmless = visible_lines(text);
  write_all(STDERR_FILENO, is_colored(color, STDERR_FILENO) ? color_messages(harmless) : harmless);
}

int print_results(const std::string& text) {
  const std::string problem = write_all(STDOUT_FILENO, text);
  if (problem.empty()) return kDone;
  if (reader_has_gone(STDOUT_FILENO)) return kReaderGone;
  print_message("error: can't write to standard output: " + problem + "\n");
  return kFailed;
}

/// Runs a command line: with `--help` the help, `--version`, or a command with its options. Without words, the help is
/// a message and the status is kFailed. `color` is read before the options are parsed, so that their errors are
/// colored. Registers functions of later folders once, before any run. Returns the exit status; bad usage is kFailed,
/// with a hint at the help.
int run_program(const std::vector<std::string>& words) {
  set_up_runs();
  const std::string color = requested_color(words);
  const auto help = [&](const std::string& text) { return print_results(is_colored(color, STDOUT_FILENO) ? color_results(text) : text); };
  if (words.empty()) {
    print_message(help_overview());
    return kFailed;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    const Command* command = words.size() > 1 ? find_command(words[1]) : nullptr;
    return help(command != nullptr ? help_of(*command) : help_overview());
  }
  if (words[0] == "--version") return print_results("opledger " OPLEDGER_VERSION "\n");
  const Command* command = find_command(words[0]);
  if (command == nullptr) return unknown_command(words[0], color);
  Diagnostics diagnostics;
  std::optional<Options> options = parse_options(*command, {words.begin() + 1, words.end()}, diagnostics);
  if (!options) return usage_error(diagnostics, fmt::format("opledger {} --help", command->name), color);
  if (options->help) return help(help_of(*command) + help_of_arguments(*command, *options, color));
  print_message(render(diagnostics), color);  // Warnings.
  options->page = page_of(*options);
  return run_command(*command, *options);
}

}  // namespace opledger
