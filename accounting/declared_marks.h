#pragma once
#include <set>
#include <vector>

#include "accounting/element_table.h"
#include "formulas/evaluate/inquiry.h"
#include "formulas/link/linker.h"
#include "graph/annotations.h"
#include "schemas/library.h"

/// Marks: values that rules attach to messages, saved tensors, weights, nodes and cached tensors. The `marks:` of an
/// accounting declare a name and a type for each mark (`declare_marks`, while a program is linked). Once a graph
/// exists, its marks are bound to these declarations (`bind_marks`). `add_marks` writes the bound marks when a set is
/// filled.
namespace opledger {

/// Declares the marks of a document. A mark with a list of words becomes a set to which the marked elements belong;
/// other marks become fields of the marked elements. A document that `extends` another may declare a mark again. Errors
/// are, for example, a mark without type or default, a name that is in use, and unequal word lists of marks with one
/// name.
void declare_marks(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics);

/// A mark of a graph, bound to a program: a word, or a formula with the unit of the mark's type.
struct BoundMark {
  std::size_t type = 0;         ///< Position in Program::marks.
  WordId word = -1;             ///< The word, if `value` is null; -1 after an error, or for an unmatched mark with a formula.
  const Name* value = nullptr;  ///< Name of the formula; null for a word.
};

/// Binds marks to the declarations of the program; the result has the order of `marks`. Errors, at the rule: an unknown
/// mark, an unknown word, a formula that can't be linked. `used` are the marks that matched an element (null: all).
/// Formulas of unmatched marks are not linked, because the model may lack their names.
IdVector<MarkId, BoundMark> bind_marks(const Program& program, const NameScope& scope, Formulas& into, const IdVector<MarkId, Mark>& marks,
                                       Diagnostics& diagnostics, const std::set<MarkId>* used = nullptr);

/// Returns the marks that at least one element of the graph has.
std::set<MarkId> marks_in(const Annotations& annotations);

/// Adds the marks of one element to the current row of `table`; absent marks get their defaults. `of` is the marked
/// set. `table` fills `of`, or a set whose elements belong to it. `fields` adds all marks: also those that are fields,
/// not only memberships in sets of words.
void add_marks(ElementTable& table, SetId of, bool fields, const MarkList& marks, const IdVector<MarkId, BoundMark>& bound, Inquiry& inquiry);

}  // namespace opledger
