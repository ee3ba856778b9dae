#include "measured/open_constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/linker.h"
#include "formulas/link/types.h"
#include "run/document_fields.h"
#include "schemas/field_path.h"

namespace opledger {

namespace {

constexpr double kInside = 1e-3;  ///< Distance from a bound at the start of fitting, as a share of the range or value.
constexpr const char* kSystem = "system";

/// A number of a document with its type and the record around it.
struct NumberField {
  std::string path;
  const Type* type;
  double value;
  const Record* record;
};

/// Collects the numbers of a record along its type, with their paths.
void collect(const Type& type, const Value& value, const std::string& path, const Record* record, std::vector<NumberField>& out) {
  if (value.is_number() && type.kind == Type::Kind::number) out.push_back({path, &type, value.scalar.value, record});
  if (value.record == nullptr) return;
  for (std::size_t i = 0; i < value.record->fields.size(); ++i) {
    const auto& [name, field] = value.record->fields[i];
    if (type.kind == Type::Kind::list) collect(*type.of, field, fmt::format("{}[{}]", path, i), value.record, out);
    if (type.kind == Type::Kind::per) collect(*type.of, field, path + "." + name, value.record, out);
    if (type.kind == Type::Kind::record) collect(type.fields[i].second, field, path + "." + name, value.record, out);
  }
}

std::optional<double> bound(const ExprPtr& expr) { return expr && expr->kind == Expr::Kind::number ? std::optional(expr->number) : std::nullopt; }

/// Selects the constants of one table.
class ConstantSelector {
 public:
  ConstantSelector(MeasuredTable& table, const std::vector<std::string>& patterns, Diagnostics& diagnostics)
      : table_(table), run_(table.run()), patterns_(patterns), diagnostics_(diagnostics), stated_(system_fields(*run_.system_document(), run_.documents())) {
    const Name* system = run_.program().find(kSystem);
    Value whole;
    whole.record = system != nullptr ? system->constant : nullptr;
    if (whole.record != nullptr) collect(system->type, whole, kSystem, nullptr, fields_);
  }

  /// Returns the constants that the table opens: numbers of the system that match a pattern of the user or, without
  /// patterns, the document's `fits`. Adds matched patterns to `matched`. A number without a value to start from is
  /// skipped, because a pattern such as `system.*` means the numbers that the system has. Only a user's full path to
  /// such a number is an error.
  std::vector<OpenConstant> choose(std::set<std::string>& matched) {
    std::vector<OpenConstant> out;
    for (const NumberField& field : fields_) {
      const Datum* fitted = fit_of(field.path);
      if (patterns_.empty() ? fitted == nullptr : !is_named(field.path, matched)) continue;
      const Datum* stated_value = at_path(stated_, field.path);
      const std::optional<double> start = start_of(field, fitted, stated_value != nullptr);
      if (patterns_.empty() && !start) continue;
      if (start)
        out.push_back(constant(field, stated_value, *start));
      else if (contains(patterns_, field.path))  // A full path.
        diagnostics_.error({}, fmt::format("`--open {}`: it has no value that fitting could start from; give the system one", field.path));
    }
    return out;
  }

  std::vector<std::string> known() const {
    std::vector<std::string> out;
    for (const NumberField& field : fields_) out.push_back(field.path);
    return out;
  }

 private:
  const Datum& root() const { return table_.root(); }

  /// Returns the start value under the first pattern of `fits` that matches the path; null if no pattern matches.
  const Datum* fit_of(const std::string& path) const {
    const Datum* fits = root().find("fits");
    if (fits == nullptr) return nullptr;
    for (const auto& [pattern, start] : fits->entries()) {
      if (glob_match(pattern.text(), path)) return &start;
    }
    return nullptr;
  }

  /// Returns whether any pattern of the user matches the path; adds all matching patterns to `matched`.
  bool is_named(const std::string& path, std::set<std::string>& matched) const {
    bool named = false;
    for (const std::string& pattern : patterns_) {
      if (!glob_match(pattern, path)) continue;
      named = true;
      matched.insert(pattern);
    }
    return named;
  }

  /// Returns the start value: the stated value if inside the bounds, else the value that the document of measurements
  /// suggests.
  std::optional<double> start_of(const NumberField& field, const Datum* fitted, bool stated) {
    const std::optional<double> least = bound(field.type->minimum), most = bound(field.type->maximum);
    if (stated && (!least || field.value > *least) && (!most || field.value < *most)) return field.value;
    if (fitted == nullptr || fitted->is_null()) return std::nullopt;
    Formulas formulas;
    Linker linker(run_.program(), formulas, diagnostics_);
    const std::optional<Value> v = read_value(run_.program(), linker, *field.type, *fitted, field.path, diagnostics_);
    return v ? std::optional(v->scalar.value) : std::nullopt;
  }

  /// Returns a constant with its bounds and the fields to write next to it. Such fields count only if the record
  /// around the number has them. `stated_value` is the number's place in the document; null if the number is a
  /// default.
  OpenConstant constant(const NumberField& field, const Datum* stated_value, double start) const {
    OpenConstant out{
        {field.path}, {}, field.type->unit, field.type->unit_text, field.value, start, Range(bound(field.type->minimum), bound(field.type->maximum), start),
        {},           ""};
    if (stated_value != nullptr) out.stated = stated_value->span();
    const Datum* fields = root().find("also_set");
    for (const auto& [key, text] : fields != nullptr ? fields->entries() : std::vector<Datum::Entry>{}) {
      if (field.record->find(key.text()) != nullptr) out.companions.emplace_back(key.text(), text.text());
    }
    const Datum* error = root().find("error");
    if (error != nullptr && field.record->find(error->text()) != nullptr) out.error_field = error->text();
    return out;
  }

  MeasuredTable& table_;
  const LinkedRun& run_;
  const std::vector<std::string>& patterns_;
  Diagnostics& diagnostics_;
  const Datum stated_;
  std::vector<NumberField> fields_;
};

/// Returns the identity of a constant: its position in the document, else its path.
std::string key_of(const OpenConstant& constant) {
  return constant.stated && constant.stated->file != nullptr ? fmt::format("{}:{}", constant.stated->line, constant.stated->column) : constant.name();
}

}  // namespace

Range::Range(std::optional<double> least, std::optional<double> most, double start)
    : least_(least), most_(most), size_(least && most ? *most - *least : std::max(std::fabs(start), 1e-300)) {}

/// A value at a bound would be infinite on the scale, so it is moved inside by a small share of the range.
double Range::scaled(double value) const {
  const double margin = kInside * size_;
  if (least_ && most_) {
    const double inside = std::clamp(value - *least_, std::min(margin, kInside * kInside), size_ - margin);
    return std::log(inside / (size_ - inside));
  }
  if (least_) return std::log(std::max(value - *least_, margin));
  if (most_) return -std::log(std::max(*most_ - value, margin));
  return value / size_;
}

double Range::value(double scaled) const {
  if (least_ && most_) return *least_ + size_ / (1 + std::exp(-scaled));
  if (least_) return *least_ + std::exp(scaled);
  if (most_) return *most_ - std::exp(-scaled);
  return scaled * size_;
}

double Range::slope(double scaled) const {
  const double part = 1 / (1 + std::exp(-scaled));
  if (least_ && most_) return size_ * part * (1 - part);
  if (least_) return std::exp(scaled);
  return most_ ? std::exp(-scaled) : size_;
}

/// Collects the constants that each table opens, and opens them there. Several tables may open the same constant, and
/// several paths may be aliases of one stated value. `known` therefore maps the identity of a constant, its position
/// in the document, to its index in `out`. A pattern that matches nothing in any table is an error.
bool open_constants(const std::vector<std::unique_ptr<MeasuredTable>>& tables, const std::vector<std::string>& patterns, std::vector<OpenConstant>& out,
                    Library& library, Diagnostics& diagnostics) {
  std::map<std::string, std::size_t> known;
  std::set<std::string> matched;
  std::vector<std::string> paths;
  for (const auto& table : tables) {
    std::vector<std::pair<std::string, std::size_t>> opened;
    ConstantSelector selector(*table, patterns, diagnostics);
    for (OpenConstant& constant : selector.choose(matched)) {
      const auto [at, fresh] = known.emplace(key_of(constant), out.size());
      opened.emplace_back(constant.name(), at->second);
      if (fresh)
        out.push_back(std::move(constant));
      else if (!contains(out[at->second].paths, constant.name()))
        out[at->second].paths.push_back(constant.name());
    }
    paths = selector.known();
    if (diagnostics.has_errors() || !table->open(std::move(opened), library, diagnostics)) return false;
  }
  for (const std::string& pattern : patterns) {
    if (matched.count(pattern) == 0) diagnostics.error({}, fmt::format("`--open {}`: the system has no such number{}", pattern, suggestion(pattern, paths)));
  }
  return !diagnostics.has_errors();
}

namespace {

/// Parses a number in the unit of an input; empty for other values.
std::optional<double> number_in(const Datum& datum, const Unit& unit) {
  double number = 0;
  Dimension dimension;
  if (!datum.is_scalar() || !parse_quantity(datum.text(), number, dimension) || (!dimension.plain() && dimension != unit.dimension)) return std::nullopt;
  return dimension.plain() ? number * unit.factor : number;
}

/// Finds an input in any of the runs, which may have different accountings.
const Name* find_input(const std::vector<const LinkedRun*>& runs, const std::string& name) {
  for (const LinkedRun* run : runs) {
    if (const Name* found = run->program().find_input(name)) return found;
  }
  return nullptr;
}

}  // namespace

/// Returns the numbers of a stack to fit. A key counts if it states a plain number and is an input of some run, and if
/// a pattern or, without patterns, a document's `fits` names it. Fitting starts at the stated number. If the number is
/// at or beyond a bound, fitting starts at the value under `fits`, if there is one. A pattern that matches nothing is
/// an error.
std::vector<OpenConstant> open_inputs(const Document& stack, const std::vector<const LinkedRun*>& runs, const std::vector<const Document*>& documents,
                                      const std::vector<std::string>& patterns, Diagnostics& diagnostics) {
  std::vector<OpenConstant> out;
  std::vector<std::string> known;
  std::set<std::string> matched;
  for (const auto& [key, value] : stack.root.entries()) {
    const Name* input = find_input(runs, key.text());
    const std::optional<double> stated = input != nullptr && input->type.kind == Type::Kind::number ? number_in(value, input->type.unit) : std::nullopt;
    if (!stated) continue;
    known.push_back(key.text());
    const Datum* named = nullptr;
    for (const Document* d : documents) {
      const Datum* fits = d->root.find("fits");
      if (fits != nullptr && fits->find(key.text()) != nullptr) named = fits->find(key.text());
    }
    const auto pattern = std::find_if(patterns.begin(), patterns.end(), [&](const std::string& p) { return glob_match(p, key.text()); });
    if (patterns.empty() ? named == nullptr : pattern == patterns.end()) continue;
    if (pattern != patterns.end()) matched.insert(*pattern);
    const Type& type = input->type;
    const std::optional<double> least = bound(type.minimum), most = bound(type.maximum);
    const bool inside = (!least || *stated > *least) && (!most || *stated < *most);
    const double start = inside || named == nullptr ? *stated : number_in(*named, type.unit).value_or(*stated);
    out.push_back({{key.text()}, value.span(), type.unit, type.unit_text, *stated, start, Range(least, most, start), {}, ""});
  }
  for (const std::string& pattern : patterns) {
    if (matched.count(pattern) == 0) diagnostics.error({}, fmt::format("`--open {}`: the stack states no such number{}", pattern, suggestion(pattern, known)));
  }
  return out;
}

}  // namespace opledger
