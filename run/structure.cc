#include "run/structure.h"

#include <fmt/core.h>

#include "base/text.h"

namespace opledger {
namespace {

bool find_names(const Program& program, const std::vector<std::string>& wanted, bool inputs, std::vector<const Name*>& out, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& [name, _] : program.inputs) {
    if (inputs) known.push_back(name->name);
  }
  for (const Name* metric : program.metrics) {
    if (!inputs) known.push_back(metric->name);
  }
  for (const std::string& text : wanted) {
    const Name* name = program.find(text);
    if (name == nullptr || (inputs && !name->input)) {
      diagnostics.error({}, fmt::format("unknown {} `{}`{}", inputs ? "input" : "metric", text, suggestion(text, known)));
      return false;
    }
    out.push_back(name);
  }
  return true;
}

}  // namespace

std::optional<Structure> Structure::compile(Run& run, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                                            Diagnostics& diagnostics) {
  std::vector<const Name*> symbols, metrics;
  if (!find_names(run.program(), inputs, true, symbols, diagnostics) || !find_names(run.program(), outputs, false, metrics, diagnostics)) return std::nullopt;
  Tape tape;
  Evaluator evaluator(run.program(), diagnostics, Evaluator::Mode::numbers, &tape);
  std::vector<double> sample;
  for (const Name* name : symbols) evaluator.make_symbolic(*name);
  for (const Name* name : symbols) {  // numbers the tape's inputs in the order given
    sample.push_back(evaluator.evaluate(*name).scalar.value);
    if (evaluator.failed()) return std::nullopt;
  }
  if (!fill_sets(evaluator, run.graph_run())) return std::nullopt;
  std::vector<Scalar> results, conditions;
  for (const Name* metric : metrics) {
    const Value v = evaluator.evaluate(*metric);
    if (evaluator.failed()) return std::nullopt;
    if (!v.is_number()) {
      diagnostics.error({}, fmt::format("metric `{}` is not a number", metric->name));
      return std::nullopt;
    }
    results.push_back(v.scalar);
  }
  std::vector<double> values;
  for (const Tape::Guard& guard : tape.guards()) {
    conditions.push_back(guard.condition);
    values.push_back(guard.value);
  }
  Structure out(Kernel(tape, results), Kernel(tape, conditions));
  out.guard_values_ = std::move(values);
  out.sample_ = std::move(sample);
  return out;
}

bool Structure::covers(const std::vector<double>& inputs) const {
  std::vector<const double*> in;
  for (const double& value : inputs) in.push_back(&value);
  std::vector<double> results(guard_values_.size());
  std::vector<double*> out;
  for (double& value : results) out.push_back(&value);
  guard_kernel_.run(in, out, 1);
  return results == guard_values_;
}

}  // namespace opledger
