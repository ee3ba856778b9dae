#pragma once
#include <memory>
#include <string>

#include "import/import.h"
#include "import/made_model.h"
#include "import/mapping.h"
#include "run/run.h"

/// What importers of all formats share: the mapping for a document, headings of what is made, and the proof that it can be used.
namespace opledger {

/// A mapping that has this word under a key, such as `model_types`. Null, with an error that names what is known: none has. `what`: the word, for messages.
const Document* find_mapping(const char* key, const char* what, const Datum& word, const char* advice, Library& library, Diagnostics& diagnostics);

/// `source`: what was imported, for the document's own key of that name.
MadeHeading heading_of(const std::string& name, const Document& mapping, std::string source, const char* advice);

/// What was made must be a model, and an execution of it (of the request's base, where no model is made). Messages then show its text. `library` is a copy: what it
/// has read needn't be read again, and what is made is in it only here. Null, with errors: it is none.
std::unique_ptr<Run> build_imported(const Imported& imported, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Warns of each dimension of the graph whose size the imported model does not give, if its default in a document of blocks has a number (`ffn: 4 * hidden`).
/// A default that only repeats other sizes (`kv_heads: heads`) describes the block and is no assumption.
void warn_of_defaults(const Run& run, const Mapping& mapping, Diagnostics& diagnostics);

}  // namespace opledger
