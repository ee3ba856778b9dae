#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

/// The kinds of documents with their folders. A new kind needs an entry here and schemas/KIND.schema.json.
namespace opledger {

/// A kind of document.
struct DocumentKind {
  std::string_view name;         ///< The word of `kind:` in documents.
  std::string_view folder;       ///< Relative to a folder of the search path.
  std::string_view former = {};  ///< Former folder, still searched with a warning; empty if the folder did not move.
};

/// All kinds. The folder of a kind may lie in the folder of another kind.
inline constexpr std::array<DocumentKind, 16> kDocumentKinds = {{{"ops", "ops"},
                                                                 {"order", "play/orders", "orders"},
                                                                 {"blocks", "models/blocks"},
                                                                 {"model", "models"},
                                                                 {"rules", "rules"},
                                                                 {"system", "systems"},
                                                                 {"execution", "executions"},
                                                                 {"stack", "stacks"},
                                                                 {"accounting", "accounting"},
                                                                 {"search", "search/spaces", "searches"},
                                                                 {"plan", "search/plans"},
                                                                 {"changes", "search/changes"},
                                                                 {"validation", "measured/validations", "validations"},
                                                                 {"accuracy", "measured"},
                                                                 {"measurements", "measured/measurements", "measurements"},
                                                                 {"import", "models/import"}}};

/// Returns a kind by name, or null.
const DocumentKind* find_kind(std::string_view name);

/// Returns the names of all kinds in this order.
std::vector<std::string> kind_names();

}  // namespace opledger
