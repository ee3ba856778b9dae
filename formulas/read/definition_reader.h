#pragma once
#include <deque>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/declared.h"
#include "ops/definition.h"
#include "schemas/document.h"

namespace opledger {

/// Reader of definitions: `let`, `metrics` and `quantities` of accountings, and definitions from other readers. All
/// names are declared before any formula is linked, so that formulas may use later names.
class DefinitionReader {
 public:
  DefinitionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// Declares the global names of a document. A document that extends others may redefine their names.
  void declare(const Document& document);

  /// Adds a newer definition to a declared name; with `op` only for nodes of that operator.
  void add(Name& name, Definition definition, const NameScope& scope, const Operator* op = nullptr);

  /// Links all definitions that were added, and reports their errors.
  void link();

  /// Returns whether all names vary only with the sets that `for` of their groups declares. Reports each other name.
  /// Variances must be known.
  bool vary_as_declared();

  /// Returns whether the text names an engine set, and reports an error if so: formulas could never read a name of the
  /// same text.
  bool is_set(const std::string& text, const Span& span);

 private:
  struct Pending {
    Name* name;
    Definition definition;
    const NameScope* scope;
    const Operator* op;
  };

  void declare_group(const Datum& group, const char* section, bool may_replace);
  const Name* declare(Definition&& definition, const char* section, bool may_replace);
  bool is_mark(SetId set) const;
  void note_first(const std::string& text, const Name* name, Diagnostic& d) const;
  void publish_later(Name& n, const Definition& definition);
  SetId family_of(const Definition& definition);

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::deque<Pending> pending_;
  std::vector<Declared> declared_;
};

/// Returns whether one of the documents defines the global name.
bool defined(const std::vector<const Document*>& documents, const std::string& name);

}  // namespace opledger
