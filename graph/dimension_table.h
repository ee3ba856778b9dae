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

/// The dimensions of a graph under construction. Every declared dimension or parameter of the model can become one;
/// numbers are assigned at first use.
namespace opledger {

class DimensionTable {
 public:
  DimensionTable(const Model& model, Graph& graph, Diagnostics& diagnostics);

  bool known(std::string_view name) const { return declared_.find(name) != declared_.end(); }
  std::optional<DimId> intern(std::string_view name, const Span& span);  ///< Returns the number of a dimension; reports an unknown name.
  std::string suggest(std::string_view name) const;
  std::string text(const DimList& dims) const;  ///< `[batch seq hidden]`.
  const std::string& name(DimId d) const { return graph_.dimensions[d].name; }
  Diagnostics& diagnostics() { return diagnostics_; }

  /// Adds a requirement to the graph: `to` has the size of `from`, or the size that the edge states. Each run checks
  /// the requirement, because sizes are unknown here. Without a stated size, a dimension that `continues` the other one
  /// needs none.
  void renamed(DimId from, DimId to, const RenameSpec& rename, const std::string& tensor, const Renames& scope);

  /// Adds the model's groups of dimensions whose two members the graph has.
  void add_groups(const Model& model);

 private:
  std::map<std::string, DimensionInfo, std::less<>> declared_;
  ExprPtr size_of(DimId d, const Span& span) const;

  std::map<std::string, DimId, std::less<>> used_;
  std::set<std::pair<DimId, DimId>> renamed_;  ///< Renames without a stated size that already have a requirement.
  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
