#pragma once
#include "cli/command.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// Adds the files of `--write` to an outcome. A file name gets the best candidate as an execution; a folder gets all
/// of the best, `1.yaml` and so on. With `--export` each file is a launch script instead. Reports errors if the name
/// is no such file, or if no candidate can be written.
void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics);

}  // namespace opledger
