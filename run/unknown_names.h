#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

/// Checks of names that no run has. A run ignores a name in a document if it lacks the name, because another run may
/// have it. These checks report a name that neither the run's program nor any document on the search path declares.
/// Documents that came with the program are not checked again.
namespace opledger {

/// Checks the names that accountings give other values under `cases`. `program` is linked from them. False, with
/// errors: a name means nothing.
bool check_case_names(const std::vector<const Document*>& accounting, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the words under `cases` of an execution or a stack, and the names that it gives other values there. `program`
/// is linked from the accounting that the document is for. False, with errors: a word or a name means nothing.
bool check_cases(const Document& document, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the fields of stacks. False, with errors: a field means nothing.
bool check_stack_fields(const std::vector<const Document*>& stacks, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the names of accountings under `for`: each is an accounting of the run or is found on the search path. False,
/// with errors: a name means none.
bool check_readers(const std::vector<const Document*>& documents, const std::vector<const Document*>& accounting, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
