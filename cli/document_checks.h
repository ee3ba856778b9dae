#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "schemas/library.h"

/// Checks of a single document beyond its schema, without the other documents of a run.
namespace opledger {

/// Checks a document by its kind. A model is built for one processor; rules, operators and blocks are parsed. An
/// execution and a system are linked with each accounting that reads them, an accounting with the documents that it
/// uses. A kind without a check of its own is skipped. `path` is the document as the user named it. `all` has the
/// documents checked in one command: fields may be parameters of their models, and marks may be marks of their
/// accountings.
void check_document(const Document& document, const std::string& path, const std::vector<const Document*>& all, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
