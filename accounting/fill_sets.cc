#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "accounting/communicators.h"
#include "accounting/element_table.h"
#include "accounting/graph_elements.h"
#include "accounting/node_values.h"
#include "accounting/pipeline.h"
#include "base/limits.h"
#include "graph/matrix.h"

namespace opledger {
namespace {

constexpr Dimension kByte{{1, 0, 0, 0}};

class Filler {
 public:
  Filler(Evaluator& evaluator, const GraphRun& run)
      : evaluator_(evaluator),
        run_(run),
        graph_(*run.graph),
        notes_(*run.annotations),
        sizes_(std::make_shared<Sizes>(evaluator, run)),
        communicators_(notes_.mesh, *sizes_),
        texts_(std::make_shared<std::vector<std::unique_ptr<std::string>>>()) {}

  bool fill() {
    const std::size_t before = evaluator_.diagnostics().errors();
    auto nodes = std::make_shared<NodeSizes>(evaluator_, run_, sizes_);
    fill_axes(evaluator_, notes_.mesh);
    check_divisions();
    if (bad(before)) return false;
    fill_components();
    fill_segments();
    if (bad(before)) return false;
    fill_nodes();
    evaluator_.set_nodes([nodes, keep = texts_](WordId node, const std::string& name, WordId extent) { return nodes->value(node, name, extent); },
                         run_.formulas);
    split_layers();
    if (bad(before)) return false;
    fill_transfers();
    fill_saved();
    fill_weights();
    fill_stages();
    fill_held();
    return !bad(before);
  }

 private:
  bool bad(std::size_t before) const { return evaluator_.failed() || evaluator_.diagnostics().errors() != before; }

  Value text(std::string t) {
    texts_->push_back(std::make_unique<std::string>(std::move(t)));
    Value v;
    v.kind = Value::Kind::text;
    v.text = texts_->back().get();
    return v;
  }
  Value count(Scalar s) { return number_value(s); }
  Value bytes(Scalar s) { return number_value(s, kByte); }

  void check_divisions() {
    std::set<std::string> said;
    for (const Divisibility& d : notes_.divisions) {
      const Scalar size = sizes_->size(d.dimension), n = sizes_->degrees(d.axes);
      Scalar left = sizes_->operate(Op::modulo, size, n);
      if (!left.constant()) left.value = evaluator_.tape()->guard(left);
      if (left.value == 0) continue;
      const RuleRef* rule = d.rule >= 0 ? &notes_.rules[static_cast<std::size_t>(d.rule)] : nullptr;
      const std::string message = fmt::format("{}: {} = {} does not divide by {} = {}{}", d.name, graph_.name(d.dimension), exact(size.value),
                                              sizes_->describe(d.axes), exact(n.value), rule != nullptr ? " (" + rule->text + ")" : "");
      if (!said.insert(fmt::format("{} {} {}", graph_.name(d.dimension), n.value, d.rule)).second) continue;  // once for each rule, at the first node
      evaluator_.diagnostics().error(rule != nullptr ? rule->span : Span{}, message);
    }
  }

  void fill_components() {
    ElementTable out;
    for (std::size_t n = 0; n < graph_.nodes(); ++n) {
      const std::string& component = graph_.node(static_cast<NodeId>(n)).component;
      const std::string name = component.empty() ? "other" : component;
      if (components_.emplace(name, static_cast<WordId>(components_.size())).second) {
        out.row(name);
        out.field("name", text(name));
      }
    }
    evaluator_.set_elements(kComponentSet, out.take());
  }

  WordId component(NodeId n) const {
    const std::string& name = graph_.node(n).component;
    return components_.at(name.empty() ? "other" : name);
  }

  void fill_segments() {
    ElementTable out;
    for (std::size_t s = 0; s < graph_.segments.size(); ++s) {
      out.row(graph_.segments[s].name);
      out.field("name", text(graph_.segments[s].name));
      Value layers = count(integer(1));
      if (run_.repeats[s] != nullptr) {
        const std::optional<Value> all = whole_layers(s, *run_.repeats[s]);
        if (!all) return;
        layers = *all;
      }
      if (run_.rounds[s] != nullptr && !comes_out_even(s, layers)) return;
      layers_.push_back(layers.scalar);
      out.field("layers", layers);
      out.field("repeated", truth_value(run_.repeats[s] != nullptr));
    }
    evaluator_.set_elements(kSegmentSet, out.take());
  }

  /// What a segment's `repeat`, or its group's, amounts to.
  std::optional<Value> whole_layers(std::size_t segment, const Formula& repeat) {
    const Value layers = evaluator_.evaluate(repeat);
    const Segment& s = graph_.segments[segment];
    if (evaluator_.failed()) {
      evaluator_.diagnostics().error(s.span, fmt::format("segment `{}`: its `repeat` can't be computed", s.name));
      return std::nullopt;
    }
    const double n = layers.scalar.value;
    if (layers.is_number() && n >= 0 && n == static_cast<double>(static_cast<long long>(n)) && n <= 1e6) return layers;
    evaluator_.diagnostics().error(s.span, fmt::format("segment `{}`: `repeat` must be a whole number from 0 to 1,000,000, not {}", s.name, human(layers)));
    return std::nullopt;
  }

  bool comes_out_even(std::size_t segment, const Value& layers) {
    const std::optional<Value> rounds = whole_layers(segment, *run_.rounds[segment]);
    if (!rounds) return false;
    if (rounds->scalar.value == 0 || std::fmod(layers.scalar.value, rounds->scalar.value) == 0) return true;
    const Segment& s = graph_.segments[segment];
    evaluator_.diagnostics().error(
        s.span, fmt::format("segment `{}`: {} layers can't be spread evenly over the {} rounds of its group", s.name, human(layers), human(*rounds)));
    return false;
  }

  void fill_nodes() {
    ElementTable out;
    for (std::size_t n = 0; n < graph_.nodes(); ++n) {
      const NodeId id = static_cast<NodeId>(n);
      const Node& node = graph_.node(id);
      out.row(node.name);
      out.belongs(kSegmentSet, node.segment);
      out.belongs(kComponentSet, component(id));
      out.field("name", text(node.name));
      const std::string& segment = graph_.segments[static_cast<std::size_t>(node.segment)].name;
      out.field("label",
                text(node.name.substr(std::min(node.name.size(), node.name.compare(0, segment.size() + 1, segment + ".") == 0 ? segment.size() + 1 : 0))));
      out.field("operator", text(node.op->name));
      out.field("recomputed", truth_value(notes_.recomputed[n] != 0));
      out.field("has_agrad", truth_value(has_agrad(graph_, notes_, id)));
      out.field("has_wgrad", truth_value(has_wgrad(graph_, id)));
      out.field("weighted", truth_value(!node.weights.empty()));
      out.field("replicas", count(sizes_->degrees(unused(id))));
      add_marks(out, kNodeSet, true, notes_.nodes[n].marks, run_.marks, evaluator_);
    }
    evaluator_.set_elements(kNodeSet, out.take());
  }

  /// Axes of the grid that the node does not use: all their ranks do the same work.
  AxisList unused(NodeId id) const {
    AxisList used = notes_.layers;
    for (const auto& [_, axes] : notes_.nodes[static_cast<std::size_t>(id)].axes) used.insert(used.end(), axes.begin(), axes.end());
    AxisList out;
    for (const AxisId a : notes_.mesh.order) {
      if (std::find(used.begin(), used.end(), a) == used.end()) out.push_back(a);
    }
    return out;
  }

  Scalar transfer_width(std::size_t i) {
    const Transfer& t = notes_.transfers[i];
    if (t.fixed_width > 0) return integer(t.fixed_width);
    if (run_.transfer_widths[i] != nullptr) return evaluator_.evaluate(*run_.transfer_widths[i]).scalar;
    if (t.weight < 0) return width({t.gradient ? "activation_gradient_width" : "activation_width"});
    return t.gradient ? width({"gradient_message_width"}) : width({"weight_message_width", "weight_width"});
  }

  /// The first of these names that the accounting defines; 1 if it defines none.
  Scalar width(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (const Name* found = evaluator_.program().find(name)) return evaluator_.evaluate(*found).scalar;
    }
    return integer(1);
  }

  /// A tensor is kept as its most demanding reader wants it.
  Scalar kept_width(const Saved& s) {
    if (const Formula* own = run_.tensor_widths[static_cast<std::size_t>(s.tensor)]) return evaluator_.evaluate(*own).scalar;
    const Name* kept = evaluator_.program().find("kept_width");
    if (kept == nullptr || s.readers.empty()) return width({"activation_width"});
    Scalar widest = integer(0);
    for (const NodeId reader : s.readers)
      widest = sizes_->operate(Op::maximum, widest, evaluator_.evaluate(*kept, evaluator_.choose(nowhere(), kNodeSet, reader)).scalar);
    return widest;
  }

  Scalar transfer_bytes(std::size_t i) {
    const Transfer& t = notes_.transfers[i];
    Scalar n = sizes_->multiply(sizes_->elements(t.dims, t.message), transfer_width(i));
    if (t.times != 1) n = sizes_->multiply(n, integer(t.times));
    if (run_.margins[i] != nullptr) {
      Point p = evaluator_.choose(nowhere(), kNodeSet, t.reader);
      const Scalar whole = sizes_->size(t.from), own = sizes_->operate(Op::floor_divide, whole, sizes_->degrees(t.axes));
      const Scalar others = sizes_->operate(Op::subtract, whole, own);  // a margin can't be more than the neighbours have
      n = sizes_->multiply(n, sizes_->operate(Op::minimum, evaluator_.evaluate(*run_.margins[i], p).scalar, others));
    }
    return n;
  }

  struct Message {
    const Transfer* first = nullptr;
    Scalar bytes = integer(0);
    int parts = 0;
    std::vector<std::pair<NodeId, bool>> neighbours;  ///< (node, whether it reads what arrives)

    void meet(NodeId node, bool reads) {
      const auto same = [&](const auto& other) { return other.first == node; };
      if (std::none_of(neighbours.begin(), neighbours.end(), same)) neighbours.emplace_back(node, reads);
    }
  };

  /// What tells transfers apart that would else be sent at once.
  using Alike = std::tuple<SegmentId, Phase, Cadence, Collective, AxisList, bool, bool, std::map<std::string, std::string>>;
  Alike alike(const Transfer& t) const {
    std::map<std::string, std::string> marks;
    for (const MarkId id : t.marks) marks.emplace(notes_.marks[static_cast<std::size_t>(id)].name, notes_.marks[static_cast<std::size_t>(id)].value);
    return {t.segment, t.phase, t.cadence, t.kind, t.axes, t.stages, t.gradient, std::move(marks)};
  }

  void fill_transfers() {
    std::vector<Message> messages;
    std::map<Alike, std::size_t> coalesced;
    std::vector<WordId> message_of;
    std::vector<Scalar> size;
    for (std::size_t i = 0; i < notes_.transfers.size(); ++i) {
      const Transfer& t = notes_.transfers[i];
      size.push_back(transfer_bytes(i));
      std::size_t m = messages.size();
      if (t.weight >= 0) m = coalesced.emplace(alike(t), m).first->second;
      if (m == messages.size()) messages.push_back({&t, integer(0), 0, {}});
      for (const NodeId n : t.makers) messages[m].meet(n, false);
      for (const NodeId n : t.readers) messages[m].meet(n, true);
      messages[m].bytes = sizes_->add(messages[m].bytes, size.back());
      ++messages[m].parts;
      message_of.push_back(static_cast<WordId>(m));
    }
    write_messages(messages);
    communicators_.fill(evaluator_, [this](std::string name) { return text(std::move(name)); });
    ElementTable out;
    for (std::size_t i = 0; i < notes_.transfers.size(); ++i) {
      const Transfer& t = notes_.transfers[i];
      out.row(t.what);
      common(out, t);
      out.belongs(kMessageSet, message_of[i]);
      out.belongs(kNodeSet, t.reader >= 0 ? t.reader : kNoWord);
      out.belongs(kComponentSet, t.reader >= 0 ? component(t.reader) : kNoWord);
      out.field("bytes", bytes(size[i]));
      out.field("shape", text(sizes_->shape(t.dims, t.message, t.times)));
      const RuleRef* ref = rule(t);
      out.field("rule", text(ref != nullptr ? ref->text : ""));
      out.field("written", text(ref != nullptr ? to_string(ref->span) : ""));
      add_marks(out, kMessageSet, true, t.marks, run_.marks, evaluator_);
    }
    evaluator_.set_elements(kTransferSet, out.take());
  }

  void words(ElementTable& out, const Transfer& t) {
    out.belongs(kPhaseSet, static_cast<WordId>(t.phase));
    out.belongs(kCadenceSet, static_cast<WordId>(t.cadence));
    out.belongs(kCollectiveSet, static_cast<WordId>(t.kind));
    out.belongs(kSegmentSet, t.segment);
    out.belongs(kCommunicatorSet, communicators_.find(t));
  }

  void common(ElementTable& out, const Transfer& t) {
    words(out, t);
    out.field("name", text(t.what));
    out.field("ranks", count(sizes_->degrees(t.axes)));
    out.field("axes", text(sizes_->describe(t.axes)));
    out.field("between_stages", truth_value(t.stages));
  }

  void write_messages(const std::vector<Message>& messages) {
    ElementTable out;
    for (const Message& m : messages) {
      out.row(m.parts == 1 ? m.first->what : fmt::format("{} weights", m.parts));
      common(out, *m.first);
      out.field("bytes", bytes(m.bytes));
      out.field("span", count(sizes_->span(m.first->axes)));
      out.field("parts", count(integer(m.parts)));
      out.field("shape", text(m.parts == 1 ? sizes_->shape(m.first->dims, m.first->message, m.first->times) : ""));
      out.field("weights", truth_value(m.first->weight >= 0));
      add_marks(out, kMessageSet, true, m.first->marks, run_.marks, evaluator_);
    }
    evaluator_.set_elements(kMessageSet, out.take());
    write_neighbours(messages);
  }

  void write_neighbours(const std::vector<Message>& messages) {
    ElementTable out;
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const Transfer& t = *messages[m].first;
      for (const auto& [node, reads] : messages[m].neighbours) {
        out.row(fmt::format("{} of {}", graph_.node(node).name, t.what));
        out.belongs(kMessageSet, static_cast<WordId>(m));
        out.belongs(kNodeSet, node);
        out.belongs(kComponentSet, component(node));
        words(out, t);
        out.field("reads", truth_value(reads));
        add_marks(out, kMessageSet, false, t.marks, run_.marks, evaluator_);
      }
    }
    evaluator_.set_elements(kNeighbourSet, out.take());
  }

  const RuleRef* rule(const Transfer& t) const {
    const RuleId id = t.weight_rule >= 0 ? t.weight_rule : t.rule;
    return id >= 0 ? &notes_.rules[static_cast<std::size_t>(id)] : nullptr;
  }

  void fill_saved() {
    ElementTable out;
    for (const Saved& s : notes_.saved) {
      const Tensor& tensor = graph_.tensors[static_cast<std::size_t>(s.tensor)];
      Scalar elements = sizes_->elements(tensor.dims, s.placement);
      for (const Placement& other : s.others) elements = sizes_->multiply(elements, sizes_->differ(s.placement, other));
      out.row(tensor.name);
      out.belongs(kNodeSet, tensor.producer >= 0 ? tensor.producer : s.readers.empty() ? kNoWord : s.readers[0]);
      out.belongs(kSegmentSet, tensor.segment);
      out.belongs(kComponentSet, tensor.producer >= 0 ? component(tensor.producer) : s.readers.empty() ? kNoWord : component(s.readers[0]));
      out.field("name", text(tensor.name));
      out.field("elements", count(elements));
      out.field("bytes", bytes(sizes_->multiply(elements, kept_width(s))));
      out.field("rebuilt", truth_value(s.rebuilt));
      out.field("once", truth_value(s.once));
      out.field("shape", text(sizes_->shape(tensor.dims, s.placement)));
      add_marks(out, kSavedSet, true, s.marks, run_.marks, evaluator_);
    }
    evaluator_.set_elements(kSavedSet, out.take());
  }

  /// One element for each segment that uses a weight: a tied weight is stored wherever it is used, and counted once.
  void fill_weights() {
    ElementTable out;
    for (std::size_t w = 0; w < graph_.weights.size(); ++w) {
      const Weight& weight = graph_.weights[w];
      const WeightPlacement& p = notes_.weights[w];
      std::set<SegmentId> seen;
      for (const auto& [node, _] : weight.uses) {
        const SegmentId segment = graph_.node(node).segment;
        if (!seen.insert(segment).second) continue;
        holdings_.push_back({static_cast<WeightId>(w), node, segment});
        out.row(weight.name);
        out.belongs(kNodeSet, node);
        out.belongs(kSegmentSet, segment);
        out.belongs(kComponentSet, component(weight.uses[0].first));
        out.field("name", text(weight.name));
        out.field("elements", count(sizes_->elements(weight.dims, p.compute)));
        out.field("whole", count(sizes_->elements(weight.dims)));
        out.field("stored", count(sizes_->elements(weight.dims, p.stored)));
        out.field("kept", count(sizes_->elements(weight.dims, p.kept)));
        out.field("gradient", count(sizes_->elements(weight.dims, p.gradient)));
        out.field("optimizer", count(sizes_->elements(weight.dims, p.optimizer)));
        matrix_fields(out, matrix_dims(graph_, static_cast<WeightId>(w)), p);
        out.field("dimensions", count(integer(static_cast<double>(weight.dims.size()))));
        out.field("shared", truth_value(seen.size() > 1));
        out.field("shape", text(sizes_->shape(weight.dims, p.stored)));
        add_marks(out, kWeightSet, true, p.marks, run_.marks, evaluator_);
      }
    }
    evaluator_.set_elements(kWeightSet, out.take());
  }

  /// The matrices that a weight is made of, whole and as this rank computes with them; over how many ranks each lies because computing splits it, and
  /// over how many the optimizer's elements are spread.
  void matrix_fields(ElementTable& out, const MatrixDims& dims, const WeightPlacement& p) {
    const auto local = [&](const DimList& list) { return count(sizes_->elements(list, p.compute)); };
    out.field("rows", count(sizes_->elements(dims.rows)));
    out.field("columns", count(sizes_->elements(dims.columns)));
    out.field("matrices", count(sizes_->elements(dims.stack)));
    out.field("local_rows", local(dims.rows));
    out.field("local_columns", local(dims.columns));
    out.field("local_matrices", local(dims.stack));
    AxisList split;
    for (const DimList* list : {&dims.rows, &dims.columns}) {
      for (const DimId d : *list) {
        if (const AxisList* axes = p.compute.axes(d)) split.insert(split.end(), axes->begin(), axes->end());
      }
    }
    const AxisList* spread = p.optimizer.axes(kElements);
    out.field("split_ranks", count(sizes_->degrees(split)));
    out.field("split_span", count(sizes_->span(split)));
    out.field("spread_ranks", count(sizes_->degrees(spread != nullptr ? *spread : AxisList{})));
    out.field("spread_span", count(sizes_->span(spread != nullptr ? *spread : AxisList{})));
  }

  /// Which layers of which segment each stage holds.
  void split_layers() {
    const Scalar degree = sizes_->degrees(notes_.layers);
    one_stage_ = degree.constant() && degree.value == 1;  // it holds all layers, however many
    const double stages = structural(degree);
    std::vector<SegmentLayers> segments;
    for (std::size_t s = 0; s < layers_.size(); ++s) {
      const double layers = one_stage_ && layers_[s].value != 0 ? layers_[s].value : structural(layers_[s]);
      const bool turns = run_.rounds[s] != nullptr && !one_stage_;
      segments.push_back({layers, run_.repeats[s] != nullptr, turns ? graph_.segments[s].group : -1,
                          turns ? structural(evaluator_.evaluate(*run_.rounds[s]).scalar) : 1, graph_.segments[s].even});
    }
    const Span span = notes_.layer_rule >= 0 ? notes_.rules[static_cast<std::size_t>(notes_.layer_rule)].span : Span{};
    if (stages > static_cast<double>(kMaxStages)) {
      evaluator_.diagnostics().error(span, fmt::format("a pipeline of {} stages: {} is the limit", exact(stages), kMaxStages));
      return;
    }
    long long total = 0;
    for (const SegmentLayers& s : segments) total += s.repeated ? static_cast<long long>(s.layers) : 0;
    const long long n = static_cast<long long>(stages);
    const std::optional<Pipeline> pipeline = n == 1 ? even_pipeline(total, n) : read_pipeline(evaluator_, total, n, span);
    if (pipeline) classes_ = split_stages(segments, *pipeline);
  }

  std::size_t segment_of(NodeId node) const { return static_cast<std::size_t>(graph_.node(node).segment); }

  void fill_stages() {
    ElementTable stage, share;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const StageClass& k = classes_[c];
      stage.row(k.name());
      stage.field("name", text(k.name()));
      stage.field("position", count(integer(static_cast<double>(k.first))));
      stage.field("last", count(integer(static_cast<double>(k.last))));
      stage.field("count", count(integer(static_cast<double>(k.count))));
      for (const StageClass::Part& part : k.parts) {
        for (std::size_t s = 0; s < part.layers.size(); ++s) {
          if (part.layers[s] == 0) continue;
          share.row(fmt::format("{} of {}", graph_.segments[s].name, k.name()));
          share.belongs(kStageSet, static_cast<WordId>(c));
          share.belongs(kSegmentSet, static_cast<WordId>(s));
          share.field("layers", count(one_stage_ ? layers_[s] : integer(part.layers[s])));
          share.field("piece", count(integer(static_cast<double>(part.piece))));
        }
      }
    }
    fill_copies();
    evaluator_.set_elements(kStageSet, stage.take());
    evaluator_.set_elements(kShareSet, share.take());
  }

  /// What each stage stores: a weight that several of its segments share is there once.
  void fill_copies() {
    ElementTable out;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::vector<double> here = classes_[c].layers();
      std::set<WeightId> stored;
      for (std::size_t e = 0; e < holdings_.size(); ++e) {
        const Holding& h = holdings_[e];
        const double layers = here[static_cast<std::size_t>(h.segment)];
        if (layers == 0 || !stored.insert(h.weight).second) continue;
        out.row(graph_.weights[static_cast<std::size_t>(h.weight)].name);
        out.belongs(kStageSet, static_cast<WordId>(c));
        out.belongs(kWeightSet, static_cast<WordId>(e));
        out.belongs(kNodeSet, h.node);
        out.belongs(kSegmentSet, h.segment);
        out.belongs(kComponentSet, component(graph_.weights[static_cast<std::size_t>(h.weight)].uses[0].first));
        const bool one_for_all = is_single(segment_of(graph_.weights[static_cast<std::size_t>(h.weight)].uses[0].first));
        out.field("layers", count(one_for_all ? integer(1) : one_stage_ ? layers_[static_cast<std::size_t>(h.segment)] : integer(layers)));
        add_marks(out, kWeightSet, false, notes_.weights[static_cast<std::size_t>(h.weight)].marks, run_.marks, evaluator_);
      }
    }
    evaluator_.set_elements(kCopySet, out.take());
  }

  /// A segment of one layer: all layers of another one that share its weight share that one.
  bool is_single(std::size_t s) const { return layers_[s].constant() && layers_[s].value == 1; }

  /// What each stage keeps once for all its layers. Segments that are given the same output in the same place have one between them.
  void fill_held() {
    ElementTable out;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::vector<double> here = classes_[c].layers();
      std::vector<std::pair<TensorId, const Placement*>> held;
      for (std::size_t e = 0; e < notes_.saved.size(); ++e) {
        const Saved& s = notes_.saved[e];
        const SegmentId segment = graph_.tensors[static_cast<std::size_t>(s.tensor)].segment;
        if (!s.once || here[static_cast<std::size_t>(segment)] == 0) continue;
        const TensorId origin = graph_.origin(s.tensor);
        const auto same = [&](const auto& other) { return origin >= 0 && other.first == origin && *other.second == s.placement; };
        if (std::any_of(held.begin(), held.end(), same)) continue;
        held.emplace_back(origin, &s.placement);
        const NodeId reader = s.readers.empty() ? kNoWord : s.readers[0];
        out.row(graph_.tensors[static_cast<std::size_t>(s.tensor)].name);
        out.belongs(kStageSet, static_cast<WordId>(c));
        out.belongs(kSavedSet, static_cast<WordId>(e));
        out.belongs(kNodeSet, reader);
        out.belongs(kSegmentSet, segment);
        out.belongs(kComponentSet, reader >= 0 ? component(reader) : kNoWord);
      }
    }
    evaluator_.set_elements(kHeldSet, out.take());
  }

  double structural(Scalar s) { return s.constant() ? s.value : evaluator_.tape()->guard(s); }

  Evaluator& evaluator_;
  const GraphRun& run_;
  const Graph& graph_;
  const Annotations& notes_;
  std::shared_ptr<Sizes> sizes_;
  Communicators communicators_;
  std::shared_ptr<std::vector<std::unique_ptr<std::string>>> texts_;
  struct Holding {  ///< A weight in a segment that uses it: an element of the set of weights.
    WeightId weight;
    NodeId node;
    SegmentId segment;
  };
  std::vector<Holding> holdings_;
  std::vector<StageClass> classes_;
  bool one_stage_ = false;
  std::map<std::string, WordId> components_;
  std::vector<Scalar> layers_;
};

}  // namespace

void fill_axes(Evaluator& evaluator, const Mesh& mesh) {
  ElementTable out;
  const auto degree = [&](AxisId a) {
    const Name* name = evaluator.program().find(mesh.axes[static_cast<std::size_t>(a)].name);
    return name == nullptr ? integer(1) : evaluator.evaluate(*name).scalar;
  };
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    if (mesh.axes[a].part != Axis::Part::whole) continue;
    const AxisList parts = mesh.expand(mesh.axes[a].name);
    Scalar stride = integer(1);
    for (auto inner = mesh.order.rbegin(); !parts.empty() && inner != mesh.order.rend() && *inner != parts.back(); ++inner)
      stride = apply(evaluator.tape(), Op::multiply, stride, degree(*inner));
    out.row(mesh.axes[a].name);
    Value name;
    name.kind = Value::Kind::text;
    name.text = &mesh.axes[a].name;
    out.field("name", name);
    out.field("degree", number_value(degree(static_cast<AxisId>(a))));
    out.field("stride", number_value(stride));
  }
  evaluator.set_elements(kAxisSet, out.take());
}

bool fill_sets(Evaluator& evaluator, const GraphRun& run) { return Filler(evaluator, run).fill(); }

}  // namespace opledger
