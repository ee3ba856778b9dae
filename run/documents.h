#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/read/program_sources.h"
#include "schemas/library.h"

/// The request of a run by names, and the documents that the names denote. `load_documents` is the first step of a run;
/// linked_run.h does the next ones.
namespace opledger {

/// Execution of runs that name none. Its accounting is the default accounting of executions.
inline constexpr const char* kDefaultExecution = "single";

/// Key that names the stack: the framework or engine of a run.
inline constexpr const char* kStack = "stack";
/// Value of `stack` for no stack.
inline constexpr const char* kNoStack = "none";

/// A run as requested by a user, before documents are loaded.
struct RunRequest {
  std::string model;                          ///< Name or path; may be empty for accountings that count no graph or bring their own.
  std::string execution = kDefaultExecution;  ///< Name or path.
  std::string system;                         ///< Name or path; may be empty for metrics that need no machine.
  /// Several systems by name, from which the input `system` chooses; empty for a run on one system.
  std::vector<std::pair<std::string, const Document*>> systems;
  std::string accounting;                                         ///< Name or path; if empty, the space or else the execution decides (`accounting_of`).
  std::vector<std::pair<std::string, std::string>> overrides;     ///< Settings `--set KEY=VALUE`, as pairs.
  std::vector<FieldAssignment> fields;                            ///< Further settings with positions, such as cells of a table.
  std::optional<Datum> rules;                                     ///< Replacement of the execution's list of rules.
  std::vector<Datum> more_rules;                                  ///< Names of further rule documents, after all others; names only.
  std::vector<std::string> without_rules;                         ///< Names in lists of rules, of stacks too, that the run leaves out.
  std::string space;                                              ///< Name of a document of kind `search`, whose accounting, rules and inputs the run uses.
  std::optional<std::vector<FieldAssignment>> translated_inputs;  ///< Inputs translated from another run (compare/); they replace an execution's values.
  bool corrected = true;                                          ///< Apply the corrections by measurements that systems name.
  const Document* read_system = nullptr;                          ///< Loaded variant of `system`, used in its place.
  std::vector<std::pair<std::string, Span>> open;  ///< Names that get values later (`Query`): inputs, parameters of the model, fields of the system.
};

/// The loaded documents by role; null for a role without a document.
struct RunDocuments {
  const Document* model = nullptr;      ///< Null, too, if translated inputs replace the model.
  const Document* execution = nullptr;  ///< Always set.
  std::vector<const Document*> stacks;  ///< The named stack, after the stacks that it extends.
  const Document* system = nullptr;
  const Document* space = nullptr;        ///< The document of kind `search`.
  const Document* accounting = nullptr;   ///< Always set; the chosen accounting.
  std::string accounting_name;            ///< Name of the accounting as the choosing document or user writes it, else the document's own name.
  std::vector<const Document*> counting;  ///< Accountings, operators and the space; each follows the documents that it uses.
};

/// Returns the stack named by the command line or a table, else by the space, else by the execution, with its position
/// in a document. Empty if no stack is named or its name is `none`.
std::optional<Datum> named_stack(const RunRequest& request, const Document* space, const Document& execution);

/// Loads the documents of a request. Empty, with errors, if a document can't be read, or the fields of a document
/// without a kind differ from those that the accounting declares.
std::optional<RunDocuments> load_documents(const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns the accounting that a document names, else the one named by the nearest document that it extends, else the
/// one of the default execution. Null, with an error, if it can't be loaded.
const Document* accounting_of(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
