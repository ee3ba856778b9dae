#include "tests/invariance/shipped_runs.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.h"
#include "tests/support/documents.h"
#include "tests/support/random_count.h"

namespace opledger::invariance {
namespace {

Axes read_axes(const Datum& mesh) {
  Axes out;
  for (const auto& [name, value] : mesh.entries()) {
    WrittenAxis axis{name.text()};
    for (const auto& [part, size] : value.entries()) axis.parts.emplace_back(part.text(), std::stol(size.text()));
    for (const Datum& other : value.items()) axis.alias.push_back(other.text());
    if (value.is_scalar()) axis = plain(name.text(), std::stol(value.text()));
    out.push_back(std::move(axis));
  }
  return out;
}

std::string with_line(const std::string& text, const std::string& key, const std::string& value) {
  std::istringstream lines(text);
  std::string out, line;
  bool found = false;
  while (std::getline(lines, line)) {
    const bool here = line.rfind(key + ":", 0) == 0;
    found = found || here;
    out += (here ? key + ": " + value : line) + "\n";
  }
  return found ? out : out + key + ": " + value + "\n";
}

ShippedRun read(const std::string& name) {
  ShippedRun out;
  out.execution = name;
  std::tie(out.model, out.system) = name == "single" ? std::pair<std::string, std::string>{"gpt2", "a100-80g-sxm"} : model_and_system(name);
  REQUIRE_MESSAGE(!out.model.empty(), name);
  out.text = text_of(std::string(source_folder()) + "/executions/" + name + ".yaml");
  const Datum root = datum(out.text);
  if (const Datum* mesh = root.find("mesh")) out.axes = read_axes(*mesh);
  out.rules = root.texts("rules");
  return out;
}

}  // namespace

bool WrittenAxis::one_rank() const {
  return alias.empty() && std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part.second == 1; });
}

WrittenAxis plain(const std::string& name, long ranks) { return {name, {{name, ranks}}}; }

std::string written(const Axes& axes) {
  std::vector<std::string> out;
  for (const WrittenAxis& axis : axes) {
    std::vector<std::string> parts;
    for (const auto& [part, size] : axis.parts) parts.push_back(fmt::format("{}: {}", part, size));
    const std::string value = axis.plain()         ? std::to_string(axis.parts[0].second)
                              : axis.alias.empty() ? "{" + join(parts, ", ") + "}"
                                                   : "[" + join(axis.alias, ", ") + "]";
    out.push_back(axis.name + ": " + value);
  }
  return "{" + join(out, ", ") + "}";
}

std::string ShippedRun::with_axes(const Axes& other) const { return with_line(text, "mesh", written(other)); }
std::string ShippedRun::with_rules(const std::vector<std::string>& other) const { return with_line(text, "rules", "[" + join(other, ", ") + "]"); }

std::vector<ShippedRun> shipped_runs() {
  std::vector<ShippedRun> out;
  for (const std::string& name : testing::some_of(shipped().names("execution"), 10)) out.push_back(read(name));
  return out;
}

std::unique_ptr<Run> Overlay::prepare(const std::string& model, const std::string& execution, const std::string& system, std::string& why) {
  Diagnostics diagnostics;
  RunRequest request;
  request.model = model;
  request.execution = execution;
  request.system = system;
  auto run = Run::prepare(request, library_, diagnostics);
  if (run == nullptr) why = render(diagnostics);
  return run;
}

void check_changes(const std::string& property, const std::function<std::vector<Change>(const ShippedRun&)>& changes, double share) {
  std::size_t runs = 0, compared = 0, figures_compared = 0;
  const auto figures_of = [](const ShippedRun& run, const Change& change) {
    const std::shared_ptr<Overlay> library = change.library ? change.library : std::make_shared<Overlay>();
    if (!change.execution.empty()) library->write("executions/" + run.execution + ".yaml", change.execution);
    if (!change.model.empty()) library->write("models/" + run.model + ".yaml", change.model);
    std::string why;
    const auto prepared = library->prepare(run.model, run.execution, run.system, why);
    CHECK_MESSAGE(prepared, run.execution, ": ", change.name, "\n", why);
    return prepared ? figures(*prepared, change.naming) : Figures();
  };
  for (const ShippedRun& run : shipped_runs()) {
    const Figures expected = figures_of(run, {"as shipped", "", ""});
    for (const Change& change : changes(run)) {
      const std::string wrong = differences(expected, figures_of(run, change), share);
      CHECK_MESSAGE(wrong.empty(), run.execution, ": ", change.name, "\n", wrong);
      figures_compared += expected.size();
      ++compared;
    }
    ++runs;
  }
  CHECK(compared >= runs / 2);
  MESSAGE(property, ": ", runs, " runs, ", compared, " changes of them, ", figures_compared, " figures compared");
}

}  // namespace opledger::invariance
