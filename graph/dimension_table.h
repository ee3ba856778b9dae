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

/// Maps names to the graph's dimensions, and adds the requirements that renamed dimensions keep their sizes.
class DimensionTable {
 public:
  /// Knows the model's parameters and dimensions. The graph and the diagnostics must outlive the table.
  DimensionTable(const Model& model, Graph& graph, Diagnostics& diagnostics);

  /// Returns whether the model declares a dimension or parameter of this name.
  bool known(std::string_view name) const { return declared_.find(name) != declared_.end(); }
  /// Returns the number of a dimension, and adds the dimension to the graph at its first use. Returns nothing, with an
  /// error at `span`, for an unknown name.
  std::optional<DimId> intern(std::string_view name, const Span& span);
  std::string suggest(std::string_view name) const;  ///< Returns the end of a message about an unknown name: similar names, or all names.
  std::string text(const DimList& dims) const;       ///< Formats dimensions: `[batch seq hidden]`.
  const std::string& name(DimId d) const { return graph_.dimensions[d].name; }
  Diagnostics& diagnostics() { return diagnostics_; }

  /// Adds a requirement to the graph for a rename on an edge: `to` has the size of `from`, or the size that the edge
  /// states. Each run checks the requirement, because sizes are unknown here. Without a stated size, a dimension that
  /// `continues` the other one needs none. `tensor`: name of the renamed tensor, for the message; `scope`:
  /// substitutions of names in the block of the edge, for the stated size.
  void renamed(DimId from, DimId to, const RenameSpec& rename, const std::string& tensor, const Renames& scope);

  /// Adds the model's groups, pairs of a fine and a coarse dimension, if the graph has both. Reports unknown names.
  void add_groups(const Model& model);

 private:
  std::map<std::string, DimensionInfo, std::less<>> declared_;  ///< Dimensions and parameters of the model.
  ExprPtr size_of(DimId d, const Span& span) const;

  std::map<std::string, DimId, std::less<>> used_;  ///< Dimensions of the graph.
  std::set<std::pair<DimId, DimId>> renamed_;       ///< Renames without a stated size that already have a requirement.
  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
