#include "questions/fit/fit_prober.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.h"

namespace opledger {
namespace {

using State = FitPoint::State;

constexpr const char* kRoles[] = {"size", "capacity", "ranks"};

/// Classifies a candidate by its reasons, size and capacity.
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

void add_reason(const std::string& message, const std::string& reason, bool of_size, FitPoint& point) {
  point.reasons.push_back({message, reason == message ? without_numbers(message) : reason, of_size});
}

void add_errors(const Diagnostics& diagnostics, FitPoint& point) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) point.reasons.push_back({d.message, without_numbers(d.message), false});
  }
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

}  // namespace

const FitPoint& FitProber::at(const std::vector<double>& values) {
  const auto [known, fresh] = known_.try_emplace(values);
  if (!fresh) return known->second;
  if (request_.progress) request_.progress(tried(), keys_, values);
  return known->second = compiled_ ? compiled(values) : run(values);
}

RunRequest FitProber::with(const std::vector<double>& values) const {
  RunRequest request = request_.run;
  for (std::size_t i = 0; i < keys_.size(); ++i) request.overrides.emplace_back(keys_[i], exact(values[i]));
  return request;
}

const std::string& FitProber::role(const Run& run, const char* word) const { return run.program().find_role(kFitCommand, word)->name; }

/// Returns true if a constraint with this reason reads the size. The set of such reasons is computed at the first call.
bool FitProber::is_of_size(const Program& program, const std::string& kind) {
  if (!of_size_) {
    of_size_.emplace();
    const Role* size = program.find_role(kFitCommand, "size");
    const Name* name = size != nullptr ? program.find(size->name) : nullptr;
    if (name != nullptr) add_reasons_of(program.constraints, *name, *of_size_);
  }
  return std::any_of(of_size_->begin(), of_size_->end(), [&](const std::string& known) { return !known.empty() && kind.starts_with(known); });
}

std::optional<double> FitProber::number(double value, const std::string& name) {
  Diagnostics ignored;
  const std::unique_ptr<Run> run = Run::prepare(with({value}), library_, ignored);
  const std::optional<Value> v = run ? run->value(name, ignored) : std::nullopt;
  return v && v->is_number() ? std::optional(std::floor(v->scalar.value * (1 + 1e-9))) : std::nullopt;
}

FitPoint FitProber::run(const std::vector<double>& values) {
  FitPoint out;
  out.values = values;
  Diagnostics diagnostics;
  const std::unique_ptr<Run> run = Run::prepare(with(values), library_, diagnostics);
  if (run) {
    for (const Violation& v : run->violations(diagnostics)) add_reason(v.message, v.reason, is_of_size(run->program(), v.reason), out);
    read(*run, out, diagnostics);
  }
  add_errors(diagnostics, out);
  classify(out);
  return out;
}

/// Reads size, capacity and number of ranks of a run; values that cannot be computed stay empty, with errors.
void FitProber::read(Run& run, FitPoint& out, Diagnostics& diagnostics) const {
  Value* const values[] = {&out.size, &out.capacity, &out.ranks};
  for (std::size_t i = 0; i < std::size(kRoles); ++i) {
    if (const std::optional<Value> v = run.value(role(run, kRoles[i]), diagnostics)) *values[i] = *v;
  }
}

/// Evaluates a candidate by a compiled program, which gives size, capacity, ranks and the first violated constraint.
/// The first candidate whose run can be prepared becomes the base of all programs; earlier ones are impossible, with
/// the errors as reasons. `programs_` compiles a new program when no earlier one covers the candidate. A run with a
/// solved input is evaluated as a whole, now and later, because each candidate solves its own value. A compiled
/// evaluation costs about a hundredth of a run.
FitPoint FitProber::compiled(const std::vector<double>& values) {
  FitPoint out;
  out.values = values;
  Diagnostics diagnostics;
  if (!programs_) {
    base_ = Run::prepare(with(values), library_, diagnostics);
    if (!base_) {
      add_errors(diagnostics, out);  // The next candidate may serve as a base.
      return out;
    }
    if (base_->solved()) {
      compiled_ = false;
      return run(values);
    }
    Query query{keys_, {}, true};
    for (const char* word : kRoles) query.outputs.push_back(role(*base_, word));
    programs_.emplace(*base_, std::move(query));
  }
  const CompiledProgram* structure = programs_->find(values, diagnostics);
  if (structure != nullptr) {
    const CompiledProgram::Result answer = structure->evaluate(values);
    out.size = answer.outputs[0];
    out.capacity = answer.outputs[1];
    out.ranks = answer.outputs[2];
    if (!answer.violation.empty()) add_reason(answer.violation, answer.reason, is_of_size(base_->program(), answer.reason), out);
  }
  add_errors(diagnostics, out);
  classify(out);
  return out;
}

}  // namespace opledger
