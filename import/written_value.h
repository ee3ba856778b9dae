#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "schemas/datum.h"

/// Values that a mapping writes: keys of an execution that it makes of a config, and fields of a config that it makes of a run. docs/import.md describes them.
namespace opledger {

/// Nothing, a formula, a value as it stands, a list of one formula, or values below keys; of several the first whose condition holds.
struct LinkedValue {
  const Datum* written = nullptr;
  const Formula* when = nullptr;  ///< Null: it holds.
  const Formula* is = nullptr;
  const Datum* literal = nullptr;  ///< As it stands.
  const Formula* count = nullptr;  ///< Of a list: `is` sees which entry it is, as `n`. With `each` in the mapping the list is one text.
  std::vector<LinkedValue> choices;
  bool all = false;  ///< All choices that hold, as a list.
  std::vector<std::pair<std::string, LinkedValue>> inner;
};

/// A number with its unit, a truth or a word, as a document has it.
Datum written_value(const Value& value, const Span& span);

/// Reports unknown keys of every mapping that has `is`, `literal`, `when`, `list` or `all`, at any depth.
void check_written(const Datum& written, Diagnostics& diagnostics);

class ValueLinker {
 public:
  /// All must outlive it. Formulas see what the scope has.
  ValueLinker(Linker& linker, const NameScope& scope, Diagnostics& diagnostics);

  /// Parts are null, with errors, where a formula can't be linked.
  LinkedValue link(const Datum& written);
  const Formula* formula(const Datum* text);

 private:
  const Formula* formula(const Datum* text, const NameScope& scope);

  Linker& linker_;
  const NameScope& scope_;
  NameScope& entry_;
  Diagnostics& diagnostics_;
};

class ValueWriter {
 public:
  ValueWriter(Evaluator& evaluator, Diagnostics& diagnostics) : evaluator_(evaluator), diagnostics_(diagnostics) {}

  /// The one of several that is written; null: none.
  const LinkedValue* choose(const LinkedValue& value);
  /// Of one that was chosen. Empty: there is nothing to be written; with errors: a formula is worth nothing.
  std::optional<Datum> value(const LinkedValue& value);
  bool holds(const Formula* condition);  ///< Null: it does.

 private:
  std::optional<Datum> list(const LinkedValue& value);
  std::optional<Datum> those_that_hold(const LinkedValue& value);

  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
