#include "python/found_columns.h"

#include <algorithm>

namespace opledger::python {
namespace {

using Kind = Value::Kind;

/// Returns an empty column for the kind of a value.
Column column_for(const Value& value) {
  Column out;
  if (value.kind == Kind::truth)
    out.numbers = std::vector<std::uint8_t>();
  else if (value.kind == Kind::number && value.scalar.exact)
    out.numbers = std::vector<std::int64_t>();
  else if (value.kind == Kind::number)
    out.numbers = std::vector<double>();
  else
    out.numbers = std::vector<std::int32_t>();
  return out;
}

}  // namespace

CandidateSink FoundColumns::sink() {
  return {[this](const CandidateColumns& columns, Diagnostics&) { return begin(columns); },
          [this](const RangeResult& found, Diagnostics&) { return write(found.rows); }, [](bool, Diagnostics&) { return true; }};
}

bool FoundColumns::begin(const CandidateColumns& columns) {
  source_ = &columns;
  for (std::size_t a = 0; a < columns.axes().size(); ++a) columns_.push_back({columns.axes()[a], columns.axis_unit(a), {}});
  for (std::size_t m = 0; m < columns.metrics().size(); ++m) columns_.push_back({columns.metrics()[m], columns.metric_unit(m), {}});
  codes_.resize(columns.axes().size());
  return true;
}

bool FoundColumns::write(const CandidateRows& rows) {
  if (rows.count == 0) return true;
  if (!begun_) {
    for (std::size_t a = 0; a < codes_.size(); ++a) columns_[a].column = column_for(source_->axis(a, rows.values_of(0)));
    begun_ = true;
  }
  for (std::size_t a = 0; a < codes_.size(); ++a) add_axis(a, rows);
  for (std::size_t m = 0; m < rows.metrics; ++m) add_metric(m, rows);
  return true;
}

/// Returns the index of a word's text, read once for each word, or -1 without a text.
std::int32_t FoundColumns::code(std::size_t axis, double value, const double* values) {
  const auto known = codes_[axis].find(value);
  if (known != codes_[axis].end()) return known->second;
  const Value text = source_->axis(axis, values);
  std::vector<std::string>& words = columns_[axis].column.words;
  std::int32_t place = -1;
  if (text.text != nullptr) {
    place = static_cast<std::int32_t>(words.size());
    words.push_back(*text.text);
  }
  return codes_[axis][value] = place;
}

void FoundColumns::add_axis(std::size_t axis, const CandidateRows& rows) {
  Column& column = columns_[axis].column;
  const int position = source_->position(axis);
  column.size += rows.count;
  std::visit(
      [&](auto& numbers) {
        using Number = typename std::decay_t<decltype(numbers)>::value_type;
        if (position < 0 && !numbers.empty()) return;
        for (std::size_t row = 0; row < (position < 0 ? 1 : rows.count); ++row) {
          const double* values = rows.values_of(row);
          const double value = position < 0 ? 0 : values[position];
          if constexpr (std::is_same_v<Number, std::int32_t>)
            numbers.push_back(code(axis, value, values));
          else
            numbers.push_back(static_cast<Number>(position < 0 ? source_->axis(axis, values).scalar.value : value));
        }
      },
      column.numbers);
}

void FoundColumns::add_metric(std::size_t metric, const CandidateRows& rows) {
  Column& column = columns_[codes_.size() + metric].column;
  std::vector<double>& numbers = std::get<std::vector<double>>(column.numbers);
  column.size += rows.count;
  for (std::size_t row = 0; row < rows.count; ++row) numbers.push_back(rows.costs_of(row)[metric]);
}

}  // namespace opledger::python
