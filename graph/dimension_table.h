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

  /// Adds a requirement to the graph: `to` has the size of `from`, or the size that the edge states. Each run checks it, because sizes are not known here.
  /// Without a stated size, a dimension that `continues` the other one needs no requirement.
  void renamed(DimId from, DimId to, const RenameSpec& rename, const std::string& tensor, const Renames& scope);

  /// The model's groups of which the graph has both dimensions.
  void add_groups(const Model& model);

 private:
  std::map<std::string, DimensionInfo, std::less<>> declared_;
  ExprPtr size_of(DimId d, const Span& span) const;

  std::map<std::string, DimId, std::less<>> used_;
  std::set<std::pair<DimId, DimId>> renamed_;  ///< Renames without a stated size whose requirement the graph already has.
  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
