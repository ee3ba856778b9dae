#pragma once
#include <string>
#include <vector>

/// The program but for its process: a command line to results on standard output, messages on standard error and an exit status.
namespace opledger {

/// `kReaderGone`: nobody reads standard output any more. A program ends then as by SIGPIPE, without a word; this is what a shell makes of that.
inline constexpr int kDone = 0, kInfeasible = 1, kFailed = 2, kInterrupted = 130, kReaderGone = 141;

int run_program(const std::vector<std::string>& words);

/// Results to standard output; `kDone`, `kReaderGone` or, after a message, `kFailed`.
int print_results(const std::string& text);
/// To standard error. `colour`: what `--color` says.
void print_message(const std::string& text, const std::string& colour = "");

}  // namespace opledger
