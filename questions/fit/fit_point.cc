#include "questions/fit/fit_point.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace opledger {
namespace {

using State = FitPoint::State;

/// Replaces each number of a message by `#`. Errors of different candidates may differ only in their numbers.
std::string without_numbers(const std::string& message) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])) != 0; };
    if (!is_digit(i) || (i > 0 && std::isalnum(static_cast<unsigned char>(message[i - 1])) != 0)) {
      out += message[i];
      continue;
    }
    while (is_digit(i + 1) || ((message[i + 1] == ',' || message[i + 1] == '.') && is_digit(i + 2))) ++i;
    out += '#';
  }
  return out;
}

/// Returns whether a formula mentions the name directly.
bool names(const Formula& formula, const Name& name) {
  if (formula.kind == Formula::Kind::name && formula.name == &name) return true;
  return std::any_of(formula.args.begin(), formula.args.end(), [&](const Formula* part) { return part != nullptr && names(*part, name); });
}

void add_reasons_of(const std::vector<Constraint>& constraints, const Name& size, std::set<std::string>& out) {
  for (const Constraint& c : constraints) {
    // A constraint without a reason is identified by its message up to the first value.
    if (c.require != nullptr && names(*c.require, size)) out.insert(!c.reason.empty() || c.message.empty() ? c.reason : c.message[0].text);
    add_reasons_of(c.all, size, out);
  }
}

/// Reads size, capacity and number of ranks of a run; values that can't be computed stay empty, with errors.
void read_roles(Run& run, FitPoint& out, Diagnostics& diagnostics) {
  Value* const values[] = {&out.size, &out.capacity, &out.ranks};
  for (std::size_t i = 0; i < std::size(kFitRoles); ++i) {
    const Role* const role = run.program().find_role(kFitCommand, kFitRoles[i]);
    const std::optional<Value> v = role != nullptr ? run.value(role->name, diagnostics) : std::nullopt;
    if (v) *values[i] = *v;
  }
}

}  // namespace

bool declares(const Run& run, const std::vector<std::string>& words, Diagnostics& diagnostics) {
  bool all = true;
  for (const std::string& word : words) {
    if (run.program().find_role(kFitCommand, word) != nullptr) continue;
    diagnostics.error({}, fmt::format("the accounting `{}` does not declare `{}` of `{}` under `commands`", run.accounting(), word, kFitCommand));
    all = false;
  }
  return all;
}

SizeReasons::SizeReasons(const Program& program) {
  const Role* size = program.find_role(kFitCommand, "size");
  const Name* name = size != nullptr ? program.find(size->name) : nullptr;
  if (name != nullptr) add_reasons_of(program.constraints, *name, reasons_);
}

bool SizeReasons::has(const std::string& kind) const {
  return std::any_of(reasons_.begin(), reasons_.end(), [&](const std::string& known) { return !known.empty() && kind.starts_with(known); });
}

void add_reason(const std::string& message, const std::string& reason, bool of_size, FitPoint& point) {
  point.reasons.push_back({message, reason == message ? without_numbers(message) : reason, of_size});
}

void add_errors(const Diagnostics& diagnostics, FitPoint& point) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) point.reasons.push_back({d.message, without_numbers(d.message), false});
  }
}

void classify(FitPoint& point) {
  const bool known = point.size.is_number() && point.capacity.is_number();
  point.over = std::any_of(point.reasons.begin(), point.reasons.end(), [](const FitReason& r) { return r.of_size; }) ||
               (known && point.size.scalar.value > point.capacity.scalar.value);
  const bool only = std::all_of(point.reasons.begin(), point.reasons.end(), [](const FitReason& r) { return r.of_size; });
  if (point.over && only)
    point.state = State::too_large;
  else if (known && point.reasons.empty())
    point.state = State::fits;
}

FitPoint evaluate_point(Run* run, Diagnostics& diagnostics) {
  FitPoint out;
  if (run != nullptr) {
    const SizeReasons of_size(run->program());
    for (const Violation& v : run->violations(diagnostics)) add_reason(v.message, v.reason, of_size.has(v.reason), out);
    read_roles(*run, out, diagnostics);
  }
  add_errors(diagnostics, out);
  classify(out);
  return out;
}

}  // namespace opledger
