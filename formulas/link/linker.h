#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formulas/program.h"

/// Name resolution: turns syntax trees (Expr) into linked formulas (Formula), in which every name refers to its
/// definition and every word to its set. Names are looked up from the innermost scope outward, then among sets, inputs of
/// case words, values of nodes and words. A set wins over a global name of the same spelling. A name normally hides a word
/// of the same spelling. Next to a set in a comparison the word wins, and before a dot it wins over a global name.
///
/// Readers first declare all names of a scope, then link formulas, because formulas may use later names.
namespace opledger {

class Linker {
 public:
  /// Looks names up in `program` and stores linked formulas in `into`: the program itself while documents are read,
  /// later a separate storage that the caller keeps. Errors go to `diagnostics`. All three must outlive the linker.
  Linker(const Program& program, Formulas& into, Diagnostics& diagnostics) : program_(program), into_(into), diagnostics_(diagnostics) {}

  /// Returns the storage of everything that this linker creates; all results below live there.
  Formulas& into() { return into_; }

  /// Links an expression whose names `scope` resolves. Reports an error and returns null if a name is unknown or used
  /// in a wrong way. A null expression gives null.
  const Formula* link(const ExprPtr& expr, const NameScope& scope);

  /// Links a parsed definition, without adding it to a name; its `lets` get a scope of their own. Reports errors and
  /// returns null then.
  const Def* define(const Definition& definition, const NameScope& scope);

  /// Creates an empty scope inside `parent`; null: a global scope.
  NameScope& scope(const NameScope* parent);
  /// Returns a new scope inside `outer` with the names of a section's `let`, which see each other.
  const NameScope& scope_with(const Datum& lets, const NameScope& outer);
  /// Creates a name without definitions that is not yet in any scope. `at_node`: each node has its own value.
  Name& name(std::string text, bool at_node = false);
  /// Returns the stored copy of a text. Equal texts share one address.
  const std::string* intern(std::string_view text);
  /// Appends a constant to the definitions of `name`; `at` is the position of the value in its document.
  void define_constant(Name& name, const Value& value, const Span& at);

  /// Returns the set of this name. Reports an error and returns no set if none exists.
  SetId set_named(const std::string& text, const Span& span);

  /// Returns the only set that contains all of `words`. Reports an error and returns no set if none or several do.
  SetId set_of(const std::vector<std::string>& words, const std::vector<Span>& spans);

 private:
  // Names and sets.
  /// Returns the word set `name` if elements of the set `elements` belong to its words (`message.phase`); else no set.
  SetId joined(SetId elements, const std::string& name) const;
  /// Returns the set of this name or, with a warning, of this former name; no set if none exists.
  SetId find_set(const std::string& text, const Span& span, const NameScope& scope);
  /// Returns the names, arguments, sets, words and node values that formulas of the scope may use, sorted, for suggestions
  /// in messages.
  std::vector<std::string> known(const NameScope& scope) const;
  /// Returns whether a name, argument or operator value of the scope or an outer one has this text.
  bool visible(const std::string& text, const NameScope& scope) const;

  // Forms of expressions. Each function returns null after an error.
  /// Creates a formula without parts; `expr` is its source for messages.
  Formula& add(Formula::Kind kind, const ExprPtr& expr);
  /// Links the arguments of `expr` as the arguments of `formula` and returns it.
  const Formula* children(Formula& formula, const ExprPtr& expr, const NameScope& scope);
  const Formula* link_literal(const ExprPtr& expr);
  const Formula* link_at(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_path(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_parameter(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_call(const ExprPtr& expr, const NameScope& scope);
  const Formula* link_aggregate(const ExprPtr& expr, const NameScope& scope);
  /// Wraps an aggregate with `per A, B`, so that only the current words of A and B restrict the visited elements.
  const Formula* per(const ExprPtr& expr, const Formula* aggregate);
  const Formula* link_comparison(const ExprPtr& expr, const NameScope& scope);
  /// Links an operand of a comparison with a word of `compared_set`: the word wins over a name.
  const Formula* link_operand(const ExprPtr& expr, const NameScope& scope, SetId compared_set);
  /// Links a single name: an argument, a name, a set, a value of nodes or a word.
  const Formula* resolve(const std::string& text, const ExprPtr& expr, const NameScope& scope);
  /// Creates the constant of a word; without a set, comparisons compare its spelling.
  const Formula* word_of(const std::string& text, SetId set, const ExprPtr& expr);

  // Paths with dots (linker_paths.cc).
  /// Splits `a.b.c` into its texts. `base` is the innermost expression; its text is the first if it is a name.
  static std::vector<std::string> flatten(const ExprPtr& expr, ExprPtr& base);
  /// Removes the words in front of a path from `parts` and returns them as bindings.
  Bindings take_bindings(std::vector<std::string>& parts, const Span& span, const NameScope& scope);
  /// Returns a formula that evaluates `inner` at the bound words; `inner` itself without bindings.
  const Formula* bound(Bindings bindings, const Formula* inner, const ExprPtr& expr);
  /// Returns the item at the current position of the list whose positions are the words of a set.
  const Formula* current_item(const Formula& position, const ExprPtr& expr);

  const Program& program_;
  Formulas& into_;
  Diagnostics& diagnostics_;
};

/// Returns whether the operator, or an operator that it extends, has a port, attribute, parameter or dimension of this
/// name.
bool operator_knows(const Operator& op, std::string_view name);

/// Returns `op` and all operators that it extends, each once, in order of precedence: `op`, then its parents, the last
/// named first. Each parent is followed by its own parents (depth-first).
std::vector<const Operator*> lineage(const Operator& op);

}  // namespace opledger
