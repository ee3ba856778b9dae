#include "formulas/link/linker.h"
#include "play/played_step.h"
#include "questions/audit.h"

namespace opledger {
namespace {

Answer ask(const Datum& formula, Run& run) {
  Diagnostics diagnostics;
  Linker linker(run.program(), run.evaluator().questions(), diagnostics);
  const ExprPtr expression = parse_formula(formula, "compared", diagnostics);
  const Formula* linked = expression == nullptr ? nullptr : linker.link(expression, *run.program().global);
  if (linked == nullptr) return {{}, std::make_shared<Diagnostic>(diagnostics.all().front())};
  return run.evaluator().ask(*linked);
}

}  // namespace

void compare_played(Run& run, Audit& out) {
  const Datum* section = play_section(run);
  const Datum* pairs = section != nullptr && run.has_graph() && run.has_system() ? section->find("compared") : nullptr;
  const Datum* stages = section != nullptr ? section->find("stages") : nullptr;
  if (stages != nullptr && ask(*stages, run).value.scalar.value == 1) return;  // nothing waits
  for (const auto& [name, pair] : pairs == nullptr ? std::vector<Datum::Entry>{} : pairs->entries()) {
    if (pair.items().size() != 2) continue;
    const Answer formula = ask(pair.items()[0], run), played = ask(pair.items()[1], run);
    if (formula.absent || played.absent) continue;  // it takes a machine
    if (!played.known()) out.unplayed = played.error->message;
    if (formula.known() && played.known()) out.played.push_back({name.text(), formula.value, played.value});
  }
}

}  // namespace opledger
