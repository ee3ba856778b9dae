#pragma once
#include <set>
#include <string>
#include <vector>

#include "run/run.h"

/// Translation of a run of one accounting into inputs of another. The target accounting states under `compares` the
/// constraints on the run and a formula for each input. Formulas use names of the run and parameters of its model.
/// Formulas under `model` also apply to a model without a run. For whole runs see compare/translated_run.h.
namespace opledger {

using Documents = std::vector<const Document*>;  ///< Documents of an accounting: those that it uses or extends, then the accounting itself.

/// Returns the sections `compares` in documents `target` that concern an accounting with documents `source`, in the
/// order of the documents.
std::vector<const Datum*> translation_sections(const Documents& target, const Documents& source);

/// Returns whether any section defines inputs. With `model_alone`, only the parts `model` of the sections count.
bool has_inputs(const std::vector<const Datum*>& sections, bool model_alone = false);

/// Returns the message of an error with its position.
std::string with_place(const Diagnostic& error);
/// Returns the message of the first error with its position; a general text without an error.
std::string first_error(const Diagnostics& diagnostics);

/// Translates a run by all sections and adds the inputs to `out`. With `model_alone`, only the parts `model` apply.
/// Returns false if an input can't be computed or a constraint fails; `why` is then the reason, otherwise empty.
bool translate(Run& run, const std::vector<const Datum*>& sections, bool model_alone, std::vector<FieldAssignment>& out, std::string& why);

/// Translates a request into inputs of the accounting `target`: the whole run, or only its model if the request has the
/// default execution. Returns nothing without errors if no translation is needed: the execution's own accounting is
/// `target`, or `target` has no inputs for it. An execution that can't be loaded is left to the caller, too. Returns
/// nothing and reports errors if the run can't be prepared or translated.
std::optional<TranslatedInputs> translate_inputs(const RunRequest& request, const Documents& target, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
