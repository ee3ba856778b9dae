#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "graph/graph.h"

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

  /// The model's groups of which the graph has both dimensions.
  void add_groups(const Model& model);

 private:
  std::map<std::string, DimensionInfo, std::less<>> declared_;
  std::map<std::string, DimId, std::less<>> used_;
  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
