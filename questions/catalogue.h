#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Listings of names that documents define: metrics, inputs and quantities of an accounting, operators, blocks.
namespace opledger {

/// A table with one row for each name.
struct Catalogue {
  /// A listed name with its properties.
  struct Row {
    std::string name;
    std::vector<std::string> facts;  ///< One text for each column of Catalogue::facts; empty if the column does not apply.
    std::string doc;                 ///< Documentation as one line; may be empty.
  };
  std::string title, of;           ///< Title, and noun for a row: `Metrics`, `metric`.
  std::vector<std::string> facts;  ///< Titles of the columns between name and documentation, such as `unit`.
  std::vector<Row> rows;           ///< Rows in the order of the documents.
};

/// Returns the known listings: `metrics`, `inputs`, `quantities` (of an accounting), `operators` (of `ops` documents),
/// `block-definitions` (of `blocks` documents).
std::vector<std::string> catalogue_names();
/// Returns true if `word` is one of catalogue_names().
bool is_catalogue(const std::string& word);

/// Returns the listing `word`, one of catalogue_names(). `document` is the name or path of its source. An empty
/// `document` means the default accounting, or all `ops` or `blocks` documents on the search path.
/// Returns nothing, with errors, if the source can't be read. Unreadable documents on the search path are skipped with
/// a warning.
/// Inputs include those that spaces of the accounting declare (`space_inputs`).
std::optional<Catalogue> catalogue(const std::string& word, const std::string& document, Library& library, Diagnostics& diagnostics);

/// Returns the inputs that a document of kind `search` declares, with types and defaults as written.
Catalogue space_inputs(const Document& space);

}  // namespace opledger
