#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/report.h"

/// Values and columns for Python. Columns use Python's buffer protocol, so NumPy is not required.
namespace opledger::python {

/// Returns text for Python; invalid UTF-8 is replaced.
pybind11::str text(std::string_view bytes);

/// Returns None, a number in base units (an int if exact), a bool, a str, a list, or a dict.
pybind11::object to_python(const Value& value);

/// A column of numbers of one kind. Booleans are 0 and 1. Words are indices of `words`; -1 is a missing word.
struct Column {
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::int32_t>, std::vector<std::uint8_t>> numbers;
  std::vector<std::string> words = {};
  std::size_t size = 0;  ///< Number of rows. A single entry in `numbers` is the value of every row.
};

/// Returns a Column, or a list for texts and mixed kinds.
pybind11::object column_of(const std::vector<const Value*>& values);

/// Returns a tuple (title, unit, values) for each column; the unit may be empty.
pybind11::list columns_of(const ReportTable& table);

/// Binds Column to the module.
void bind_values(pybind11::module_& module);

}  // namespace opledger::python
