#include "run/mentioned_inputs.h"

#include "formulas/link/linker.h"
#include "run/section_formulas.h"

namespace opledger {
namespace {

/// Collects inputs by traversing formulas, definitions and records. Each formula and record is visited once; an
/// explicit stack avoids deep recursion.
class Mentions {
 public:
  explicit Mentions(const Program& program) : program_(program) {}

  /// Adds the inputs of every formula, definition, name and record of a collection.
  void add(const Formulas& all) {
    for (const Formula& formula : all.formulas) look_at(formula);
    for (const Def& def : all.defs) look_at(def);
    for (const auto& name : all.names) {
      add_set(name->of);
      if (name->constant != nullptr) add(*name->constant);
      for (const Record* document : name->documents) add(*document);
    }
    for (const auto& record : all.records) add(*record);
  }

  /// Adds to `found_` the inputs of a formula and of all names and functions that it uses, at any depth. The traversal
  /// is depth first over operands and definitions, with an explicit stack `open` against deep recursion. `visited_` is
  /// kept between calls, so each formula is visited once over all calls and recursive names end. A set that an input
  /// selects (`binder`) adds this input.
  void add(const Formula* formula) {
    std::vector<const Formula*> open = {formula};
    while (!open.empty()) {
      const Formula* const f = open.back();
      open.pop_back();
      if (f == nullptr || !visited_.insert(f).second) continue;
      look_at(*f);
      open.insert(open.end(), f->args.begin(), f->args.end());
      if (f->name != nullptr) {
        for (const Def* def : f->name->defs) add_def(*def, open);
      }
      if (f->function != nullptr) {
        for (const Def* def : f->function->defs) add_def(*def, open);
      }
    }
  }

  void add(const Def* def) {
    std::vector<const Formula*> open;
    if (def != nullptr) add_def(*def, open);
    for (const Formula* formula : open) add(formula);
  }

  void add(const Name* name) {
    if (name == nullptr) return;
    if (name->input) found_.insert(name);
    for (const Def* def : name->defs) add(def);
  }

  /// Adds fields that are inputs themselves; formulas read such fields by the name of the record.
  void add(const Record& record) {
    if (!visited_records_.insert(&record).second) return;
    for (const auto& [_, value] : record.fields) {
      if (value.input != nullptr) found_.insert(value.input);
      if (value.record != nullptr) add(*value.record);
      for (const Record* pick : value.picks != nullptr ? *value.picks : std::vector<const Record*>{}) add(*pick);
    }
  }

  std::set<const Name*> take() { return std::move(found_); }

 private:
  void look_at(const Formula& f) {
    if (f.name != nullptr && f.name->input) found_.insert(f.name);
    if (f.kind != Formula::Kind::word) add_set(f.set);
  }

  void look_at(const Def& def) { add_set(def.set); }

  /// Adds the sets of a definition, and its formulas to `open`.
  void add_def(const Def& def, std::vector<const Formula*>& open) {
    look_at(def);
    open.insert(open.end(), {def.otherwise, def.when});
    for (const auto& [_, formula] : def.cases) open.push_back(formula);
  }

  /// Adds the input that selects the current word of a set.
  void add_set(SetId set) {
    if (set && program_.set(set).binder != nullptr) found_.insert(program_.set(set).binder);
  }

  const Program& program_;
  std::set<const Name*> found_;
  std::set<const Formula*> visited_;
  std::set<const Record*> visited_records_;
};

/// Links all formulas of a section, at any depth. Lists of phases hold names and are skipped. Formulas that can't be
/// linked are ignored here; the reader of the section reports them.
void link_all(const Datum& section, Linker& linker, const NameScope& scope) {
  for (const auto& [key, value] : section.is_map() ? section.entries() : std::vector<Datum::Entry>{}) {
    if (!contains(kPhaseKeys, key.text())) link_all(value, linker, scope);
  }
  for (const Datum& item : section.is_list() ? section.items() : std::vector<Datum>{}) link_all(item, linker, scope);
  if (section.is_map() || section.is_list()) return;
  Diagnostics ignored;
  if (const ExprPtr expression = parse_formula(section, "section", ignored)) linker.link(expression, scope);
}

}  // namespace

std::set<const Name*> mentioned_inputs(const LinkedRun& run, const std::vector<const Formula*>& further) {
  const Program& program = run.program();
  Mentions out(program);
  out.add(program);
  for (const Formula* formula : further) out.add(formula);
  Formulas sections;
  Diagnostics ignored;
  Linker linker(program, sections, ignored);
  for (const char* const name : kPlayedSections) {
    if (const Datum* section = find_section(run, name)) link_all(*section, linker, *program.global);
  }
  out.add(sections);
  return out.take();
}

/// Returns the inputs that the linked formulas of a graph use, directly or through names. Visited are sizes, loads,
/// degrees, repetitions, widths and margins, then arguments and quantities of nodes, then marks. Null formulas are
/// skipped. Each formula is visited once, so the cost is linear in the formulas.
std::set<const Name*> mentioned_inputs(const Program& program, const GraphRun& graph) {
  Mentions out(program);
  const auto add_all = [&](const auto& list) {
    for (const auto* one : list) out.add(one);
  };
  add_all(graph.sizes);
  add_all(graph.loads);
  add_all(graph.degrees);
  add_all(graph.repeats);
  add_all(graph.rounds);
  add_all(graph.tensor_widths);
  add_all(graph.transfer_widths);
  add_all(graph.margins);
  for (const auto& margins : graph.cached_margins) add_all(margins);
  for (const auto& arguments : graph.arguments) {
    for (const auto& [_, def] : arguments) out.add(def);
  }
  for (const auto& quantities : graph.formulas.quantities) {
    for (const auto& [_, def] : quantities) out.add(def);
  }
  for (const BoundMark& mark : graph.marks) out.add(mark.value);
  return out.take();
}

}  // namespace opledger
