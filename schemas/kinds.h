#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

/// The kinds of documents and the folders that they live in: the one table to extend for a new kind, beside its schemas/KIND.schema.json.
namespace opledger {

struct DocumentKind {
  std::string_view name;
  std::string_view folder;       ///< Within a place of the search path.
  std::string_view former = {};  ///< The folder before it moved: documents there are still found, with a warning.
};

inline constexpr std::array<DocumentKind, 13> kDocumentKinds = {{{"ops", "ops"},
                                                                 {"order", "play/orders", "orders"},
                                                                 {"blocks", "models/blocks"},
                                                                 {"model", "models"},
                                                                 {"rules", "rules"},
                                                                 {"system", "systems"},
                                                                 {"execution", "executions"},
                                                                 {"stack", "stacks"},
                                                                 {"accounting", "accounting"},
                                                                 {"search", "search/spaces", "searches"},
                                                                 {"validation", "measured/validations", "validations"},
                                                                 {"measurements", "measured/measurements", "measurements"},
                                                                 {"import", "models/import"}}};

/// Null if there is no such kind.
const DocumentKind* find_kind(std::string_view name);

std::vector<std::string> kind_names();

}  // namespace opledger
