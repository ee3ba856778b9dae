#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "schemas/library.h"

/// What can be said of a document before it meets the others of a run, beyond its schema.
namespace opledger {

/// By kind: a model is built for one processor; rules, operators and blocks are read; an execution, a system and an accounting are linked with the
/// accounting they are for. `path` is how the user named the document. `all` are the documents that are checked together: fields may be parameters of their
/// models, marks may be those of their accountings.
void check_document(const Document& document, const std::string& path, const std::vector<const Document*>& all, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
