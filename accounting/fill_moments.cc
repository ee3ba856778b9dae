#include <fmt/core.h>

#include "accounting/engine.h"
#include "accounting/filling.h"
#include "accounting/liveness.h"

namespace opledger {
namespace {

using What = Living::What;

const char* describe(What what) {
  switch (what) {
    case What::kept:
      return "kept";
    case What::rebuilt:
      return "rebuilt";
    case What::made:
      return "";
    case What::settled:
      return "summed";
    case What::arrived:
      return "gathered";
    case What::gradient:
      return "";
    case What::settled_gradient:
      return "summed";
    case What::held:
      return "held";
    case What::scratch:
      return "scratch";
    case What::weight_gradient:
      return "";
  }
  return "";
}

bool is_gradient(const Filling& f, const Living& l) {
  return l.what == What::weight_gradient || l.what == What::gradient || l.what == What::settled_gradient ||
         (l.what == What::arrived && f.notes.transfers[l.source].gradient);
}

class MomentFiller {
 public:
  explicit MomentFiller(Filling& f) : f_(f) {}

  void fill() {
    for (const SegmentId s : f_.graph.segments.ids()) fill(s);
    f_.evaluator().set_elements(kMomentSet, moments_.take());
    f_.evaluator().set_elements(kAliveSet, alive_.take());
  }

 private:
  void fill(SegmentId s) {
    const Liveness live = find_liveness(f_.graph, f_.notes, s);
    std::vector<Scalar> bytes;
    for (const Living& l : live.living) bytes.push_back(size(l));
    for (const std::int32_t m : live.fullest) {
      const Moment& moment = live.moments[m];
      moments_.row(name(moment));
      moments_.belongs(kPhaseSet, moment.phase);
      moments_.belongs(kSegmentSet, s);
      moments_.field("name", f_.text(name(moment)));
      for (std::size_t i = 0; i < live.living.size(); ++i) {
        const Living& l = live.living[i];
        if (l.from <= m && m <= l.to) write(l, bytes[i], s, moment.phase, l.begins_at(m));
      }
      ++count_;
    }
  }

  void belongs(ElementTable& out, SegmentId s, NodeId node) {
    out.belongs(kSegmentSet, s);
    out.belongs(kNodeSet, node);
    out.belongs(kKernelSet, f_.kernel(node));
    out.belongs(kComponentSet, f_.component(node));
  }

  std::string name(const Moment& m) const {
    const char* at = m.at == Moment::At::before ? "before " : m.at == Moment::At::behind ? "after " : "";
    const char* phase = m.phase == Phase::forward ? "forward" : m.phase == Phase::recompute ? "recompute" : "backward";
    return fmt::format("{}{} of {}", at, phase, f_.graph.nodes[m.kernel].name);
  }

  void write(const Living& l, const Scalar& bytes, SegmentId s, Phase phase, bool begins) {
    const std::string& tensor = l.weight ? f_.graph.weights[l.weight].name : l.tensor ? f_.graph.tensors[l.tensor].name : f_.graph.nodes[l.node].name;
    const bool gradient = is_gradient(f_, l), saved = l.what == What::kept || l.what == What::rebuilt;
    const std::string how = describe(l.what);
    const std::string name = (gradient ? "d " : "") + tensor + (how.empty() ? "" : fmt::format(" ({})", how));
    alive_.row(name);
    alive_.belongs(kMomentSet, count_);
    alive_.belongs(kPhaseSet, phase);
    belongs(alive_, s, l.node ? l.node : last_node(s));
    alive_.belongs(kSavedSet, saved ? l.source : kNoWord);
    alive_.belongs(kMessageSet, is_sent(l) ? static_cast<WordId>(f_.message_of[l.source]) : kNoWord);
    alive_.field("name", f_.text(name));
    alive_.field("bytes", byte_value(bytes));
    alive_.field("kept", truth_value(saved));
    alive_.field("arrived", truth_value(l.what == What::arrived));
    alive_.field("held", truth_value(l.what == What::held));
    alive_.field("scratch", truth_value(l.what == What::scratch));
    alive_.field("gradient", truth_value(gradient));
    alive_.field("of_weight", truth_value(bool(l.weight)));
    alive_.field("begins", truth_value(begins));
  }

  static bool is_sent(const Living& l) { return l.what == What::arrived || l.what == What::held; }

  /// What comes from outside the layer stands with its last node.
  NodeId last_node(SegmentId s) const { return f_.graph.segments[s].last - 1; }

  /// Of elements, as the node that makes it has its dimensions; a segment's input as it arrives.
  Scalar made(const Living& l, const DimList& dims) {
    if (!l.node) return f_.sizes->elements(dims, f_.notes.inputs[l.tensor]);
    Scalar n = integer(1);
    for (const DimId d : dims) n = f_.sizes->multiply(n, f_.sizes->local(d, &f_.notes.nodes[l.node].of(d)));
    return n;
  }

  /// The tensor's dimensions as a node that reads or makes it names them.
  const DimList& dims_at(const Living& l) const {
    if (l.node) {
      for (const Operand& in : f_.graph.nodes[l.node].inputs) {
        if (in.tensor == l.tensor) return in.dims;
      }
    }
    return f_.graph.tensors[l.tensor].dims;
  }

  Scalar size(const Living& l) {
    if (l.what == What::kept || l.what == What::rebuilt) return f_.saved_bytes[l.source];
    if (l.what == What::scratch) return integer(0);
    if (l.weight)
      return f_.sizes->multiply(f_.sizes->elements(f_.graph.weights[l.weight].dims, f_.notes.weights[l.weight].compute),
                                f_.width({"weight_message_width", "weight_width"}));
    const Formula* own = f_.run.tensor_widths[l.tensor];
    const bool gradient = is_gradient(f_, l);
    const Scalar width = own != nullptr ? f_.inquiry.ask(*own).scalar : f_.width({gradient ? "activation_gradient_width" : "activation_width"});
    return f_.sizes->multiply(elements(l), width);
  }

  Scalar elements(const Living& l) {
    if (is_sent(l)) {
      const Transfer& t = f_.notes.transfers[l.source];
      return f_.sizes->elements(t.dims, t.message);
    }
    const Scalar n = made(l, dims_at(l));
    const bool summed = l.what == What::settled || (l.what == What::settled_gradient && l.node);
    return summed ? f_.sizes->operate(Op::divide, n, f_.sizes->degrees(f_.notes.transfers[l.source].axes)) : n;
  }

  Filling& f_;
  ElementTable moments_, alive_;
  WordId count_ = 0;
};

}  // namespace

void fill_moments(Filling& f) { MomentFiller(f).fill(); }

}  // namespace opledger
