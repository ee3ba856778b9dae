#include "questions/fit/fit_prober.h"

#include <cmath>

namespace opledger {

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

std::optional<double> FitProber::number(double value, const std::string& name) {
  Diagnostics ignored;
  const std::unique_ptr<Run> run = Run::prepare(with({value}), library_, ignored);
  const std::optional<Value> v = run ? run->value(name, ignored) : std::nullopt;
  return v && v->is_number() ? std::optional(std::floor(v->scalar.value * (1 + 1e-9))) : std::nullopt;
}

FitPoint FitProber::run(const std::vector<double>& values) {
  Diagnostics diagnostics;
  const std::unique_ptr<Run> run = Run::prepare(with(values), library_, diagnostics);
  FitPoint out = evaluate_point(run.get(), diagnostics);
  out.values = values;
  return out;
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
    for (const char* word : kFitRoles) query.outputs.push_back(base_->program().find_role(kFitCommand, word)->name);
    programs_.emplace(*base_, std::move(query));
    size_reasons_.emplace(base_->program());
  }
  const CompiledProgram* structure = programs_->find(values, diagnostics);
  if (structure != nullptr) {
    const CompiledProgram::Result answer = structure->evaluate(values);
    out.size = answer.outputs[0];
    out.capacity = answer.outputs[1];
    out.ranks = answer.outputs[2];
    if (!answer.violation.empty()) add_reason(answer.violation, answer.reason, size_reasons_->has(answer.reason), out);
  }
  add_errors(diagnostics, out);
  classify(out);
  return out;
}

}  // namespace opledger
