#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "graph/graph.h"
#include "graph/substitute.h"

/// The dimensions of a graph while it is built: a name is one if the model declares it, as a dimension or as a parameter. Numbered as they are met.
namespace opledger {

class DimensionTable {
 public:
  DimensionTable(const Model& model, Graph& graph, Diagnostics& diagnostics);

  bool known(std::string_view name) const { return declared_.find(name) != declared_.end(); }
  std::optional<DimId> intern(std::string_view name, const Span& span);  ///< Reports an unknown name.
  std::string suggest(std::string_view name) const;
  std::string text(const DimList& dims) const;  ///< `[batch seq hidden]`
  const std::string& name(DimId d) const { return graph_.dimensions[d].name; }
  Diagnostics& diagnostics() { return diagnostics_; }

  /// Notes that a rename keeps the size of the dimension, or gives it the one that the edge states: a requirement, since sizes are not known here. An entry of a
  /// dimension that continues the other one needs none.
  void renamed(DimId from, DimId to, const RenameSpec& rename, const std::string& tensor, const Renames& scope);

  /// The model's groups of which the graph has both dimensions.
  void add_groups(const Model& model);

 private:
  std::map<std::string, DimensionInfo, std::less<>> declared_;
  ExprPtr size_of(DimId d, const Span& span) const;

  std::map<std::string, DimId, std::less<>> used_;
  std::set<std::pair<DimId, DimId>> renamed_;  ///< Pairs without a stated size that are required to be equal already.
  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
