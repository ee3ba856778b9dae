#include "find/placement_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "accounting/graph_engine.h"
#include "base/lists.h"
#include "find/priced_effects.h"
#include "run/section_formulas.h"

namespace opledger {

RuleSet rules_for(const PlacementSpace& space, const RuleSet& base, const StateChoice& states) {
  RuleSet out = base;
  out.nodes.clear();
  out.shard = space.fixed;
  for (std::size_t v = 0; v < space.variables.size(); ++v) {
    const PlacedVariable& variable = space.variables[v];
    NodeRule rule = rule_for_split(space, variable.states[states[v]].split);
    if (variable.node) {
      rule.match.name = {variable.name};
      out.nodes.push_back(std::move(rule));
    } else {
      // A boundary is placed by lines for all nodes; the nodes have rules of their own and avoid these axes.
      out.shard.insert(out.shard.end(), rule.shard.begin() + static_cast<std::ptrdiff_t>(space.fixed.size()), rule.shard.end());
    }
  }
  return out;
}

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// Most combinations of placements for which one tensor is derived.
constexpr double kMostCombinations = 100'000;

/// The placements of the nodes and boundaries of one variable in one state.
struct StatePlacements {
  std::vector<std::pair<NodeId, NodePlacement>> nodes;
  std::vector<std::pair<TensorId, NodePlacement>> boundaries;
};

/// The part of a variable in the table of one tensor: states with equal effects form a class.
struct TensorParty {
  std::size_t variable = 0;
  std::vector<std::size_t> class_of;        ///< By state.
  std::vector<std::size_t> representative;  ///< By class, its first state.
};

/// The effects of one tensor, by placements of its parties.
struct TensorTable {
  TensorId tensor;
  std::vector<TensorParty> parties;
  std::vector<PooledEffects> effects;  ///< By combination of classes; the classes of the last party are adjacent.
};

/// The measurements, from which tables are written. Seconds are those of one layer in a step.
class MeasuredCosts : public PlacementCosts {
 public:
  MeasuredCosts(PlacedGraphs& graphs, const Datum& section, const PlacementSpace& space, TensorDerivation& derivation, std::string& too_large,
                Diagnostics& diagnostics)
      : graphs_(graphs), graph_(graphs.graph()), section_(section), space_(space), derivation_(derivation), too_large_(too_large), diagnostics_(diagnostics) {}

  bool measure() {
    place_states();
    for (const TensorId t : graph_.tensors.ids()) {
      if (!add_tensor(t)) return false;
    }
    if (!measure_nodes()) return false;
    forbid_different_uses();
    for (TensorTable& table : tables_) derive(table);
    return pool_.price(graphs_, derivation_, section_, diagnostics_);
  }

  FactorProblem tables(const Incumbent& incumbent) const override {
    FactorProblem out = base_;
    for (std::size_t v = 0; v < out.variables.size(); ++v) {
      Factor cost{out.variables[v].name, {v}, seconds_[v]};
      for (std::size_t s = 0; s < cost.entries.size(); ++s) {
        if (const NodeId n = space_.variables[v].node) cost.entries[s] *= incumbent.layers(graph_.nodes[n].segment);
        for (const TransferPrice& price : transfers_[v][s]) cost.entries[s] += incumbent.seconds(price);
        if (v == 0) cost.entries[s] -= incumbent.hidden();
      }
      out.cost.push_back(std::move(cost));
      out.size.push_back({out.variables[v].name, {v}, bytes_[v]});
    }
    for (const TensorTable& table : tables_) add_tables(table, incumbent, out);
    return out;
  }

 private:
  void place_states() {
    for (const PlacedVariable& variable : space_.variables) base_.variables.push_back({variable.name, variable.states.size()});
    for (std::size_t v = 0; v < space_.variables.size(); ++v) {
      placements_.emplace_back();
      for (std::size_t s = 0; s < space_.variables[v].states.size(); ++s) placements_.back().push_back(placed(v, s));
    }
    for (std::size_t v = 0; v < space_.variables.size(); ++v) apply(v, 0);
  }

  StatePlacements placed(std::size_t v, std::size_t state) {
    const PlacedVariable& variable = space_.variables[v];
    const NodeRule rule = rule_for_split(space_, variable.states[state].split);
    StatePlacements out;
    for (const TensorId t : variable.boundaries) out.boundaries.emplace_back(t, derivation_.place_boundary(t, rule));
    for (NodeId n = variable.node; variable.node && n < graph_.nodes.next(); ++n) {
      if (space_.of_node[n] != v) continue;
      out.nodes.emplace_back(n, placement_of(space_, derivation_, n, variable.states[state]));
      derivation_.set(n, out.nodes.back().second);  // A later node may copy the placement of this one.
    }
    return out;
  }

  void apply(std::size_t v, std::size_t state) {
    for (const auto& [node, placement] : placements_[v][state].nodes) derivation_.set(node, placement);
    for (const auto& [tensor, placement] : placements_[v][state].boundaries) derivation_.set_boundary(tensor, placement);
  }

  /// Evaluates the graph once for each number of a state: in round k every variable takes its state k, so that one round
  /// prices a state of every node. If the k-th states can't be evaluated together, all of them are forbidden.
  bool measure_nodes() {
    std::size_t rounds = 1;
    for (const Variable& variable : base_.variables) rounds = std::max(rounds, variable.states);
    for (const Variable& variable : base_.variables) {
      seconds_.emplace_back(variable.states, kImpossible);
      bytes_.emplace_back(variable.states, 0);
      transfers_.emplace_back(variable.states);
    }
    node_seconds_.assign(graph_.nodes.size(), {});
    for (const NodeId n : graph_.nodes.ids()) node_seconds_[n].resize(base_.variables[space_.of_node[n]].states);
    for (std::size_t round = 0; round < rounds; ++round) {
      if (!measure(round)) return false;
    }
    for (std::size_t v = 0; v < space_.variables.size(); ++v) {
      if (!space_.variables[v].node) seconds_[v].assign(seconds_[v].size(), 0);
    }
    return true;
  }

  bool measure(std::size_t round) {
    StateChoice states;
    for (const Variable& variable : base_.variables) states.push_back(round % variable.states);
    std::string reason;
    std::optional<Annotations> annotations = graphs_.annotate(rules_for(space_, graphs_.rules(), states), reason);
    const std::unique_ptr<PlacedGraphs::Placed> placed = annotations ? graphs_.evaluate(std::move(*annotations), reason) : nullptr;
    if (placed == nullptr) return round > 0 || fail("no placement can be evaluated: " + reason);
    SectionFormulas formulas(section_, "find", placed->evaluator, diagnostics_);
    const auto is_new = [&](std::size_t v) { return round < base_.variables[v].states; };
    for (std::size_t v = 0; v < states.size(); ++v) {
      if (is_new(v)) seconds_[v][round] = 0;
    }
    return add_nodes(*placed, formulas, round, is_new) && add_transfers(*placed, formulas, round, is_new) && add_weights(*placed, formulas, round, is_new) &&
           add_kept(*placed, formulas, round, is_new);
  }

  bool add_nodes(PlacedGraphs::Placed& placed, SectionFormulas& formulas, std::size_t round, FunctionRef<bool(std::size_t)> is_new) {
    Evaluator& evaluator = placed.evaluator;
    for (const NodeId n : graph_.nodes.ids()) {
      const std::size_t v = space_.of_node[n];
      if (!is_new(v)) continue;
      std::vector<double> by_phase;
      const Point at = evaluator.choose(nowhere(), kNodeSet, evaluator.element_at(kNodeSet, static_cast<WordId>(n.number())));
      for (WordId phase = 0; phase < static_cast<WordId>(evaluator.program().sets[kPhaseSet]->words.size()); ++phase) {
        const auto seconds = formulas.seconds({"placements", "node"}, evaluator.choose(at, kPhaseSet, phase));
        if (!seconds) return false;
        by_phase.push_back(*seconds);
        seconds_[v][round] += *seconds;
      }
      node_seconds_[n][round] = std::move(by_phase);
    }
    return true;
  }

  /// Adds the transfers of statistics and states to the node that has them, and those of weights to the weight's first
  /// use.
  bool add_transfers(PlacedGraphs::Placed& placed, SectionFormulas& formulas, std::size_t round, FunctionRef<bool(std::size_t)> is_new) {
    const std::vector<Transfer>& transfers = placed.annotations.transfers;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& t = transfers[i];
      const NodeId owner = t.weight ? graph_.weights[t.weight].uses.front().first : t.reader;
      if (t.tensor || !owner || !is_new(space_.of_node[owner])) continue;
      const Point at = placed.evaluator.choose(nowhere(), kTransferSet, placed.evaluator.element_at(kTransferSet, static_cast<WordId>(i)));
      const auto share = formulas.number({"placements", "share"}, at);
      const std::optional<TransferPrice> price = share ? read_price(formulas, at, t.segment, *share) : std::nullopt;
      if (!price) return false;
      transfers_[space_.of_node[owner]][round].push_back(*price);
    }
    return true;
  }

  /// Adds seconds and bytes of each weight to its first use in each segment; the set of weights has a row for each.
  bool add_weights(PlacedGraphs::Placed& placed, SectionFormulas& formulas, std::size_t round, FunctionRef<bool(std::size_t)> is_new) {
    WordId row = 0;
    for (const Weight& weight : graph_.weights) {
      std::vector<SegmentId> segments;
      for (const auto& [node, port] : weight.uses) {
        if (contains(segments, graph_.nodes[node].segment)) continue;
        segments.push_back(graph_.nodes[node].segment);
        const Point at = placed.evaluator.choose(nowhere(), kWeightSet, row++);
        const std::size_t v = space_.of_node[node];
        if (!is_new(v)) continue;
        const auto seconds = formulas.seconds({"placements", "update"}, at);
        const auto bytes = formulas.number({"placements", "resident"}, at);
        if (!seconds || !bytes) return false;
        seconds_[v][round] += *seconds;
        bytes_[v][round] += *bytes;
      }
    }
    return true;
  }

  /// Adds the memory that nodes keep beside tensors. Its rows follow those of saved tensors.
  bool add_kept(PlacedGraphs::Placed& placed, SectionFormulas& formulas, std::size_t round, FunctionRef<bool(std::size_t)> is_new) {
    const Elements& saved = placed.evaluator.elements(kSavedSet);
    for (std::size_t row = placed.annotations.saved.size(); row < saved.names.size(); ++row) {
      const std::size_t v = space_.of_node[NodeId(static_cast<std::size_t>(saved.belongs.at(kNodeSet)[row]))];
      if (!is_new(v)) continue;
      const auto bytes = formulas.number({"placements", "saved"}, placed.evaluator.choose(nowhere(), kSavedSet, static_cast<WordId>(row)));
      if (!bytes) return false;
      bytes_[v][round] += *bytes;
    }
    return true;
  }

  /// Forbids states that place the uses of one weight differently.
  void forbid_different_uses() {
    for (const Weight& weight : graph_.weights) {
      for (std::size_t use = 1; use < weight.uses.size(); ++use) {
        const auto [first, first_port] = weight.uses.front();
        const auto [other, other_port] = weight.uses[use];
        const std::size_t a = space_.of_node[first], b = space_.of_node[other];
        if (a == b) continue;
        Factor factor{weight.name, {a, b}, {}};
        for (const StatePlacements& x : placements_[a]) {
          for (const StatePlacements& y : placements_[b])
            factor.entries.push_back(axes_of_use(x, first, first_port) == axes_of_use(y, other, other_port) ? 0 : kImpossible);
        }
        base_.cost.push_back(std::move(factor));
      }
    }
  }

  /// Returns the axes of each dimension of a weight at one use, in the order of the dimensions.
  std::vector<AxisList> axes_of_use(const StatePlacements& placements, NodeId node, std::size_t port) const {
    std::vector<AxisList> out;
    for (const auto& [placed, placement] : placements.nodes) {
      if (placed != node) continue;
      for (const DimId d : graph_.nodes[node].weights[port].dims) out.push_back(placement.of(d));
    }
    return out;
  }

  /// Returns the variables of a tensor's table, with classes of their states.
  std::vector<TensorParty> parties_of(TensorId t) {
    const Tensor& tensor = graph_.tensors[t];
    const std::vector<NodeId> readers = derivation_.readers(t);
    std::vector<std::size_t> variables;
    const auto add = [&](std::size_t v) {
      if (v != kNoVariable && !contains(variables, v)) variables.push_back(v);
    };
    add(tensor.producer ? space_.of_node[tensor.producer] : space_.of_boundary[t]);
    for (const NodeId n : readers) add(space_.of_node[n]);
    add(space_.of_boundary[t]);
    std::vector<TensorParty> out;
    for (const std::size_t v : variables) {
      TensorParty party{v, {}, {}};
      std::vector<std::vector<Placement>> known;
      for (std::size_t s = 0; s < placements_[v].size(); ++s) {
        apply(v, s);
        std::vector<Placement> key;
        const auto append = [&](std::vector<Placement> more) { key.insert(key.end(), more.begin(), more.end()); };
        if (tensor.producer && space_.of_node[tensor.producer] == v) append(derivation_.produced(tensor.producer, t));
        for (const NodeId n : readers) {
          if (space_.of_node[n] == v) append(derivation_.read(n, t));
        }
        if (space_.of_boundary[t] == v) append({derivation_.annotations().inputs[t]});
        const auto found = std::find(known.begin(), known.end(), key);
        party.class_of.push_back(static_cast<std::size_t>(found - known.begin()));
        if (found != known.end()) continue;
        known.push_back(std::move(key));
        party.representative.push_back(s);
      }
      apply(v, 0);
      out.push_back(std::move(party));
    }
    return out;
  }

  /// Adds a tensor that some choice places. False, with the reason, if it has too many combinations of classes.
  bool add_tensor(TensorId t) {
    const Tensor& tensor = graph_.tensors[t];
    if (tensor.data || tensor.dims.empty()) return true;
    TensorTable table{t, parties_of(t), {}};
    if (table.parties.empty()) return true;
    double combinations = 1;
    for (const TensorParty& party : table.parties) combinations *= static_cast<double>(party.representative.size());
    if (combinations > kMostCombinations) {
      too_large_ = fmt::format("`{}` has {} combinations of placements, and {} is the limit", tensor.name, combinations, kMostCombinations);
      return false;
    }
    tables_.push_back(std::move(table));
    return true;
  }

  /// Derives a tensor for every combination of classes.
  void derive(TensorTable& table) {
    std::vector<std::size_t> classes(table.parties.size(), 0);
    for (const TensorParty& party : table.parties) apply(party.variable, party.representative.front());
    for (bool more = true; more;) {
      table.effects.push_back(pool_.add(derivation_.derive(table.tensor)));
      more = false;
      for (std::size_t p = classes.size(); p-- > 0 && !more;) {
        classes[p] = (classes[p] + 1) % table.parties[p].representative.size();
        apply(table.parties[p].variable, table.parties[p].representative[classes[p]]);
        more = classes[p] != 0;
      }
    }
    for (const TensorParty& party : table.parties) apply(party.variable, 0);
  }

  void add_tables(const TensorTable& table, const Incumbent& incumbent, FactorProblem& out) const {
    Factor cost{graph_.tensors[table.tensor].name, {}, {}}, size = cost;
    std::size_t entries = 1;
    for (const TensorParty& party : table.parties) {
      cost.variables.push_back(party.variable);
      entries *= party.class_of.size();
    }
    size.variables = cost.variables;
    std::vector<std::size_t> states(table.parties.size(), 0);
    for (std::size_t entry = 0; entry < entries; ++entry) {
      std::size_t combination = 0;
      for (std::size_t p = 0; p < states.size(); ++p) combination = combination * table.parties[p].representative.size() + table.parties[p].class_of[states[p]];
      const PooledEffects& effects = table.effects[combination];
      const auto seconds_of_host = [&](NodeId n, Phase phase) { return node_seconds(n, phase, table, states); };
      cost.entries.push_back(effects.impossible ? kImpossible : pool_.seconds(effects, incumbent, seconds_of_host));
      size.entries.push_back(pool_.bytes(effects));
      for (std::size_t p = states.size(); p-- > 0;) {
        if (++states[p] < table.parties[p].class_of.size()) break;
        states[p] = 0;
      }
    }
    if (std::any_of(cost.entries.begin(), cost.entries.end(), [](double e) { return e != 0; })) out.cost.push_back(std::move(cost));
    if (std::any_of(size.entries.begin(), size.entries.end(), [](double e) { return e != 0; })) out.size.push_back(std::move(size));
  }

  double node_seconds(NodeId n, Phase phase, const TensorTable& table, const std::vector<std::size_t>& states) const {
    for (std::size_t p = 0; p < states.size(); ++p) {
      if (table.parties[p].variable != space_.of_node[n] || node_seconds_[n][states[p]].empty()) continue;
      return node_seconds_[n][states[p]][static_cast<std::size_t>(phase)];
    }
    return 0;
  }

  bool fail(std::string message) { return diagnostics_.error({}, std::move(message)), false; }

  PlacedGraphs& graphs_;
  const Graph& graph_;
  const Datum& section_;
  const PlacementSpace& space_;
  TensorDerivation& derivation_;
  std::string& too_large_;
  Diagnostics& diagnostics_;
  FactorProblem base_;                                               ///< Variables, and tables that forbid combinations.
  std::vector<std::vector<StatePlacements>> placements_;             ///< By variable and state.
  std::vector<std::vector<double>> seconds_, bytes_;                 ///< By variable and state.
  std::vector<std::vector<std::vector<TransferPrice>>> transfers_;   ///< Of weights, statistics and states, by variable and state.
  IdVector<NodeId, std::vector<std::vector<double>>> node_seconds_;  ///< By node, state and phase.
  std::vector<TensorTable> tables_;
  EffectPool pool_;
};

}  // namespace

std::unique_ptr<PlacementCosts> PlacementCosts::measure(PlacedGraphs& graphs, const Datum& section, const PlacementSpace& space, TensorDerivation& derivation,
                                                        std::string& too_large, Diagnostics& diagnostics) {
  auto out = std::make_unique<MeasuredCosts>(graphs, section, space, derivation, too_large, diagnostics);
  return out->measure() ? std::move(out) : nullptr;
}

}  // namespace opledger
