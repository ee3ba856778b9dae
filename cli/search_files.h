#pragma once
#include "cli/command.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// `--write`: the best candidate as an execution in a file, or all of the best in a folder, `1.yaml` and so on. Errors if the name is no such file, or one of them can't be written.
void add_executions(const SearchRequest& request, const SearchAnswer& answer, const Options& options, Library& library, Outcome& outcome,
                    Diagnostics& diagnostics);

}  // namespace opledger
