#pragma once
#include <string_view>
#include <vector>

#include "accounting/reader.h"
#include "rules/rule_set.h"
#include "run/run.h"
#include "schemas/library.h"

/// An accounting without a model: enough to link what it types, and formulas over an execution alone. A whole run is run/run.h.
namespace opledger {

/// `sources` points to the other two: a convention stays where it was made.
struct Convention {
  Convention() = default;
  Convention(const Convention&) = delete;
  Convention& operator=(const Convention&) = delete;

  std::vector<const Document*> documents;  ///< The accounting and those that it needs, each after those it uses.
  OperatorLibrary operators;
  ProgramSources sources;
};

/// False, with errors, if something can't be read. Axes are those that the accounting itself names.
bool load_convention(const Document& accounting, Library& library, Convention& out, Diagnostics& diagnostics);

/// Whether some formula or table visits elements, which only a graph has.
bool needs_graph(const Program& program);

/// Axes of an execution's mesh; they stand in for those of the accounting. False, with errors, if it is no mesh.
bool add_mesh(const Datum& mesh, Convention& out, Diagnostics& diagnostics);

/// The rule documents that a document lists under `rules`, each by its name or as `{NAME: CONDITION}`, in order: their rules are added. Those that can't be
/// read are left out, with errors.
std::vector<const Document*> load_rules(const Document& naming, Library& library, RuleSet& rules, Diagnostics& diagnostics);

/// The same of such a list; `from`: the document that it stands in, empty: none.
std::vector<const Document*> load_rules(const Datum& list, const std::filesystem::path& from, Library& library, RuleSet& rules, Diagnostics& diagnostics);

/// Keys of an execution that are not fields of the accounting: `mesh`, `rules`, …
bool structural_key(std::string_view key);

/// `--set`.
void add_overrides(const RunRequest& request, ProgramSources& sources, Diagnostics& diagnostics);

/// The fields that an accounting declares for a document (`documents: {model: …}`); null: none.
const Datum* declared_fields(const std::vector<const Document*>& accounting, std::string_view role);

/// A document of another tool must have exactly the declared fields. False, with errors, if it has others or lacks some.
bool check_fields(const Document& document, const Datum& declared, Diagnostics& diagnostics);

/// What a document says `for` one of the accountings alone; null: nothing.
const Datum* fields_for(const Document& document, const std::vector<const Document*>& accounting);

/// What the accounting reads of a system: fields for it alone, and of the others those that it declares; without any of its own, all.
Datum system_fields(const Document& system, const std::vector<const Document*>& accounting);

}  // namespace opledger
