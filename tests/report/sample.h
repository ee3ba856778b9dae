#pragma once
#include <deque>
#include <string>
#include <utility>

#include "report/report.h"

/// Returns a small report: every kind of value, awkward names, an empty table.
namespace opledger {

inline constexpr Dimension kByteUnit{{1, 0, 0, 0}}, kSecondUnit{{0, 0, 1, 0}}, kFlopRateUnit{{0, 1, -1, 0}};

inline Value sample_text(const std::string& text) {
  static std::deque<std::string> texts;  // Values point to these texts, which outlive them.
  texts.push_back(text);
  Value value;
  value.kind = Value::Kind::text;
  value.text = &texts.back();
  return value;
}

inline Value plain_zero() {
  Value value = number_value(integer(0));
  value.any_unit = true;
  return value;
}

inline ReportMetric metric(const std::string& key, const std::string& name, const Value& value, const std::string& unit, const std::string& doc) {
  const bool word = key.find_first_of(" /|") == std::string::npos;
  return {key, word ? key : name, name, base_unit(value, unit), doc, value};
}

inline Report sample_report() {
  Report report{"tiny", "one, two", "box", "standard", {}, {}, {}};
  report.sections.push_back({"Model",
                             {metric("parameters", "parameters_total", number_value(integer(8030261248)), "count", "Elements of every weight."),
                              metric("used share", "mfu", number_value(real(0.4125)), "ratio", "A | B.")}});
  report.sections.push_back({"Memory",
                             {metric("total", "memory", number_value(integer(85899345920), kByteUnit), "byte", "Peak of the fullest rank."),
                              metric("step_time", "iteration_time", number_value(real(0.1), kSecondUnit), "s", "One step."),
                              metric("FLOP/s", "flops_per_second", number_value(real(312e12), kFlopRateUnit), "flop/s", "Speed."),
                              metric("fits", "fits", truth_value(true), "", "Whether it fits.")}});
  ReportTable stages{"stages", "Stages", {"stage", "kept_bytes", "share", "last"}, {}};
  stages.rows.push_back({sample_text("first, \"of\" two"), number_value(integer(1024), kByteUnit), number_value(real(0.25)), truth_value(false)});
  stages.rows.push_back({sample_text("last|one"), plain_zero(), number_value(real(0.75)), truth_value(true)});
  report.tables = {stages, {"none", "Nothing", {"name"}, {}}};
  return report;
}

}  // namespace opledger
