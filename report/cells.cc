#include "report/cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/tree.h"

namespace opledger {
namespace {

constexpr std::string_view kEllipsis = "\u2026";
constexpr const char* kNothing = "-";

std::string percent(double share) {
  const double value = share * 100;
  return std::fabs(value) < 9.995 && value != 0 ? fmt::format("{:.2f} %", value) : fmt::format("{:.1f} %", value);
}

// Returns the decimals that give four significant digits.
int decimals_of(double number) {
  const double before_point = number == 0 ? 1 : std::floor(std::log10(std::fabs(number))) + 1;
  return std::clamp(4 - static_cast<int>(before_point), 0, 9);
}

}  // namespace

std::string display_text(const Value& value, bool share) {
  if (share && value.is_number() && value.unit.plain()) return percent(value.scalar.value);
  if (value.kind == Value::Kind::truth) return value.scalar.value != 0 ? "yes" : "no";
  if (value.kind == Value::Kind::nothing) return kNothing;
  return visible(human(value));
}

/// Formats a column: one text for each row, then the total. A cell gets the first unit that applies: the column's fixed
/// unit, percent for a ratio, or the prefix that fits the value. A ratio is a value in a column `share…`, or in a row
/// whose column `unit` says so, if the table mixes units. Missing values are `-`, or blank in rows that are mere
/// headings and in their total. The first column gets the lines of the tree of rows.
std::vector<std::string> display_column(const ReportTable& table, std::size_t column) {
  const std::string& name = table.columns[column];
  const auto unit = std::find_if(table.units.begin(), table.units.end(), [&](const ColumnUnit& u) { return u.column == name; });
  const auto units = table.has_mixed_units ? std::find(table.columns.begin(), table.columns.end(), "unit") : table.columns.end();
  const std::vector<Value> values = column_values(table, column);
  std::vector<std::string> out;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (unit == table.units.end() || !values[row].is_number()) {
      const Value* own = units == table.columns.end() || row >= table.rows.size() ? nullptr : &table.rows[row][units - table.columns.begin()];
      const bool empty = table.has_group_headings && (row >= table.rows.size() || table.parents[row] < 0) && values[row].kind == Value::Kind::nothing;
      out.push_back(empty ? "" : display_text(values[row], name.starts_with("share") || (own != nullptr && own->text != nullptr && *own->text == "ratio")));
    } else {
      const double number = values[row].scalar.value / unit->factor;
      out.push_back(fmt::format("{:.{}f} {}", number, unit->decimals >= 0 ? unit->decimals : decimals_of(number), unit->unit));
    }
  }
  for (std::size_t row = 0; column == 0 && row < table.parents.size(); ++row) out[row].insert(0, branch(table, row));
  return out;
}

std::string display_title(const ReportTable& table, std::size_t column) {
  return table.wide ? visible(table.columns[column]) : display_key(table.columns[column]);
}

std::vector<std::size_t> visible_columns(const ReportTable& table) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!contains(table.hidden, table.columns[i])) out.push_back(i);
  }
  return out;
}

std::vector<const ReportMetric*> shown_metrics(const ReportSection& section) {
  std::vector<const ReportMetric*> out;
  for (const ReportMetric& metric : section.metrics) {
    if (!section.detail && !metric.later) out.push_back(&metric);
  }
  return out;
}

std::string omission_note(const ReportTable& table) {
  return table.left_out == 0 ? "" : fmt::format("… and {} more", human(number_value(integer(static_cast<double>(table.left_out)))));
}

std::string more_note(const Report& report) {
  return report.more.empty() ? "" : fmt::format("--full shows more; --only shows one of: {}", join(report.more, ", "));
}

std::string display_key(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return visible(std::move(key));
}

std::string shortened(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  return text.substr(0, beginning_within(text, columns - 1)) + std::string(kEllipsis);
}

/// Keeps both ends of the text. Widths are display columns, so a wide character counts twice.
std::string shortened_in_middle(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  const std::size_t before = (columns - 1) / 2, after = columns - 1 - before;
  return text.substr(0, beginning_within(text, before)) + std::string(kEllipsis) + text.substr(text.size() - end_within(text, after));
}

std::vector<std::string> broken_name(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (width(rest) > columns) {
    const std::size_t most = std::max<std::size_t>(beginning_within(rest, columns), glyphs(rest)[0].text.size());
    const std::size_t mark = rest.substr(0, most).find_last_of("._/- ");
    const std::size_t end = mark == std::string_view::npos || rest.find_first_not_of(' ') >= mark ? most : mark + 1;
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  lines.emplace_back(rest);
  return lines;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines = {""};
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > columns) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::vector<Value> column_values(const ReportTable& table, std::size_t column) {
  std::vector<Value> values;
  Dimension unit;
  for (const std::vector<Value>& row : table.rows) values.push_back(row[column]);
  if (!table.total.empty()) values.push_back(table.total[column]);
  // Zero literals have no unit, so the column's unit comes from the remaining values.
  for (const Value& value : values) {
    if (!table.has_mixed_units && !value.unit.plain()) unit = value.unit;
  }
  for (Value& value : values) {
    if (value.is_number() && value.any_unit && value.scalar.value == 0) value.unit = unit;
  }
  return values;
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::size_t taken = width(text);
  const std::string blanks(columns > taken ? columns - taken : 0, ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace opledger
