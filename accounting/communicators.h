#pragma once
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accounting/element_table.h"
#include "accounting/layouts.h"
#include "accounting/sizes.h"

/// Who talks to whom: the groups of ranks that collectives run over, each once. Most are spanned by axes of the mesh (a communicator's sides). Pipeline stages
/// that share a weight are one of their own, whichever hold it (its members); so are neighbouring stages, two of which send and receive. Which networks a
/// communicator crosses follows from where its ranks lie; that is left to formulas, since only an accounting knows networks.
namespace opledger {

class Communicators {
 public:
  /// `layouts`: what each stage holds, which says who shares a weight.
  Communicators(const Graph& graph, const Mesh& mesh, Sizes& sizes, const Layouts& layouts) : graph_(graph), mesh_(mesh), sizes_(sizes), layouts_(layouts) {}

  /// Position of the transfer's communicator in the set; a new one is added.
  WordId find(const Transfer& transfer);
  std::size_t size() const { return all_.size(); }
  Scalar ranks(WordId communicator);
  /// Whether two have the same ranks: those axes that only one of them has, have one rank. Never, of stages, and of single ranks, which send nothing.
  Scalar same(WordId a, WordId b);

  /// Whether it is one: a single rank talks to nobody, and ranks that another one has, too, are that one.
  Scalar there(WordId communicator);

  /// Fills the sets. `text` keeps a string for as long as the elements are used.
  void fill(Evaluator& evaluator, const std::function<Value(std::string)>& text);

 private:
  struct Group {
    AxisList axes;
    bool stages = false;
    std::vector<std::vector<std::size_t>> members;  ///< Classes of stages that share a weight, in each layout; else none.
    WeightId weight;                                ///< One that they share.
    bool operator<(const Group& o) const { return std::tie(axes, stages, members) < std::tie(o.axes, o.stages, o.members); }
  };
  AxisList spanning(const AxisList& axes);
  bool holds(const StageClass& stage, WeightId weight) const;
  std::vector<std::size_t> holders(const StageClasses& stages, WeightId weight) const;
  std::vector<long long> positions(const StageClasses& stages, WeightId weight) const;
  Scalar processor(const AxisList& layers, Scalar stage);
  std::string name(const Group& group);

  /// Axes of a communicator that lie one inside the other without a gap are one row of ranks.
  struct Row {
    Scalar ranks, stride;
  };
  Row row_to(const AxisList& axes, AxisId outermost);
  WordId axis_word(AxisId axis) const;

  const Graph& graph_;
  const Mesh& mesh_;
  Sizes& sizes_;
  const Layouts& layouts_;
  std::map<Group, WordId> index_;
  std::vector<Group> all_;
};

}  // namespace opledger
