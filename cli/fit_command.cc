// `fit`: the largest value that fits into memory, the fewest processors, or changes that make a run fit.
#include <fmt/core.h>

#include <cstdlib>

#include "base/text.h"
#include "cli/fit_command.h"
#include "cli/progress.h"
#include "expr/quantity.h"
#include "report/fit_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Returns the value of an option as a whole number; 0 if the option is absent or, with an error, for any other text.
double read_count(const char* option, const std::string& text, Diagnostics& diagnostics) {
  if (text.empty()) return 0;
  const std::optional<std::string> plain = plain_count(text);
  const double value = plain ? std::strtod(plain->c_str(), nullptr) : 0;
  if (value >= 1 && value <= 1e15 && value == static_cast<double>(static_cast<long long>(value))) return value;
  diagnostics.error({}, fmt::format("`{}`: expected a whole number from 1, found `{}`", option, text));
  return 0;
}

}  // namespace

/// Runs `fit`: searches for the largest value of `--vary`, or the fewest processors, and reports the result. A progress
/// line shows each candidate while the search runs. Without an answer the outcome is infeasible, with the reasons of
/// the nearest refused candidate: `next`, which is nearer than the too large `beyond`, if the search found both.
Outcome fit_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.change) return fit_changes(options, library, diagnostics);
  FitRequest request;
  request.run = run_request(options, options.arguments);
  request.vary = options.vary;
  request.step = read_count("--step", options.step, diagnostics);
  request.most = read_count("--most", options.most, diagnostics);
  if (request.vary.empty()) diagnostics.error({}, "`fit` needs `--vary KEYS`, the keys that vary, or `--change`");
  if (diagnostics.has_errors()) return {};
  Progress progress;
  request.progress = [&](int tried, const std::vector<std::string>& keys, const std::vector<double>& values) {
    std::string text = fmt::format("{} tried,", tried - 1);
    for (std::size_t i = 0; i < keys.size(); ++i) text += fmt::format(" {}={}", keys[i], exact(values[i]));
    progress.show([&] { return text; });
  };
  const std::optional<Fit> fit = find_fit(request, library, diagnostics);
  if (!fit) return {};
  Outcome outcome{write(build_report(*fit, request), find_format(options.format).value_or(Format::text), options.page), {}};
  if (fit->answer) return outcome;
  const std::optional<FitPoint>& nearest = fit->next ? fit->next : fit->beyond;
  for (const FitReason& reason : nearest ? nearest->reasons : std::vector<FitReason>{}) outcome.infeasible.push_back(reason.message);
  if (outcome.infeasible.empty()) outcome.infeasible.push_back("no value that was tried is possible");
  return outcome;
}

}  // namespace opledger
