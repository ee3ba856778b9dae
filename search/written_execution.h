#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/search_answer.h"
#include "search/search_request.h"

/// A candidate as a document of kind `execution`, which reproduces the run without the space.
namespace opledger {

/// An execution, and the settings that belong to it.
struct WrittenExecution {
  Datum root;                                                 ///< A document of kind `execution`.
  std::string system;                                         ///< System of the run; empty if the run has none.
  std::vector<std::pair<std::string, std::string>> settings;  ///< Values for `--set` that an execution can't contain: paths into documents, such as the system.
};

/// Returns the execution of a candidate of `answer.best` or `answer.front`, for a file at `path`. The execution is
/// verified: a run of it must reproduce every published metric of the search, bit for bit. Returns nothing, with
/// errors, if a metric differs, a condition of a rule has no value, or the run of the candidate or of the execution
/// can't be prepared.
std::optional<WrittenExecution> written_execution(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate,
                                                  const std::filesystem::path& path, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
