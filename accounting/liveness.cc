#include "accounting/liveness.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/lists.h"

namespace opledger {
namespace {

using At = Moment::At;
using What = Living::What;

class LivenessFinder {
 public:
  LivenessFinder(const Graph& graph, const Annotations& notes, SegmentId segment)
      : graph_(graph), notes_(notes), id_(segment), segment_(graph.segments[segment]) {}

  Liveness find() {
    order_kernels();
    lay_moments();
    find_readers();
    for (const TensorId t : tensors_) forward(t);
    for (std::size_t s = 0; s < notes_.saved.size(); ++s) keep(s);
    const std::vector<NodeId> beside = kept_beside(graph_, notes_);
    for (std::size_t i = 0; i < beside.size(); ++i) keep_beside(beside[i], notes_.saved.size() + i);
    for (auto t = tensors_.rbegin(); t != tensors_.rend(); ++t) backward(*t);
    for (const NodeId n : segment_.nodes()) weigh(n);
    for (const NodeId n : segment_.nodes()) scratch(n);
    for (std::size_t i = 0; i < notes_.transfers.size(); ++i) hold(i);
    find_fullest();
    return std::move(out_);
  }

 private:
  static constexpr std::int32_t kNever = -1;

  NodeId kernel(NodeId n) const { return notes_.kernels[n]; }

  /// Kernels run when the last of their nodes could.
  void order_kernels() {
    std::map<NodeId, NodeId> last;
    for (const NodeId n : segment_.nodes()) last[kernel(n)] = n;
    for (const auto& [leader, _] : last) kernels_.push_back(leader);
    std::sort(kernels_.begin(), kernels_.end(), [&](NodeId a, NodeId b) { return last[a] < last[b]; });
    for (const NodeId n : segment_.nodes()) {
      for (const Operand& in : graph_.nodes[n].inputs) note(in.tensor);
      for (const TensorId t : graph_.nodes[n].outputs) note(t);
    }
  }

  void note(TensorId t) {
    if (graph_.tensors[t].data || notes_.inner[t] != 0 || !seen_.insert(t).second) return;
    tensors_.push_back(t);
  }

  std::int32_t add_moments(Phase phase, NodeId leader) {
    const auto first = static_cast<std::int32_t>(out_.moments.size());
    for (const At at : {At::before, At::during, At::behind}) out_.moments.push_back({phase, leader, at});
    return first + 1;
  }

  bool computes_again(NodeId leader) const {
    for (const NodeId n : segment_.nodes()) {
      if (kernel(n) == leader && notes_.recomputed[n] != 0) return true;
    }
    return false;
  }

  /// Forward, then backward from the last kernel to the first, each behind what it needs to be computed again.
  void lay_moments() {
    for (const NodeId k : kernels_) forward_[k] = add_moments(Phase::forward, k);
    for (std::size_t i = kernels_.size(); i-- > 0;) {
      compute_again_for(kernels_[i]);
      backward_[kernels_[i]] = add_moments(Phase::agrad, kernels_[i]);
    }
  }

  void compute_again_for(NodeId leader) {
    for (const Saved& s : notes_.saved) {
      const bool reads = std::any_of(s.readers.begin(), s.readers.end(), [&](NodeId r) { return kernel(r) == leader; });
      const NodeId maker = graph_.tensors[s.tensor].producer;
      if (!s.rebuilt || graph_.tensors[s.tensor].segment != id_ || !reads || !maker) continue;
      std::set<NodeId> wanted;
      collect(kernel(maker), wanted);
      for (const NodeId k : kernels_) {
        if (wanted.count(k) != 0) again_[k] = add_moments(Phase::recompute, k);
      }
    }
  }

  /// Kernels that are computed again and joined to this one by tensors.
  void collect(NodeId leader, std::set<NodeId>& wanted) const {
    if (again_.count(leader) != 0 || !computes_again(leader) || !wanted.insert(leader).second) return;
    for (const NodeId n : segment_.nodes()) {
      for (const Operand& in : graph_.nodes[n].inputs) {
        const NodeId maker = graph_.tensors[in.tensor].producer;
        if (!maker || graph_.nodes[maker].segment != id_) continue;
        if (kernel(n) == leader) collect(kernel(maker), wanted);
        if (kernel(maker) == leader) collect(kernel(n), wanted);
      }
    }
  }

  void find_readers() {
    for (const NodeId n : segment_.nodes()) {
      for (std::size_t i = 0; i < graph_.nodes[n].inputs.size(); ++i) readers_[graph_.nodes[n].inputs[i].tensor].push_back(n);
    }
    for (std::size_t i = 0; i < notes_.transfers.size(); ++i) {
      const Transfer& t = notes_.transfers[i];
      if (t.segment == id_ && t.tensor && !t.weight && t.cadence == Cadence::microbatch && !t.stages) transfers_[t.tensor].push_back(i);
    }
  }

  std::int32_t at(const std::map<NodeId, std::int32_t>& moments, NodeId node) const {
    const auto found = moments.find(kernel(node));
    return found != moments.end() ? found->second : kNever;
  }

  void add(What what, TensorId tensor, NodeId node, std::size_t source, std::int32_t from, std::int32_t to) {
    if (from <= to) out_.living.push_back({what, tensor, {}, node, static_cast<std::int32_t>(source), from, to});
  }

  /// What of the tensor is alive while forward, or recomputation, runs: as it is made, as it is left when it is summed, as its readers get it.
  void forward(TensorId t) {
    pass(t, Phase::forward, forward_);
    if (!again_.empty()) pass(t, Phase::recompute, again_);
  }

  void pass(TensorId t, Phase phase, const std::map<NodeId, std::int32_t>& moments) {
    const NodeId maker = graph_.tensors[t].producer;
    const bool own = maker && graph_.nodes[maker].segment == id_;
    std::int32_t from = own ? at(moments, maker) : phase == Phase::forward ? 0 : kNever;
    std::int32_t direct = from;  // its last reader there is, or who sends it on
    std::set<NodeId> served;
    std::size_t settles = notes_.transfers.size();
    for (const std::size_t i : transfers_[t]) {
      const Transfer& transfer = notes_.transfers[i];
      if (transfer.phase != phase || transfer.gradient || transfer.again) continue;
      const bool sums = transfer.kind == Collective::reduce_scatter || transfer.kind == Collective::all_reduce;
      if (sums) settles = i;
      if (sums || transfer.readers.empty()) continue;
      std::int32_t first = kNever, last = kNever;
      for (const NodeId r : transfer.readers) {
        const std::int32_t m = at(moments, r);
        if (m == kNever) continue;
        served.insert(r);
        first = first == kNever ? m : std::min(first, m);
        last = std::max(last, m);
      }
      if (first == kNever) continue;
      direct = std::max(direct, first - 1);
      if (!is_kept(t, transfer.readers, phase)) add(What::arrived, t, transfer.readers.front(), i, first - 1, last + 1);
    }
    if (from == kNever) return;
    for (const NodeId r : readers_[t]) {
      const std::int32_t m = at(moments, r);
      if (m != kNever && served.count(r) == 0) direct = std::max(direct, m);
    }
    if (t == segment_.output && phase == Phase::forward) direct = last_forward();
    if (settles < notes_.transfers.size() && notes_.transfers[settles].kind == Collective::reduce_scatter) {
      add(What::made, t, maker, 0, from, from + 1);
      from += 1;
      if (!stays(t, phase)) add(What::settled, t, maker, settles, from, direct + 1);
    } else if (!stays(t, phase)) {
      add(What::made, t, maker, 0, from, direct + 1);
    }
  }

  std::int32_t last_forward() const { return 3 * static_cast<std::int32_t>(kernels_.size()) - 2; }

  /// Whether a copy of it that is kept is as it was made.
  bool stays(TensorId t, Phase phase) const {
    return std::any_of(notes_.saved.begin(), notes_.saved.end(), [&](const Saved& s) { return s.tensor == t && s.as_made && counts(s, phase); });
  }

  bool is_kept(TensorId t, const std::vector<NodeId>& readers, Phase phase) const {
    const auto read = [&](const Saved& s) { return std::any_of(s.readers.begin(), s.readers.end(), [&](NodeId r) { return contains(readers, r); }); };
    return std::any_of(notes_.saved.begin(), notes_.saved.end(), [&](const Saved& s) { return s.tensor == t && !s.as_made && counts(s, phase) && read(s); });
  }

  /// Whether a saved tensor is alive from this phase on.
  bool counts(const Saved& s, Phase phase) const { return s.rebuilt == (phase == Phase::recompute) && graph_.tensors[s.tensor].segment == id_; }

  /// From its maker, or from when it comes to who reads it, until the last gradient that reads it is done.
  void keep(std::size_t index) {
    const Saved& s = notes_.saved[index];
    const Tensor& tensor = graph_.tensors[s.tensor];
    if (tensor.segment != id_ || s.once || tensor.data) return;
    const auto& moments = s.rebuilt ? again_ : forward_;
    std::int32_t from = tensor.producer ? at(moments, tensor.producer) : 0, to = kNever;
    auto brought = std::numeric_limits<std::int32_t>::max();
    for (const NodeId r : s.readers) {
      to = std::max({to, at(backward_, r), at(again_, r)});
      if (!s.as_made && at(moments, r) != kNever) brought = std::min(brought, at(moments, r) - 1);
    }
    if (brought <= static_cast<std::int32_t>(out_.moments.size())) from = std::max(from, brought);
    if (from == kNever) return;
    if (to == kNever) to = static_cast<std::int32_t>(out_.moments.size()) - 2;
    add(s.rebuilt ? What::rebuilt : What::kept, s.tensor, tensor.producer, index, from, to + 1);
  }

  void keep_beside(NodeId n, std::size_t index) {
    if (graph_.nodes[n].segment != id_) return;
    const bool rebuilt = notes_.recomputed[n] != 0;
    const std::int32_t from = at(rebuilt ? again_ : forward_, n), to = at(backward_, n);
    if (from != kNever && to != kNever) add(rebuilt ? What::rebuilt : What::kept, graph_.nodes[n].outputs.front(), n, index, from, to + 1);
  }

  /// Of which tensor's gradient that of a sum's operand is the same tensor; none: it is computed.
  TensorId same_gradient(NodeId reader) const {
    const Node& node = graph_.nodes[reader];
    if (!node.op->sum || node.outputs.size() != 1) return {};
    const TensorId out = node.outputs[0];
    if (notes_.inner[out] == 0) return out;
    const auto next = readers_.find(out);
    return next != readers_.end() && next->second.size() == 1 ? same_gradient(next->second[0]) : TensorId();
  }

  /// The gradient of a tensor: what each reader adds to it, summed over ranks where it has to be, until its maker has read it; gathered for the maker.
  void backward(TensorId t) {
    if (notes_.needs_gradient[t] == 0) return;
    const NodeId maker = graph_.tensors[t].producer;
    const bool own = maker && graph_.nodes[maker].segment == id_;
    const std::int32_t end = own ? at(backward_, maker) : static_cast<std::int32_t>(out_.moments.size()) - 2;
    std::size_t settles = notes_.transfers.size();
    std::set<NodeId> summed;
    for (const std::size_t i : transfers_[t]) {
      const Transfer& transfer = notes_.transfers[i];
      if (!transfer.gradient || (transfer.phase != Phase::agrad && transfer.phase != Phase::wgrad)) continue;
      if (transfer.kind == Collective::reduce_scatter) {
        settles = i;
        for (const NodeId m : transfer.makers) summed.insert(kernel(m));
      } else if (transfer.kind != Collective::all_reduce && own) {
        add(What::arrived, t, maker, i, end - 1, end + 1);
      }
    }
    std::vector<std::pair<std::int32_t, NodeId>> terms;  // by kernel, in the order of backward
    std::set<NodeId> kernels;
    for (const NodeId r : readers_[t]) {
      if (kernels.insert(kernel(r)).second && at(backward_, r) != kNever) terms.emplace_back(at(backward_, r), r);
    }
    std::sort(terms.begin(), terms.end());
    if (t == segment_.output) {
      add(What::settled_gradient, t, {}, settles, last_forward() + 2, terms.empty() ? end + 1 : terms.front().first + 1);
      if (terms.empty()) return;
    }
    Living* sum = nullptr;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto [moment, reader] = terms[i];
      const std::int32_t until = (i + 1 < terms.size() ? terms[i + 1].first : end) + 1;
      if (const TensorId same = same_gradient(reader)) {
        if (sum == nullptr) sum = gradient_of(same);
        if (sum != nullptr) sum->to = std::max(sum->to, until);
        continue;
      }
      const bool sums = summed.count(kernel(reader)) != 0;
      if (sums) add(What::gradient, t, reader, 0, moment, moment + 1);
      add(sums ? What::settled_gradient : What::gradient, t, reader, settles, moment + (sums ? 1 : 0), until);
      sum = &out_.living.back();
    }
  }

  void weigh(NodeId n) {
    for (const WeightUse& use : graph_.nodes[n].weights) {
      const std::int32_t m = at(backward_, n);
      if (notes_.trained[use.weight] != 0) out_.living.push_back({What::weight_gradient, {}, use.weight, n, -1, m, m});
    }
  }

  void scratch(NodeId n) {
    if (notes_.nodes[n].marks.empty()) return;
    for (const auto* moments : {&forward_, &again_, &backward_}) {
      if (const std::int32_t m = at(*moments, n); m != kNever) out_.living.push_back({What::scratch, {}, {}, n, -1, m, m});
    }
  }

  void hold(std::size_t i) {
    const Transfer& t = notes_.transfers[i];
    if (t.segment != id_ || t.phase != Phase::forward || t.kind != Collective::all_to_all || t.readers.empty()) return;
    const std::int32_t from = at(forward_, t.readers.front());
    if (from != kNever) add(What::held, t.tensor, t.readers.front(), i, from - 1, last_forward() + 1);
  }

  Living* gradient_of(TensorId t) {
    for (auto l = out_.living.rbegin(); l != out_.living.rend(); ++l) {
      if (l->tensor && l->tensor == t && is_gradient(l->what)) return &*l;
    }
    return nullptr;
  }

  static bool is_gradient(What what) { return what == What::gradient || what == What::settled_gradient; }

  /// What is alive at a moment, and what of it begins there as a gradient, which may take the place of something else.
  using Crowd = std::set<std::pair<std::size_t, bool>>;

  Crowd crowd(std::int32_t m) const {
    Crowd out;
    for (std::size_t i = 0; i < out_.living.size(); ++i) {
      const Living& l = out_.living[i];
      if (l.from <= m && m <= l.to) out.emplace(i, is_gradient(l.what) && l.begins_at(m));
    }
    return out;
  }

  void find_fullest() {
    std::vector<Crowd> crowds;
    for (std::size_t m = 0; m < out_.moments.size(); ++m) crowds.push_back(crowd(static_cast<std::int32_t>(m)));
    const auto within = [](const Crowd& a, const Crowd& b) {
      return std::all_of(a.begin(), a.end(), [&](const auto& l) { return b.count(l) != 0 || (l.second && b.count({l.first, false}) != 0); });
    };
    for (std::size_t m = 0; m < crowds.size(); ++m) {
      bool covered = crowds[m].empty();
      for (std::size_t other = 0; other < crowds.size() && !covered; ++other)
        covered = other != m && within(crowds[m], crowds[other]) && (other < m || !within(crowds[other], crowds[m]));
      if (!covered) out_.fullest.push_back(static_cast<std::int32_t>(m));
    }
  }

  const Graph& graph_;
  const Annotations& notes_;
  const SegmentId id_;
  const Segment& segment_;
  std::vector<NodeId> kernels_;
  std::set<TensorId> seen_;
  std::vector<TensorId> tensors_;
  std::map<NodeId, std::int32_t> forward_, again_, backward_;  ///< By kernel: when it computes.
  std::map<TensorId, std::vector<NodeId>> readers_;
  std::map<TensorId, std::vector<std::size_t>> transfers_;
  Liveness out_;
};

}  // namespace

std::vector<NodeId> kept_beside(const Graph& graph, const Annotations& annotations) {
  std::vector<NodeId> out;
  for (const NodeId n : graph.nodes.ids()) {
    const std::vector<TensorId>& outputs = graph.nodes[n].outputs;
    if (!annotations.nodes[n].marks.empty() && !outputs.empty() && annotations.needs_gradient[outputs.front()] != 0) out.push_back(n);
  }
  return out;
}

Liveness find_liveness(const Graph& graph, const Annotations& annotations, SegmentId segment) { return LivenessFinder(graph, annotations, segment).find(); }

}  // namespace opledger
