#pragma once
#include <deque>
#include <string>
#include <vector>

#include "graph/expansion.h"

/// Which weights are one: ties by path (`embedding.tokens.table`), written at a node, at a block inside a block, or at a segment.
namespace opledger {

class WeightLinker {
 public:
  WeightLinker(Graph& graph, DimensionTable& dimensions, const std::deque<Expansion>& expansions)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), expansions_(expansions) {}

  /// Fills in the graph's weights and the nodes' uses of them.
  void link();

 private:
  struct Slot {
    NodeId node = 0;
    std::int32_t port = 0;
    std::int32_t tied_to = -1;  ///< Another slot.
    Span span;                  ///< Of the tie.
    WeightId weight = -1;
  };
  static constexpr std::int32_t kOpen = -2;  ///< An owner that is being looked for.
  enum class Found { yes, no, broken };      ///< Broken: the node is not in the graph because of other errors.

  void collect();
  void ties(const Expansion& expansion);
  void tie(std::int32_t slot, const std::string& target, const Scope& scope, const Span& span);
  void tie_inside(const Scope& inner, const Scope& scope, const std::vector<std::pair<std::string, std::string>>& weights, const std::vector<TieSpec>& spans);
  void join_parts(std::int32_t slot, const Span& span);
  Found find_inside(const Expansion& expansion, const Scope& scope, const std::vector<std::string>& path, std::int32_t& slot) const;
  Found find(const std::string& target, const Scope& from, std::int32_t& slot) const;
  const Expansion& expansion_of(const Scope& scope) const;
  bool check_cycles();
  bool report_cycle(std::int32_t start);
  void check_dims(const Slot& slot);
  void number();
  std::string name(const Slot& slot) const;
  const DimList& dims(const Slot& slot) const { return graph_.node(slot.node).weights[static_cast<std::size_t>(slot.port)].dims; }
  const Segment& segment(std::int32_t slot) const {
    return graph_.segments[static_cast<std::size_t>(graph_.node(slots_[static_cast<std::size_t>(slot)].node).segment)];
  }
  std::vector<std::string> names() const;

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  const std::deque<Expansion>& expansions_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> owner_;       ///< By slot: the one at the end of its ties.
  std::vector<std::int32_t> first_slot_;  ///< By NodeId.
};

}  // namespace opledger
