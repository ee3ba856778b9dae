// `train-time`: days, GPU-hours and money of a whole training. The accounting says which of its inputs the options set, and what is reported.
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/quantity.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// `--tokens` to the accounting's input behind it.
void set_role(const Run& run, const Command& command, const char* word, const std::string& value, RunRequest& request, Diagnostics& diagnostics) {
  if (value.empty()) return;
  const Role* role = run.program().find_role(command.name, word);
  if (role == nullptr)
    diagnostics.error({}, fmt::format("the accounting `{}` doesn't say what `--{}` of `{}` is (`commands`)", run.accounting(), word, command.name));
  else
    request.overrides.emplace_back(role->name, value);
}

/// Whether the execution says how long the training is.
bool has_tokens(Run& run, const Command& command) {
  const Role* role = run.program().find_role(command.name, "tokens");
  Diagnostics ignored;
  const Quiet quiet(run.evaluator(), true);
  const std::optional<Value> tokens = role == nullptr ? std::nullopt : run.value(role->name, ignored);
  return tokens && tokens->is_number() && tokens->scalar.value > 0;
}

}  // namespace

Outcome train_time_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  RunRequest request = run_request(options, options.arguments);
  const std::optional<std::string> tokens = options.tokens.empty() ? "" : plain_count(options.tokens);
  if (!tokens) {
    diagnostics.error({}, fmt::format("`--tokens` wants a number such as 15T, 300B or 1e12, not `{}`", options.tokens));
    return {};
  }
  Diagnostics remarks;
  const std::unique_ptr<Run> plain = Run::prepare(request, library, options.tokens.empty() ? diagnostics : remarks);
  if (!plain) {
    if (!options.tokens.empty()) diagnostics.append(std::move(remarks));
    return {};
  }
  if (options.tokens.empty() && !has_tokens(*plain, command)) diagnostics.error({}, "`train-time` needs `--tokens COUNT`: tokens of the whole training");
  set_role(*plain, command, "tokens", *tokens, request, diagnostics);
  set_role(*plain, command, "mfu", options.mfu, request, diagnostics);
  set_role(*plain, command, "price", options.price, request, diagnostics);
  if (diagnostics.failed()) return {};
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  const std::optional<Report> report = run ? build_report(*run, {std::string(command.name)}, diagnostics) : std::nullopt;
  if (!report) return {};
  return {write(*report, find_format(options.format).value_or(Format::text)), infeasible_lines(report->violations)};
}

}  // namespace opledger
