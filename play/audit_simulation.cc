#include "play/audit_simulation.h"
#include "formulas/link/linker.h"
#include "play/step_simulation.h"

namespace opledger {
namespace {

/// Evaluates a formula of the section `play`; errors become part of the answer.
Answer ask(const Datum& formula, Run& run) {
  Diagnostics diagnostics;
  Linker linker(run.program(), run.evaluator().queries(), diagnostics);
  const ExprPtr expression = parse_formula(formula, "compared", diagnostics);
  const Formula* linked = expression == nullptr ? nullptr : linker.link(expression, *run.program().global);
  if (linked == nullptr) return {{}, std::make_shared<Diagnostic>(diagnostics.all().front())};
  return run.evaluator().ask(*linked);
}

/// Compares pairs of formula and simulated value, as listed under `play: compared` in the accounting, and adds them to
/// `out.played`. The second formula of a pair reads an input with the simulated value, so its evaluation starts the
/// simulation. A pipeline of one stage is left out, because its step has no waiting.
void compare_simulated(Run& run, Audit& out) {
  const Datum* section = play_section(run);
  const Datum* pairs = section != nullptr && run.has_graph() && run.has_system() ? section->find("compared") : nullptr;
  const Datum* stages = section != nullptr ? section->find("stages") : nullptr;
  if (stages != nullptr && ask(*stages, run).value.scalar.value == 1) return;  // A single stage never waits.
  for (const auto& [name, pair] : pairs == nullptr ? std::vector<Datum::Entry>{} : pairs->entries()) {
    if (pair.items().size() != 2) continue;
    const Answer formula = ask(pair.items()[0], run), simulated = ask(pair.items()[1], run);
    if (formula.absent || simulated.absent) continue;  // The value needs a machine, which the run lacks.
    if (!simulated.known()) out.unplayed = simulated.error->message;
    if (formula.known() && simulated.known()) out.played.push_back({name.text(), formula.value, simulated.value});
  }
}

}  // namespace

std::optional<Audit> audit(Run& run, const std::vector<Expectation>& expectations, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  Audit out;
  check_conservation(run, out.checks);
  check_accounting(run, out.checks, diagnostics);
  check_expectations(run, expectations, out.checks, diagnostics);
  if (diagnostics.errors() > errors) return std::nullopt;
  compare_simulated(run, out);
  out.unread = unread_keys(run);
  out.assumed = assumed_values(run);
  out.stated = stated_values(run);
  return out;
}

}  // namespace opledger
