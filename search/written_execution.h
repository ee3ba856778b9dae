#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/search_answer.h"
#include "search/search_request.h"

/// A candidate as an execution: what the space gives it, without the space.
namespace opledger {

struct WrittenExecution {
  Datum root;                                                 ///< A document of kind `execution`.
  std::string system;                                         ///< Of the run; empty: none.
  std::vector<std::pair<std::string, std::string>> settings;  ///< `--set` of what no execution can say: fields of the system.
};

/// One of `answer.best` or of the front, for a file `path`. What is given holds: a run of the execution is made, and every metric that it has must be what the search says, to
/// the bit. Empty, with errors, if one is not, or if a document that the execution names can't be named from there.
std::optional<WrittenExecution> written_execution(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate,
                                                  const std::filesystem::path& path, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
