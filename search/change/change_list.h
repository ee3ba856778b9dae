#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "schemas/library.h"

/// Changes of a run as a document of kind `changes` writes them. `apply_change` makes one; `try_changes` tries all.
namespace opledger {

/// The function of conditions that tests which rule documents a run uses: `lists(NAME, …)`. A quoted name may be a
/// pattern: `lists('recompute_*')`.
inline constexpr const char* kListsFunction = "lists";

/// A change of a run. Names and values keep their positions in the document.
struct Change {
  /// A value as by `--set KEY=VALUE`.
  struct Setting {
    std::string key;
    std::string text;  ///< The value as written.
    ExprPtr formula;   ///< Formula that is computed in the run before the change; null for a plain value.
  };
  std::string name, doc;
  std::string quality;         ///< Cost in quality, a few words; empty without one.
  ExprPtr when;                ///< Condition in the run before the change; null: none.
  std::vector<Setting> set;    ///< In the order of the document.
  std::vector<Datum> rules;    ///< Names of rule documents to add.
  std::vector<Datum> without;  ///< Names of rule documents to remove.
  std::vector<Datum> systems;  ///< Names of other systems; several: the first with more memory on which the run fits.
  std::optional<Datum> stack;  ///< Name of another stack.
};

/// Reads the changes of a document. Reports every formula that can't be parsed, argument of `lists` that is no name,
/// and change without effect; returns nothing after an error.
std::optional<std::vector<Change>> read_changes(const Document& document, Diagnostics& diagnostics);

/// Checks a document: `read_changes` can read it, and the named accountings exist. A rule document, system or stack that
/// does not exist is a warning, because `fit` leaves the change out. Names of inputs are unknown without a run.
void check_changes(const Document& document, Library& library, Diagnostics& diagnostics);

/// Returns whether an expression is a call of `lists`.
bool is_lists_call(const Expr& expr);

}  // namespace opledger
