#include "tests/rules/oracle.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "graph/verify.h"

namespace opledger::testing {

namespace {

struct Term {
  Placement placement;
  Blocks blocks;
};

/// Numbers that are equal on every machine.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  double uniform() { return engine_() / 2147483648.0 - 1; }
  double below(double n) { return static_cast<double>(engine_() % static_cast<std::uint32_t>(n)); }

 private:
  std::mt19937 engine_;
};

constexpr auto no_size = [](DimId, const Mesh&, const AxisList&) { return true; };
constexpr auto no_degree = [](const Mesh&, AxisId) { return false; };

class Execution {
 public:
  Execution(const Derived& d, Answers& values, const Claim& claim)
      : d_(d),
        values_(values),
        claim_(claim),
        derivation_{d.graph, sizes_, ones_, ignored_, {}, d.annotations, make_grid(d.graph, d.annotations.mesh, d.rules)},
        mesh_(d, derivation_.grid),
        at_(d.graph.tensors.size()),
        place_(d.graph.tensors.size()),
        terms_(d.graph.tensors.size()) {}

  Answers run() {
    const Segment& segment = d_.graph.segments[d_.segment];
    for (TensorId t : segment.inputs) enter(t);
    for (const NodeId n : segment.nodes()) forward(n);
    leave(segment);
    for (NodeId n = segment.last; n-- > segment.first;) backward(n);
    for (TensorId t : segment.inputs) {
      const Placement& home = d_.annotations.inputs[t];
      if (!terms(t).empty()) answers_["d " + name(t)] = mesh_.join(gather(t, home), home, dims(t), "d " + name(t));
    }
    check_reductions();
    return std::move(answers_);
  }

  const SimulatedMesh& mesh() const { return mesh_; }

 private:
  const Tensor& tensor(TensorId t) const { return d_.graph.tensors[t]; }
  const std::string& name(TensorId t) const { return tensor(t).label; }
  const DimList& dims(TensorId t) const { return tensor(t).dims; }
  Blocks& at(TensorId t) { return at_[t]; }
  Placement& place(TensorId t) { return place_[t]; }
  std::vector<Term>& terms(TensorId t) { return terms_[t]; }
  const NodePlacement& node_placement(NodeId n) const { return d_.annotations.nodes[n]; }
  Placement claimed(NodeId n, const DimList& list, const AxisList& passed = {}) const {
    return claim_ ? claim_(derivation_, n, list, passed) : output_placement(derivation_, n, list, passed);
  }

  /// Returns a value, invented at first use: integers below the size of the vocabulary for data, else numbers around 0.
  const Dense& value(const std::string& key, const DimList& list, bool data) {
    auto [entry, fresh] = values_.emplace(key, Dense());
    if (!fresh) return entry->second;
    std::uint32_t seed = 7;
    for (char c : key) seed = seed * 31 + static_cast<unsigned char>(c);
    Dice dice(seed);
    std::vector<int> shape;
    for (DimId dimension : list) shape.push_back(static_cast<int>(d_.size(dimension)));
    entry->second = Dense(list, shape, std::vector<int>(list.size(), 0));
    for (double& v : entry->second.data) v = data ? dice.below(d_.size(d_.graph.dimension("vocab"))) : dice.uniform();
    return entry->second;
  }

  void enter(TensorId t) {
    if (!tensor(t).data) place(t) = d_.annotations.inputs[t];
    at(t) = mesh_.cut(value(name(t), dims(t), tensor(t).data), place(t));
  }

  void forward(NodeId n) {
    const Node& node = d_.graph.nodes[n];
    std::vector<Rank>& ranks = state_[n];
    ranks.resize(mesh_.ranks());
    if (node.op->sum && add_first(n, node)) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Operand& input = node.inputs[i];
      Blocks got = mesh_.reshard(at(input.tensor), place(input.tensor), required_placement(derivation_, n, i), dims(input.tensor), name(input.tensor));
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].in[node.op->inputs[i].name] = got[r].renamed(input.renames);
    }
    for (std::size_t i = 0; i < node.weights.size(); ++i) {
      const Weight& weight = d_.graph.weights[node.weights[i].weight];
      Blocks got = mesh_.cut(value(weight.name, weight.dims, false), operand(node_placement(n), weight.dims));
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].in[node.op->weights[i].name] = got[r];
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      Placement local = operand(node_placement(n), dims(node.outputs[i]));
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].out[node.op->outputs[i].name] = mesh_.block(dims(node.outputs[i]), local, r);
    }
    run(n, ranks, Phase::forward);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      TensorId t = node.outputs[i];
      for (const Rank& rank : ranks) at(t).push_back(rank.out.at(node.op->outputs[i].name));
      place(t) = claimed(n, dims(t), node_placement(n).summed);
    }
  }

  void run(NodeId n, std::vector<Rank>& ranks, Phase phase) {
    Kernel kernel(d_, mesh_, n, ranks);
    if (phase == Phase::forward) {
      kernel.forward();
    } else {
      kernel.backward();
    }
    reductions_.insert(kernel.reductions.begin(), kernel.reductions.end());
    check_handed(n, kernel, phase);
  }

  /// Checks that ranks received the derived amounts from their neighbors.
  void check_handed(NodeId n, const Kernel& kernel, Phase phase) const {
    const Node& node = d_.graph.nodes[n];
    for (const auto& [port, elements] : kernel.handed) {
      double derived = 0;
      for (const Transfer& t : d_.annotations.transfers) {
        if (t.kind != Collective::point_to_point || t.reader != n || t.phase != phase || d_.ranks(t.axes) == 1) continue;
        const int input = input_port(node, port);
        const bool meant = input >= 0 ? node.inputs[input].tensor == t.tensor : !t.tensor;
        if (meant) derived += d_.message_bytes(t) / (t.fixed_width != 0 ? t.fixed_width : 2);
      }
      if (derived != elements) throw Wrong(fmt::format("{}: {} elements of {} come from the neighbour, derived {}", node.label, elements, port, derived));
    }
  }

  /// Adds partial terms of equal placement where they are, before the reduction.
  bool add_first(NodeId n, const Node& node) {
    const Placement& source = place(node.inputs.front().tensor);
    bool same_kind =
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Operand& input) { return place(input.tensor) == source && input.renames.empty(); });
    if (!same_kind || source.partial.empty()) return false;
    Blocks sum = at(node.inputs.front().tensor);
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      for (std::size_t r = 0; r < sum.size(); ++r) add_to(sum[r], at(node.inputs[i].tensor)[r]);
    }
    TensorId y = node.outputs.front();
    place(y) = operand(node_placement(n), dims(y));
    at(y) = mesh_.reshard(sum, source, place(y), dims(y), name(y));
    return true;
  }

  void leave(const Segment& segment) {
    TensorId t = segment.output;
    const Placement& home = d_.annotations.inputs[t];
    bool scalar = dims(t).empty();
    Placement back = scalar ? operand(node_placement(tensor(t).producer), dims(t)) : home;
    answers_["out"] =
        scalar ? mesh_.join(at(t), place(t), dims(t), name(t)) : mesh_.join(mesh_.reshard(at(t), place(t), home, dims(t), name(t)), home, dims(t), name(t));
    terms(t).push_back({back, mesh_.cut(value("d out", dims(t), false), back)});
  }

  /// Returns the sum of a tensor's gradients in the required placement; terms of equal placement are added first.
  Blocks gather(TensorId t, const Placement& target) {
    std::vector<Term> groups;
    for (const Term& term : terms(t)) {
      auto same = std::find_if(groups.begin(), groups.end(), [&](const Term& group) { return group.placement == term.placement; });
      if (same == groups.end()) {
        groups.push_back(term);
      } else {
        for (std::size_t r = 0; r < term.blocks.size(); ++r) add_to(same->blocks[r], term.blocks[r]);
      }
    }
    Blocks total;
    for (const Term& group : groups) {
      Blocks brought = mesh_.reshard(group.blocks, group.placement, target, dims(t), "d " + name(t));
      if (total.empty()) {
        total = brought;
      } else {
        for (std::size_t r = 0; r < total.size(); ++r) add_to(total[r], brought[r]);
      }
    }
    return total;
  }

  void backward(NodeId n) {
    const Node& node = d_.graph.nodes[n];
    std::vector<Rank>& ranks = state_[n];
    const AxisList& passed = node_placement(n).passed;
    bool reached = false;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      TensorId t = node.outputs[i];
      if (tensor(t).constant || terms(t).empty()) continue;
      reached = true;
      Placement target = operand(node_placement(n), dims(t));
      target.partial = passed;
      std::sort(target.partial.begin(), target.partial.end());
      for (AxisId a : passed) {
        if (std::any_of(terms(t).begin(), terms(t).end(), [a](const Term& term) { return !contains(term.placement.partial, a); }))
          throw Wrong(node.label + " passes axes on over which its gradient is whole");
      }
      Blocks dy = gather(t, target);
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].dy[node.op->outputs[i].name] = dy[r];
    }
    if (!reached) return;
    hide(node, ranks);
    differentiate(n, node, ranks);
  }

  /// Hides all values that a gradient does not declare to read.
  static void hide(const Node& node, std::vector<Rank>& ranks) {
    auto read = [&](const std::string& port) {
      return std::any_of(node.op->gradients.begin(), node.op->gradients.end(),
                         [&](const auto& entry) { return std::find(entry.second.begin(), entry.second.end(), port) != entry.second.end(); });
    };
    for (Rank& rank : ranks) {
      for (auto* side : {&rank.in, &rank.out}) {
        for (auto& [port, block] : *side) block.readable = read(port);
      }
    }
  }

  void differentiate(NodeId n, const Node& node, std::vector<Rank>& ranks) {
    for (const auto& entry : node.op->gradients) {
      const DimList& list = *d_.graph.port(n, entry.first);
      for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].grad[entry.first] = mesh_.block(list, operand(node_placement(n), list), r);
    }
    run(n, ranks, Phase::agrad);
    for (const auto& entry : node.op->gradients) {
      Blocks blocks;
      for (Rank& rank : ranks) blocks.push_back(rank.grad[entry.first]);
      if (int in = input_port(node, entry.first); in >= 0) {
        const Operand& input = node.inputs[in];
        if (!derivation_.needs_gradient(input.tensor)) continue;
        for (Dense& block : blocks) block = block.renamed(reversed(input.renames));
        const Placement left = claimed(n, input.dims, passed_to(derivation_, n, entry.first));
        terms(input.tensor).push_back({left.renamed(reversed(input.renames)), std::move(blocks)});
      } else {
        weight_gradient(n, node, position(node.op->weights, entry.first), blocks);
      }
    }
  }

  void weight_gradient(NodeId n, const Node& node, std::size_t port, const Blocks& blocks) {
    const DimList& list = node.weights[port].dims;
    const std::string& weight = d_.graph.weights[node.weights[port].weight].name;
    AxisList passed = passed_to(derivation_, n, node.op->weights[port].name);
    Dense whole = mesh_.join(blocks, claimed(n, list, passed), list, "d " + weight);
    auto [entry, fresh] = answers_.emplace("d " + weight, whole);
    if (!fresh) add_to(entry->second, whole);
  }

  /// Checks that kernels requested exactly the derived reductions.
  void check_reductions() const {
    std::set<std::string> derived;
    for (const Transfer& t : d_.annotations.transfers) {
      bool statistic = !t.tensor && !t.weight && t.kind == Collective::all_reduce;
      if (statistic && t.segment == d_.segment && d_.ranks(t.axes) > 1) derived.insert(t.label);
    }
    if (derived != reductions_) throw Wrong("other small reductions than derived");
  }

  const Derived& d_;
  Answers& values_;
  const Claim& claim_;
  SizeQueries sizes_{no_size, no_degree};  ///< Queries are no longer allowed.
  OneRank ones_{no_degree};
  Diagnostics ignored_;
  Derivation derivation_;
  SimulatedMesh mesh_;
  IdVector<TensorId, Blocks> at_;
  IdVector<TensorId, Placement> place_;
  IdVector<TensorId, std::vector<Term>> terms_;
  std::map<NodeId, std::vector<Rank>> state_;
  std::set<std::string> reductions_;
  Answers answers_;
};

struct Reference {
  Answers values, answers;
};

/// Results on one rank, computed once for each block and batch.
Reference& reference(const Setting& setting) {
  static std::map<std::string, Reference> known;
  std::string key = fmt::format("{}.{} {}", setting.model, setting.block, setting.sizes.at("batch"));
  auto [entry, fresh] = known.try_emplace(key);
  if (!fresh) return entry->second;
  Setting one = setting;
  one.mesh = "{one: 1}";
  one.rules.clear();
  one.extra_rules.clear();
  one.edits.clear();
  Derived d = derive(one);
  REQUIRE_MESSAGE(d.derived, render(d.diagnostics));
  Outcome outcome;
  entry->second.answers = execute(d, entry->second.values, {}, outcome);
  return entry->second;
}

}  // namespace

Setting tiny(Setting setting, int batch) {
  setting.sizes = {{"batch", batch}, {"seq", 4},        {"kv_seq", 4},       {"hidden", 4}, {"heads", 4}, {"kv_heads", 2}, {"head_dim", 2}, {"v_dim", 2},
                   {"ffn", 4},       {"vocab", 8},      {"position", 4},     {"nope", 2},   {"rope", 2},  {"kv_lora", 2},  {"expert", 4},   {"route", 4},
                   {"choice", 2},    {"shared_ffn", 4}, {"slot", batch * 8}, {"window", 1}, {"inner", 4}, {"state", 2}};
  if (setting.model == "gpt3" || setting.model == "mla") setting.sizes["kv_heads"] = 4;
  return setting;
}

Answers execute(const Derived& d, Answers& values, const Claim& claim, Outcome& outcome) {
  Execution execution(d, values, claim);
  Answers answers = execution.run();
  outcome.ranks = execution.mesh().ranks();
  outcome.steps = execution.mesh().steps();
  outcome.detours = execution.mesh().detours();
  return answers;
}

Outcome check(const Setting& setting, const Claim& claim) {
  Outcome outcome;
  Reference& one = reference(setting);
  Derived d = derive(setting);
  if (!d.derived) {
    outcome.wrong = "not derived: " + render(d.diagnostics);
    return outcome;
  }
  try {
    for (const std::string& defect : verify(d.graph, d.annotations)) throw Wrong(defect);
    Answers answers = execute(d, one.values, claim, outcome);
    for (const auto& [name, expected] : one.answers) {
      auto found = answers.find(name);
      if (found == answers.end()) throw Wrong(name + " is missing");
      double worst = difference(expected, found->second);
      if (!(worst < kTolerance)) throw Wrong(fmt::format("{} differs by {}", name, worst));
      ++outcome.compared;
    }
    if (answers.size() != one.answers.size()) throw Wrong("gradients that one rank has not");
  } catch (const Wrong& wrong) {
    outcome.wrong = wrong.what();
  }
  return outcome;
}

}  // namespace opledger::testing
