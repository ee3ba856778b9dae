#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formulas/program.h"

/// Name resolution: turns syntax trees into linked formulas. Names are looked up from the innermost scope outward, then
/// among sets, node values and words. A name normally hides a word of the same spelling. Before a dot, and next to a
/// set in a comparison, the word wins.
namespace opledger {

class Linker {
 public:
  /// Links into `into`: the program itself while it is read, later a separate storage that the caller keeps.
  Linker(const Program& program, Formulas& into, Diagnostics& diagnostics) : program_(program), into_(into), diagnostics_(diagnostics) {}

  Formulas& into() { return into_; }

  /// Links an expression. Reports an error and returns null if a name is unknown.
  const Formula* link(const ExprPtr& expr, const NameScope& scope);

  /// Links a definition; its `lets` get a scope of their own. Returns null after an error.
  const Def* define(const Definition& definition, const NameScope& scope);

  /// Creates an empty scope inside `parent`.
  NameScope& scope(const NameScope* parent);
  /// Returns a new scope inside `outer` with the names of a section's `let`, which see each other.
  const NameScope& scope_with(const Datum& lets, const NameScope& outer);
  Name& name(std::string text, bool at_node = false);
  /// Returns the stored copy of a text. Equal texts share one address.
  const std::string* intern(std::string_view text);
  /// Defines `name` as a constant.
  void define_constant(Name& name, const Value& value, const Span& at);

  /// Returns the set of this name. Reports an error and returns no set if none exists.
  SetId set_named(const std::string& text, const Span& span);

  /// Returns the only set that contains all of `words`. Reports an error and returns no set if none or several do.
  SetId set_of(const std::vector<std::string>& words, const std::vector<Span>& spans);

 private:
  SetId joined(SetId elements, const std::string& name) const;
  SetId find_set(const std::string& text, const Span& span, const NameScope& scope);
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
  const Formula* link_operand(const ExprPtr& expr, const NameScope& scope, SetId compared_set);
  const Formula* resolve(const std::string& text, const ExprPtr& expr, const NameScope& scope);
  const Formula* word_of(const std::string& text, SetId set, const ExprPtr& expr);
  const Formula* children(Formula& formula, const ExprPtr& expr, const NameScope& scope);
  const Formula* bound(Bindings bindings, const Formula* inner, const ExprPtr& expr);
  Bindings take_bindings(std::vector<std::string>& parts, const Span& span, const NameScope& scope);
  std::vector<std::string> known(const NameScope& scope) const;
  bool visible(const std::string& text, const NameScope& scope) const;

  const Program& program_;
  Formulas& into_;
  Diagnostics& diagnostics_;
};

/// Returns whether an operator, or one that it extends, has a port, attribute, parameter or dimension of this name.
bool operator_knows(const Operator& op, std::string_view name);

/// Returns `op` and all operators that it extends, each once, in order of precedence: `op`, then its parents, the last
/// named first.
std::vector<const Operator*> lineage(const Operator& op);

}  // namespace opledger
