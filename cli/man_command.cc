// `man [COMMAND]`: manual pages of the program and of each command.
#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/manual.h"

namespace opledger {
namespace {

Outcome all_pages(const Options& options) {
  const auto path = [&](const std::string& name) { return (std::filesystem::path(options.output) / (name + ".1")).string(); };
  Outcome outcome;
  outcome.wrote_output = true;
  outcome.files.emplace_back(path("opledger"), manual_overview());
  for (const Command& command : commands()) outcome.files.emplace_back(path("opledger-" + std::string(command.name)), manual_of(command));
  outcome.text = fmt::format("{}: {} pages\n", options.output, outcome.files.size());
  return outcome;
}

}  // namespace

Outcome man_command(const Command&, const Options& options, Library&, Diagnostics& diagnostics) {
  if (options.all && (options.output.empty() || options.output == "-" || !options.arguments.empty())) {
    diagnostics.error({}, "`--all` writes every page: `-o FOLDER` says where");
    return {};
  }
  if (options.all) return all_pages(options);
  if (options.arguments.empty()) return {manual_overview(), {}};
  const Command* const command = find_command(options.arguments[0]);
  if (command != nullptr) return {manual_of(*command), {}};
  diagnostics.error({}, fmt::format("unknown command `{}`{}", options.arguments[0], suggestion(options.arguments[0], names_of(commands()))));
  return {};
}

}  // namespace opledger
