#pragma once
#include <memory>
#include <string>

#include "import/import.h"
#include "import/imported_model.h"
#include "run/run.h"

/// Steps that the importers of several formats share: selection of a mapping, headings of documents, and the proof
/// that a result can run.
namespace opledger {

/// Returns the mapping, owned by the library, that lists `word` under a key such as `model_types`. Returns null and
/// reports an error with all known words if no mapping lists it. `noun` names the kind of word in the message,
/// `advice` ends the message.
const Document* find_mapping(const char* key, const char* noun, const Datum& word, const char* advice, Library& library, Diagnostics& diagnostics);

/// Returns the heading of a new document: its name, the mapping's `doc`, and a comment with the mapping's name and
/// `advice`. `source` describes the imported file, for the document's key `source`.
DocumentHeading heading_of(const std::string& name, const Document& mapping, std::string source, const char* advice);

/// Prepares a run of the imported documents as proof of their validity. The request's base model is used if no model
/// was imported. Messages show the imported text. `library` is a copy that receives the imported documents. Returns
/// null and reports errors if a document is not valid.
std::unique_ptr<Run> build_imported(const ImportedDocuments& imported, const ImportRequest& request, Library& library, Diagnostics& diagnostics);

/// Warns of each dimension whose size the imported model lacks, if the block's default contains a number (`ffn: 4 *
/// hidden`). A default that only repeats other sizes (`kv_heads: heads`) describes the block and is no assumption.
void warn_of_defaults(const Run& run, const FamilyMapping& family, Diagnostics& diagnostics);

}  // namespace opledger
