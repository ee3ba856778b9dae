// `train-time`: days, GPU-hours and cost of a whole training. The accounting states which inputs the options set, and
// which metrics the report has.
#include <fmt/core.h>

#include <cstdlib>

#include "base/text.h"
#include "cli/report_outcome.h"
#include "expr/parser.h"
#include "expr/quantity.h"

namespace opledger {
namespace {

/// Sets the accounting's input for an option such as `--tokens`. Messages about the value name the option, not the
/// input.
void set_role(const Run& run, const Command& command, const char* word, const std::string& value, RunRequest& request, Diagnostics& diagnostics) {
  if (value.empty()) return;
  const Role* role = run.program().find_role(command.name, word);
  if (role == nullptr) {
    diagnostics.error({}, fmt::format("the accounting `{}` has no input for `--{}` of `{}` (`commands`)", run.accounting(), word, command.name));
    return;
  }
  const auto source = std::make_shared<const SourceFile>(fmt::format("--{}", word), value);
  const Span span{source, 1, 1};
  request.fields.push_back({role->name, Datum::scalar(value, false, span), span, false});
}

/// Returns an option's value as a plain number above 0. Returns an empty text if the option is absent, or after an
/// error.
std::string read_positive(const char* option, const std::string& text, const std::optional<std::string>& plain, const char* expectation, double most,
                          Diagnostics& diagnostics) {
  if (text.empty()) return {};
  const double value = plain ? std::strtod(plain->c_str(), nullptr) : 0;
  if (value > 0 && value <= most) return *plain;
  diagnostics.error({}, fmt::format("`{}`: expected {}, found `{}`", option, expectation, text));
  return {};
}

/// Returns a share as a plain number: `0.5`, `50%`.
std::optional<std::string> plain_share(const std::string& text) {
  const bool percent = !text.empty() && text.back() == '%';
  double value = 0;
  Dimension unit;
  if (!parse_quantity(trim(percent ? text.substr(0, text.size() - 1) : text), value, unit) || !unit.plain()) return std::nullopt;
  return exact(percent ? value / 100 : value);
}

/// Returns a price as a plain number: `2`, `2 USD/hour`, `2USD/hour`.
std::optional<std::string> plain_price(const std::string& text) {
  constexpr std::string_view kUnit = "USD/hour";
  std::string number(trim(text));
  if (number.size() > kUnit.size() && number.compare(number.size() - kUnit.size(), kUnit.size(), kUnit) == 0) number.resize(number.size() - kUnit.size());
  double value = 0;
  Dimension unit;
  if (!parse_quantity(trim(number), value, unit) || !unit.plain()) return std::nullopt;
  return exact(value);
}

/// Returns whether the execution states the tokens of the training.
bool has_tokens(Run& run, const Command& command) {
  const Role* role = run.program().find_role(command.name, "tokens");
  Diagnostics ignored;
  const std::optional<Value> tokens = role == nullptr ? std::nullopt : run.value(role->name, ignored);
  return tokens && tokens->is_number() && tokens->scalar.value > 0;
}

}  // namespace

/// Runs `train-time`: converts the options to plain numbers, sets the accounting's inputs for them, and prints the
/// report `train-time`. The accounting declares which input belongs to which option (its role), so a run without the
/// options is prepared first, to find the accounting. A second run has the values. With `--tokens`, `remarks` holds the
/// messages of the first preparation, which the second repeats; they matter only if it fails.
Outcome train_time_command(const Command& command, const Options& options, Library& library, Diagnostics& diagnostics) {
  RunRequest request = run_request(options, options.arguments);
  constexpr double kMost = 1e30;
  const std::string tokens = read_positive("--tokens", options.tokens, plain_count(options.tokens), "a number such as 15T, 300B or 1e12", kMost, diagnostics);
  const std::string mfu = read_positive("--mfu", options.mfu, plain_share(options.mfu), "a share above 0 and up to 1, such as 0.5 or 50%", 1, diagnostics);
  const std::string price =
      read_positive("--price", options.price, plain_price(options.price), "USD per hour of one processor, such as 2 or 1.5", kMost, diagnostics);
  if (diagnostics.has_errors()) return {};
  Diagnostics remarks;
  const std::unique_ptr<Run> plain = Run::prepare(request, library, options.tokens.empty() ? diagnostics : remarks);
  if (!plain) {
    if (!options.tokens.empty()) diagnostics.append(std::move(remarks));
    return {};
  }
  if (options.tokens.empty() && !has_tokens(*plain, command)) diagnostics.error({}, "`train-time` needs `--tokens COUNT`: tokens of the whole training");
  set_role(*plain, command, "tokens", tokens, request, diagnostics);
  set_role(*plain, command, "mfu", mfu, request, diagnostics);
  set_role(*plain, command, "price", price, request, diagnostics);
  if (diagnostics.has_errors()) return {};
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  const std::optional<Report> report = run ? build_report(*run, {std::string(command.name)}, diagnostics, false, options.only) : std::nullopt;
  return report ? report_outcome(*report, options, diagnostics) : Outcome{};
}

}  // namespace opledger
