#include "questions/fit_prober.h"

#include "base/text.h"

namespace opledger {
namespace {

using State = FitPoint::State;

constexpr const char* kRoles[] = {"size", "capacity", "ranks"};

void settle(FitPoint& point) {
  const bool known = point.size.is_number() && point.capacity.is_number();
  if (known && point.size.scalar.value > point.capacity.scalar.value)
    point.state = State::too_large;
  else if (known && point.reasons.empty())
    point.state = State::fits;
}

void add_errors(const Diagnostics& diagnostics, FitPoint& point) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) point.reasons.push_back(d.message);
  }
}

}  // namespace

const FitPoint& Prober::at(const std::vector<double>& values) {
  const auto [known, fresh] = known_.try_emplace(values);
  if (!fresh) return known->second;
  if (request_.progress) request_.progress(tried(), keys_, values);
  return known->second = compiled_ ? compiled(values) : run(values);
}

RunRequest Prober::with(const std::vector<double>& values) const {
  RunRequest request = request_.run;
  for (std::size_t i = 0; i < keys_.size(); ++i) request.overrides.emplace_back(keys_[i], exact(values[i]));
  return request;
}

const std::string& Prober::role(const Run& run, const char* word) const { return run.program().find_role(kFitCommand, word)->name; }

FitPoint Prober::run(const std::vector<double>& values) {
  FitPoint out;
  out.values = values;
  Diagnostics diagnostics;
  const std::unique_ptr<Run> run = Run::prepare(with(values), library_, diagnostics);
  if (run) {
    for (const Violation& v : run->violations(diagnostics)) out.reasons.push_back(v.message);
    read(*run, out, diagnostics);
  }
  add_errors(diagnostics, out);
  settle(out);
  return out;
}

void Prober::read(Run& run, FitPoint& out, Diagnostics& diagnostics) const {
  Value* const values[] = {&out.size, &out.capacity, &out.ranks};
  for (std::size_t i = 0; i < std::size(kRoles); ++i) {
    if (const std::optional<Value> v = run.value(role(run, kRoles[i]), diagnostics)) *values[i] = *v;
  }
}

FitPoint Prober::compiled(const std::vector<double>& values) {
  FitPoint out;
  out.values = values;
  Diagnostics diagnostics;
  if (!structures_) {
    base_ = Run::prepare(with(values), library_, diagnostics);
    if (!base_) {
      add_errors(diagnostics, out);  // the next one may do as a base
      return out;
    }
    if (base_->solved()) {  // each value has its own
      compiled_ = false;
      return run(values);
    }
    Question question{keys_, {}, true};
    for (const char* word : kRoles) question.outputs.push_back(role(*base_, word));
    structures_.emplace(*base_, std::move(question));
  }
  const Structure* structure = structures_->find(values, diagnostics);
  if (structure != nullptr) {
    const Structure::Result answer = structure->evaluate(values);
    out.size = answer.outputs[0];
    out.capacity = answer.outputs[1];
    out.ranks = answer.outputs[2];
    if (!answer.violation.empty()) out.reasons.push_back(answer.violation);
  }
  add_errors(diagnostics, out);
  settle(out);
  return out;
}

}  // namespace opledger
