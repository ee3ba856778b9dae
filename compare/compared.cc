#include "compare/compared.h"

#include <algorithm>
#include <cmath>

#include "compare/translated_run.h"

namespace opledger {
namespace {

constexpr double kSame = 1e-12;  // Relative difference up to which numbers are equal.

}  // namespace

bool comparable(const Value& a, const Value& b) { return a.is_number() && b.is_number() && (a.unit == b.unit || a.any_unit || b.any_unit); }

/// Words and texts are compared as texts; numbers and truths up to a relative difference of 1e-12. Values of other
/// kinds differ. If only one run has a value, the runs differ unless the value is the number 0.
bool ComparedQuantity::differs() const {
  const Value &first = value(0), &second = value(1);
  if (first.kind == Value::Kind::word && second.kind == Value::Kind::word) return *first.text != *second.text;
  if (first.kind == Value::Kind::text && second.kind == Value::Kind::text) return *first.text != *second.text;
  const auto number = [](const Value& v) { return v.is_number() || v.kind == Value::Kind::truth; };
  if (number(first) && number(second)) {
    const double a = first.scalar.value, b = second.scalar.value;
    return std::fabs(b - a) > kSame * std::max(std::fabs(a), std::fabs(b));
  }
  if (first.kind != Value::Kind::nothing && second.kind != Value::Kind::nothing) return true;
  const Value& only = first.kind == Value::Kind::nothing ? second : first;
  return !only.is_number() || only.scalar.value != 0;
}

std::optional<double> ComparedQuantity::change(std::size_t run) const {
  const double own = value(0).scalar.value;
  if (!comparable(value(0), value(run)) || own == 0) return std::nullopt;
  return (value(run).scalar.value - own) / std::fabs(own);
}

bool ComparedQuantity::notable(std::size_t run) const {
  if (const std::optional<double> share = change(run)) return std::fabs(*share) > kNotable;
  return comparable(value(0), value(run)) && value(run).scalar.value != 0;
}

ComparedValue compared_value(Run& run, const Name& name, const Point& point) {
  const Evaluator::Chosen chosen = run.evaluator().chosen(name, point);
  return {run.evaluator().ask(name, point).value, "", chosen.def != nullptr ? chosen.def->span : Span{}};
}

void add_difference(std::vector<ComparedQuantity>& out, ComparedQuantity one) {
  if (one.value(0).kind == Value::Kind::nothing && one.value(1).kind == Value::Kind::nothing) return;
  if (one.differs()) out.push_back(std::move(one));
}

/// An accounting may define the metrics of another one in its own terms (`compares`). Such a definition decides
/// alone: a metric that it leaves out has no counterpart, even if a metric of the same name exists.
ComparedValue counterpart(Run& run, const Run& other, const std::string& metric) {
  if (const Comparison* declared = comparison_with(run, other)) {
    const auto found = std::find_if(declared->metrics.begin(), declared->metrics.end(), [&](const Counterpart& c) { return c.other == metric; });
    if (found == declared->metrics.end()) return {};
    ComparedValue out = compared_value(run, *found->own, nowhere());
    out.why = found->own->defs.front()->doc;
    return out;
  }
  const Published* published = run.program().find_published(metric);
  return published == nullptr ? ComparedValue{} : compared_value(run, *published->metric, run.evaluator().choose(nowhere(), published->at));
}

}  // namespace opledger
