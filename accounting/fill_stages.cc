#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "accounting/filling.h"
#include "accounting/graph_engine.h"
#include "accounting/held_layers.h"
#include "graph/matrix.h"

namespace opledger {
namespace {

/// How often a weight is there on each stage of a class whose first segment that uses it is `user`.
Scalar copies_of(const Filling& f, HeldLayers& layers, std::size_t c, WeightId weight, SegmentId user) {
  return f.single(weight) ? integer(1) : layers.layers(c, user);
}

/// What each stage stores: a weight that several of its segments share is there once.
void fill_copies(Filling& f, HeldLayers& layers) {
  ElementTable out;
  for (std::size_t c = 0; c < f.layouts->sample().size(); ++c) {
    for (std::size_t e = 0; e < f.holdings.size(); ++e) {
      const Filling::Holding& h = f.holdings[e];
      std::vector<SegmentId> before;
      for (std::size_t first = e; first > 0 && f.holdings[first - 1].weight == h.weight; --first) before.push_back(f.holdings[first - 1].segment);
      const HeldLayers::Held& stored = layers.first(c, std::move(before), h.segment);
      if (!stored.ever) continue;
      const NodeId first = f.graph.weights[h.weight].uses[0].first;
      out.row(f.graph.weights[h.weight].name);
      out.there(stored.whether);
      out.belongs(kStageSet, c);
      out.belongs(kWeightSet, e);
      out.belongs(kNodeSet, h.node);
      out.belongs(kSegmentSet, h.segment);
      out.belongs(kKernelSet, f.kernel(first));
      out.belongs(kComponentSet, f.component(first));
      out.field("layers", count_value(copies_of(f, layers, c, h.weight, h.segment)));
      add_marks(out, kWeightSet, false, f.notes.weights[h.weight].marks, f.run.marks, f.inquiry);
    }
  }
  f.evaluator().set_elements(kCopySet, out.take());
}

/// What each stage sends for weights at the end of a step, or once in every backward: that of a weight which several of its segments share once for all of them.
/// In backward that is when the first of them is done.
void fill_stage_messages(Filling& f, HeldLayers& layers) {
  ElementTable out;
  for (std::size_t c = 0; c < f.layouts->sample().size(); ++c) {
    for (const Filling::StageMessage& s : f.stage_messages) {
      const Transfer& t = *s.transfer;
      for (const SegmentId user : s.users) {
        if (t.cadence == Cadence::microbatch && user != t.segment) continue;
        const HeldLayers::Held& sent = layers.first(c, {s.users.begin(), s.users.find(user)}, user);
        if (!sent.ever) continue;
        out.row(fmt::format("{} of {}", t.what, f.layouts->name(c)));
        out.there(f.sizes->operate(Op::logical_and, sent.whether, s.there));
        out.belongs(kStageSet, c);
        out.belongs(kMessageSet, s.message);
        out.belongs(kPhaseSet, t.phase);
        out.belongs(kCadenceSet, t.cadence);
        out.belongs(kCollectiveSet, t.kind);
        out.belongs(kCommunicatorSet, s.communicator);
        out.belongs(kSegmentSet, t.segment);
        out.field("layers", count_value(copies_of(f, layers, c, t.weight, user)));
        add_marks(out, kMessageSet, false, t.marks, f.run.marks, f.inquiry);
      }
    }
  }
  f.evaluator().set_elements(kStageMessageSet, out.take());
}

/// What each stage keeps once for all its layers. Segments that are given the same output in the same place have one between them.
void fill_kept_once(Filling& f, HeldLayers& layers) {
  ElementTable out;
  const auto segment = [&](std::size_t saved) { return f.graph.tensors[f.notes.saved[saved].tensor].segment; };
  const auto same = [&](std::size_t a, std::size_t b) {
    const TensorId origin = f.graph.origin(f.notes.saved[a].tensor);
    return a == b ||
           (f.notes.saved[b].once && origin && f.graph.origin(f.notes.saved[b].tensor) == origin && f.notes.saved[a].placement == f.notes.saved[b].placement);
  };
  for (std::size_t c = 0; c < f.layouts->sample().size(); ++c) {
    for (std::size_t e = 0; e < f.notes.saved.size(); ++e) {
      const Saved& s = f.notes.saved[e];
      if (!s.once) continue;
      std::vector<SegmentId> before;
      for (std::size_t first = 0; first < e; ++first) {
        if (same(e, first)) before.push_back(segment(first));
      }
      const HeldLayers::Held& kept = layers.first(c, std::move(before), segment(e));
      if (!kept.ever) continue;
      const NodeId reader = s.readers.empty() ? NodeId() : s.readers[0];
      out.row(f.graph.tensors[s.tensor].name);
      out.there(kept.whether);
      out.belongs(kStageSet, c);
      out.belongs(kSavedSet, e);
      out.belongs(kNodeSet, reader);
      out.belongs(kSegmentSet, segment(e));
      out.belongs(kKernelSet, f.kernel(reader));
      out.belongs(kComponentSet, f.component(reader));
    }
  }
  f.evaluator().set_elements(kKeptOnceSet, out.take());
}

/// The matrix of a kernel, as it is multiplied with on one rank: its products side by side, of several groups one.
struct Shape {
  NodeId kernel;
  SegmentId segment;
  Scalar rows = integer(0), columns = integer(0);
};

std::vector<Shape> shapes_of(Filling& f) {
  std::vector<Shape> out;
  std::map<NodeId, std::size_t> places;
  for (const NodeId n : f.graph.nodes.ids()) {
    for (const WeightUse& use : f.graph.nodes[n].weights) {
      const MatrixDims dims = matrix_dims(f.graph, use.weight);
      const auto local = [&](const DimList& list) { return f.sizes->elements(list, f.used(use.weight, n)); };
      if (dims.rows.empty() || f.notes.trained[use.weight] == 0) continue;
      const NodeId kernel = f.notes.kernels[n];
      const auto [place, fresh] = places.emplace(kernel, out.size());
      if (fresh) out.push_back({kernel, f.graph.nodes[n].segment});
      Shape& shape = out[place->second];
      shape.rows = local(dims.rows);
      shape.columns = f.sizes->add(shape.columns, local(dims.columns));
    }
  }
  return out;
}

/// Shapes that are compared with each other as symbols.
constexpr std::size_t kMostCompared = 200;

/// Which shapes of matrices each stage has, and whether each is the first such there.
void fill_shapes(Filling& f, HeldLayers& layers) {
  ElementTable out;
  std::vector<Shape> shapes = shapes_of(f);
  bool symbols = f.inquiry.tape() != nullptr;
  if (symbols && shapes.size() > kMostCompared) {  // candidates must then have the same sizes
    for (Shape& s : shapes) s.rows = integer(pin(f.inquiry.tape(), s.rows)), s.columns = integer(pin(f.inquiry.tape(), s.columns));
    symbols = false;
  }
  const auto operate = [&](Op op, Scalar a, Scalar b = {}) { return f.sizes->operate(op, a, b); };
  for (std::size_t c = 0; c < f.layouts->sample().size(); ++c) {
    std::map<std::pair<double, double>, std::vector<std::size_t>> earlier;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const HeldLayers::Held& held = layers.held(c, shapes[i].segment);
      if (!held.ever) continue;
      Scalar again = truth(false);
      std::vector<std::size_t>& alike = earlier[symbols ? std::pair(0.0, 0.0) : std::pair(shapes[i].rows.value, shapes[i].columns.value)];
      for (const std::size_t other : alike) {
        const Scalar same =
            operate(Op::logical_and, operate(Op::equal, shapes[i].rows, shapes[other].rows), operate(Op::equal, shapes[i].columns, shapes[other].columns));
        again = operate(Op::logical_or, again, operate(Op::logical_and, same, layers.held(c, shapes[other].segment).whether));
      }
      if (symbols || alike.empty()) alike.push_back(i);
      out.row(fmt::format("{} of {}", f.graph.nodes[shapes[i].kernel].name, f.layouts->name(c)));
      out.there(held.whether);
      out.belongs(kStageSet, c);
      out.belongs(kNodeSet, shapes[i].kernel);
      out.belongs(kSegmentSet, shapes[i].segment);
      out.belongs(kKernelSet, f.kernel(shapes[i].kernel));
      out.belongs(kComponentSet, f.component(shapes[i].kernel));
      out.field("rows", count_value(shapes[i].rows));
      out.field("columns", count_value(shapes[i].columns));
      const Scalar first = operate(Op::logical_not, again);
      Value value = truth_value(first.value != 0);
      value.scalar = first;
      out.field("first", value);
    }
  }
  f.evaluator().set_elements(kShapeSet, out.take());
}

/// Last layers of segments that are looked at in a piece of the model: those before them are behind so many others that these decide.
constexpr std::size_t kMostEndings = 64;

/// The last layers of segments in the pieces of the model that a stage holds, and what stands behind each in its piece.
class EndingFiller {
 public:
  explicit EndingFiller(Filling& f) : f_(f) {}

  void fill(HeldLayers::Sets& out) {
    for (std::size_t c = 0; c < f_.layouts->sample().size(); ++c) {
      for (std::size_t p = 0; p < f_.layouts->sample()[c].parts.size(); ++p) fill(c, p);
    }
    out.endings = endings_.take();
    out.reach = reach_.take();
  }

 private:
  void fill(std::size_t c, std::size_t part) {
    std::vector<SegmentId> here;
    for (const SegmentId s : f_.layers.ids()) {
      if (f_.layouts->ever([&](const StageClasses& classes) { return classes[c].holds(s.index(), part); })) here.push_back(s);
    }
    const auto there = [&](SegmentId s) { return f_.layouts->whether([&](const StageClasses& classes) { return classes[c].holds(s.index(), part); }); };
    for (std::size_t first = here.size() - std::min(here.size(), kMostEndings); first < here.size(); ++first) {
      const std::string name = fmt::format("{} of {}", f_.graph.segments[here[first]].name, f_.layouts->name(c));
      endings_.row(name);
      const Scalar ends = there(here[first]);
      endings_.there(ends);
      endings_.belongs(kStageSet, c);
      for (std::size_t at = first; at < here.size(); ++at) {
        reach_.row(fmt::format("{} behind {}", f_.graph.segments[here[at]].name, name));
        reach_.there(f_.sizes->operate(Op::logical_and, ends, there(here[at])));
        reach_.belongs(kEndingSet, count_);
        reach_.belongs(kStageSet, c);
        reach_.belongs(kSegmentSet, here[at]);
        const auto layers = [&](const StageClasses& classes) { return classes[c].parts[part].layers[here[at].index()]; };
        reach_.field("layers", count_value(f_.layouts->one_stage() ? f_.layers[here[at]] : f_.layouts->number(layers)));
        reach_.field("behind", truth_value(at != first));
      }
      ++count_;
    }
  }

  Filling& f_;
  ElementTable endings_, reach_;
  WordId count_ = 0;
};

/// What stages hold of segments, layer by layer.
HeldLayers::Sets sets_of(Filling& f, HeldLayers& held) {
  ElementTable stage_segment, share;
  const Layouts& layouts = *f.layouts;
  for (std::size_t c = 0; c < layouts.sample().size(); ++c) {
    for (const SegmentId s : f.layers.ids()) {
      if (!held.held(c, s).ever) continue;
      stage_segment.row(fmt::format("{} of {}", f.graph.segments[s].name, layouts.name(c)));
      stage_segment.there(held.held(c, s).whether);
      stage_segment.belongs(kStageSet, c);
      stage_segment.belongs(kSegmentSet, s);
    }
    for (std::size_t p = 0; p < layouts.sample()[c].parts.size(); ++p) {
      for (const SegmentId s : f.layers.ids()) {
        if (!held.held(c, s).ever) continue;
        const auto layers = [&](const StageClasses& classes) { return classes[c].parts[p].layers[s.index()]; };
        const auto holds = [&](const StageClasses& classes) { return classes[c].holds(s.index(), p); };
        if (!layouts.ever(holds)) continue;
        share.row(fmt::format("{} of {}", f.graph.segments[s].name, layouts.name(c)));
        share.there(layouts.whether(holds));
        share.belongs(kStageSet, c);
        share.belongs(kSegmentSet, s);
        share.field("layers", count_value(layouts.one_stage() ? f.layers[s] : layouts.number(layers)));
        share.field("piece", count_value(layouts.number([&](const StageClasses& classes) { return static_cast<double>(classes[c].parts[p].piece); })));
      }
    }
  }
  HeldLayers::Sets out;
  out.segments = stage_segment.take();
  out.shares = share.take();
  EndingFiller(f).fill(out);
  return out;
}

}  // namespace

void fill_stages(Filling& f) {
  ElementTable stage;
  const Layouts& layouts = *f.layouts;
  for (std::size_t c = 0; c < layouts.sample().size(); ++c) {
    const auto number = [&](FunctionRef<long long(const StageClass&)> of) {
      return count_value(layouts.number([&](const StageClasses& classes) { return static_cast<double>(of(classes[c])); }));
    };
    stage.row(layouts.name(c));
    stage.there(layouts.whether([c](const StageClasses& classes) { return !classes[c].absent; }));
    stage.field("name", layouts.text(f.text(layouts.sample()[c].name())));
    stage.field("position", number([](const StageClass& s) { return s.first(); }));
    stage.field("last", number([](const StageClass& s) { return s.last(); }));
    stage.field("count", number([](const StageClass& s) { return s.count(); }));
  }
  f.evaluator().set_elements(kStageSet, stage.take());
}

void fill_held_by_stages(Filling& f) {
  std::vector<std::string> names;
  for (const Segment& segment : f.graph.segments) names.push_back(segment.name);
  const std::shared_ptr<HeldLayers> held = HeldLayers::of(*f.layouts, f.layers, std::move(names), f.evaluator());
  fill_copies(f, *held);
  fill_stage_messages(f, *held);
  fill_kept_once(f, *held);
  fill_shapes(f, *held);
  const HeldLayers::Sets& sets = held->sets([&f](HeldLayers& all) { return sets_of(f, all); });
  f.evaluator().set_elements(kEndingSet, sets.endings);
  f.evaluator().set_elements(kReachSet, sets.reach);
  f.evaluator().set_elements(kStageSegmentSet, sets.segments);
  f.evaluator().set_elements(kShareSet, sets.shares);
}

}  // namespace opledger
