#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "schemas/library.h"

/// The fields of documents: which of them an accounting declares, and which it reads.
namespace opledger {

/// Keys of an execution that are not fields of the accounting: `mesh`, `rules`, …
bool structural_key(std::string_view key);

/// The fields that an accounting declares for a document (`documents: {model: …}`); null: none.
const Datum* declared_fields(const std::vector<const Document*>& accounting, std::string_view role);

/// A document of another tool must have exactly the declared fields. False, with errors, if it has others or lacks some.
bool check_fields(const Document& document, const Datum& declared, Diagnostics& diagnostics);
/// The same of a document without a kind, whose fields the accounting must declare; others pass.
bool check_role(const Document& document, const char* role, const std::vector<const Document*>& accounting, const std::string& accounting_name,
                Diagnostics& diagnostics);

/// What a document says `for` one of the accountings alone; null: nothing.
const Datum* fields_for(const Document& document, const std::vector<const Document*>& accounting);

/// What the accounting reads of a system: fields for it alone, and of the others those that it declares; without any of its own, all.
Datum system_fields(const Document& system, const std::vector<const Document*>& accounting);

}  // namespace opledger
