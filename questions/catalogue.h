#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// What documents offer, by name: the metrics, inputs and quantities of an accounting, operators, blocks.
namespace opledger {

struct Catalogue {
  struct Row {
    std::string name;
    std::vector<std::string> facts;  ///< By fact; empty: it has none.
    std::string doc;                 ///< In a line.
  };
  std::string title, of;  ///< `Metrics`, `metric`.
  std::vector<std::string> facts;
  std::vector<Row> rows;
};

/// Words that `catalogue` knows: `metrics`, `inputs`, `quantities` of an accounting; `operators` of an `ops` document, `block-definitions` of a `blocks` document.
std::vector<std::string> catalogue_names();
bool is_catalogue(const std::string& word);

/// `document`: where it is looked up, by name or path; empty: in the accounting that executions have by default, in all documents of the search path. Empty, with errors, if
/// that can't be read; a document of the search path that can't is left out, with a warning.
std::optional<Catalogue> catalogue(const std::string& word, const std::string& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
