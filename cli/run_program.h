#pragma once
#include <string>
#include <vector>

/// The program without its process: runs a command line, with results on standard output, messages on standard error
/// and an exit status.
namespace opledger {

/// Exit statuses. A program whose reader has gone ends silently by SIGPIPE; `kReaderGone` is the status that a shell
/// reports for this end.
inline constexpr int kDone = 0, kInfeasible = 1, kFailed = 2, kInterrupted = 130, kReaderGone = 141;

/// Runs the command line without the program's name. Returns the exit status.
int run_program(const std::vector<std::string>& words);

/// Writes a result to standard output. Returns `kDone`, `kReaderGone`, or `kFailed` after a message.
int print_results(const std::string& text);
/// Writes a message to standard error. `color` is the value of `--color`.
void print_message(const std::string& text, const std::string& color = "");

}  // namespace opledger
