#include "python/values.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "report/cells.h"

namespace opledger::python {
namespace {

namespace py = pybind11;
using Kind = Value::Kind;

constexpr double kExactIntegers = 9007199254740992.0;  // The number 2^53, below which a double represents every integer.

bool is_integer(const Value& v) {
  return v.is_number() && v.scalar.exact && v.scalar.value == std::floor(v.scalar.value) && std::fabs(v.scalar.value) < kExactIntegers;
}

bool is_empty(const Value& v) { return v.kind == Kind::nothing; }

/// Returns true if the list is not empty and every value has the property.
template <class Holds>
bool all(const std::vector<const Value*>& values, const Holds& holds) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [&](const Value* v) { return holds(*v); });
}

Column words_of(const std::vector<const Value*>& values) {
  std::vector<std::int32_t> codes;
  std::map<std::string, std::int32_t> known;
  Column out;
  for (const Value* v : values) {
    if (is_empty(*v) || v->text == nullptr) {
      codes.push_back(-1);
      continue;
    }
    const auto [place, is_new] = known.emplace(*v->text, static_cast<std::int32_t>(known.size()));
    if (is_new) out.words.push_back(*v->text);
    codes.push_back(place->second);
  }
  out.size = codes.size();
  out.numbers = std::move(codes);
  return out;
}

template <class Number, class Of>
Column numbers_of(const std::vector<const Value*>& values, const Of& of) {
  std::vector<Number> numbers;
  numbers.reserve(values.size());
  for (const Value* v : values) numbers.push_back(of(*v));
  Column out;
  out.size = numbers.size();
  out.numbers = std::move(numbers);
  return out;
}

template <class Number>
py::buffer_info buffer_of(std::vector<Number>& numbers, const std::string& format) {
  return {numbers.data(), sizeof(Number), format, 1, {numbers.size()}, {sizeof(Number)}, false};
}

py::buffer_info buffer(Column& column) {
  return std::visit(
      [](auto& numbers) {
        using Number = typename std::decay_t<decltype(numbers)>::value_type;
        using Element = std::conditional_t<std::is_same_v<Number, std::uint8_t>, bool, Number>;
        return buffer_of(numbers, py::format_descriptor<Element>::format());
      },
      column.numbers);
}

py::tuple packed(const Column& column) {
  return std::visit(
      [&](const auto& numbers) {
        const auto* bytes = reinterpret_cast<const char*>(numbers.data());
        return py::make_tuple(column.numbers.index(), py::bytes(bytes, numbers.size() * sizeof numbers[0]), column.words, column.size);
      },
      column.numbers);
}

template <class Number>
std::vector<Number> read(const std::string& bytes) {
  std::vector<Number> out(bytes.size() / sizeof(Number));
  std::copy_n(bytes.data(), out.size() * sizeof(Number), reinterpret_cast<char*>(out.data()));
  return out;
}

Column unpacked(const py::tuple& state) {
  const auto bytes = state[1].cast<std::string>();
  Column out;
  switch (state[0].cast<int>()) {
    case 0:
      out.numbers = read<double>(bytes);
      break;
    case 1:
      out.numbers = read<std::int64_t>(bytes);
      break;
    case 2:
      out.numbers = read<std::int32_t>(bytes);
      break;
    default:
      out.numbers = read<std::uint8_t>(bytes);
  }
  out.words = state[2].cast<std::vector<std::string>>();
  out.size = state[3].cast<std::size_t>();
  return out;
}

py::object words(const Column& column) {
  if (!std::holds_alternative<std::vector<std::int32_t>>(column.numbers)) return py::none();
  py::list out;
  for (const std::string& word : column.words) out.append(text(word));
  return out;
}

}  // namespace

py::str text(std::string_view bytes) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::object to_python(const Value& value) {
  switch (value.kind) {
    case Kind::number:
      return is_integer(value) ? py::object(py::int_(static_cast<std::int64_t>(value.scalar.value))) : py::object(py::float_(value.scalar.value));
    case Kind::truth:
      return py::bool_(value.scalar.value != 0);
    case Kind::word:
    case Kind::text:
      return value.text != nullptr ? py::object(text(*value.text)) : py::none();
    case Kind::record: {
      py::dict fields;
      if (value.record == nullptr) return fields;
      for (const auto& [name, field] : value.record->fields) fields[text(name)] = to_python(field);
      return fields;
    }
    case Kind::list: {
      py::list items;
      if (value.record == nullptr) return items;
      for (const auto& [_, item] : value.record->fields) items.append(to_python(item));
      return items;
    }
    case Kind::nothing:
    case Kind::curve:
      break;
  }
  return py::none();
}

py::object column_of(const std::vector<const Value*>& values) {
  const auto kind_or_none = [](Kind kind) { return [kind](const Value& v) { return v.kind == kind || is_empty(v); }; };
  if (all(values, is_integer)) return py::cast(numbers_of<std::int64_t>(values, [](const Value& v) { return static_cast<std::int64_t>(v.scalar.value); }));
  if (all(values, [](const Value& v) { return v.kind == Kind::truth; }))
    return py::cast(numbers_of<std::uint8_t>(values, [](const Value& v) { return static_cast<std::uint8_t>(v.scalar.value != 0); }));
  if (!all(values, is_empty)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (all(values, kind_or_none(Kind::number)))
      return py::cast(numbers_of<double>(values, [](const Value& v) { return is_empty(v) ? kNone : v.scalar.value; }));
    if (all(values, kind_or_none(Kind::word))) return py::cast(words_of(values));
  }
  py::list out;
  for (const Value* v : values) out.append(to_python(*v));
  return out;
}

py::list columns_of(const ReportTable& table) {
  py::list out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<const Value*> values;
    for (const std::vector<Value>& row : table.rows) values.push_back(&row[c]);
    out.append(py::make_tuple(text(table.columns[c]), text(column_unit(table, c)), column_of(values)));
  }
  return out;
}

void bind_values(py::module_& module) {
  py::class_<Column>(module, "Column", py::buffer_protocol())
      .def_buffer(buffer)
      .def_property_readonly("words", words)
      .def("__len__", [](const Column& column) { return column.size; })
      .def(py::pickle([](const Column& column) { return packed(column); }, [](const py::tuple& state) { return unpacked(state); }));
}

}  // namespace opledger::python
