#pragma once
#include <deque>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/declared.h"
#include "ops/definition.h"
#include "schemas/document.h"

namespace opledger {

/// Names with formulas: `let`, `metrics` and `quantities` of accountings, and whatever else is given as a definition. All are declared before any is linked.
class DefinitionReader {
 public:
  DefinitionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// The global names of a document; one that extends others may define theirs anew.
  void declare(const Document& document);

  /// A definition of a name that is declared, newer than those before: of one operator's nodes if there is one.
  void add(Name& name, Definition definition, const NameScope& scope, const Operator* op = nullptr);

  void link();

  /// Whether names vary with no more than `for` of their groups says: when the variance of all names is known. False, with an error for each that does not.
  bool vary_as_declared();

  /// Whether the text, with an error, is one of the engine's sets, which are known by their names everywhere: a name of the same text could never be read.
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

/// Whether one of the documents defines a global name.
bool defined(const std::vector<const Document*>& documents, const std::string& name);

}  // namespace opledger
