#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"
#include "accounting/resident_layers.h"
#include "graph/matrix.h"

namespace opledger {
namespace {

/// Returns the copies of a weight on each stage of a class; `user` is the first segment there that uses the weight.
Scalar copies_of(const FillContext& context, ResidentLayers& layers, std::size_t c, WeightId weight, SegmentId user) {
  return context.single(weight) ? integer(1) : layers.layers(c, user);
}

/// Fills the weights of each class of stages (stages with equal content). A weight shared by several segments of a
/// stage is stored once, at the first of them: an element exists if its segment is on the stage and no earlier one is.
/// `context.segment_weights` lists the weights by weight and segment, so the users of one weight are neighbors.
/// `layers` knows which segments a class can hold, over all layouts of the recording. Cost: classes times weights,
/// times the users of a weight.
void fill_stage_weights(FillContext& context, ResidentLayers& layers) {
  ElementTable out;
  for (std::size_t c = 0; c < context.layouts->sample().size(); ++c) {
    for (std::size_t e = 0; e < context.segment_weights.size(); ++e) {
      const FillContext::SegmentWeight& h = context.segment_weights[e];
      // Earlier segments that use the weight.
      std::vector<SegmentId> before;
      for (std::size_t first = e; first > 0 && context.segment_weights[first - 1].weight == h.weight; --first)
        before.push_back(context.segment_weights[first - 1].segment);
      const ResidentLayers::Presence& stored = layers.first(c, std::move(before), h.segment);
      if (!stored.possible) continue;
      const NodeId first = context.graph.weights[h.weight].uses[0].first;
      out.row(context.graph.weights[h.weight].name);
      out.exists(stored.condition);
      out.belongs(kStageSet, c);
      out.belongs(kWeightSet, e);
      out.belongs(kNodeSet, h.node);
      out.belongs(kSegmentSet, h.segment);
      out.belongs(kKernelSet, context.kernel(first));
      out.belongs(kComponentSet, context.component(first));
      out.field("layers", count_value(copies_of(context, layers, c, h.weight, h.segment)));
      add_marks(out, kWeightSet, false, context.notes.weights[h.weight].marks, context.run.marks, context.inquiry);
    }
  }
  context.evaluator().set_elements(kStageWeightsSet, out.take());
}

/// Fills the messages that each class of stages sends for its weights at the end of a step, or once in every backward.
/// Segments with a common weight (`users`) share the message: of the users on the stage, the first in the model sends
/// it, because its backward is last. Each row is therefore conditional on the absence of all earlier users. A message
/// of every backward exists once per user, each with its user as `segment`; a row pairs a user with its own message
/// only.
void fill_stage_messages(FillContext& context, ResidentLayers& layers) {
  ElementTable out;
  for (std::size_t c = 0; c < context.layouts->sample().size(); ++c) {
    for (const FillContext::StageMessage& s : context.stage_messages) {
      const Transfer& t = *s.transfer;
      for (const SegmentId user : s.users) {
        if (t.cadence == Cadence::microbatch && user != t.segment) continue;
        const ResidentLayers::Presence& sent = layers.first(c, {s.users.begin(), s.users.find(user)}, user);
        if (!sent.possible) continue;
        out.row(fmt::format("{} of {}", t.name, context.layouts->name(c)));
        out.exists(context.sizes->operate(Op::logical_and, sent.condition, s.exists));
        out.belongs(kStageSet, c);
        out.belongs(kMessageSet, s.message);
        out.belongs(kPhaseSet, t.phase);
        out.belongs(kCadenceSet, t.cadence);
        out.belongs(kCollectiveSet, t.kind);
        out.belongs(kCommunicatorSet, s.communicator);
        out.belongs(kSegmentSet, t.segment);
        out.field("layers", count_value(copies_of(context, layers, c, t.weight, user)));
        add_marks(out, kMessageSet, false, t.marks, context.run.marks, context.inquiry);
      }
    }
  }
  context.evaluator().set_elements(kStageMessageSet, out.take());
}

/// Fills the saved tensors that a stage keeps once for all its layers. Segments that read one output in equal
/// placements share the copy. The first of them on the stage owns it, so each row is conditional on the absence of all
/// earlier ones. Each entry is compared with all earlier entries: quadratic in the saved tensors, for each class of
/// stages.
void fill_saved_once(FillContext& context, ResidentLayers& layers) {
  ElementTable out;
  const auto segment = [&](std::size_t saved) { return context.graph.tensors[context.notes.saved[saved].tensor].segment; };
  // Two entries are one copy if both are kept once, in equal placements, and come from one output of an earlier segment.
  const auto same = [&](std::size_t a, std::size_t b) {
    const TensorId origin = context.graph.origin(context.notes.saved[a].tensor);
    return a == b || (context.notes.saved[b].once && origin && context.graph.origin(context.notes.saved[b].tensor) == origin &&
                      context.notes.saved[a].placement == context.notes.saved[b].placement);
  };
  for (std::size_t c = 0; c < context.layouts->sample().size(); ++c) {
    for (std::size_t e = 0; e < context.notes.saved.size(); ++e) {
      const Saved& s = context.notes.saved[e];
      if (!s.once) continue;
      std::vector<SegmentId> before;
      for (std::size_t first = 0; first < e; ++first) {
        if (same(e, first)) before.push_back(segment(first));
      }
      const ResidentLayers::Presence& saved_once = layers.first(c, std::move(before), segment(e));
      if (!saved_once.possible) continue;
      const NodeId reader = s.readers.empty() ? NodeId() : s.readers[0];
      out.row(context.graph.tensors[s.tensor].name);
      out.exists(saved_once.condition);
      out.belongs(kStageSet, c);
      out.belongs(kSavedSet, e);
      out.belongs(kNodeSet, reader);
      out.belongs(kSegmentSet, segment(e));
      out.belongs(kKernelSet, context.kernel(reader));
      out.belongs(kComponentSet, context.component(reader));
    }
  }
  context.evaluator().set_elements(kSavedOnceSet, out.take());
}

/// The matrix of a kernel on one rank. Several matrix products of one kernel count as one matrix with the sum of their
/// columns. A weight that stacks matrices counts as one matrix.
struct Shape {
  NodeId kernel;  ///< First node of the kernel.
  SegmentId segment;
  Scalar rows = integer(0), columns = integer(0);
};

/// Returns the matrix of each kernel that multiplies with trained weights, in the order of the first such node. Sizes
/// are those on one rank, in the placement in which the node computes. Vectors have no rows and are left out. Weights
/// of one kernel are taken to have equal numbers of rows; their columns are added.
std::vector<Shape> shapes_of(FillContext& context) {
  std::vector<Shape> out;
  std::map<NodeId, std::size_t> places;
  for (const NodeId n : context.graph.nodes.ids()) {
    for (const WeightUse& use : context.graph.nodes[n].weights) {
      const MatrixDims dims = matrix_dims(context.graph, use.weight);
      const auto local = [&](const DimList& list) { return context.sizes->elements(list, context.used(use.weight, n)); };
      if (dims.rows.empty() || context.notes.trained[use.weight] == 0) continue;
      const NodeId kernel = context.notes.kernels[n];
      const auto [place, fresh] = places.emplace(kernel, out.size());
      if (fresh) out.push_back({kernel, context.graph.nodes[n].segment});
      Shape& shape = out[place->second];
      shape.rows = local(dims.rows);
      shape.columns = context.sizes->add(shape.columns, local(dims.columns));
    }
  }
  return out;
}

/// Limit of shapes that are compared pairwise as symbols.
constexpr std::size_t kMostCompared = 200;

/// Fills the matrices of each class of stages. The field `first` is true if no earlier matrix on the stage has the same
/// rows and columns, so formulas can count each size once. Without a tape, shapes are found in a map by size; each is
/// compared with the earlier ones of its size, up to the first that is on the stage in every layout. On a tape, each
/// shape is compared with all earlier shapes of the stage, in quadratic time. Beyond kMostCompared shapes the tape is
/// specialized to the sample's shapes instead, which are then found by size, too. An earlier shape counts only under
/// the condition that its segment is on the stage.
void fill_shapes(FillContext& context, ResidentLayers& layers) {
  ElementTable out;
  std::vector<Shape> shapes = shapes_of(context);
  bool symbols = context.inquiry.tape() != nullptr;
  if (symbols && shapes.size() > kMostCompared) {  // The candidates of the tape must then have equal sizes.
    for (Shape& s : shapes) s.rows = integer(specialize(context.inquiry.tape(), s.rows)), s.columns = integer(specialize(context.inquiry.tape(), s.columns));
    symbols = false;
  }
  const auto operate = [&](Op op, Scalar a, Scalar b = {}) { return context.sizes->operate(op, a, b); };
  for (std::size_t c = 0; c < context.layouts->sample().size(); ++c) {
    std::map<std::pair<double, double>, std::vector<std::size_t>> earlier;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const ResidentLayers::Presence& presence = layers.presence(c, shapes[i].segment);
      if (!presence.possible) continue;
      Scalar again = truth(false);  // An earlier matrix on the stage has the same size.
      // `equal`: earlier shapes to compare with. Symbols share one entry; constants of one size are found by it.
      std::vector<std::size_t>& equal = earlier[symbols ? std::pair(0.0, 0.0) : std::pair(shapes[i].rows.value, shapes[i].columns.value)];
      for (const std::size_t other : equal) {
        const Scalar same =
            operate(Op::logical_and, operate(Op::equal, shapes[i].rows, shapes[other].rows), operate(Op::equal, shapes[i].columns, shapes[other].columns));
        again = operate(Op::logical_or, again, operate(Op::logical_and, same, layers.presence(c, shapes[other].segment).condition));
      }
      if (symbols || equal.empty()) equal.push_back(i);
      out.row(fmt::format("{} of {}", context.graph.nodes[shapes[i].kernel].name, context.layouts->name(c)));
      out.exists(presence.condition);
      out.belongs(kStageSet, c);
      out.belongs(kNodeSet, shapes[i].kernel);
      out.belongs(kSegmentSet, shapes[i].segment);
      out.belongs(kKernelSet, context.kernel(shapes[i].kernel));
      out.belongs(kComponentSet, context.component(shapes[i].kernel));
      out.field("rows", count_value(shapes[i].rows));
      out.field("columns", count_value(shapes[i].columns));
      const Scalar first = operate(Op::logical_not, again);
      Value value = truth_value(first.value != 0);
      value.scalar = first;
      out.field("first", value);
    }
  }
  context.evaluator().set_elements(kMatrixShapeSet, out.take());
}

/// Limit of segments per chunk, counted from the chunk's end. Earlier segments are followed by many layers, which
/// decide the peak.
constexpr std::size_t kMostChunkEnds = 64;

/// Fills the ends of chunks, one for each segment in a chunk of a stage, and the layers that follow each end in the
/// chunk. A memory formula reads from them how much is still alive when backward reaches a segment. The number of pairs
/// is quadratic in the segments of a chunk, hence the limit.
class ChunkEndFiller {
 public:
  explicit ChunkEndFiller(FillContext& context) : f_(context) {}

  void fill(ResidentLayers::Sets& out) {
    for (std::size_t c = 0; c < f_.layouts->sample().size(); ++c) {
      for (std::size_t p = 0; p < f_.layouts->sample()[c].parts.size(); ++p) fill(c, p);
    }
    out.chunk_ends = ends_.take();
    out.following = following_.take();
  }

 private:
  /// Adds the rows of one chunk; `part` is its position among the chunks of stage class `c`. `here` lists the segments
  /// with layers in the chunk in some layout, in the order of the model. Each of the last kMostChunkEnds segments gets
  /// a chunk end. Each end gets a row for its own segment and every later segment of the chunk, with the number of
  /// layers. Conditions select the layouts in which both have layers there. Quadratic in the segments of the chunk.
  /// `f_` holds the graph, the layouts and the layers of each segment.
  void fill(std::size_t c, std::size_t part) {
    std::vector<SegmentId> here;
    for (const SegmentId s : f_.layers.ids()) {
      if (f_.layouts->any([&](const StageClasses& classes) { return classes[c].holds(s.index(), part); })) here.push_back(s);
    }
    const auto exists = [&](SegmentId s) { return f_.layouts->condition([&](const StageClasses& classes) { return classes[c].holds(s.index(), part); }); };
    for (std::size_t first = here.size() - std::min(here.size(), kMostChunkEnds); first < here.size(); ++first) {
      const std::string name = fmt::format("{} of {}", f_.graph.segments[here[first]].name, f_.layouts->name(c));
      ends_.row(name);
      const Scalar ends = exists(here[first]);
      ends_.exists(ends);
      ends_.belongs(kStageSet, c);
      for (std::size_t at = first; at < here.size(); ++at) {
        following_.row(fmt::format("{} behind {}", f_.graph.segments[here[at]].name, name));
        following_.exists(f_.sizes->operate(Op::logical_and, ends, exists(here[at])));
        following_.belongs(kChunkEndSet, count_);
        following_.belongs(kStageSet, c);
        following_.belongs(kSegmentSet, here[at]);
        const auto layers = [&](const StageClasses& classes) { return classes[c].parts[part].layers[here[at].index()]; };
        following_.field("layers", count_value(f_.layouts->one_stage() ? f_.layers[here[at]] : f_.layouts->number(layers)));
        following_.field("behind", truth_value(at != first));
      }
      ++count_;
    }
  }

  FillContext& f_;
  ElementTable ends_, following_;
  WordId count_ = 0;
};

/// Computes the sets that depend on layouts and layers alone: segments of stages, layers of stages by chunk, chunk
/// ends. `c` counts classes of stages with equal content, `p` the chunks of a class. A row exists if at least one
/// layout has such layers, under the condition that the candidate's layout has them. Numbers are look-ups by layout;
/// with a single stage they are the layers of the model.
ResidentLayers::Sets sets_of(FillContext& context, ResidentLayers& resident) {
  ElementTable stage_segment, stage_layers;
  const Layouts& layouts = *context.layouts;
  for (std::size_t c = 0; c < layouts.sample().size(); ++c) {
    for (const SegmentId s : context.layers.ids()) {
      if (!resident.presence(c, s).possible) continue;
      stage_segment.row(fmt::format("{} of {}", context.graph.segments[s].name, layouts.name(c)));
      stage_segment.exists(resident.presence(c, s).condition);
      stage_segment.belongs(kStageSet, c);
      stage_segment.belongs(kSegmentSet, s);
    }
    for (std::size_t p = 0; p < layouts.sample()[c].parts.size(); ++p) {
      for (const SegmentId s : context.layers.ids()) {
        if (!resident.presence(c, s).possible) continue;
        const auto layers = [&](const StageClasses& classes) { return classes[c].parts[p].layers[s.index()]; };
        const auto holds = [&](const StageClasses& classes) { return classes[c].holds(s.index(), p); };
        if (!layouts.any(holds)) continue;
        stage_layers.row(fmt::format("{} of {}", context.graph.segments[s].name, layouts.name(c)));
        stage_layers.exists(layouts.condition(holds));
        stage_layers.belongs(kStageSet, c);
        stage_layers.belongs(kSegmentSet, s);
        stage_layers.field("layers", count_value(layouts.one_stage() ? context.layers[s] : layouts.number(layers)));
        stage_layers.field("piece", count_value(layouts.number([&](const StageClasses& classes) { return static_cast<double>(classes[c].parts[p].chunk); })));
      }
    }
  }
  ResidentLayers::Sets out;
  out.segments = stage_segment.take();
  out.layers = stage_layers.take();
  ChunkEndFiller(context).fill(out);
  return out;
}

}  // namespace

/// Fills the set of stages: one row per class of stages with equal content, with the positions of its first and last
/// stage and their number. Each number is a constant, or a look-up by layout. Layouts are padded to equal numbers of
/// classes; a padded class (`absent`) does not exist in its layout.
void fill_stages(FillContext& context) {
  ElementTable stage;
  const Layouts& layouts = *context.layouts;
  for (std::size_t c = 0; c < layouts.sample().size(); ++c) {
    const auto number = [&](FunctionRef<long long(const StageClass&)> of) {
      return count_value(layouts.number([&](const StageClasses& classes) { return static_cast<double>(of(classes[c])); }));
    };
    stage.row(layouts.name(c));
    stage.exists(layouts.condition([c](const StageClasses& classes) { return !classes[c].absent; }));
    stage.field("name", layouts.text(context.text(layouts.sample()[c].name())));
    stage.field("position", number([](const StageClass& s) { return s.first(); }));
    stage.field("last", number([](const StageClass& s) { return s.last(); }));
    stage.field("count", number([](const StageClass& s) { return s.count(); }));
  }
  context.evaluator().set_elements(kStageSet, stage.take());
}

/// Fills the sets of weights, messages, saved tensors, matrices and layers of each stage. Consecutive candidates on one
/// tape can share the table `resident` and the sets that follow from it alone.
void fill_stage_contents(FillContext& context) {
  std::vector<std::string> names;
  for (const Segment& segment : context.graph.segments) names.push_back(segment.name);
  const std::shared_ptr<ResidentLayers> resident = ResidentLayers::of(*context.layouts, context.layers, std::move(names), context.evaluator());
  fill_stage_weights(context, *resident);
  fill_stage_messages(context, *resident);
  fill_saved_once(context, *resident);
  fill_shapes(context, *resident);
  const ResidentLayers::Sets& sets = resident->sets([&context](ResidentLayers& all) { return sets_of(context, all); });
  context.evaluator().set_elements(kChunkEndSet, sets.chunk_ends);
  context.evaluator().set_elements(kFollowingLayersSet, sets.following);
  context.evaluator().set_elements(kStageSegmentSet, sets.segments);
  context.evaluator().set_elements(kStageLayersSet, sets.layers);
}

}  // namespace opledger
