#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "schemas/library.h"

/// The fields of documents that an accounting declares or reads. Documents of other tools have no `kind`; the
/// accounting declares their fields under `documents`. `accounting` is always the list of the accounting's documents,
/// each after the documents that it uses; later declarations win.
namespace opledger {

/// Returns whether a key of an execution is structural (`mesh`, `rules`, …) and thus no input of the accounting.
bool structural_key(std::string_view key);

/// Returns the fields that an accounting declares for a document (`documents: {model: …}`); null if it declares none.
const Datum* declared_fields(const std::vector<const Document*>& accounting, std::string_view role);

/// Checks that a document of another tool has exactly the declared fields. Returns false, with errors, if fields are
/// unknown or missing.
bool check_fields(const Document& document, const Datum& declared, Diagnostics& diagnostics);
/// Checks a document without a kind against the fields that the accounting declares for its role (`model`, …). Returns
/// true for documents with a kind; false, with errors, if fields are wrong or the accounting declares none.
bool check_role(const Document& document, const char* role, const std::vector<const Document*>& accounting, const std::string& accounting_name,
                Diagnostics& diagnostics);

/// Returns the entry under `for` of a document whose name is one of the accountings; the last such accounting wins.
/// Null without such an entry.
const Datum* fields_for(const Document& document, const std::vector<const Document*>& accounting);

/// Returns the fields of a system that the accounting reads: the section meant for it, and declared fields outside the
/// section. A system without such a section is returned whole, except `for`.
Datum system_fields(const Document& system, const std::vector<const Document*>& accounting);

/// Returns the position of the value in the setting `KEY=VALUE` on the command line, in a source file of its own.
Span place_of_setting(const std::string& key, const std::string& value);

}  // namespace opledger
