#include "find/recompute_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "accounting/graph_engine.h"
#include "run/section_formulas.h"

namespace opledger {
namespace {

/// Seconds and bytes of single nodes, transfers and saved tensors of one run.
class RunCosts {
 public:
  RunCosts(Run& run, const Datum& section, Diagnostics& diagnostics)
      : run_(run), evaluator_(run.evaluator()), formulas_(section, "find", run.evaluator(), diagnostics) {}

  double node(NodeId n) { return number("node", kNodeSet, static_cast<std::size_t>(n.number())); }
  double transfer(std::size_t t) { return number("transfer", kTransferSet, t); }
  double saved(std::size_t s) { return number("saved", kSavedSet, s); }
  bool failed() const { return failed_; }

  const Graph& graph() const { return run_.graph(); }
  const Annotations& notes() const { return run_.annotations(); }

  /// Returns the number of rows of saved tensors. Memory beside the tensors follows the entries of Annotations::saved.
  std::size_t saved_rows() const { return evaluator_.elements(kSavedSet).names.size(); }
  NodeId node_of_saved(std::size_t s) const { return NodeId(evaluator_.elements(kSavedSet).belongs.at(kNodeSet)[s]); }
  SegmentId segment_of_saved(std::size_t s) const { return SegmentId(evaluator_.elements(kSavedSet).belongs.at(kSegmentSet)[s]); }

  /// Returns whether a transfer brings an activation of a layer, or a statistic of a node, once for each microbatch.
  bool is_in_layer(const Transfer& t) const { return !t.weight && !t.gradient && !t.stages && t.cadence == Cadence::microbatch; }

  /// Returns the seconds of a segment's backward that bring activations again, and the segment's saved bytes.
  std::pair<double, double> backward(SegmentId s) {
    double seconds = 0, bytes = 0;
    for (const NodeId n : graph().segments[s].nodes()) seconds += notes().recomputed[n] != 0 ? node(n) : 0;
    for (std::size_t i = 0; i < notes().transfers.size(); ++i) {
      const Transfer& t = notes().transfers[i];
      if (t.segment == s && is_in_layer(t) && (t.again || t.phase == Phase::recompute)) seconds += transfer(i);
    }
    for (std::size_t i = 0; i < saved_rows(); ++i) bytes += segment_of_saved(i) == s ? saved(i) : 0;
    return {seconds, bytes};
  }

 private:
  double number(const char* key, SetId set, std::size_t row) {
    const Point at = evaluator_.choose(nowhere(), set, evaluator_.element_at(set, static_cast<WordId>(row)));
    const std::optional<double> out = formulas_.number({"recompute", key}, at);
    failed_ = failed_ || !out;
    return out.value_or(0);
  }

  Run& run_;
  Evaluator& evaluator_;
  SectionFormulas formulas_;
  bool failed_ = false;
};

/// A tensor, as recomputation reads it.
struct TensorUse {
  std::vector<NodeId> readers;  ///< Nodes that read the tensor in forward.
  double sent = 0;              ///< Seconds of its messages in forward.
  double bytes = 0;             ///< Bytes of its saved copies.
  bool is_known = false;        ///< `bytes` is known.
  bool is_graded = false;       ///< A gradient reads it, so it is saved if its producer is not recomputed.
  bool is_operand = false;      ///< The gradient of a node besides its producer reads it.
  bool is_sum = false;          ///< Its producer leaves a sum over ranks, which is saved instead of recomputed.
  bool is_gathered = false;     ///< Backward gathers it for its gradients, so that only recomputed readers need a further message.
};

/// Builds the tables of all segments. For each tensor, P means that its producer is recomputed, and C that some reader
/// is. Without P, the tensor is saved if a gradient reads it or C. With P, it is saved only if its producer leaves a sum
/// over ranks that the gradient of another node reads. Its messages are sent again with C if backward gathers it anyway;
/// otherwise with P, if C or the gradient of another node reads it. An auxiliary variable stands for C, so that each table has
/// two variables, however many readers a tensor has; it must be 1 if a reader is, and costs never fall with it.
class TableBuilder {
 public:
  TableBuilder(RunCosts& costs, const ChosenRun& chosen, const Datum& section, Diagnostics& diagnostics)
      : costs_(costs), graph_(costs.graph()), chosen_(chosen), section_(section), diagnostics_(diagnostics), tensors_(graph_.tensors.size()) {}

  std::optional<std::vector<SegmentCosts>> build(const std::vector<SegmentId>& segments) {
    for (const SegmentId s : segments) {
      SegmentCosts out{s, {}, {}};
      for (const NodeId n : graph_.segments[s].nodes()) {
        node_seconds_[n] = costs_.node(n);
        for (const Operand& input : graph_.nodes[n].inputs) {
          std::vector<NodeId>& readers = tensors_[input.tensor].readers;
          if (readers.empty() || readers.back() != n) readers.push_back(n);
        }
        out.nodes.push_back(n);
      }
      out_.push_back(std::move(out));
    }
    read_messages();
    read_saved();
    measure_unread();
    for (SegmentCosts& one : out_) tables(one);
    measure_whole(segments);
    if (costs_.failed() || diagnostics_.has_errors()) return std::nullopt;
    return std::move(out_);
  }

 private:
  void read_messages() {
    const std::vector<Transfer>& transfers = costs_.notes().transfers;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& t = transfers[i];
      if (!costs_.is_in_layer(t) || (t.phase != Phase::forward && !t.again)) continue;
      const double seconds = costs_.transfer(i);
      if (t.again && t.tensor) {
        tensors_[t.tensor].is_gathered = true;
        continue;
      }
      if (!t.tensor) {
        const NodeId node = t.reader || t.makers.empty() ? t.reader : t.makers.front();
        if (const auto own = node_seconds_.find(node); own != node_seconds_.end()) own->second += seconds;
        continue;
      }
      TensorUse& use = tensors_[t.tensor];
      use.sent += seconds;
      use.is_sum |= seconds > 0 && (t.kind == Collective::all_reduce || t.kind == Collective::reduce_scatter);
    }
  }

  void read_saved() {
    const std::vector<Saved>& saved = costs_.notes().saved;
    for (std::size_t i = 0; i < saved.size(); ++i) {
      TensorUse& use = tensors_[saved[i].tensor];
      if (saved[i].rebuilt) continue;
      use.bytes += costs_.saved(i);
      use.is_known = use.is_graded = true;
      for (const NodeId reader : saved[i].readers) use.is_operand |= reader != graph_.tensors[saved[i].tensor].producer;
    }
  }

  /// Measures tensors that no gradient reads, by runs that recompute one reader of each. A tensor can't be measured while
  /// its producer is recomputed, so tensors are divided among runs: the first run takes each tensor that contradicts no
  /// earlier one, and so on.
  void measure_unread() {
    struct Probe {
      std::set<NodeId> recomputed, kept;
      std::vector<TensorId> tensors;
    };
    std::vector<Probe> probes;
    for (const TensorId t : graph_.tensors.ids()) {
      if (tensors_[t].readers.empty() || tensors_[t].is_known) continue;
      const NodeId reader = tensors_[t].readers.front(), producer = graph_.tensors[t].producer;
      auto probe =
          std::find_if(probes.begin(), probes.end(), [&](const Probe& other) { return !other.kept.contains(reader) && !other.recomputed.contains(producer); });
      if (probe == probes.end()) probe = probes.insert(probes.end(), Probe{});
      probe->recomputed.insert(reader);
      if (producer) probe->kept.insert(producer);
      probe->tensors.push_back(t);
    }
    for (const Probe& probe : probes) {
      const std::unique_ptr<Run> run = chosen_({{{probe.recomputed.begin(), probe.recomputed.end()}, {}}, {}});
      if (run == nullptr) continue;
      RunCosts costs(*run, section_, diagnostics_);
      const std::vector<Saved>& saved = costs.notes().saved;
      for (std::size_t i = 0; i < saved.size(); ++i) {
        const bool is_measured = std::find(probe.tensors.begin(), probe.tensors.end(), saved[i].tensor) != probe.tensors.end();
        if (is_measured && !saved[i].rebuilt) tensors_[saved[i].tensor].bytes += costs.saved(i);
      }
    }
  }

  /// Measures the choice that saves only the input of each layer, by a run.
  void measure_whole(const std::vector<SegmentId>& segments) {
    const std::unique_ptr<Run> run = chosen_({{{}, segments}, {}});
    if (run == nullptr) return;
    RunCosts whole(*run, section_, diagnostics_);
    for (SegmentCosts& one : out_) {
      const auto [seconds, bytes] = whole.backward(one.segment);
      one.whole_seconds = seconds - costs_.backward(one.segment).first;
      one.whole_bytes = bytes;
    }
  }

  void tables(SegmentCosts& out) {
    std::map<NodeId, std::size_t> variables;
    for (const NodeId n : out.nodes) {
      const std::size_t v = out.problem.variables.size();
      variables[n] = v;
      out.problem.variables.push_back({graph_.nodes[n].name, 2});
      out.problem.cost.push_back({graph_.nodes[n].name, {v}, {0, node_seconds_[n]}});
    }
    for (std::size_t i = costs_.notes().saved.size(); i < costs_.saved_rows(); ++i) {
      const auto node = variables.find(costs_.node_of_saved(i));
      if (node != variables.end()) out.problem.size.push_back({node->first ? graph_.nodes[node->first].name : "", {node->second}, {costs_.saved(i), 0}});
    }
    for (const TensorId t : graph_.tensors.ids()) {
      if (graph_.tensors[t].segment == out.segment) tables(t, variables, out.problem);
    }
  }

  void tables(TensorId t, const std::map<NodeId, std::size_t>& variables, FactorProblem& problem) {
    const TensorUse& use = tensors_[t];
    if (use.sent == 0 && use.bytes == 0) return;
    const auto producer = variables.find(graph_.tensors[t].producer);
    std::vector<std::size_t> scope;
    if (producer != variables.end()) scope.push_back(producer->second);
    if (!use.readers.empty()) scope.push_back(read_again(t, variables, problem));
    if (scope.empty()) return;
    Factor seconds{graph_.tensors[t].name, scope, {}}, bytes = seconds;
    for (const bool p : {false, true}) {
      if (p && producer == variables.end()) continue;
      for (const bool c : {false, true}) {
        if (c && use.readers.empty()) continue;
        const bool is_saved = p ? use.is_sum && use.is_operand : use.is_graded || c;
        const bool is_sent = use.is_gathered ? c : p && (c || use.is_operand);
        seconds.entries.push_back(is_sent ? use.sent : 0);
        bytes.entries.push_back(is_saved ? use.bytes : 0);
      }
    }
    problem.cost.push_back(std::move(seconds));
    problem.size.push_back(std::move(bytes));
  }

  /// Returns the variable that is 1 if a reader of the tensor is recomputed.
  std::size_t read_again(TensorId t, const std::map<NodeId, std::size_t>& variables, FactorProblem& problem) {
    const std::vector<NodeId>& readers = tensors_[t].readers;
    if (readers.size() == 1) return variables.at(readers.front());
    const std::size_t any = problem.variables.size();
    const std::string name = graph_.tensors[t].name + " (read)";
    problem.variables.push_back({name, 2});
    for (const NodeId reader : readers) problem.cost.push_back({name, {variables.at(reader), any}, {0, 0, std::numeric_limits<double>::infinity(), 0}});
    return any;
  }

  RunCosts& costs_;
  const Graph& graph_;
  const ChosenRun& chosen_;
  const Datum& section_;
  Diagnostics& diagnostics_;
  std::map<NodeId, double> node_seconds_;
  IdVector<TensorId, TensorUse> tensors_;
  std::vector<SegmentCosts> out_;
};

}  // namespace

std::optional<std::vector<SegmentCosts>> read_recompute_costs(Run& run, const ChosenRun& chosen, Diagnostics& diagnostics) {
  const Datum* const section = find_section(run, "find");
  if (section == nullptr || section->find("recompute") == nullptr) {
    diagnostics.error({},
                      fmt::format("the accounting `{}` has no section `find` with `recompute`, so it does not say what recomputation costs", run.accounting()));
    return std::nullopt;
  }
  if (!run.has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` needs no graph, so the run has no nodes to recompute", run.accounting()));
    return std::nullopt;
  }
  std::vector<SegmentId> segments;
  for (const SegmentId s : run.graph().segments.ids()) {
    if (run.graph_run().repeats[s] != nullptr) segments.push_back(s);
  }
  RunCosts costs(run, *section, diagnostics);
  return TableBuilder(costs, chosen, *section, diagnostics).build(segments);
}

}  // namespace opledger
