#include "report/fit_report.h"

#include "base/text.h"

namespace opledger {
namespace {

class Writer {
 public:
  Writer(const Fit& fit, std::deque<std::string>& texts) : fit_(fit), texts_(texts) {}

  ReportTable candidates() {
    ReportTable out{"candidates", fit_.axes ? "Fewest processors" : "Largest size", {"candidate"}, {}};
    out.columns.insert(out.columns.end(), fit_.keys.begin(), fit_.keys.end());
    for (const char* column : {"ranks", "size", "capacity"}) out.columns.emplace_back(column);
    if (fit_.answer) out.rows.push_back(row("fits", *fit_.answer));
    if (fit_.beyond) out.rows.push_back(row(fit_.beyond->state == FitPoint::State::too_large ? "too large" : "impossible", *fit_.beyond));
    return out;
  }

  ReportTable obstacles() {
    ReportTable out{"obstacles", "In the way", {"reason"}, {}};
    if (fit_.beyond) {
      for (const std::string& reason : fit_.beyond->reasons) out.rows.push_back({text_value(reason)});
    }
    return out;
  }

  ReportTable search() {
    ReportTable out{"search", "Search", {"runs_evaluated"}, {}};
    out.rows.push_back({count(fit_.tried)});
    if (fit_.step > 0) add(out, "step", count(fit_.step));
    if (fit_.at_limit) add(out, "no_limit_found", truth_value(true));
    return out;
  }

 private:
  static void add(ReportTable& table, const char* column, const Value& value) {
    table.columns.emplace_back(column);
    table.rows[0].push_back(value);
  }

  static Value count(double n) { return number_value(integer(n)); }

  std::vector<Value> row(const char* name, const FitPoint& point) {
    texts_.emplace_back(name);
    std::vector<Value> out = {text_value(texts_.back())};
    for (const double value : point.values) out.push_back(count(value));
    out.insert(out.end(), {point.ranks, point.size, point.capacity});
    return out;
  }

  const Fit& fit_;
  std::deque<std::string>& texts_;
};

}  // namespace

Report build_report(const Fit& fit, const FitRequest& request, std::deque<std::string>& texts) {
  Report report{request.run.model, request.run.execution, request.run.system, fit.accounting, {}, {}, {}};
  Writer writer(fit, texts);
  report.tables = {writer.candidates(), writer.obstacles(), writer.search()};
  return report;
}

}  // namespace opledger
