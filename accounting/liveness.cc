#include "accounting/liveness.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/lists.h"

namespace opledger {
namespace {

using At = ProgramPoint::At;
using Kind = LiveTensor::Kind;

/// Computes lifetimes of the tensors of one layer, in four steps. Kernels are ordered by data flow; then each gets
/// three program points per pass: before, during, after. Lifetimes follow from the positions of producers, readers and
/// transfers among these points. Last, `fullest` keeps the points at which memory can peak. All steps are linear in
/// nodes and transfers, up to logarithms and the few transfers and copies of one tensor.
class LivenessFinder {
 public:
  LivenessFinder(const LivenessIndex& index, SegmentId segment)
      : index_(index), graph_(index.graph), notes_(index.notes), id_(segment), segment_(graph_.segments[segment]) {}

  /// Runs the steps. Saved tensors come after forward. Gradients are visited against the order of the tensors: the
  /// gradient of a sum's result must be known before the gradients of its operands, which share it.
  Liveness find() {
    order_kernels();
    index_saved();
    lay_points();
    find_readers();
    for (const TensorId t : tensors_) forward(t);
    for (const TensorId t : tensors_) gather_again(t);
    for (const std::size_t s : index_.saved[id_]) save(s);
    for (auto t = tensors_.rbegin(); t != tensors_.rend(); ++t) backward(*t);
    for (const NodeId n : segment_.nodes()) add_weight_gradients(n);
    for (const NodeId n : segment_.nodes()) add_scratch(n);
    for (const std::size_t i : index_.transfers[id_]) retain_buffers(i);
    find_fullest();
    return std::move(out_);
  }

 private:
  static constexpr std::int32_t kNever = -1;

  NodeId kernel(NodeId n) const { return notes_.kernels[n]; }

  /// Orders the kernels of the layer by data flow and stores them in `kernels_`. The method is Kahn's topological
  /// sorting; of several ready kernels, the lowest first node goes first. `waits` lists the producers that a kernel
  /// still waits for. Fused kernels can depend on each other in a cycle; if no kernel is ready, the lowest waiting one
  /// goes ahead. Afterwards `tensors_` lists each tensor of the layer once, in order of first appearance; inner tensors
  /// of kernels and data are left out. Cost: edges, times a logarithm.
  void order_kernels() {
    std::map<NodeId, std::set<NodeId>> waits, readers;
    for (const NodeId n : segment_.nodes()) {
      std::set<NodeId>& before = waits[kernel(n)];
      for (const Operand& in : graph_.nodes[n].inputs) {
        const NodeId maker = graph_.tensors[in.tensor].producer;
        if (!maker || graph_.nodes[maker].segment != id_ || kernel(maker) == kernel(n)) continue;
        before.insert(kernel(maker));
        readers[kernel(maker)].insert(kernel(n));
      }
    }
    std::set<NodeId> ready, left;
    for (const auto& [k, before] : waits) (before.empty() ? ready : left).insert(k);
    while (!ready.empty() || !left.empty()) {
      // `left`: kernels that still wait. A kernel taken from there breaks a cycle.
      std::set<NodeId>& from = ready.empty() ? left : ready;
      const NodeId k = *from.begin();
      from.erase(from.begin());
      kernels_.push_back(k);
      for (const NodeId reader : readers[k]) {
        std::set<NodeId>& before = waits[reader];
        if (before.erase(k) != 0 && before.empty() && left.erase(reader) != 0) ready.insert(reader);
      }
    }
    for (const NodeId n : segment_.nodes()) {
      for (const Operand& in : graph_.nodes[n].inputs) note(in.tensor);
      for (const TensorId t : graph_.nodes[n].outputs) note(t);
    }
  }

  /// Adds a tensor to `tensors_` unless it is known, is data, or never leaves its kernel.
  void note(TensorId t) {
    if (graph_.tensors[t].data || notes_.inner[t] != 0 || !seen_.insert(t).second) return;
    tensors_.push_back(t);
  }

  /// Adds the three points of a kernel in a phase and returns the middle one, at which it runs.
  std::int32_t add_points(Phase phase, NodeId leader) {
    const auto first = static_cast<std::int32_t>(out_.points.size());
    for (const At at : {At::before, At::during, At::after}) out_.points.push_back({phase, leader, at});
    return first + 1;
  }

  /// Fills four tables: `position_`, the place of each kernel in the order; `neighbors_`, for each recomputed kernel
  /// the recomputed kernels of this layer with which it exchanges a tensor, in both directions; `saved_of_`, the saved
  /// entries of each tensor; `rebuilt_for_`, the recomputed entries that the gradients of each kernel read. Kernels
  /// that are connected by `neighbors_` are recomputed together (`joined`). An index beyond `notes_.saved` means
  /// additional memory of a node, which has no tensor.
  void index_saved() {
    for (std::size_t k = 0; k < kernels_.size(); ++k) position_[kernels_[k]] = k;
    for (const NodeId n : segment_.nodes()) {
      if (notes_.recomputed[n] == 0) continue;
      neighbors_[kernel(n)];
      for (const Operand& in : graph_.nodes[n].inputs) {
        const NodeId maker = graph_.tensors[in.tensor].producer;
        if (!maker || graph_.nodes[maker].segment != id_ || notes_.recomputed[maker] == 0) continue;
        neighbors_[kernel(n)].push_back(kernel(maker));
        neighbors_[kernel(maker)].push_back(kernel(n));
      }
    }
    for (const std::size_t i : index_.saved[id_]) {
      if (i >= notes_.saved.size()) continue;
      const Saved& s = notes_.saved[i];
      saved_of_[s.tensor].push_back(i);
      for (const NodeId r : s.readers) {
        if (s.rebuilt) rebuilt_for_[kernel(r)].push_back(i);
      }
    }
  }

  /// Lays out the program points: forward, then backward in reverse order. Recomputation lies directly before the first
  /// backward kernel that reads a recomputed tensor.
  void lay_points() {
    for (const NodeId k : kernels_) forward_[k] = add_points(Phase::forward, k);
    for (std::size_t i = kernels_.size(); i-- > 0;) {
      place_recomputation(kernels_[i]);
      backward_[kernels_[i]] = add_points(Phase::agrad, kernels_[i]);
    }
  }

  /// Adds the points of all kernels that must run again before the backward of `leader`, unless they have points
  /// already.
  void place_recomputation(NodeId leader) {
    const auto read = rebuilt_for_.find(leader);
    if (read == rebuilt_for_.end()) return;
    for (const std::size_t i : read->second) {
      const NodeId maker = graph_.tensors[notes_.saved[i].tensor].producer;
      if (!maker || graph_.nodes[maker].segment != id_) continue;
      for (const NodeId k : joined(kernel(maker))) recompute_[k] = add_points(Phase::recompute, k);
    }
  }

  /// Returns the recomputed kernels that are connected to `leader` by tensors, in forward order; empty if they have
  /// points already. Connected kernels are recomputed together. Depth-first search over `neighbors_`.
  std::vector<NodeId> joined(NodeId leader) const {
    std::vector<NodeId> out, next = {leader};
    std::set<NodeId> seen;
    while (!next.empty()) {
      const NodeId k = next.back();
      next.pop_back();
      const auto found = neighbors_.find(k);
      if (found == neighbors_.end() || recompute_.count(k) != 0 || !seen.insert(k).second) continue;
      out.push_back(k);
      next.insert(next.end(), found->second.begin(), found->second.end());
    }
    std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) { return position_.at(a) < position_.at(b); });
    return out;
  }

  /// Indexes the readers of each tensor, and the transfers of each tensor within one microbatch and stage.
  void find_readers() {
    for (const NodeId n : segment_.nodes()) {
      for (std::size_t i = 0; i < graph_.nodes[n].inputs.size(); ++i) readers_[graph_.nodes[n].inputs[i].tensor].push_back(n);
    }
    for (const std::size_t i : index_.transfers[id_]) {
      const Transfer& t = notes_.transfers[i];
      if (t.tensor && !t.weight && t.cadence == Cadence::microbatch && !t.stages) transfers_[t.tensor].push_back(i);
    }
  }

  /// Returns the point at which the node's kernel runs in a pass; kNever if it does not run.
  std::int32_t at(const std::map<NodeId, std::int32_t>& points, NodeId node) const {
    const auto found = points.find(kernel(node));
    return found != points.end() ? found->second : kNever;
  }

  /// Adds a lifetime and returns its position; kNone if it would end before it begins.
  std::size_t add(Kind kind, TensorId tensor, NodeId node, std::size_t source, std::int32_t from, std::int32_t to) {
    if (from > to) return kNone;
    out_.tensors.push_back({kind, tensor, {}, node, static_cast<std::int32_t>(source), from, to});
    return out_.tensors.size() - 1;
  }

  /// Adds the lifetimes of a tensor in forward and in recomputation: as produced, as reduced over ranks, as each reader
  /// gets it.
  void forward(TensorId t) {
    pass(t, Phase::forward, forward_);
    if (!recompute_.empty()) pass(t, Phase::recompute, recompute_);
  }

  /// Adds the lifetimes of tensor `t` in forward or recomputation. `points` has the point m at which each kernel runs
  /// in this pass; m - 1 and m + 1 are the exchanges before and after it. `from` and `until` bound the life of the
  /// produced tensor. The life begins with the producer, or at the start for an input of the layer. The life ends with
  /// the last reader or the last transfer that sends the tensor, whichever is later; the layer's output lives until the
  /// end of forward. A transfer gives its readers a copy of their own, alive from the exchange before the first of them
  /// until the last is done. These readers no longer extend the original. A copy that a later transfer sends on lives
  /// for the exchange only. A reduce-scatter ends the whole result at the exchange after the producer; the rank's part
  /// lives on. Copies that are saved for backward get their lifetime in `save` instead.
  void pass(TensorId t, Phase phase, const std::map<NodeId, std::int32_t>& points) {
    const NodeId maker = graph_.tensors[t].producer;
    // The producer is in this layer; otherwise the tensor is an input, which exists from the start of forward only.
    const bool own = maker && graph_.nodes[maker].segment == id_;
    std::int32_t from = own ? at(points, maker) : phase == Phase::forward ? 0 : kNever;
    std::int32_t until = from + 1;                    // End of the interval: the last reader is done, or the tensor is sent.
    std::set<NodeId> served;                          // Readers that get a copy by a transfer.
    std::size_t reduction = notes_.transfers.size();  // The transfer that sums the tensor; the number of transfers if none does.
    const std::vector<std::size_t>& all = transfers_[t];
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Transfer& transfer = notes_.transfers[all[k]];
      if (transfer.phase != phase || transfer.gradient || transfer.again) continue;
      const bool sums = transfer.kind == Collective::reduce_scatter || transfer.kind == Collective::all_reduce;
      if (sums) reduction = all[k];
      if (sums || transfer.readers.empty()) continue;
      served.insert(transfer.readers.begin(), transfer.readers.end());
      const auto [first, last] = span_of(transfer.readers, points);
      if (first == kNever) continue;
      until = std::max(until, first - 1);
      if (!is_saved_on_arrival(t, transfer.readers, phase))
        add(Kind::received, t, transfer.readers.front(), all[k], first - 1, is_forwarded(all, k) ? first - 1 : last + 1);
    }
    if (from == kNever) return;
    for (const NodeId r : readers_[t]) {
      const std::int32_t m = at(points, r);
      if (m != kNever && served.count(r) == 0) until = std::max(until, m + 1);
    }
    if (t == segment_.output && phase == Phase::forward) until = last_forward() + 1;
    if (reduction < notes_.transfers.size() && notes_.transfers[reduction].kind == Collective::reduce_scatter) {
      add(Kind::produced, t, maker, 0, from, from + 1);
      from += 1;
      if (!is_saved_as_produced(t, phase)) add(Kind::reduced, t, maker, reduction, from, until);
    } else if (!is_saved_as_produced(t, phase)) {
      add(Kind::produced, t, maker, 0, from, until);
    }
  }

  /// Returns the first and last point at which the nodes run; kNever if no node runs.
  std::pair<std::int32_t, std::int32_t> span_of(const std::vector<NodeId>& nodes, const std::map<NodeId, std::int32_t>& points) const {
    std::int32_t first = kNever, last = kNever;
    for (const NodeId n : nodes) {
      const std::int32_t m = at(points, n);
      if (m == kNever) continue;
      first = first == kNever ? m : std::min(first, m);
      last = std::max(last, m);
    }
    return {first, last};
  }

  /// Returns whether a later transfer brings the tensor of transfer `k` to the same reader; the first copy is then
  /// temporary.
  bool is_forwarded(const std::vector<std::size_t>& all, std::size_t k) const {
    const Transfer& one = notes_.transfers[all[k]];
    return std::any_of(all.begin() + static_cast<std::ptrdiff_t>(k) + 1, all.end(), [&](std::size_t other) {
      const Transfer& next = notes_.transfers[other];
      return next.phase == one.phase && next.gradient == one.gradient && next.again == one.again && next.reader == one.reader;
    });
  }

  /// Adds the copies that transfers bring again in backward, for gradients.
  void gather_again(TensorId t) {
    const std::vector<std::size_t>& all = transfers_[t];
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Transfer& transfer = notes_.transfers[all[k]];
      if (!transfer.again || transfer.readers.empty()) continue;
      const auto [first, last] = span_of(transfer.readers, backward_);
      if (first != kNever) add(Kind::received, t, transfer.readers.front(), all[k], first - 1, is_forwarded(all, k) ? first - 1 : last + 1);
    }
  }

  std::int32_t last_forward() const { return 3 * static_cast<std::int32_t>(kernels_.size()) - 2; }

  /// Returns whether a copy that is saved from this phase on is the tensor as produced; `produced` is then no lifetime
  /// of its own.
  bool is_saved_as_produced(TensorId t, Phase phase) const {
    return any_saved(t, [&](const Saved& s) { return s.as_produced && s.rebuilt == (phase == Phase::recompute); });
  }

  bool is_saved_on_arrival(TensorId t, const std::vector<NodeId>& readers, Phase phase) const {
    const std::set<NodeId> all(readers.begin(), readers.end());
    return any_saved(t, [&](const Saved& s) {
      return !s.as_produced && s.rebuilt == (phase == Phase::recompute) &&
             std::any_of(s.readers.begin(), s.readers.end(), [&](NodeId r) { return all.count(r) != 0; });
    });
  }

  template <typename Condition>
  bool any_saved(TensorId t, Condition holds) const {
    const auto saved = saved_of_.find(t);
    return saved != saved_of_.end() && std::any_of(saved->second.begin(), saved->second.end(), [&](std::size_t i) { return holds(notes_.saved[i]); });
  }

  /// Adds the lifetime of entry `index` of the saved tensors. A kernel runs at its point m; m - 1 and m + 1 are the
  /// exchanges around it. The lifetime begins when the producer runs; a copy in another placement begins at the
  /// exchange before its first reader. A recomputed entry begins in recomputation instead of forward. The lifetime ends
  /// after the last of its readers in backward or recomputation; an entry without such a reader lives until the end of
  /// backward. Tensors that a stage keeps once for all layers are not counted here. An index beyond `notes_.saved`
  /// means additional memory of a node (`save_extra`).
  void save(std::size_t index) {
    if (index >= notes_.saved.size()) return save_extra(index_.extra[index - notes_.saved.size()], index);
    const Saved& s = notes_.saved[index];
    const Tensor& tensor = graph_.tensors[s.tensor];
    if (s.once || tensor.data) return;
    const auto& points = s.rebuilt ? recompute_ : forward_;
    std::int32_t from = tensor.producer ? at(points, tensor.producer) : 0, to = kNever;
    auto gathered = std::numeric_limits<std::int32_t>::max();  // Point before the first reader; the maximum: none.
    for (const NodeId r : s.readers) {
      to = std::max({to, at(backward_, r), at(recompute_, r)});
      if (!s.as_produced && at(points, r) != kNever) gathered = std::min(gathered, at(points, r) - 1);
    }
    if (gathered <= static_cast<std::int32_t>(out_.points.size())) from = std::max(from, gathered);
    if (from == kNever) return;
    if (to == kNever) to = static_cast<std::int32_t>(out_.points.size()) - 2;
    add(s.rebuilt ? Kind::recomputed : Kind::saved, s.tensor, tensor.producer, index, from, to + 1);
  }

  /// Adds the lifetime of the additional memory of a node with marks: from the node's forward (or recomputation) to its
  /// backward. Without a recomputed kernel, dropped memory is made directly before the backward.
  void save_extra(NodeId n, std::size_t index) {
    const bool rebuilt = notes_.dropped[n] != 0;
    const std::int32_t to = at(backward_, n), from = rebuilt ? (recompute_.count(kernel(n)) != 0 ? at(recompute_, n) : to - 1) : at(forward_, n);
    if (from != kNever && to != kNever) add(rebuilt ? Kind::recomputed : Kind::saved, graph_.nodes[n].outputs.front(), n, index, from, to + 1);
  }

  /// Returns the tensor whose gradient also serves as the gradient of this reader's operand: operands of a sum share
  /// the gradient of the result. None if the gradient is computed.
  TensorId same_gradient(NodeId reader) const {
    for (;;) {
      const Node& node = graph_.nodes[reader];
      if (!node.op->sum || node.outputs.size() != 1) return {};
      const TensorId out = node.outputs[0];
      if (notes_.inner[out] == 0) return out;
      const auto next = readers_.find(out);
      if (next == readers_.end() || next->second.size() != 1) return {};
      reader = next->second[0];  // The loop ends, because the graph has no cycles.
    }
  }

  /// Adds the lifetimes of the gradient of tensor `t`. A kernel runs at its point m; m - 1 and m + 1 are the exchanges
  /// around it. Both ends of a lifetime are included. Each reader of `t` contributes a term, in backward order, and a
  /// buffer accumulates them: a term lives until the next one is added. Terms may be reduce-scattered first; then the
  /// rank's part lives on from the exchange after the reader. The sum lives until the producer's backward has read it
  /// (`read`), or until transfers gather it for the producer. The gradient of an input of the layer lives until the
  /// last point of backward, because the layer before reads it. A sum operator adds no term: the gradient of its result
  /// (`same_gradient`) lives longer instead. `gradient_` keeps the last lifetime of each gradient for such readers;
  /// tensors are visited in reverse order, so the result's gradient is known. The gradient of the layer's output
  /// arrives from the next layer at the first point after forward, `last_forward() + 2`. Cost: a sort of the readers.
  void backward(TensorId t) {
    if (notes_.needs_gradient[t] == 0) return;
    const NodeId maker = graph_.tensors[t].producer;
    const bool own = maker && graph_.nodes[maker].segment == id_;
    const std::int32_t end = own ? at(backward_, maker) : static_cast<std::int32_t>(out_.points.size()) - 2;
    std::size_t reduction = notes_.transfers.size();
    std::set<NodeId> summed;            // Kernels whose terms are reduce-scattered.
    std::vector<std::size_t> gathered;  // Transfers to the producer; each continues the previous one.
    for (const std::size_t i : transfers_[t]) {
      const Transfer& transfer = notes_.transfers[i];
      if (!transfer.gradient || (transfer.phase != Phase::agrad && transfer.phase != Phase::wgrad)) continue;
      if (transfer.kind == Collective::reduce_scatter) {
        reduction = i;
        for (const NodeId m : transfer.makers) summed.insert(kernel(m));
      } else if (transfer.kind != Collective::all_reduce && own) {
        gathered.push_back(i);
      }
    }
    for (const std::size_t i : gathered) add(Kind::received, t, maker, i, end - 1, i == gathered.back() ? end + 1 : end - 1);
    const std::int32_t read = gathered.empty() ? end + 1 : end - 1;
    std::vector<std::pair<std::int32_t, NodeId>> terms;  // Terms by kernel, in the order of backward.
    std::set<NodeId> kernels;
    for (const NodeId r : readers_[t]) {
      if (kernels.insert(kernel(r)).second && at(backward_, r) != kNever) terms.emplace_back(at(backward_, r), r);
    }
    std::sort(terms.begin(), terms.end());
    if (t == segment_.output) {
      const std::size_t arrival = add(Kind::reduced_gradient, t, {}, reduction, last_forward() + 2, terms.empty() ? read : terms.front().first + 1);
      if (arrival != kNone) gradient_[t] = arrival;
      if (terms.empty()) return;
    }
    std::size_t sum = kNone;  // Position of the latest lifetime in `out_.tensors`.
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto [point, reader] = terms[i];
      const std::int32_t until = i + 1 < terms.size() ? terms[i + 1].first + 1 : read;
      if (const TensorId same = same_gradient(reader)) {
        const auto known = gradient_.find(same);
        if (sum == kNone && known != gradient_.end()) sum = known->second;
        if (sum != kNone) out_.tensors[sum].to = std::max(out_.tensors[sum].to, until);
        continue;
      }
      const bool sums = summed.count(kernel(reader)) != 0;
      if (sums) add(Kind::gradient, t, reader, 0, point, point + 1);
      sum = add(sums ? Kind::reduced_gradient : Kind::gradient, t, reader, reduction, point + (sums ? 1 : 0), std::max(until, point + 1));
    }
    if (sum != kNone) gradient_[t] = sum;
  }

  /// Adds the gradients of the node's trained weights, each alive only while the node's backward runs.
  void add_weight_gradients(NodeId n) {
    for (const WeightUse& use : graph_.nodes[n].weights) {
      const std::int32_t m = at(backward_, n);
      if (notes_.trained[use.weight] != 0) out_.tensors.push_back({Kind::weight_gradient, {}, use.weight, n, -1, m, m});
    }
  }

  /// Adds scratch memory for a node with marks, while the node runs in each pass.
  void add_scratch(NodeId n) {
    if (notes_.nodes[n].marks.empty()) return;
    for (const auto* points : {&forward_, &recompute_, &backward_}) {
      if (const std::int32_t m = at(*points, n); m != kNever) out_.tensors.push_back({Kind::scratch, {}, {}, n, -1, m, m});
    }
  }

  /// Adds the buffer of an all-to-all of forward, which a caller may retain until the layer's forward is done.
  void retain_buffers(std::size_t i) {
    const Transfer& t = notes_.transfers[i];
    if (!t.tensor || t.phase != Phase::forward || t.kind != Collective::all_to_all || t.readers.empty()) return;
    const std::int32_t from = at(forward_, t.readers.front());
    if (from != kNever) add(Kind::retained, t.tensor, t.readers.front(), i, from - 1, last_forward() + 1);
  }

  /// Stores in `out_.fullest` the points at which the most tensors can be alive, ascending. Lifetimes are intervals of
  /// points, both ends included. A point without deaths has at most the tensors of the next point; a point without
  /// births, at most the tensors of the previous point. Only the last point with a birth before each death remains:
  /// every other point's tensors are a subset of such a point's. A fresh gradient may reuse memory of another tensor.
  /// It counts as a birth again when its kernel is done, at the next multiple of kPointsOfKernel. Linear in points and
  /// tensors.
  void find_fullest() {
    const auto count = out_.points.size();
    std::vector<std::uint8_t> begins(count, 0), ends(count, 0);
    for (const LiveTensor& l : out_.tensors) {
      begins[l.from] = ends[l.to] = 1;
      const std::int32_t old = (l.from / kPointsOfKernel + 1) * kPointsOfKernel;
      if (l.is_gradient() && old <= l.to) begins[old] = 1;
    }
    std::size_t last = kNone;  // The last point with a birth and no death since.
    for (std::size_t m = 0; m < count; ++m) {
      if (begins[m] != 0) last = m;
      if (last == kNone || (ends[m] == 0 && m + 1 < count)) continue;
      out_.fullest.push_back(static_cast<std::int32_t>(last));
      last = kNone;
    }
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const LivenessIndex& index_;
  const Graph& graph_;
  const Annotations& notes_;
  const SegmentId id_;
  const Segment& segment_;
  std::vector<NodeId> kernels_;
  std::set<TensorId> seen_;
  std::vector<TensorId> tensors_;
  std::map<NodeId, std::int32_t> forward_, recompute_, backward_;  ///< Program point of each kernel.
  std::map<TensorId, std::vector<NodeId>> readers_;
  std::map<TensorId, std::vector<std::size_t>> transfers_, saved_of_;
  std::map<TensorId, std::size_t> gradient_;                ///< Position in `out_.tensors` of the last lifetime of the tensor's gradient.
  std::map<NodeId, std::size_t> position_;                  ///< Position of each kernel in the order of execution.
  std::map<NodeId, std::vector<NodeId>> neighbors_;         ///< Recomputed kernels, and the recomputed kernels that share a tensor with each.
  std::map<NodeId, std::vector<std::size_t>> rebuilt_for_;  ///< Recomputed saved tensors that the gradients of each kernel read.
  Liveness out_;
};

}  // namespace

std::vector<NodeId> nodes_with_extra_memory(const Graph& graph, const Annotations& annotations) {
  std::vector<NodeId> out;
  for (const NodeId n : graph.nodes.ids()) {
    const std::vector<TensorId>& outputs = graph.nodes[n].outputs;
    if (!annotations.nodes[n].marks.empty() && !outputs.empty() && annotations.needs_gradient[outputs.front()] != 0) out.push_back(n);
  }
  return out;
}

LivenessIndex::LivenessIndex(const Graph& the_graph, const Annotations& annotations)
    : graph(the_graph),
      notes(annotations),
      extra(nodes_with_extra_memory(the_graph, annotations)),
      saved(the_graph.segments.size()),
      transfers(the_graph.segments.size()) {
  for (std::size_t i = 0; i < notes.saved.size(); ++i) saved[graph.tensors[notes.saved[i].tensor].segment].push_back(i);
  for (std::size_t i = 0; i < extra.size(); ++i) saved[graph.nodes[extra[i]].segment].push_back(notes.saved.size() + i);
  for (std::size_t i = 0; i < notes.transfers.size(); ++i) {
    if (notes.transfers[i].segment) transfers[notes.transfers[i].segment].push_back(i);
  }
}

Liveness find_liveness(const LivenessIndex& index, SegmentId segment) { return LivenessFinder(index, segment).find(); }

}  // namespace opledger
