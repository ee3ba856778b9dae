#include "run/section_formulas.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "base/text.h"

namespace opledger {

const Datum* find_section(const LinkedRun& run, const char* name) {
  const auto& documents = run.documents();
  for (auto d = documents.rbegin(); d != documents.rend(); ++d) {
    const Datum* section = (*d)->kind == "accounting" ? (*d)->root.find(name) : nullptr;
    if (section != nullptr) return section;
  }
  return nullptr;
}

const Datum* SectionFormulas::find(Path path) const {
  const Datum* datum = &section_;
  for (const std::string_view key : path) {
    if (datum != nullptr) datum = datum->find(key);
  }
  return datum;
}

/// Writes a path from the innermost key outwards: `forward` of `work`.
std::string SectionFormulas::written(Path path) const {
  std::string out;
  for (const std::string_view key : path) out = fmt::format("`{}`{}{}", key, out.empty() ? "" : " of ", out);
  return out;
}

const Formula* SectionFormulas::formula(const Datum& datum) {
  const auto [known, fresh] = linked_.try_emplace(&datum, nullptr);
  if (!fresh) return known->second;
  const ExprPtr expression = parse_formula(datum, name_, diagnostics_);
  return known->second = expression == nullptr ? nullptr : linker_.link(expression, *evaluator_.program().global);
}

void SectionFormulas::fail(const Datum& formula, const std::string& subject, const char* must_be, const std::string& is) {
  diagnostics_.error(formula.span(), fmt::format("{} of `{}` must be {}, not {}", subject, name_, must_be, is));
}

std::optional<Value> SectionFormulas::value(const Datum& inside, const Point& at) {
  const Formula* linked = formula(inside);
  if (linked == nullptr) return std::nullopt;
  const Answer answer = evaluator_.ask(*linked, at);
  absent_ = absent_ || answer.absent;
  return answer.report(diagnostics_) ? std::optional(answer.value) : std::nullopt;
}

std::optional<Value> SectionFormulas::value(Path path, const Point& at) {
  if (const Datum* datum = find(path)) return value(*datum, at);
  diagnostics_.error(section_.span(), fmt::format("`{}` does not say {}", name_, written(path)));
  return std::nullopt;
}

std::optional<double> SectionFormulas::number(Path path, const Point& at) {
  const std::optional<Value> v = value(path, at);
  if (v && v->is_number()) return fixed(v->scalar);
  if (v) fail(*find(path), written(path), "a number", describe(*v));
  return std::nullopt;
}

std::optional<double> SectionFormulas::amount(Path path, const Dimension& unit, double most, const Point& at) {
  const std::optional<Value> v = value(path, at);
  if (!v) return std::nullopt;
  const bool fits = v->is_number() && (v->any_unit || v->unit == unit);
  const double n = fits ? fixed(v->scalar) : 0;
  if (fits && n >= 0 && n <= most) return n;
  const std::string bound = most < std::numeric_limits<double>::max() ? fmt::format("from 0 to {:g}", most) : "of at least 0";
  fail(*find(path), written(path), (unit.plain() ? "a number " + bound : fmt::format("a number {} in {}", bound, to_string(unit))).c_str(),
       v->is_number() ? human(*v) : describe(*v));
  return std::nullopt;
}

std::optional<double> SectionFormulas::seconds(Path path, const Point& at) {
  return amount(path, parse_unit("s")->dimension, std::numeric_limits<double>::max(), at);
}

std::optional<bool> SectionFormulas::truth(Path path, const Point& at) {
  if (const Datum* datum = find(path)) return truth(*datum, at);
  value(path, at);
  return std::nullopt;
}

std::optional<bool> SectionFormulas::truth(const Datum& inside, const Point& at) {
  const std::optional<Value> v = value(inside, at);
  if (v && v->kind == Value::Kind::truth) return fixed(v->scalar) != 0;
  if (v) fail(inside, "a condition", "true or false", describe(*v));
  return std::nullopt;
}

std::optional<std::string> SectionFormulas::text(Path path, const Point& at) {
  const std::optional<Value> v = value(path, at);
  if (v && v->text != nullptr) return *v->text;
  if (v) fail(*find(path), written(path), "text", describe(*v));
  return std::nullopt;
}

std::optional<long long> SectionFormulas::whole(Path path, const Point& at) {
  const std::optional<double> n = number(path, at);
  if (!n) return std::nullopt;
  if (*n >= 1 && *n < 1e9 && *n == std::floor(*n)) return static_cast<long long>(*n);
  fail(*find(path), written(path), "a whole number from 1 on", exact(*n));
  return std::nullopt;
}

}  // namespace opledger
