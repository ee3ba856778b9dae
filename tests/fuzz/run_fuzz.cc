/// Runs of mutated documents. Each ends with a message or with numbers; then every number is finite, every report can
/// be written, and the run agrees with itself.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "play/audit_simulation.h"
#include "questions/audit/audit.h"
#include "questions/explain/explain.h"
#include "report/writers.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/require.h"

namespace opledger::fuzz {
namespace {

void check_values(Run& run, Diagnostics& diagnostics, const std::string& text) {
  for (const Published& metric : run.program().published) {
    const std::size_t errors = diagnostics.errors();
    const std::optional<Value> value = run.value(metric.name, diagnostics);
    require(value || diagnostics.errors() > errors, "no value, and no message", metric.name + "\n" + text);
    if (value && value->is_number()) require(std::isfinite(value->scalar.value), "no finite number", metric.name + "\n" + text);
  }
}

/// Published numbers hold for models as published, and a user's own accounting may claim anything.
void check_audit(Run& run, Diagnostics& diagnostics, const std::string& text) {
  const std::optional<Audit> result = audit(run, {}, diagnostics);
  if (!result) return require_message(diagnostics, text);
  for (const AuditCheck& check : result->checks) {
    const std::string what = check.name + " " + check.element + ": " + exact(check.left.scalar.value) + " " + exact(check.right.scalar.value);
    require(check.state != AuditCheck::State::failed, "audit", what + "\n" + text);
  }
}

void check(const std::string& text) {
  Bundle bundle(text);
  Diagnostics& diagnostics = bundle.diagnostics;
  if (diagnostics.has_errors()) return require_message(diagnostics, text);
  const std::unique_ptr<Run> run = Run::prepare(bundle.request, bundle.library, diagnostics);
  if (run == nullptr) return require_message(diagnostics, text);
  const std::optional<Report> report = build_report(*run, {"eval"}, diagnostics);
  require(report || diagnostics.has_errors(), "no report, and no message", text);
  if (!report) return require_message(diagnostics, text);
  for (const Format format : {Format::text, Format::json}) write(*report, format);
  if (diagnostics.has_errors()) return require_message(diagnostics, text);
  if (run->has_system()) check_values(*run, diagnostics, text);
  if (diagnostics.has_errors()) return require_message(diagnostics, text);
  count("numbers");
  if (!bundle.has("accounting") && text.find("published") == std::string::npos) check_audit(*run, diagnostics, text);
}

}  // namespace
}  // namespace opledger::fuzz

OPLEDGER_MUTATES_DOCUMENTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::fuzz::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
