#include "measured/accuracy.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace opledger {
namespace {

constexpr const char* kCommand = "validation";  // Command with the role `kind`, which names the kind of a run.

/// Groups of computed and measured times, by stack, machine and kind.
using Groups = std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::pair<double, double>>>;

/// Adds a measured run to its group. Returns false, with errors, if the run can't be prepared or has no time.
bool add(const ValidationCase& measured, Library& library, Groups& groups, Diagnostics& diagnostics) {
  Diagnostics messages;
  const std::unique_ptr<Run> run = Run::prepare(measured.request, library, messages);
  const std::optional<Value> computed = run != nullptr ? value_of(measured.formula, *run, messages) : std::nullopt;
  const Role* const kind = computed ? run->program().find_role(kCommand, "kind") : nullptr;
  const std::optional<Value> kind_of_run = kind != nullptr ? run->value(kind->name, messages) : std::nullopt;
  if (!kind_of_run || kind_of_run->text == nullptr || run->system_document() == nullptr) {
    diagnostics.append(std::move(messages));
    return !diagnostics.has_errors();
  }
  groups[{run->stack_name(), run->system_document()->name, *kind_of_run->text}].emplace_back(computed->scalar.value, measured.published);
  return true;
}

bool is_time(const ValidationCase& measured) { return measured.unit == parse_unit("s")->dimension; }

}  // namespace

std::optional<std::vector<Accuracy>> measured_accuracy(const std::vector<const Document*>& validations, Library& library, Diagnostics& diagnostics) {
  Groups groups;
  for (const Document* document : validations) {
    const auto cases = validation_cases(*document, {}, library, diagnostics);
    if (!cases) return std::nullopt;
    for (const ValidationCase& measured : *cases) {
      if (measured.left_out && is_time(measured) && !add(measured, library, groups, diagnostics)) return std::nullopt;
    }
  }
  std::vector<Accuracy> out;
  for (const auto& [names, times] : groups) {
    const ValidationErrors errors = errors_of(times);
    out.push_back({std::get<0>(names), std::get<1>(names), std::get<2>(names), errors.rows, errors.median.value_or(0), errors.worst.value_or(0)});
  }
  return out;
}

std::string accuracy_document(const std::vector<Accuracy>& groups) {
  std::string out =
      "kind: accuracy\nname: accuracy\ndoc: >-\n"
      "  Errors of computed times against measured times to which no constant was fitted, by stack, machine and kind of\n"
      "  run. `opledger validation --summary -o FILE.yaml` wrote the document.\n\nrows:\n";
  for (const Accuracy& group : groups)
    out += fmt::format("  - {{stack: {}, system: {}, kind: \"{}\", rows: {}, median: {:.3f}, worst: {:.3f}}}\n", group.stack, group.system, group.kind,
                       group.rows, group.median, group.worst);
  return out;
}

std::string expected_error(const std::string& stack, const std::string& system, const std::string& kind, Library& library, Diagnostics& diagnostics) {
  const std::string none = "no measured error for this kind";
  const Document* const document = library.load("accuracy", {"accuracy"}, diagnostics);
  if (document == nullptr) return none;
  for (const Datum& row : document->root.find("rows")->items()) {
    const auto is = [&](const char* key, const std::string& text) { return row.find(key)->text() == text; };
    const double rows = row.find("rows")->number().value_or(0);
    if (!is("stack", stack) || !is("system", system) || !is("kind", kind) || rows < static_cast<double>(kFewestRows)) continue;
    return fmt::format("error {:.1f} % in {:.0f} measured runs", 100 * row.find("median")->number().value_or(0), rows);
  }
  return none;
}

}  // namespace opledger
