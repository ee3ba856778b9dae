#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Listings of names that documents define: metrics, inputs and quantities of an accounting, operators, blocks.
namespace opledger {

/// A table with element row per name.
struct Catalogue {
  struct Row {
    std::string name;
    std::vector<std::string> facts;  ///< One text per fact; empty if the fact does not apply.
    std::string doc;                 ///< Documentation as element line.
  };
  std::string title, of;  ///< Title, and noun for a row: `Metrics`, `metric`.
  std::vector<std::string> facts;
  std::vector<Row> rows;
};

/// Returns the known listings: `metrics`, `inputs`, `quantities` (of an accounting), `operators` (of `ops` documents),
/// `block-definitions` (of `blocks` documents).
std::vector<std::string> catalogue_names();
bool is_catalogue(const std::string& word);

/// Returns a listing. `document`: name or path of the source; empty: the default accounting, or all documents on the
/// search path. Empty, with errors, if the source can't be read; ignored documents on the search path are skipped
/// with a warning.
std::optional<Catalogue> catalogue(const std::string& word, const std::string& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
