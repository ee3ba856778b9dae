#include "report/fit_report.h"

#include <fmt/core.h>

#include "formulas/value.h"

namespace opledger {
namespace {

class FitWriter {
 public:
  FitWriter(const Fit& fit, Kept& kept) : fit_(fit), kept_(kept) {}

  ReportTable candidates() {
    ReportTable out{"candidates", title(), {"candidate"}, {}};
    out.columns.insert(out.columns.end(), fit_.keys.begin(), fit_.keys.end());
    for (const char* column : {"ranks", "size", "capacity"}) out.columns.emplace_back(column);
    if (fit_.answer) out.rows.push_back(row("fits", *fit_.answer));
    if (fit_.beyond) out.rows.push_back(row(fit_.beyond->state == FitPoint::State::too_large ? "too large" : "impossible", *fit_.beyond));
    return out;
  }

  ReportTable obstacles() {
    ReportTable out{"obstacles", "In the way", {"reason"}, {}};
    out.prose = {"reason"};
    if (fit_.beyond) {
      for (const std::string& reason : fit_.beyond->reasons) out.rows.push_back({text_value(reason)});
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

  /// What the answer rests on.
  ReportTable known() {
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

  std::string of_processors() const {
    const std::string which = fit_.step > 0 ? fmt::format("multiples of {}", grouped(fit_.step)) : "1 to 16, 2^n and 3 x 2^n";
    if (!fit_.answer) return fmt::format("No total up to {} fits; tried were {}, in all their factorisations.", grouped(fit_.limit), which);
    if (fit_.step > 0 || fit_.tried_to < 16) return fmt::format("All smaller totals ({}) were tried in all their factorisations.", which);
    return fmt::format("Smaller totals that were tried in all their factorisations: {}, and from {} on every one.", which, grouped(fit_.tried_to));
  }

  std::string of_largest() const {
    const std::string between = grouped(fit_.between), tried = grouped(fit_.tried_between);
    if (!fit_.at_limit()) {
      const std::string next = grouped(fit_.beyond->values[0]);
      if (fit_.between == 0) return fmt::format("{}, the next candidate, is too large, and larger ones are taken to be so too.", next);
      if (fit_.proven()) return fmt::format("{} is too large, and larger ones are taken to be so too; the {} between are impossible.", next, between);
      return fmt::format("{} is too large. Of the {} candidates between, {} were tried and are impossible: another one may fit.", next, between, tried);
    }
    if (fit_.between == 0) return fmt::format("Nothing above {} was to be tried, and nothing that is too large was met.", grouped(fit_.limit));
    if (fit_.proven()) return fmt::format("All {} larger candidates up to {} were tried and are impossible.", between, grouped(fit_.limit));
    return fmt::format("No larger candidate that was tried is possible: all up to {} and others up to {}, {} of {}.", grouped(fit_.tried_to),
                       grouped(fit_.limit), tried, between);
  }

  std::string of_none() const {
    if (fit_.between == 0) return "There is no smaller candidate.";
    if (fit_.proven()) return "Every smaller candidate was tried and is impossible.";
    return fmt::format("Of {} smaller candidates {} were tried, and none fits.", grouped(fit_.between), grouped(fit_.tried_between));
  }

  static std::string grouped(double n) { return human(count(n)); }

  Value text(std::string t) { return kept_text(std::move(t), kept_); }

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
  Kept& kept_;
};

}  // namespace

Report build_report(const Fit& fit, const FitRequest& request) {
  Report report{request.run.model, fit.execution, request.run.system, fit.accounting};
  FitWriter writer(fit, report.kept);
  report.tables = {writer.candidates(), writer.obstacles(), writer.known(), writer.search()};
  return report;
}

}  // namespace opledger
