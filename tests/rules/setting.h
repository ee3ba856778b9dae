#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/annotate.h"

/// Derivations of blocks from tests/data/sharding with numbers: a plain version of the symbolic computation of
/// accountings.
namespace opledger::testing {

struct Setting {
  std::string model, block;
  std::string mesh;                     ///< `{dp: 2, tp: 8}`
  std::vector<std::string> rules;       ///< Names in rules.yaml.
  std::string extra_rules;              ///< A rule document's text, applied last; may be empty.
  std::set<std::string> options;        ///< Options that `when:` conditions read.
  std::map<std::string, double> sizes;  ///< Sizes that override the model's parameters and dimensions.
  std::string after;                    ///< Block of the previous segment; empty: a block that only produces the input.
  std::vector<std::pair<std::string, std::string>> ties;
  bool repeat = false;
  std::vector<std::pair<std::string, std::string>> edits;  ///< Edits of the operators' text: (old, new).
};

class Derived {
 public:
  Graph graph;
  Annotations annotations;
  RuleSet rules;
  Diagnostics diagnostics;
  bool built = false, derived = false;
  IdVector<AxisId, double> degree;
  SegmentId segment;  ///< Segment of the block.

  double ranks(const AxisList& axes) const;
  double size(DimId d) const { return sizes_[d]; }
  double value(const Expr& formula) const;
  double elements(const DimList& dims, const Placement& placement) const;  ///< Elements on one rank.
  double message_bytes(const Transfer& transfer) const;
  double sent_bytes(const Transfer& transfer) const;
  double saved_bytes(bool rebuilt) const;
  std::string name(const AxisList& axes) const;  ///< Names the axes with several ranks.
  std::string uneven() const;                    ///< Returns the first division with a remainder, as a message; empty without one.

  friend Derived derive(const Setting& setting);

 private:
  void set_sizes(const std::map<std::string, double>& overrides, const Model& model);

  std::shared_ptr<const OperatorLibrary> operators_;  ///< The graph points into this and the model.
  std::shared_ptr<const Model> model_;
  std::map<std::string, double> parameters_;
  std::map<std::string, double> whole_degrees_;
  IdVector<DimId, double> sizes_;
};

Derived derive(const Setting& setting);

/// Returns the degrees of all axes of a mesh, including parts.
std::vector<double> degrees(const Mesh& mesh, const std::map<std::string, double>& whole, const std::vector<double>& sizes);

/// Returns `q` or `gates.index` from `layer.q`.
std::string without_segment(const std::string& name);

}  // namespace opledger::testing
