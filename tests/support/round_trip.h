#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>

#include "import/launch.h"
#include "import/launch_export.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/documents.h"

/// Exports a run, imports the text again, and compares all metrics.
namespace opledger {

struct RoundTrip {
  std::string text;         ///< The exported text; empty if the export failed.
  std::string messages;     ///< Messages of the export.
  std::string differences;  ///< Names of metrics that differ; empty if all are equal.
};

/// Returns the names of numeric metrics that differ by more than rounding, or that the second run lacks.
inline std::string metric_differences(Run& first, Run& second) {
  std::string out;
  for (const Published& metric : first.program().published) {
    const Published* other = second.program().find_published(metric.name);
    const Answer a = first.evaluator().ask(metric);
    if (a.value.kind != Value::Kind::number) continue;
    const Answer b = other != nullptr ? second.evaluator().ask(*other) : Answer{};
    const double x = a.value.scalar.value, y = b.value.kind == Value::Kind::number ? b.value.scalar.value : std::nan("");
    if (!(std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y)))) out += metric.name + " ";
  }
  return out;
}

inline RoundTrip go_round(const ExportRequest& request, Library& library) {
  RoundTrip out;
  Diagnostics diagnostics;
  out.text = export_launch(request, library, diagnostics);
  out.messages = messages(diagnostics);
  if (out.text.empty()) return out;
  const TemporaryFolder folder;
  Library reading = library;
  ImportRequest back;
  back.file = folder.write(out.text[0] == '#' && out.text[1] == '!' ? "run.sh" : "run.toml", out.text).string();
  back.name = back.execution = "back";
  back.mapping = request.mapping;
  Diagnostics own;
  const ImportedDocuments made = import_launch(request.format, back, reading, own);
  REQUIRE_MESSAGE(!made.execution.empty(), messages(own) << out.text);
  RunRequest again;
  again.model = made.text.empty() ? request.run.model : folder.write("model.yaml", made.text).string();  // engines' command lines have no model
  again.execution = folder.write("back.yaml", made.execution).string();
  again.system = request.run.system;
  const auto first = Run::prepare(request.run, reading, own);
  const auto second = Run::prepare(again, reading, own);
  REQUIRE_MESSAGE((first && second), messages(own) << out.text);
  out.differences = metric_differences(*first, *second);
  return out;
}

}  // namespace opledger
