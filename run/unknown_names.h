#pragma once
#include <vector>

#include "formulas/program.h"
#include "schemas/library.h"

/// Checks of names in documents after the program is linked. A run ignores a name in a document if the run lacks it,
/// because another run may have it. These checks report a name that neither the run's program nor any document on the
/// search path declares, which is a typing error. Documents that came with the program are not checked again, except by
/// `check_cases`. Each function returns false after an error.
namespace opledger {

/// Checks the names to which accountings give other values under `cases`. `program` is linked from these accountings.
bool check_case_names(const std::vector<const Document*>& accounting, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the words under `cases` of an execution or a stack, and the names that get other values there. `program` is
/// linked from the accounting of the document. An unknown word is an error, too.
bool check_cases(const Document& document, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the fields of stacks against the inputs of the run, and of the accounting for which a stack is written.
bool check_stack_fields(const std::vector<const Document*>& stacks, const Program& program, Library& library, Diagnostics& diagnostics);

/// Checks the names of accountings under `for` in `documents`: each is one of `accounting`, or a document on the search
/// path.
bool check_readers(const std::vector<const Document*>& documents, const std::vector<const Document*>& accounting, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
