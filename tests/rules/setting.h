#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/annotate.h"

/// Derivations of blocks from tests/data/sharding with numbers put in: what accountings do symbolically, in the plainest way.
namespace opledger::testing {

struct Setting {
  std::string model, block;
  std::string mesh;                     ///< `{dp: 2, tp: 8}`
  std::vector<std::string> rules;       ///< Names in rules.yaml.
  std::string extra_rules;              ///< A rule document's text, applied last; may be empty.
  std::set<std::string> options;        ///< What `when:` asks for.
  std::map<std::string, double> sizes;  ///< Override the model's parameters and dimensions.
  std::string after;                    ///< Block of the segment before; empty: one that only makes the input.
  std::vector<std::pair<std::string, std::string>> ties;
  bool repeat = false;
  std::vector<std::pair<std::string, std::string>> edits;  ///< Of the operators' text: (what, by what).
};

class Derived {
 public:
  Graph graph;
  Annotations annotations;
  RuleSet rules;
  Diagnostics diagnostics;
  bool built = false, derived = false;
  IdVector<AxisId, double> degree;
  SegmentId segment;  ///< The block's.

  double ranks(const AxisList& axes) const;
  double size(DimId d) const { return sizes_[d]; }
  double value(const Expr& formula) const;
  double elements(const DimList& dims, const Placement& placement) const;  ///< On one rank.
  double message_bytes(const Transfer& transfer) const;
  double sent_bytes(const Transfer& transfer) const;
  double saved_bytes(bool rebuilt) const;
  std::string name(const AxisList& axes) const;  ///< Those of more than one rank.
  std::string uneven() const;                    ///< The first division with a remainder, as a message; empty: none.

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

/// Degrees of all axes of a mesh, parts included.
std::vector<double> degrees(const Mesh& mesh, const std::map<std::string, double>& whole, const std::vector<double>& sizes);

/// `q`, `gates.index`, from `layer.q`.
std::string without_segment(const std::string& name);

}  // namespace opledger::testing
