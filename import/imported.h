#pragma once
#include <memory>
#include <string>

#include "import/import.h"
#include "import/made_model.h"
#include "run/run.h"

/// What importers of all formats share: the mapping for a document, headings of what is made, and the proof that it can be used.
namespace opledger {

/// A mapping that has this word under a key, such as `model_types`. Null, with an error that names what is known: none has. `what`: the word, for messages.
const Document* find_mapping(const char* key, const char* what, const Datum& word, const char* advice, Library& library, Diagnostics& diagnostics);

/// `source`: what was imported, for the document's own key of that name.
MadeHeading heading_of(const std::string& name, const Document& mapping, std::string source, const char* advice);

/// Builds a run from the imported documents as proof that they are a model and an execution of it (or of the request's base, if no model was imported).
/// Messages show the imported text. `library` is a copy, to which the imported documents are added. Returns null, with errors, if the documents are not valid.
std::unique_ptr<Run> build_imported(const Imported& imported, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Warns of each dimension of the graph whose size the imported model does not give, if its default in a document of blocks has a number (`ffn: 4 * hidden`).
/// A default that only repeats other sizes (`kv_heads: heads`) describes the block and is no assumption.
void warn_of_defaults(const Run& run, const FamilyMapping& family, Diagnostics& diagnostics);

}  // namespace opledger
