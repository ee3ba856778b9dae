#pragma once
#include <set>
#include <vector>

#include "accounting/element_table.h"
#include "formulas/evaluate/inquiry.h"
#include "formulas/link/linker.h"
#include "graph/annotations.h"
#include "schemas/library.h"

/// What rules may say of things: `marks:` of accountings gives each name a type, and marks of a graph are bound to these.
namespace opledger {

/// Declares the marks of a document as fields and sets of the engine's sets. One that `extends` may declare a mark anew. Errors: no default, a name in use.
void declare_marks(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics);

/// A mark of a graph in a program: a word, or a formula of the type's unit.
struct BoundMark {
  std::size_t type = 0;  ///< Position in Program::marks.
  WordId word = -1;
  const Name* value = nullptr;
};

/// In the order of `marks`. Errors, where rules say them: an unknown mark, an unknown word, a formula that can't be linked. `used`: those that found something, null: all; the
/// formulas of others may name what this model lacks.
IdVector<MarkId, BoundMark> bind_marks(const Program& program, const NameScope& scope, Formulas& into, const IdVector<MarkId, Mark>& marks,
                                       Diagnostics& diagnostics, const std::set<MarkId>* used = nullptr);

/// Marks that something in the graph has.
std::set<MarkId> marks_in(const Annotations& annotations);

/// The fields and words that a row of `table`, a table of the elements of `of` or of elements that belong to these, has by its marks.
void add_marks(ElementTable& table, SetId of, bool fields, const MarkList& marks, const IdVector<MarkId, BoundMark>& bound, Inquiry& inquiry);

}  // namespace opledger
