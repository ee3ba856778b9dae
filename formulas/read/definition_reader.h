#pragma once
#include <deque>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/declared.h"
#include "ops/definition.h"
#include "schemas/document.h"

/// Reading of definitions in two steps. All names are declared before any formula is linked, so that formulas may use
/// later names. Order: `declare` and `add` for each definition, then `link`, and, once variances are known,
/// `vary_as_declared`.
namespace opledger {

/// Reader of definitions: `let`, `metrics` and `quantities` of accountings, and definitions from other readers.
class DefinitionReader {
 public:
  /// Reads into `program`; errors go to `diagnostics`.
  DefinitionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// Declares the global names of a document. A document that extends others may redefine their names.
  void declare(const Document& document);

  /// Adds a newer definition to a declared name, to be linked in `scope`; with `op` only for nodes of that operator.
  void add(Name& name, Definition definition, const NameScope& scope, const Operator* op = nullptr);

  /// Links all definitions in the order in which they were declared or added, and reports their errors.
  void link();

  /// Returns whether all names vary only with the sets that `for` of their groups declares; see `check_declared` for the
  /// errors. Variances must be known.
  bool vary_as_declared();

  /// Returns whether the text names an engine set, and reports an error if so: formulas could never read a name of the
  /// same text.
  bool is_set(const std::string& text, const Span& span);

 private:
  /// A definition that is not yet linked.
  struct Pending {
    Name* name;
    Definition definition;
    const NameScope* scope;
    const Operator* op;  ///< Operator whose nodes have the definition; null: all.
  };

  // `section` is `let`, `metrics` or `quantities`; `may_replace`: the document extends others.
  /// Declares the definitions of a list item of a section, with the sets under its key `for`.
  void declare_group(const Datum& group, const char* section, bool may_replace);
  /// Declares one definition and returns its name; null after an error.
  const Name* declare(Definition&& definition, const char* section, bool may_replace);
  /// Returns whether the set has the words of a mark.
  bool is_mark(SetId set) const;
  /// Adds notes to an error with the positions of earlier definitions of a text.
  void note_first(const std::string& text, const Name* name, Diagnostic& d) const;
  /// Makes a name a metric; `publish` (link/published.h) later gives it public names.
  void publish_later(Name& n, const Definition& definition);
  /// Returns the set of operators under `of`; none: the quantity belongs to nodes.
  SetId family_of(const Definition& definition);

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::deque<Pending> pending_;     ///< Definitions to link, in order.
  std::vector<Declared> declared_;  ///< Declared variances of names.
};

/// Returns whether a section `let`, `metrics` or `quantities` of one of the documents defines the name.
bool defined(const std::vector<const Document*>& documents, const std::string& name);

}  // namespace opledger
