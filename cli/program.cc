#include "cli/program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/parser.h"
#include "cli/terminal.h"
#include "report/cells.h"
#include "report/output.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

int usage_error(Diagnostics& diagnostics, const std::string& help) {
  print_message(render(diagnostics) + fmt::format("see `{}`\n", help));
  return kFailed;
}

std::vector<fs::path> search_path(const Options& options, Diagnostics& diagnostics) {
  std::vector<fs::path> result;
  for (const std::string& folder : options.path) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) diagnostics.error({}, fmt::format("`--path {}`: there is no such folder", folder));
    result.emplace_back(folder);
  }
  for (fs::path& folder : default_search_path()) result.push_back(std::move(folder));
  return result;
}

int deliver(const std::string& text, const std::string& output) {
  if (output.empty() || output == "-") return print_results(text);
  const std::string problem = write_file(output, text);
  if (!problem.empty()) print_message("error: " + problem + "\n");
  return problem.empty() ? kDone : kFailed;
}

// What programs read has every name as it is. What people read must not write to their terminal.
std::string readable(const std::string& text, const std::string& format) {
  const bool for_people = format.empty() || format == "text" || format == "markdown";
  return for_people ? visible_lines(text) : text;
}

/// In lines of a page, those behind the first indented.
std::string laid_out(const std::string& message) {
  const std::string indent(4, ' ');
  std::string out;
  for (const std::string& line : wrapped(message, kPageWidth - indent.size())) out += (out.empty() ? "" : indent) + line + "\n";
  return out;
}

int run_command(const Command& command, const Options& options) {
  Diagnostics diagnostics;
  Library library(search_path(options, diagnostics));
  Outcome outcome;
  if (!diagnostics.has_errors()) outcome = command.run(command, options, library, diagnostics);
  if (outcome.reader_gone) return kReaderGone;
  print_message(render(diagnostics));
  if (diagnostics.has_errors()) return kFailed;
  if (const std::string problem = write_files(outcome.files); !problem.empty()) {
    print_message("error: " + problem + "\n");
    return kFailed;
  }
  if (const int status = deliver(readable(outcome.text, options.format), outcome.wrote_output ? "" : options.output); status != kDone) return status;
  for (const std::string& reason : outcome.infeasible) print_message(laid_out("infeasible: " + reason));
  for (const std::string& failure : outcome.failures) print_message(laid_out("failed: " + failure));
  if (outcome.interrupted) return kInterrupted;
  return outcome.infeasible.empty() && outcome.failures.empty() ? kDone : kInfeasible;
}

int unknown_command(const std::string& word) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = names_of(commands());
  const bool option = word.size() > 1 && word[0] == '-';
  const std::string meant = suggestion(word, option ? std::vector<std::string>{"--help", "--version"} : names);
  diagnostics.error({}, fmt::format("unknown {} `{}`{}", option ? "option" : "command", word, meant));
  return usage_error(diagnostics, "opledger --help");
}

}  // namespace

void print_message(const std::string& text) { write_all(STDERR_FILENO, visible_lines(text)); }

int print_results(const std::string& text) {
  const std::string problem = write_all(STDOUT_FILENO, text);
  if (problem.empty()) return kDone;
  if (reader_has_gone(STDOUT_FILENO)) return kReaderGone;
  print_message("error: can't write to standard output: " + problem + "\n");
  return kFailed;
}

int run_program(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_message(help_overview());
    return kFailed;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    const Command* command = words.size() > 1 ? find_command(words[1]) : nullptr;
    return print_results(command != nullptr ? help_of(*command) : help_overview());
  }
  if (words[0] == "--version") return print_results("opledger " OPLEDGER_VERSION "\n");
  const Command* command = find_command(words[0]);
  if (command == nullptr) return unknown_command(words[0]);
  Diagnostics diagnostics;
  std::optional<Options> options = parse_options(*command, {words.begin() + 1, words.end()}, diagnostics);
  if (!options) return usage_error(diagnostics, fmt::format("opledger {} --help", command->name));
  if (options->help) return print_results(help_of(*command));
  options->page = page_of(*options);
  return run_command(*command, *options);
}

}  // namespace opledger
