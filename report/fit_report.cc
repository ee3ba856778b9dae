#include "report/fit_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "formulas/value.h"
#include "report/cells.h"

namespace opledger {
namespace {

/// A writer of the report of a fit.
class FitWriter {
  using State = FitPoint::State;

 public:
  FitWriter(const Fit& fit, ValueOwners& kept) : fit_(fit), kept_(kept) {}

  /// Returns the largest fitting candidate and the nearest candidates that do not fit.
  ReportTable candidates() {
    ReportTable out{"candidates", title(), {"candidate"}, {}};
    out.columns.insert(out.columns.end(), fit_.keys.begin(), fit_.keys.end());
    for (const char* column : {"ranks", "size", "capacity"}) out.columns.emplace_back(column);
    if (fit_.answer) out.rows.push_back(row("fits", *fit_.answer));
    if (fit_.answer && fit_.any) out.rows[0][1] = text("any number");
    for (const FitPoint* point : refused()) out.rows.push_back(row(point->state == State::too_large ? "too large" : "impossible", *point));
    return out;
  }

  /// Returns the violated constraints of candidates that do not fit.
  ReportTable obstacles() {
    ReportTable out{"obstacles", "In the way", fit_.keys, {}};
    out.columns.emplace_back("reason");
    out.prose = {"reason"};
    for (const FitPoint* point : refused()) {
      for (const FitReason& reason : point->reasons) {
        out.rows.emplace_back();
        for (const double value : point->values) out.rows.back().push_back(count(value));
        out.rows.back().push_back(text(reason.message));
      }
    }
    return out;
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated"}, {}};
    out.rows.push_back({count(fit_.tried)});
    if (fit_.step > 0) add(out, "step", count(fit_.step));
    if (fit_.axes) return out;
    add(out, "between", count(fit_.between));
    add(out, "tried_between", count(fit_.tried_between));
    if (fit_.at_limit()) add(out, "no_limit_found", truth_value(true));
    return out;
  }

  /// Returns a sentence with the evidence for the answer.
  ReportTable evidence() {
    ReportTable out{"known", "What is known", {"fact"}, {}};
    out.prose = {"fact"};
    out.rows.push_back({text(fit_.axes ? of_processors() : fit_.answer ? of_largest() : of_none())});
    return out;
  }

 private:
  const char* title() const {
    if (fit_.axes) return "Fewest processors";
    return fit_.answer && !fit_.proven() ? "Largest size that was found" : "Largest size";
  }

  /// Returns the candidates to show that do not fit. After an impossible one, a farther one is shown only if nothing but its size refuses it.
  std::vector<const FitPoint*> refused() const {
    std::vector<const FitPoint*> out;
    if (fit_.next) out.push_back(&*fit_.next);
    if (fit_.beyond && (!fit_.next || fit_.beyond->state == State::too_large)) out.push_back(&*fit_.beyond);
    return out;
  }

  /// Describes which totals of processors were tried.
  std::string of_processors() const {
    const std::string which = fit_.step > 0 ? fmt::format("multiples of {}", grouped(fit_.step)) : "1 to 16, 2^n and 3 x 2^n";
    if (!fit_.answer)
      return fmt::format("No total up to {} fits. Tried: {}, in all their factorizations.{}", grouped(fit_.limit), which, kinds(" Impossible candidates: "));
    if (fit_.step > 0 || fit_.tried_to < 16) return fmt::format("All smaller totals ({}) were tried, in all their factorizations.", which);
    return fmt::format("Smaller totals that were tried, in all their factorizations: {}, and every total from {} on.", which, grouped(fit_.tried_to));
  }

  /// Describes the evidence for the largest fitting value. The size grows with the value, so candidates beyond a too
  /// large one are not tried; candidates between the answer and this bound may fail for other reasons and were tried.
  std::string of_largest() const {
    const std::string between = grouped(fit_.between), tried = grouped(fit_.tried_between);
    if (fit_.served) return fmt::format("Any number of {}; those beyond {} {}.", display_key(fit_.keys[0]), grouped(*fit_.served), fit_.rest);
    if (fit_.any) return fmt::format("Any {} fits: the size does not depend on it.", display_key(fit_.keys[0]));
    if (fit_.at_limit()) return without_limit(between, tried);
    const std::string next = grouped(fit_.beyond->values[0]);
    if (fit_.beyond->state != State::too_large)
      return fmt::format("From {} on the size is too large as well; of the {} candidates below it {} were tried{}.", next, between, tried, kinds(": "));
    const double inside = (fit_.beyond->values[0] - fit_.answer->values[0]) / fit_.step - 1;
    if (inside == 0) return fmt::format("{}, the next candidate, is too large; larger candidates are assumed to be too large.", next);
    if (fit_.proven() && inside == 1) return fmt::format("{} is too large; larger candidates are assumed to be too large; the one between does not fit.", next);
    if (fit_.proven())
      return fmt::format("{} is too large; larger candidates are assumed to be too large; none of the {} between fits.", next, grouped(inside));
    return fmt::format("{} is too large. Of the {} candidates between, {} were tried and are impossible: another one may fit.", next, between, tried);
  }

  /// Describes the evidence if no tried candidate up to the limit is too large.
  std::string without_limit(const std::string& between, const std::string& tried) const {
    if (fit_.between == 0) return fmt::format("Nothing above {} was to be tried, and nothing that is too large was met.", grouped(fit_.limit));
    const bool one = fit_.refused.size() == 1 && fit_.next;
    if (fit_.proven() && one)
      return fmt::format("All {} larger candidates up to {} are impossible for the same reason as {}.", between, grouped(fit_.limit), next());
    if (fit_.proven()) return fmt::format("All {} larger candidates up to {} were tried and are impossible{}.", between, grouped(fit_.limit), kinds(": "));
    if (one)
      return fmt::format("All {} larger candidates that were tried, up to {}, are impossible for the same reason as {}.", tried, grouped(fit_.limit), next());
    return fmt::format("No larger candidate that was tried is possible: all up to {} and others up to {}, {} in all{}.", grouped(fit_.tried_to),
                       grouped(fit_.limit), tried, kinds(": "));
  }

  std::string of_none() const {
    if (fit_.between == 0) return "There is no smaller candidate.";
    if (fit_.proven()) return fmt::format("No smaller candidate fits: all {} were tried{}.", grouped(fit_.between), kinds(": "));
    return fmt::format("Of {} smaller candidates {} were tried, and none fits{}.", grouped(fit_.between), grouped(fit_.tried_between), kinds(": "));
  }

  std::string next() const { return grouped(fit_.next->values[0]); }

  /// Returns `lead` and the most frequent reasons; empty if no tried candidate is impossible.
  std::string kinds(const char* lead) const {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(fit_.refused.size(), kMost); ++i)
      out.push_back(fmt::format("{} ({})", fit_.refused[i].kind, grouped(fit_.refused[i].count)));
    if (out.empty()) return {};
    if (fit_.refused.size() > kMost) out.push_back(fmt::format("{} other reasons", fit_.refused.size() - kMost));
    return lead + join(out, "; ");
  }

  static std::string grouped(double n) { return human(count(n)); }

  Value text(std::string t) { return owned_text(std::move(t), kept_); }

  static void add(ReportTable& table, const char* column, const Value& value) {
    table.columns.emplace_back(column);
    table.rows[0].push_back(value);
  }

  static Value count(double n) { return number_value(integer(n)); }

  std::vector<Value> row(const char* name, const FitPoint& point) {
    std::vector<Value> out = {text(name)};
    for (const double value : point.values) out.push_back(count(value));
    out.insert(out.end(), {point.ranks, point.size, point.capacity});
    return out;
  }

  const Fit& fit_;
  ValueOwners& kept_;
};

}  // namespace

Report build_report(const Fit& fit, const FitRequest& request) {
  Report report{request.run.model, fit.execution, request.run.system, fit.accounting};
  FitWriter writer(fit, report.kept);
  report.tables = {writer.candidates(), writer.obstacles(), writer.evidence(), writer.search()};
  return report;
}

}  // namespace opledger
