#include "report/compare_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/units.h"

namespace opledger {
namespace {

class CompareWriter {
 public:
  CompareWriter(const RunComparison& comparison, const Run& run, ValueOwners& kept) : all_(comparison), run_(run), kept_(kept) {}

  /// Returns each quantity with a column of values for each accounting.
  ReportTable quantities() {
    ReportTable out{"quantities", "Quantities", {"quantity", run_.accounting()}, {}};
    for (const ComparedAccounting& a : all_.accountings) out.columns.push_back(a.translated->accounting);
    out.columns.emplace_back("unit");
    out.hidden = {"unit"};
    out.has_mixed_units = out.wide = true;
    for (const ComparedQuantity& q : all_.quantities) {
      std::vector<Value> row = {text_value(q.name)};
      for (const ComparedValue& v : q.values) row.push_back(with_unit(v.value, q.value(0)));
      row.push_back(text(base_unit(q.value(0), q.unit)));
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  /// Returns one row for each notable difference of a quantity between the run's own accounting and another one: a
  /// relative change of more than kNotable, or from 0. The first value of a quantity is that of the run's accounting,
  /// so value `i` belongs to accounting `i - 1`. A row has the reason that the accounting states, or kUnexplained, and
  /// the position of the formula. The change is empty if the first value is 0 or not comparable.
  ReportTable differences() {
    ReportTable out{"differences", fmt::format("Differences of more than {} % from {}", kNotable * 100, run_.accounting()), {}, {}};
    out.columns = {"quantity", "accounting", "difference", "why", "formula"};
    out.units = {{"difference", "%", 0.01, 1}};
    out.prose = {"why"};
    out.hidden = {"formula"};
    for (const ComparedQuantity& q : all_.quantities) {
      for (std::size_t i = 1; i < q.values.size(); ++i) {
        if (!q.notable(i)) continue;
        const std::optional<double> change = q.change(i);
        const std::string why(trim(q.values[i].why));
        out.rows.push_back({text_value(q.name), text_value(all_.accountings[i - 1].translated->accounting), change ? number_value(real(*change)) : Value{},
                            text(why.empty() ? kUnexplained : why), text(to_string(q.values[i].at))});
      }
    }
    return out;
  }

  ReportTable inputs() {
    ReportTable out{"inputs", "Inputs", {"accounting", "input", "value", "unit", "formula"}, {}};
    out.detail = out.has_mixed_units = true;
    for (const ComparedAccounting& a : all_.accountings) {
      for (const ComparedInput& input : a.inputs)
        out.rows.push_back(
            {text_value(a.translated->accounting), text_value(input.name), input.value, text(base_unit(input.value)), text(to_string(input.at))});
    }
    return out;
  }

  ReportTable requested_inputs() {
    ReportTable out{"asked", "Inputs of each accounting", {"accounting", "inputs"}, {}};
    out.prose = {"inputs"};
    for (const ComparedAccounting& a : all_.accountings) {
      std::vector<std::string> all;
      for (const ComparedInput& input : a.inputs) all.push_back(input.name + " = " + as_set(input.value));
      out.rows.push_back(
          {text_value(a.translated->accounting), text(a.translated->run->request().translated_inputs ? join(all, ", ") : "the run's own documents")});
    }
    return out;
  }

  ReportTable left_out() {
    ReportTable out{"left_out", "Not compared", {"accounting", "why"}, {}};
    out.prose = {"why"};
    for (const auto& skipped : all_.left_out) out.rows.push_back({text_value(skipped->accounting), text_value(skipped->why)});
    return out;
  }

  ReportTable not_compared() {
    ReportTable out{"not_compared", "Metrics that can't be compared", {"quantity", "accounting", "why"}, {}};
    out.prose = {"why"};
    for (const IncomparableMetric& left : all_.not_compared) out.rows.push_back({text_value(left.name), text_value(left.accounting), text_value(left.why)});
    return out;
  }

  ReportTable impossible() {
    ReportTable out{"impossible", "Violated constraints by accounting", {"accounting", "why"}, {}};
    out.prose = {"why"};
    for (const ComparedAccounting& a : all_.accountings) {
      for (const Violation& v : a.violations) out.rows.push_back({text_value(a.translated->accounting), text_value(v.message)});
    }
    return out;
  }

 private:
  Value text(std::string t) { return owned_text(std::move(t), kept_); }

  /// Returns a value in the notation of `--set`.
  static std::string as_set(const Value& value) { return value.is_number() && value.unit.plain() ? exact(value.scalar.value) : visible(human(value)); }

  /// Returns a value with the unit of `own`, if the value is a zero literal without a unit.
  static Value with_unit(Value value, const Value& own) {
    if (value.is_number() && value.any_unit) value.unit = own.unit;
    return value;
  }

  const RunComparison& all_;
  const Run& run_;
  ValueOwners& kept_;
};

}  // namespace

Report build_report(const RunComparison& comparison, const Run& run) {
  Report report{run.request().model, run.execution_name(), run.request().system, run.accounting(), run.stack_name()};
  CompareWriter writer(comparison, run, report.kept);
  report.tables = {writer.quantities(), writer.differences(),      writer.not_compared(), writer.impossible(),
                   writer.left_out(),   writer.requested_inputs(), writer.inputs()};
  return report;
}

}  // namespace opledger
