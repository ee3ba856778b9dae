#pragma once
#include <set>
#include <string>
#include <vector>

#include "run/run.h"

/// What an accounting says, under `compares`, of how a run of another one is asked of it: what must hold, and a formula for each input of its own, over the
/// run's names and its model's parameters. What it says under `model` is also asked of a model alone, without a run of it. A whole run that is asked so is compare/restated.h.
namespace opledger {

using Documents = std::vector<const Document*>;

/// Of an accounting's documents, what they say of an accounting, or any of several, each after those they use.
std::vector<const Datum*> said_of(const Documents& asked, const Documents& of);

/// Whether something of it gives inputs; of a model alone: whether something of `model` does.
bool tells_inputs(const std::vector<const Datum*>& said, bool model_alone = false);

/// An error with its place; of several the first.
std::string with_place(const Diagnostic& error);
std::string first_error(const Diagnostics& diagnostics);

/// Adds the inputs' values to `out`. False: they can't be told, or the run is one that the accounting doesn't know; `why` says what is in the way.
bool ask(Run& run, const std::vector<const Datum*>& said, bool model_alone, std::vector<Given>& out, std::string& why);

/// The model's, without an execution, or those of the whole run. Empty: the accounting says nothing of such, or, with errors, it can't be asked.
std::optional<TranslatedInputs> ask_documents(const RunRequest& request, const Documents& asked, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
