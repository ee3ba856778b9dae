#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/read/program_sources.h"
#include "schemas/library.h"

/// What a run is asked for by names, and the documents that these stand for.
namespace opledger {

/// What is assumed when no execution is named; its accounting serves every execution that names none.
inline constexpr const char* kDefaultExecution = "single";

/// The key that names what framework runs it.
inline constexpr const char* kStack = "stack";
/// What it says where there is none.
inline constexpr const char* kNoStack = "none";

struct RunRequest {
  std::string model;  ///< Name or path; may be empty for accountings that count no graph or bring their own.
  std::string execution = kDefaultExecution;
  std::string system;  ///< May be empty: what needs no machine can be asked for.
  /// Several, of which the input `system` chooses one, by name; else none.
  std::vector<std::pair<std::string, const Document*>> systems;
  std::string accounting;                                      ///< Empty: see `accounting_of`.
  std::vector<std::pair<std::string, std::string>> overrides;  ///< `--set key=value`
  std::vector<Given> fields;                                   ///< The same, with places of their own: cells of a table.
  std::optional<Datum> rules;                                  ///< What stands in place of the execution's list of rules.
  std::string space;                                           ///< A document of kind `search`: its accounting, rules and inputs are the run's.
  std::optional<std::vector<Given>> taken;                     ///< Values from another run, see compare/restated.h: they stand in place of an execution's.
  bool corrected = true;                                       ///< By the measurements that systems name.
  const Document* read_system = nullptr;                       ///< In place of the one that `system` names, which it is a variant of.
  std::vector<std::pair<std::string, Span>> open;  ///< What gets values later, see `Question`: inputs, parameters of the model, fields of the system.
};

/// By what they are to the run. Null: none was named.
struct RunDocuments {
  const Document* model = nullptr;
  const Document* execution = nullptr;
  std::vector<const Document*> stacks;  ///< The one that is named, each after those it extends.
  const Document* system = nullptr;
  const Document* space = nullptr;
  const Document* accounting = nullptr;
  std::string accounting_name;            ///< As whoever chose it calls it.
  std::vector<const Document*> counting;  ///< Accountings and operators, each after those it uses.
};

/// The stack that a run names by `stack`, and where: the command line or a table, else the space, else the execution. Empty: none, or `none`.
std::optional<Datum> named_stack(const RunRequest& request, const Document* space, const Document& execution);

/// Empty, with errors, if one can't be read, or has fields that the accounting doesn't declare of documents without a kind.
std::optional<RunDocuments> load_documents(const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// The accounting that a document names, else that of the nearest document that it extends, else that of the default execution. Null, with an error, if it can't
/// be loaded.
const Document* accounting_of(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
