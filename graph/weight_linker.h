#pragma once
#include <deque>
#include <string>
#include <vector>

#include "graph/expansion.h"

/// Linking of tied weights: several nodes use one weight. A tie names another weight by its path
/// (`embedding.tokens.table`), at a node, at a nested block, or at a segment.
namespace opledger {

/// Creates the weights of a graph whose nodes exist.
class WeightLinker {
 public:
  /// `expansions`: the expansion of every segment, in which paths of ties are searched. All arguments must outlive the
  /// linker.
  WeightLinker(Graph& graph, DimensionTable& dimensions, const std::deque<Expansion>& expansions)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), expansions_(expansions) {}

  /// Fills the graph's weights and their uses in nodes. Call once. Reports unknown paths, cycles of ties, and tied
  /// weights of different dimensions; after an unknown path or a cycle, the graph gets no weights.
  void link();

 private:
  struct Slot;
  using SlotId = Id<Slot>;
  /// The weight of a node at one port of its operator, before weights are shared.
  struct Slot {
    NodeId node;
    std::size_t port = 0;
    SlotId tied_to;   ///< The slot with the same weight; none without a tie.
    Span span;        ///< Position of the tie.
    WeightId weight;  ///< The weight of an owner, which has no tie; none for other slots.
  };
  static constexpr SlotId kOpen{-2};  ///< Marks a slot on the current path of the search for owners.
  /// The result of a search for a slot: found; unknown path; or the path is valid, but earlier errors keep its node
  /// out of the graph.
  enum class Found { yes, no, broken };

  void collect();                         ///< Creates a slot for each weight of each node.
  void ties(const Expansion& expansion);  ///< Applies all ties of a segment.
  /// Ties a slot to the weight that `target` names in `scope`.
  void tie(SlotId slot, const std::string& target, const Scope& scope, const Span& span);
  /// Applies ties that are written at the use of a block; `inner` is the block, `scope` the block around. `weights` are
  /// pairs of a path inside the block and a target; `spans` has their positions.
  void tie_inside(const Scope& inner, const Scope& scope, const std::vector<std::pair<std::string, std::string>>& weights, const std::vector<TieSpec>& spans);
  void join_parts(SlotId slot, const Span& span);  ///< Ties the same weight of the other parts of the slot's segment.
  /// Searches the weight at a path inside a block, and sets `slot` if it is found.
  Found find_inside(const Expansion& expansion, const Scope& scope, const std::vector<std::string>& path, SlotId& slot) const;
  /// Searches the weight that a tie in the block `from` names, and sets `slot` if it is found.
  Found find(const std::string& target, const Scope& from, SlotId& slot) const;
  const Expansion& expansion_of(const Scope& scope) const;  ///< Returns the segment that contains a scope.
  bool check_cycles();                                      ///< Fills `owner_`; reports a cycle and returns false.
  bool report_cycle(SlotId start);                          ///< Reports the cycle of ties through a slot; returns false.
  void check_dims(const Slot& slot);                        ///< Reports a tie between weights of different dimensions.
  void number();                                            ///< Adds a weight for each owner, and all slots as uses of their owner's weight.
  std::string name(const Slot& slot) const;                 ///< Returns the name of the slot's weight: `decoder.attn.q.w`.
  const DimList& dims(const Slot& slot) const { return graph_.nodes[slot.node].weights[slot.port].dims; }
  const Segment& segment(SlotId slot) const { return graph_.segments[graph_.nodes[slots_[slot].node].segment]; }
  std::vector<std::string> names() const;  ///< Returns the names of all slots, for suggestions.

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  const std::deque<Expansion>& expansions_;
  IdVector<SlotId, Slot> slots_;
  IdVector<SlotId, SlotId> owner_;       ///< The slot at the end of each chain of ties.
  IdVector<NodeId, SlotId> first_slot_;  ///< The first slot of each node; further slots follow in the order of ports.
};

}  // namespace opledger
