#pragma once
#include <set>
#include <string>
#include <vector>

#include "run/run.h"

/// Translation of a run of one accounting into inputs of another. The target accounting states under `compares` the
/// constraints on the run and a formula for each input. Formulas use names of the run and parameters of its model.
/// Formulas under `model` also apply to a model without a run. For whole runs see compare/translated_run.h.
namespace opledger {

using Documents = std::vector<const Document*>;

/// Returns the sections `compares` in documents `target` that concern an accounting with documents `source`, in the
/// order of the documents.
std::vector<const Datum*> translation_sections(const Documents& target, const Documents& source);

/// Returns whether the sections define inputs; with `model_alone`, whether their parts `model` do.
bool has_inputs(const std::vector<const Datum*>& sections, bool model_alone = false);

/// Returns the message of an error with its position.
std::string with_place(const Diagnostic& error);
/// Returns the message of the first error with its position.
std::string first_error(const Diagnostics& diagnostics);

/// Translates a run and adds the inputs to `out`. Returns false if an input can't be computed or a constraint of the
/// section fails; `why` then holds the reason.
bool translate(Run& run, const std::vector<const Datum*>& sections, bool model_alone, std::vector<FieldAssignment>& out, std::string& why);

/// Translates the model of a request without execution, or its whole run, into inputs of the accounting `target`. Empty
/// if that accounting has no such sections or, with errors, if the translation fails.
std::optional<TranslatedInputs> translate_inputs(const RunRequest& request, const Documents& target, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
