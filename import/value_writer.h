#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "schemas/datum.h"

/// Values that a mapping writes: keys of an execution from a config, and fields of a config from a run.
/// docs/import.md describes the notation.
namespace opledger {

/// A linked value of a mapping: a formula, a literal, a list of one formula, nested keys, or several choices. The
/// first choice whose condition holds is written.
struct LinkedValue {
  const Datum* source = nullptr;   ///< The value in the mapping, for places in messages.
  const Formula* when = nullptr;   ///< Condition; null holds.
  const Formula* is = nullptr;     ///< Formula of the value or, with `count`, of each entry; null for other forms.
  const Datum* literal = nullptr;  ///< A value without a formula.
  /// Number of entries of a list; `is` reads the index of an entry as `n`. The key `each` joins the list to one text.
  const Formula* count = nullptr;
  std::vector<LinkedValue> choices;                        ///< Alternatives in order of preference; empty for a single value.
  bool all_choices = false;                                ///< All choices that hold are written, as a list.
  std::vector<std::pair<std::string, LinkedValue>> inner;  ///< Nested keys with their values; empty for other forms.
};

/// Returns a value in the notation of documents: a number with its unit, a truth or a word.
Datum written_value(const Value& value, const Span& span);

/// Reports unknown keys of every mapping that has `is`, `literal`, `when`, `list` or `all`, at any depth.
void check_written(const Datum& source, Diagnostics& diagnostics);

/// Links the formulas of written values.
class ValueLinker {
 public:
  /// Every argument must outlive this object. Formulas read the names of `scope`.
  ValueLinker(Linker& linker, const NameScope& scope, Diagnostics& diagnostics);

  /// Links a value with all nested formulas. A formula that can't be linked is null, and an error is reported.
  LinkedValue link(const Datum& source);
  /// Links a single formula; null for null.
  const Formula* formula(const Datum* text);

 private:
  const Formula* formula(const Datum* text, const NameScope& scope);

  Linker& linker_;
  const NameScope& scope_;
  NameScope& entry_scope_;
  Diagnostics& diagnostics_;
};

/// Evaluates linked values.
class ValueWriter {
 public:
  ValueWriter(Evaluator& evaluator, Diagnostics& diagnostics) : evaluator_(evaluator), diagnostics_(diagnostics) {}

  /// Returns the choice to write; null if no condition holds.
  const LinkedValue* choose(const LinkedValue& value);
  /// Returns the value of a choice from `choose`. Returns nothing if the choice has no value, and reports an error if
  /// its formula has none.
  std::optional<Datum> value(const LinkedValue& value);
  bool holds(const Formula* condition);  ///< Evaluates a condition; null holds.

 private:
  /// Returns the entries of a counted list, as a list or joined to one text.
  std::optional<Datum> list(const LinkedValue& value);
  /// Returns the values of all choices that hold, as a list; nothing without a value.
  std::optional<Datum> applicable_choices(const LinkedValue& value);

  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
