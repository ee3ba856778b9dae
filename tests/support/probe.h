#pragma once
#include <fmt/format.h>

#include "tests/support/runs.h"

namespace opledger {

/// Formulas, each after its unit, as metrics of a run.
inline std::vector<double> probe(const std::string& model, const std::string& run, const std::vector<std::string>& formulas, const std::string& system = "",
                                 const Settings& settings = {}) {
  static TemporaryFolder folder;
  static int number = 0;
  std::string text = "kind: accounting\ndoc: Probes.\nextends: standard\nmetrics:\n";
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const std::size_t blank = formulas[i].find(' ');
    text += fmt::format("  probe_{}: {{unit: {}, doc: A probe., is: \"{}\"}}\n", i, formulas[i].substr(0, blank), formulas[i].substr(blank + 1));
  }
  RunRequest request;
  request.model = model;
  request.execution = run;
  request.system = system;
  request.overrides = settings;
  request.accounting = folder.write(fmt::format("probe{}.yaml", number++), text).string();
  said() = {};
  const auto prepared = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(prepared, render(said()));
  std::vector<double> out;
  for (std::size_t i = 0; i < formulas.size(); ++i) out.push_back(value(*prepared, fmt::format("probe_{}", i)));
  return out;
}

}  // namespace opledger
