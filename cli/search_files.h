#pragma once
#include "cli/command.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// Adds the files of `--write` to an outcome. A file name gets the best candidate as an execution; a folder gets all of
/// the best, `1.yaml` and so on. With `--export` each file is a launch script instead, and candidates that the format
/// can't express are left out, with a warning. Reports an error if no candidate can be exported, or if an execution
/// does not reproduce the candidate's metrics. Nothing is written here: the program writes the files of the outcome.
void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics);

}  // namespace opledger
