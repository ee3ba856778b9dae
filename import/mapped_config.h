#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "import/config.h"
#include "import/field_mapping.h"

/// A config with the formulas of its mapping: values of formulas, and the place of their fields in the file.
namespace opledger {

/// Returns a program with the fields of a config as inputs and with the mapping's definitions and constraints.
/// Returns nothing and reports errors if linking fails.
std::optional<Program> link_config(const FieldMapping& mapping, const ConfigFields& fields, Diagnostics& diagnostics);

/// A linked entry `NAME: FORMULA` or `NAME: {is: FORMULA, when: CONDITION}`. A formula is null if it is absent or
/// invalid.
struct MappedFormula {
  std::string name;                ///< Name of the entry.
  const Formula* value = nullptr;  ///< Formula of the value.
  const Formula* when = nullptr;   ///< Condition of the entry; null holds.
};

/// Parses and links a formula with the names of `scope`. Returns null without a formula; returns null and reports
/// errors if parsing or linking fails. The storage of `linker` owns the result.
const Formula* link_mapped(const Datum* formula, Linker& linker, const NameScope& scope, Diagnostics& diagnostics);
/// Links an entry with both of its formulas.
MappedFormula link_mapped(const Datum::Entry& entry, Linker& linker, const NameScope& scope, Diagnostics& diagnostics);

/// Evaluates formulas of a mapping with the values of a config.
class MappedConfig {
 public:
  /// Every argument must outlive this object. `program` is the result of `link_config`.
  MappedConfig(const FieldMapping& mapping, const ConfigFields& fields, const Datum& config, const Program& program, Diagnostics& diagnostics)
      : mapping_(mapping), fields_(fields), config_(config), program_(program), evaluator_(program), diagnostics_(diagnostics) {}

  /// Checks types and bounds of all fields and the mapping's constraints. Returns whether the check passed without
  /// errors.
  bool check();

  /// Evaluates a formula; the answer has a value or an error. `locals` are the values of local names, such as a
  /// layer's number.
  Answer ask(const Formula& formula, const std::vector<Value>* locals = nullptr) { return evaluator_.ask(formula, nowhere(), locals); }
  /// Returns the value of a formula; reports an error if it has none.
  Value value_of(const Formula& formula);
  bool holds(const Formula* condition);  ///< Evaluates a condition; null holds.

  /// Returns the place of the last field that a formula names, where an error is shown: a condition usually ends with
  /// the field that is wrong. A formula that names none has the place of the last field in the definitions that it
  /// names; without such a field, the beginning of the config.
  Span place_of(const Formula& formula) const;

  /// Returns the formula's text for a comment; for a long formula of a launch script, its fields; for the default of an
  /// absent field, the field and its default. Returns an empty text for a constant.
  std::string comment(const Formula& formula) const;

  const FieldMapping& mapping() const { return mapping_; }
  Evaluator& evaluator() { return evaluator_; }
  const Datum& config() const { return config_; }

 private:
  /// Reports a violated constraint: a remark as a warning, any other constraint as an error.
  void check(const Constraint& constraint);
  /// Warns if the config lacks the field and its default is an assumption.
  void warn_of_assumption(const MappedField& field);
  /// Returns the names of present fields that a formula depends on.
  std::vector<std::string> present_fields_in(const Formula& formula) const;
  /// Returns the place of the last field that an expression names; nothing without a field.
  std::optional<Span> place_in(const Expr& formula) const;

  const FieldMapping& mapping_;
  const ConfigFields& fields_;
  const Datum& config_;
  const Program& program_;
  Evaluator evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
