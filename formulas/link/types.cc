#include "formulas/link/types.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

std::string known_fields(const Type& type) {
  std::vector<std::string> names;
  for (const auto& [n, _] : type.fields) names.push_back("`" + n + "`");
  return join(names, ", ");
}

std::string needed_fields(const Type& type) {
  std::vector<std::string> names;
  for (const auto& [n, field] : type.fields) {
    if (!field.optional) names.push_back("`" + n + "`");
  }
  return join(names, ", ");
}

/// A recursive reader of documents against types. A failed part returns nothing; records and mappings report all of
/// their errors first.
class ValueReader {
 public:
  ValueReader(const Program& program, Linker& linker, Diagnostics& diagnostics, FieldOverrides* overrides)
      : program_(program), linker_(linker), diagnostics_(diagnostics), overrides_(overrides) {}

  std::optional<Value> read(const Type& type, const Datum& datum, const std::string& path) {
    if (overrides_ == nullptr) return as_type(type, datum, path);
    overrides_->visited.insert(path);
    const Datum* const other = replacement_of(path);
    std::optional<Value> value = as_type(type, other != nullptr ? *other : datum, path);
    if (value && overrides_->open.count(path) != 0) value->input = &make_input(type, *value, datum.span(), path);
    return value;
  }

 private:
  const Datum* replacement_of(const std::string& path) const {
    const auto found = overrides_ != nullptr ? overrides_->replacements.find(path) : decltype(overrides_->replacements.end()){};
    return overrides_ == nullptr || found == overrides_->replacements.end() ? nullptr : found->second;
  }

  /// Reads the default of a missing field. Records inside it get the position of the outermost record that lacks a
  /// field.
  std::optional<Value> read_default(const Type& type, const Datum& incomplete, const std::string& path) {
    const Datum* const before = std::exchange(incomplete_, incomplete_ != nullptr ? incomplete_ : &incomplete);
    std::optional<Value> value = read(type, type.fallback, path);
    incomplete_ = before;
    return value;
  }

  /// Returns the input for an open field, creating it if necessary. A document of the same kind may have created it
  /// earlier.
  const Name& make_input(const Type& type, const Value& value, const Span& at, const std::string& path) {
    if (const Name* known = program_.find(path)) return *known;
    Name& n = linker_.name(path);
    n.input = true;
    n.type = type;
    overrides_->program.global->names.emplace(path, &n);
    overrides_->program.inputs.emplace_back(&n, at);
    linker_.define_constant(n, value, at);
    return n;
  }

  /// Reads a value by the kind of its type. `path` is the field's place in the document, such as `system.memory`.
  std::optional<Value> as_type(const Type& type, const Datum& datum, const std::string& path) {
    switch (type.kind) {
      case Type::Kind::record:
        return record(type, datum, path);
      case Type::Kind::list:
        return list(type, datum, path);
      case Type::Kind::tuple:
        return tuple(type, datum, path);
      case Type::Kind::per:
        return per(type, datum, path);
      case Type::Kind::steps:
        return steps(type, datum, path);
      case Type::Kind::points:
        return points(type, datum, path);
      case Type::Kind::words:
        return word(type, datum, path);
      case Type::Kind::text:
        return text(datum, path);
      case Type::Kind::boolean:
        return boolean(datum, path);
      default:
        return number(type, datum, path);
    }
  }

  std::optional<Value> fail(const Datum& datum, const std::string& path, std::string expected) {
    diagnostics_.error(datum.span(), fmt::format("`{}`: expected {}, found {}", path, expected, datum.describe()));
    return std::nullopt;
  }

  Value keep(Value::Kind kind, Record record, const Datum& datum) {
    record.span = incomplete_ != nullptr ? incomplete_->span() : datum.span();
    linker_.into().records.push_back(std::make_unique<Record>(std::move(record)));
    Value v;
    v.kind = kind;
    v.record = linker_.into().records.back().get();
    return v;
  }

  std::optional<Value> record(const Type& type, const Datum& datum, const std::string& path) {
    // Reads a mapping as a record whose fields have the order of the type. Unknown keys are errors, except the header
    // of a document (`kind`, `name`, `doc`, `source`) at its top level, where the path is a single name. A missing
    // field takes its override, else its default, and is an error without both. All fields are read before an error
    // returns nothing, so that every error is reported.
    if (!datum.is_map()) return fail(datum, path, "a mapping");
    Record out;
    bool good = true;
    for (const auto& [key, value] : datum.entries()) {
      bool known = false;
      for (const auto& [name, _] : type.fields) known = known || name == key.text();
      if (known || (path.find('.') == std::string::npos && path.find('[') == std::string::npos &&
                    (key.text() == "kind" || key.text() == "name" || key.text() == "doc" || key.text() == "source")))
        continue;
      diagnostics_.error(key.span(), fmt::format("`{}`: unknown key `{}`{}", path, key.text(), known_names(key.text(), "keys", names_of(type.fields))));
      good = false;
    }
    for (const auto& [name, field] : type.fields) {
      const Datum* provided = datum.find(name);
      if (provided == nullptr && !field.optional && replacement_of(path + "." + name) == nullptr) {
        diagnostics_.error(datum.span(), fmt::format("`{}`: missing key `{}` (it needs {})", path, name, needed_fields(type)));
        good = false;
        continue;
      }
      const std::optional<Value> value = provided != nullptr ? read(field, *provided, path + "." + name) : read_default(field, datum, path + "." + name);
      good = good && value.has_value();
      if (value) out.fields.emplace_back(name, *value);
    }
    if (!good) return std::nullopt;
    return keep(Value::Kind::record, std::move(out), datum);
  }

  /// Reads a list `[a, b]` for the fields of the type in their order. Fields with defaults may be missing at the end, or
  /// be `null`.
  std::optional<Value> tuple(const Type& type, const Datum& datum, const std::string& path) {
    if (!datum.is_list() || datum.items().size() > type.fields.size())
      return fail(datum, path, fmt::format("a list of {} values: {}", type.fields.size(), known_fields(type)));
    Record out;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const auto& [name, field] = type.fields[i];
      const bool provided = i < datum.items().size() && !datum.items()[i].is_null();
      if (!provided && !field.optional) return fail(datum, path, fmt::format("a list of {} values: {}", type.fields.size(), known_fields(type)));
      const std::optional<Value> value = provided ? read(field, datum.items()[i], path + "." + name) : read_default(field, datum, path + "." + name);
      if (!value) return std::nullopt;
      out.fields.emplace_back(name, *value);
    }
    return keep(Value::Kind::record, std::move(out), datum);
  }

  std::optional<Value> list(const Type& type, const Datum& datum, const std::string& path) {
    if (!datum.is_list()) return fail(datum, path, "a list");
    if (!in_bounds(type, static_cast<double>(datum.items().size()), datum, path)) return std::nullopt;
    Record out;
    for (const Datum& item : datum.items()) {
      const std::optional<Value> value = read(*type.of, item, fmt::format("{}[{}]", path, out.fields.size()));
      if (!value) return std::nullopt;
      out.fields.emplace_back("", *value);
    }
    return keep(Value::Kind::list, std::move(out), datum);
  }

  std::optional<Value> per(const Type& type, const Datum& datum, const std::string& path) {
    // Reads a mapping from words of a set to values of one type (`type.of`) as a record with a field for each word. All
    // invalid keys and values are reported. Missing words take the default of the value type; without a default they
    // have no field, and only their use is an error.
    if (!datum.is_map()) return fail(datum, path, "a mapping");
    const Set& set = program_.set(type.set);
    Record out;
    bool good = true;
    for (const auto& [key, item] : datum.entries()) {
      if (!contains(set.words, key.text())) {
        diagnostics_.error(key.span(), fmt::format("`{}`: `{}` is no word of `{}`{}", path, key.text(), set.name, known_names(key.text(), "words", set.words)));
        good = false;
        continue;
      }
      const std::optional<Value> value = read(*type.of, item, path + "." + key.text());
      good = good && value.has_value();
      if (value) out.fields.emplace_back(key.text(), *value);
    }
    if (good && type.of->optional) {  // adds defaults for missing words
      for (const std::string& word : set.words) {
        if (out.find(word) != nullptr) continue;
        const std::optional<Value> value = read_default(*type.of, datum, path + "." + word);
        if (!value) return std::nullopt;
        out.fields.emplace_back(word, *value);
      }
    }
    if (!good) return std::nullopt;
    return keep(Value::Kind::record, std::move(out), datum);
  }

  /// Reads a plain number as a curve with one step.
  std::optional<Value> constant(const Type& type, const Datum& datum, const std::string& path) {
    const std::optional<Value> y = quantity(datum, path, Unit{});
    if (!y || !in_bounds(type, y->scalar.value, datum, path)) return std::nullopt;
    Curve curve;
    curve.steps = {{0, y->scalar.value}};
    return keep_curve(type, std::move(curve));
  }

  Value keep_curve(const Type& type, Curve curve) {
    linker_.into().curves.push_back(std::make_unique<Curve>(std::move(curve)));
    Value v;
    v.kind = Value::Kind::curve;
    v.unit = type.unit.dimension;
    v.curve = linker_.into().curves.back().get();
    return v;
  }

  std::optional<Value> steps(const Type& type, const Datum& datum, const std::string& path) {
    // Reads a list of `[threshold, value]` as a step function, or a plain number as a constant function. Thresholds are
    // in the unit of the type; values are plain and within its bounds. Thresholds must fall, so that a lookup can stop
    // at the first threshold that is at most its argument.
    if (datum.is_scalar()) return constant(type, datum, path);
    if (!datum.is_list() || datum.items().empty()) return fail(datum, path, fmt::format("steps of {}: [[threshold, value], …]", type.unit_text));
    Curve curve;
    for (const Datum& step : datum.items()) {
      if (!step.is_list() || step.items().size() != 2) return fail(step, path, "[threshold, value]");
      const std::optional<Value> x = quantity(step.items()[0], path, type.unit), y = quantity(step.items()[1], path, Unit{});
      if (!x || !y) return std::nullopt;
      if (!curve.steps.empty() && !(x->scalar.value < curve.steps.back().first)) {
        diagnostics_.error(step.span(), fmt::format("`{}`: thresholds must fall", path));
        return std::nullopt;
      }
      if (!in_bounds(type, y->scalar.value, step, path)) return std::nullopt;
      curve.steps.emplace_back(x->scalar.value, y->scalar.value);
    }
    return keep_curve(type, std::move(curve));
  }

  std::optional<Value> points(const Type& type, const Datum& datum, const std::string& path) {
    // Reads scattered points of a function: each is a list of one to three positive coordinates and a value. The curve
    // stores them flat, one point after another. Coordinates are stored as logarithms to base 2, because Curve measures
    // distances in them. All numbers are plain; only the value is checked against the bounds of the type.
    if (!datum.is_list()) return fail(datum, path, fmt::format("points: lists of {} numbers and a value", type.coordinates));
    Curve curve;
    curve.coordinates = type.coordinates;
    for (const Datum& point : datum.items()) {
      if (!point.is_list() || point.items().size() != type.coordinates + 1) return fail(point, path, fmt::format("{} numbers and a value", type.coordinates));
      for (std::size_t i = 0; i <= type.coordinates; ++i) {
        const std::optional<Value> x = quantity(point.items()[i], path, Unit{});
        if (!x || (i == type.coordinates && !in_bounds(type, x->scalar.value, point, path))) return std::nullopt;
        if (i < type.coordinates && !(x->scalar.value > 0)) return fail(point.items()[i], path, "a number above 0");
        curve.points.push_back(i < type.coordinates ? std::log2(x->scalar.value) : x->scalar.value);
      }
    }
    return keep_curve(type, std::move(curve));
  }

  /// Checks a number, a value of a curve, or the length of a list against the bounds of its type that are literal numbers.
  bool in_bounds(const Type& type, double value, const Datum& datum, const std::string& path) {
    for (const auto& [bound, sign] : {std::pair{type.minimum, 1.0}, std::pair{type.maximum, -1.0}}) {
      if (!bound || bound->kind != Expr::Kind::number || (value - bound->number) * sign >= 0) continue;
      const char* property = type.kind == Type::Kind::list                                       ? "must have at"
                             : type.kind == Type::Kind::steps || type.kind == Type::Kind::points ? "must have values of at"
                                                                                                 : "must be at";
      diagnostics_.error(datum.span(), fmt::format("`{}` {} {} {}", path, property, sign > 0 ? "least" : "most", bound->text));
      return false;
    }
    return true;
  }

  std::optional<Value> word(const Type& type, const Datum& datum, const std::string& path) {
    const Set& set = program_.set(type.set);
    if (!datum.is_scalar()) return fail(datum, path, "one of " + join(set.words, ", "));
    if (set.index.count(datum.text()) == 0) {
      diagnostics_.error(datum.span(),
                         fmt::format("`{}`: `{}` is none of {}{}", path, datum.text(), join(set.words, ", "), suggestion(datum.text(), set.words)));
      return std::nullopt;
    }
    Value v;
    v.kind = Value::Kind::word;
    v.set = type.set;
    v.word = set.index.at(datum.text());
    v.text = linker_.intern(datum.text());
    return v;
  }

  std::optional<Value> text(const Datum& datum, const std::string& path) {
    if (!datum.is_scalar()) return fail(datum, path, "text");
    Value v;
    v.kind = Value::Kind::text;
    v.text = linker_.intern(datum.text());
    return v;
  }

  std::optional<Value> boolean(const Datum& datum, const std::string& path) {
    if (!datum.is_scalar() || (datum.text() != "true" && datum.text() != "false")) return fail(datum, path, "true or false");
    return truth_value(datum.text() == "true");
  }

  /// Describes an expected number by an example of its unit. Datasheets state networks in bits, which are no unit here.
  static std::string number_with_unit(const Datum& datum, const Dimension& dimension) {
    const auto [bytes, flops, time, _] = dimension.exponents;
    const double size = bytes <= 0 ? 1 : time == 0 ? 8.0 * (1 << 30) : 8e9;
    std::string out = fmt::format("a number with a unit, such as `{}`", human(flops > 0 ? 1e12 : time > 0 ? 1e-6 : size, dimension));
    if (bytes > 0 && datum.is_scalar() && datum.text().find_first_of('b') != std::string::npos) out += " (8 Gb, gigabits, are 1 GB)";
    return out;
  }

  std::optional<Value> quantity(const Datum& datum, const std::string& path, const Unit& unit) {
    // Reads a number in base units, such as `80 GiB` in bytes. A number without a unit is in `unit`, the unit of the
    // field's type. A number with a unit must have the same dimension. Whole numbers below 9e15 in a type without a
    // unit are exact integers, because doubles represent all of these. Infinities are errors.
    double value = 0;
    Dimension dimension;
    if (!datum.is_scalar() || !parse_quantity(datum.text(), value, dimension))
      return fail(datum, path, unit.dimension.plain() ? "a number" : number_with_unit(datum, unit.dimension));
    if (dimension.plain() && !unit.dimension.plain()) {
      value *= unit.factor;
    } else if (!(dimension == unit.dimension)) {
      diagnostics_.error(datum.span(), fmt::format("`{}`: expected a number in {}, found {}", path, to_string(unit.dimension), to_string(dimension)));
      return std::nullopt;
    }
    if (!std::isfinite(value)) return fail(datum, path, "a finite number");
    const bool whole = unit.dimension.plain() && value == std::floor(value) && std::fabs(value) < 9e15;
    return number_value(whole ? integer(value) : real(value), unit.dimension);
  }

  std::optional<Value> number(const Type& type, const Datum& datum, const std::string& path) {
    std::optional<Value> value = quantity(datum, path, type.unit);
    if (value && type.kind == Type::Kind::integer && !value->scalar.exact)
      return fail(datum, path, std::fabs(value->scalar.value) < 9e15 ? "a whole number" : "a whole number below 9e15");
    if (value && !in_bounds(type, value->scalar.value, datum, path)) return std::nullopt;
    return value;
  }

  const Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  FieldOverrides* overrides_;
  const Datum* incomplete_ = nullptr;  ///< Outermost record that lacks the field whose default is being read; null outside defaults.
};

}  // namespace

std::optional<Value> read_value(const Program& program, Linker& linker, const Type& type, const Datum& datum, const std::string& path, Diagnostics& diagnostics,
                                FieldOverrides* overrides) {
  return ValueReader(program, linker, diagnostics, overrides).read(type, datum, path);
}

bool scalar_type(const Type& type) {
  return type.kind == Type::Kind::number || type.kind == Type::Kind::integer || type.kind == Type::Kind::boolean || type.kind == Type::Kind::words ||
         type.kind == Type::Kind::text;
}

/// Returns the values that a type admits in words for messages: `must be a whole number`.
std::string describe(const Program& program, const Type& type) {
  switch (type.kind) {
    case Type::Kind::integer:
      return "a whole number";
    case Type::Kind::boolean:
      return "true or false";
    case Type::Kind::text:
      return "text";
    case Type::Kind::words:
      return "one of " + join(program.set(type.set).words, ", ");
    case Type::Kind::number:
      return type.unit.dimension.plain() ? "a number" : "a number in " + type.unit_text;
    default:
      return "a structured value";
  }
}

Value input_value(const Program& program, const Type& type, double number) {
  if (type.kind == Type::Kind::boolean) return truth_value(number != 0);
  if (type.kind == Type::Kind::integer) return number_value(integer(number), type.unit.dimension);
  if (type.kind != Type::Kind::words) return number_value(real(number), type.unit.dimension);
  Value v;
  const std::vector<std::string>& words = program.set(type.set).words;
  if (number < 0 || number >= static_cast<double>(words.size()) || number != std::floor(number)) return v;
  v.kind = Value::Kind::word;
  v.set = type.set;
  v.word = static_cast<WordId>(number);
  v.text = &words[v.word];
  v.scalar = integer(number);
  return v;
}

}  // namespace opledger
