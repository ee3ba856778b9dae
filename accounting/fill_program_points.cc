#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"
#include "accounting/liveness.h"

namespace opledger {
namespace {

using Kind = LiveTensor::Kind;

/// Text appended to a tensor's name for each LiveTensor::Kind; empty if the name says enough.
constexpr const char* kHow[] = {"kept", "rebuilt", "", "summed", "gathered", "", "summed", "held", "scratch", ""};

bool is_gradient(const FillContext& context, const LiveTensor& l) {
  return l.kind == Kind::weight_gradient || l.is_gradient() || (l.kind == Kind::received && context.notes.transfers[l.source].gradient);
}

/// Limit of live tensors over all points. Real models have some thousands.
constexpr long long kMostAlive = 100'000;

/// Writes the program points at which a segment's memory can peak, and the tensors alive at each. Only the points of
/// `Liveness::fullest` are written. A sweep over the points keeps the set of live tensors: a tensor enters at its first
/// point and leaves after its last one. If the total exceeds kMostAlive, each segment keeps the points with most bytes
/// in the sample.
class ProgramPointFiller {
 public:
  explicit ProgramPointFiller(FillContext& context) : f_(context) {}

  /// Finds the lifetimes of all segments, decides whether the tables would exceed kMostAlive, and writes both sets.
  void fill() {
    const LivenessIndex index(f_.graph, f_.notes);
    IdVector<SegmentId, Liveness> all;
    long long tensors = 0;
    for (const SegmentId s : f_.graph.segments.ids()) {
      all.push_back(find_liveness(index, s));
      const std::vector<long long> counts = counts_of(all.back());
      for (const std::int32_t m : all.back().fullest) tensors += counts[m];
    }
    crowded_ = tensors > kMostAlive;
    for (const SegmentId s : f_.graph.segments.ids()) fill(all[s], s);
    f_.evaluator().set_elements(kProgramPointSet, points_.take());
    f_.evaluator().set_elements(kLiveTensorSet, alive_.take());
  }

 private:
  /// Fields of a live tensor that are equal at every point of its lifetime, computed once.
  struct Described {
    std::string name;
    Value text, bytes, ranks;
    bool saved, gradient, exchanged;
  };

  /// Writes the program points of segment `s` at which memory can peak, and the tensors alive at each. A sweep visits
  /// the points in order and keeps the live tensors in `alive`: a tensor enters at its first point and leaves after its
  /// last one. `begin` and `end` list the tensors by these points. Rows are written for the points of `shown` only. The
  /// cost is one insertion and removal per tensor, plus the rows.
  void fill(const Liveness& live, SegmentId s) {
    std::vector<Described> described;
    for (const LiveTensor& l : live.tensors) described.push_back(describe(l));
    std::vector<std::vector<std::size_t>> begin(live.points.size() + 1), end(live.points.size() + 1);
    for (std::size_t i = 0; i < live.tensors.size(); ++i) {
      begin[live.tensors[i].from].push_back(i);
      end[live.tensors[i].to + 1].push_back(i);
    }
    std::set<std::size_t> alive;
    const std::set<std::int32_t> shown = fullest(live, described);  // Points to write.
    for (std::int32_t m = 0; m < static_cast<std::int32_t>(live.points.size()); ++m) {
      alive.insert(begin[m].begin(), begin[m].end());
      for (const std::size_t i : end[m]) alive.erase(i);
      if (shown.count(m) == 0) continue;
      const ProgramPoint& point = live.points[m];
      const std::string shown_name = name(point);
      points_.row(shown_name);
      points_.belongs(kPhaseSet, point.phase);
      points_.belongs(kSegmentSet, s);
      points_.field("name", f_.text(shown_name));
      for (const std::size_t i : alive) write(live.tensors[i], described[i], s, point.phase, m);
      ++count_;
    }
  }

  /// Returns the number of live tensors at each point, as prefix sums of births and deaths.
  static std::vector<long long> counts_of(const Liveness& live) {
    std::vector<long long> out(live.points.size() + 1, 0);
    for (const LiveTensor& l : live.tensors) ++out[l.from], --out[l.to + 1];
    std::partial_sum(out.begin(), out.end(), out.begin());
    return out;
  }

  /// Returns the points to write. These are all points of `live.fullest`, which suffice to find the peak. If all
  /// segments together exceed kMostAlive (`crowded_`), the points with most bytes in the sample are chosen, in falling
  /// order. The first point is always chosen; the further ones stop when their live tensors fill the segment's equal
  /// portion of kMostAlive. Bytes and tensors at each point are prefix sums over births and deaths, so the cost is
  /// linear plus a sort.
  std::set<std::int32_t> fullest(const Liveness& live, const std::vector<Described>& described) const {
    if (!crowded_) return {live.fullest.begin(), live.fullest.end()};
    std::vector<double> bytes(live.points.size() + 1, 0);
    const std::vector<long long> count = counts_of(live);
    for (std::size_t i = 0; i < live.tensors.size(); ++i) {
      bytes[live.tensors[i].from] += described[i].bytes.scalar.value;
      bytes[live.tensors[i].to + 1] -= described[i].bytes.scalar.value;
    }
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    std::vector<std::int32_t> order = live.fullest;
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return bytes[a] > bytes[b]; });
    std::set<std::int32_t> out;
    long long left = kMostAlive / static_cast<long long>(f_.graph.segments.size());
    for (const std::int32_t m : order) {
      if (!out.empty() && (left -= count[m]) < 0) break;
      out.insert(m);
    }
    return out;
  }

  /// Makes the last row belong to a segment and to a node with its kernel and component.
  void belongs(ElementTable& out, SegmentId s, NodeId node) {
    out.belongs(kSegmentSet, s);
    out.belongs(kNodeSet, node);
    out.belongs(kKernelSet, f_.kernel(node));
    out.belongs(kComponentSet, f_.component(node));
  }

  /// Returns the shown name of a point: `before forward of decoder.mlp`.
  std::string name(const ProgramPoint& m) const {
    const char* at = m.at == ProgramPoint::At::before ? "before " : m.at == ProgramPoint::At::after ? "after " : "";
    const char* phase = m.phase == Phase::forward ? "forward" : m.phase == Phase::recompute ? "recompute" : "backward";
    return fmt::format("{}{} of {}", at, phase, f_.graph.nodes[m.kernel].name);
  }

  /// Returns the fields of a live tensor that are equal at every point of its lifetime. The shown name is the name of
  /// the weight, tensor or node, with `d ` for a gradient and the kind of tensor in parentheses (`kHow`). Saved entries
  /// after `notes.saved` are additional memory that a node with marks keeps. `f_` holds the graph, its annotations
  /// (`notes`) and sizes.
  Described describe(const LiveTensor& l) {
    const std::string& tensor = l.weight ? f_.graph.weights[l.weight].name : l.tensor ? f_.graph.tensors[l.tensor].name : f_.graph.nodes[l.node].name;
    Described out;
    out.gradient = is_gradient(f_, l);
    out.saved = l.kind == Kind::saved || l.kind == Kind::recomputed;
    const bool extra = out.saved && static_cast<std::size_t>(l.source) >= f_.notes.saved.size();
    const std::string how = extra ? "beside" : kHow[static_cast<std::size_t>(l.kind)];
    out.name = (out.gradient ? "d " : "") + tensor + (how.empty() ? "" : fmt::format(" ({})", how));
    out.text = f_.text(out.name);
    out.bytes = byte_value(size(l));
    // The source of a collective stays alive until the result is there. `ranks` lets an accounting leave out the result
    // of a collective over one rank.
    out.exchanged = l.kind == Kind::received || l.kind == Kind::reduced || (l.kind == Kind::reduced_gradient && l.node);
    out.ranks = count_value(out.exchanged ? f_.sizes->degrees(f_.notes.transfers[l.source].axes) : integer(1));
    return out;
  }

  /// Writes one row: tensor `l` is alive at the last written program point, number `count_` of the set and point `m` of
  /// the segment. `of` has the fields that do not depend on the point. Two fields do: `exchanging` is true for the
  /// result of a transfer at its first point, where the exchange runs; `begins` is true at the points of the kernel at
  /// which the tensor's life begins.
  void write(const LiveTensor& l, const Described& of, SegmentId s, Phase phase, std::int32_t m) {
    alive_.row(of.name);
    alive_.belongs(kProgramPointSet, count_);
    alive_.belongs(kPhaseSet, phase);
    belongs(alive_, s, l.node ? l.node : last_node(s));
    alive_.belongs(kSavedSet, of.saved ? l.source : kNoWord);
    alive_.belongs(kMessageSet, is_sent(l) ? static_cast<WordId>(f_.message_of[l.source]) : kNoWord);
    alive_.field("name", of.text);
    alive_.field("bytes", of.bytes);
    alive_.field("kept", truth_value(of.saved));
    alive_.field("arrived", truth_value(l.kind == Kind::received));
    alive_.field("held", truth_value(l.kind == Kind::retained));
    alive_.field("exchanging", truth_value(of.exchanged && l.from == m));
    alive_.field("ranks", of.ranks);
    alive_.field("scratch", truth_value(l.kind == Kind::scratch));
    alive_.field("gradient", truth_value(of.gradient));
    alive_.field("of_weight", truth_value(bool(l.weight)));
    alive_.field("begins", truth_value(l.begins_at(m)));
  }

  /// Returns whether the tensor is the buffer of a transfer.
  static bool is_sent(const LiveTensor& l) { return l.kind == Kind::received || l.kind == Kind::retained; }

  /// Returns the node to which tensors from outside the layer are attributed.
  NodeId last_node(SegmentId s) const { return f_.graph.segments[s].last - 1; }

  /// Returns the elements of a produced tensor, split like the producer's dimensions; a segment's input is split as
  /// between segments.
  Scalar produced(const LiveTensor& l, const DimList& dims) {
    if (!l.node) return f_.sizes->elements(dims, f_.notes.inputs[l.tensor]);
    Scalar n = integer(1);
    for (const DimId d : dims) n = f_.sizes->multiply(n, f_.sizes->local(d, &f_.notes.nodes[l.node].of(d)));
    return n;
  }

  /// Returns the tensor's dimensions under the names that the reading or producing node uses.
  const DimList& dims_at(const LiveTensor& l) const {
    if (l.node) {
      for (const Operand& in : f_.graph.nodes[l.node].inputs) {
        if (in.tensor == l.tensor) return in.dims;
      }
    }
    return f_.graph.tensors[l.tensor].dims;
  }

  /// Returns the bytes of a live tensor on one rank; 0 for scratch, whose size formulas of the accounting give.
  Scalar size(const LiveTensor& l) {
    if (l.kind == Kind::saved || l.kind == Kind::recomputed) return f_.saved_bytes[l.source];
    if (l.kind == Kind::scratch) return integer(0);
    if (l.weight)
      return f_.sizes->multiply(f_.sizes->elements(f_.graph.weights[l.weight].dims, f_.used(l.weight, l.node)),
                                f_.width({"weight_message_width", "weight_width"}));
    const Formula* own = f_.run.tensor_widths[l.tensor];
    const bool gradient = is_gradient(f_, l);
    const Scalar width = own != nullptr ? f_.inquiry.ask(*own).scalar : f_.width({gradient ? "activation_gradient_width" : "activation_width"});
    return f_.sizes->multiply(elements(l), width);
  }

  /// Returns the elements on one rank: of the message for a received buffer, of the rank's part after a reduction, else
  /// of the whole result.
  Scalar elements(const LiveTensor& l) {
    if (is_sent(l)) {
      const Transfer& t = f_.notes.transfers[l.source];
      return f_.sizes->elements(t.dims, t.message);
    }
    const Scalar n = produced(l, dims_at(l));
    const bool summed = l.kind == Kind::reduced || (l.kind == Kind::reduced_gradient && l.node);
    return summed ? f_.sizes->operate(Op::divide, n, f_.sizes->degrees(f_.notes.transfers[l.source].axes)) : n;
  }

  FillContext& f_;
  ElementTable points_, alive_;
  WordId count_ = 0;
  bool crowded_ = false;  ///< The tensors exceed kMostAlive, so some points are left out.
};

}  // namespace

void fill_program_points(FillContext& context) { ProgramPointFiller(context).fill(); }

}  // namespace opledger
