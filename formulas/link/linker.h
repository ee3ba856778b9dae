#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formulas/program.h"

/// Names to what they stand for. Inside a formula a name wins over a word; before a dot, and beside a set in a comparison, a word wins.
namespace opledger {

class Linker {
 public:
  /// What is linked goes to `into`: the program's own while it is read, later others that are kept beside it.
  Linker(const Program& program, Formulas& into, Diagnostics& diagnostics) : program_(program), into_(into), diagnostics_(diagnostics) {}

  Formulas& into() { return into_; }

  /// Null, with an error, if a name is unknown.
  const Formula* link(const ExprPtr& expr, const NameScope& scope);

  /// `lets` of the definition get a scope of their own.
  const Def* define(const Definition& definition, const NameScope& scope);

  NameScope& scope(const NameScope* parent);
  /// A scope of its own for a section's `let`: its names see each other.
  const NameScope& scope_with(const Datum& lets, const NameScope& outer);
  Name& name(std::string text, bool at_node = false);
  const std::string* intern(std::string_view text);
  /// A name that is a constant.
  void give(Name& name, const Value& value, const Span& at);

  /// -1, with an error, if there is none.
  SetId set_named(const std::string& text, const Span& span);

  /// The only set that has all of these words, if any is one; reports otherwise.
  SetId set_of(const std::vector<std::string>& words, const std::vector<Span>& spans);

 private:
  SetId joined(SetId elements, const std::string& name) const;
  Formula& add(Formula::Kind kind, const ExprPtr& expr);
  const Formula* link_literal(const ExprPtr& expr);
  const Formula* link_at(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_path(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_call(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_aggregate(const ExprPtr& expr, const NameScope& scope);
  const Formula* per(const ExprPtr& expr, const Formula* aggregate);
  static std::vector<std::string> flatten(const ExprPtr& expr, ExprPtr& base);
  const Formula* current_item(const Formula& position, const ExprPtr& expr);
  const Formula* link_comparison(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_operand(const ExprPtr& expr, const NameScope& scope, SetId beside);
  const Formula* resolve(const std::string& text, const ExprPtr& expr, const NameScope& scope);
  const Formula* word_of(const std::string& text, SetId set, const ExprPtr& expr);
  const Formula* children(Formula& formula, const ExprPtr& expr, const NameScope& scope);
  const Formula* bound(Bindings bindings, const Formula* inner, const ExprPtr& expr);
  Bindings take_bindings(std::vector<std::string>& parts, const NameScope& scope);
  std::vector<std::string> known(const NameScope& scope) const;
  bool visible(const std::string& text, const NameScope& scope) const;

  const Program& program_;
  Formulas& into_;
  Diagnostics& diagnostics_;
};

/// Whether an operator (or one that it extends) has a port, attribute, parameter or dimension of this name.
bool operator_knows(const Operator& op, std::string_view name);

/// Own definition first, then those of the operators it extends, the last named first.
std::vector<const Operator*> lineage(const Operator& op);

}  // namespace opledger
