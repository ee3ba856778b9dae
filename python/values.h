#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/report.h"

/// Values and columns of them for Python. Columns are handed over by Python's protocol for buffers, so that whoever has no NumPy needs none.
namespace opledger::python {

/// What is no UTF-8 is replaced.
pybind11::str text(std::string_view bytes);

/// None, a number in base units (an int where it was computed without rounding), a truth, a text, a list, a dict.
pybind11::object to_python(const Value& value);

/// A column of one kind of numbers. Truths are 0 and 1; words are positions in `words`, -1 for none.
struct Column {
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>, std::vector<std::uint8_t>> numbers;
  std::vector<std::string> words = {};
  std::size_t size = 0;  ///< Rows. If `numbers` has but one, all are this one.
};

/// A Column, or a list where a column is made of texts or of several kinds.
pybind11::object column_of(const std::vector<const Value*>& values);

/// A tuple (title, unit, values) for each column of the table; `unit` is empty where there is none.
pybind11::list columns_of(const ReportTable& table);

void bind_values(pybind11::module_& module);

}  // namespace opledger::python
