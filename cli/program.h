#pragma once
#include <string>
#include <vector>

/// The program but for its process: a command line to results on standard output, messages on standard error and an exit status.
namespace opledger {

inline constexpr int kDone = 0, kInfeasible = 1, kFailed = 2, kInterrupted = 130;

int run_program(const std::vector<std::string>& words);

/// Results to standard output; false, after a message, if they can't be written.
bool print_results(const std::string& text);
void print_message(const std::string& text);

}  // namespace opledger
