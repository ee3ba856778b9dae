#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "import/config.h"
#include "import/field_mapping.h"

/// A config as its mapping reads it: what formulas of fields are worth, and where the config says it.
namespace opledger {

/// The mapping's declarations with a config's fields. Empty, with errors, if they can't be linked.
std::optional<Program> link_config(const FieldMapping& mapping, const ConfigFields& fields, Diagnostics& diagnostics);

/// `NAME: FORMULA`, or `NAME: {is: FORMULA, when: CONDITION}`, linked. Null formulas are not there, or wrong.
struct MappedFormula {
  std::string name;
  const Formula* value = nullptr;
  const Formula* when = nullptr;
};

/// Errors: a formula that can't be read or linked.
const Formula* link_mapped(const Datum* formula, Linker& linker, const NameScope& scope, Diagnostics& diagnostics);  ///< Null: of null.
MappedFormula link_mapped(const Datum::Entry& entry, Linker& linker, const NameScope& scope, Diagnostics& diagnostics);

class MappedConfig {
 public:
  /// All of these must outlive it. The program is that of `link_config`.
  MappedConfig(const FieldMapping& mapping, const ConfigFields& fields, const Datum& config, const Program& program, Diagnostics& diagnostics)
      : mapping_(mapping), fields_(fields), config_(config), program_(program), evaluator_(program), diagnostics_(diagnostics) {}

  /// Whether each field is of its type and within its bounds, and the mapping's constraints hold.
  bool check();

  Answer ask(const Formula& formula, const std::vector<Value>* locals = nullptr) { return evaluator_.ask(formula, nowhere(), locals); }
  /// The same, with what is wrong told.
  Value worth(const Formula& formula);
  bool holds(const Formula* condition);  ///< Null: it does.

  /// Where the config says the last of the fields that a formula names, for that is mostly the odd one; of none, its beginning.
  Span place_of(const Formula& formula) const;

  /// What a number comes from; of a field that the config leaves out, what that means. Empty: it is the family's.
  std::string comment(const Formula& formula) const;

  const FieldMapping& mapping() const { return mapping_; }
  Evaluator& evaluator() { return evaluator_; }
  const Datum& config() const { return config_; }

 private:
  void check(const Constraint& constraint);
  /// Warns if the config lacks the field and the default that is used for it is an assumption.
  void tell_assumed(const MappedField& field);
  /// Fields that are there and that a formula rests on.
  std::vector<std::string> given_in(const Formula& formula) const;
  std::optional<Span> place_in(const Expr& formula) const;

  const FieldMapping& mapping_;
  const ConfigFields& fields_;
  const Datum& config_;
  const Program& program_;
  Evaluator evaluator_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
