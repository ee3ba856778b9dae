#include "report/graph_json.h"

#include <utility>

#include "expr/printer.h"
#include "report/json_objects.h"

namespace opledger {
namespace {

/// A writer of a graph as JSON. Indices of the graph are replaced by names.
class GraphWriter {
 public:
  GraphWriter(const Graph& graph, const Annotations* annotations) : graph_(graph), annotations_(annotations) {}

  /// Calls `part` for each part of the operator graph as JSON: the size of each dimension, and lists of objects for segments,
  /// nodes, tensors and weights. Elements refer to each other by name instead of index. `annotations_` holds
  /// placements, transfers and saved tensors that rules give the graph; a graph without them has none of these parts.
  /// The cost is linear in the graph.
  void write(FunctionRef<void(const std::string& key, Json value)> part) const {
    part(kFormatKey, kFormat);
    Json dimensions = Json::object(), rules = Json::object();
    for (const DimensionInfo& d : graph_.dimensions) dimensions[d.name] = d.size ? formula(d.size) : Json(d.name);
    part("dimensions", std::move(dimensions));
    if (annotations_ != nullptr) part("axes", axes(annotations_->mesh.order));
    part("segments", array_of(graph_.segments, [this](const Segment& segment) { return segment_json(segment); }));
    part("nodes", array_of(graph_.nodes.ids(), [this](NodeId id) { return node_json(id); }));
    part("tensors", array_of(graph_.tensors, [this](const Tensor& tensor) { return tensor_json(tensor); }));
    part("weights", array_of(graph_.weights.ids(), [this](WeightId id) { return weight_json(id); }));
    if (annotations_ == nullptr) return;
    part("transfers", array_of(annotations_->transfers, [this](const Transfer& transfer) { return transfer_json(transfer); }));
    part("saved", array_of(annotations_->saved, [this](const Saved& kept) { return saved_json(kept); }));
    for (const RuleRef& rule : annotations_->rules) rules[rule.text] = to_string(rule.span);
    part("rules", std::move(rules));
  }

 private:
  static Json formula(const ExprPtr& expr) { return expr ? Json(to_source(*expr)) : Json(); }
  Json tensor(TensorId id) const { return id ? Json(graph_.tensors[id].name) : Json(); }
  Json tensors(const std::vector<TensorId>& list) const {
    return array_of(list, [this](TensorId id) { return tensor(id); });
  }
  Json node(NodeId id) const { return id ? Json(graph_.nodes[id].name) : Json(); }
  Json rule(RuleId id) const { return id ? Json(annotations_->rules[id].text) : Json(); }
  std::string dimension(DimId d) const { return d == kElements ? "elements" : graph_.name(d); }
  Json dims(const DimList& list) const {
    return array_of(list, [this](DimId d) { return dimension(d); });
  }
  Json axes(const AxisList& list) const {
    return array_of(list, [this](AxisId a) { return annotations_->mesh.axes[a].name; });
  }

  Json sharded(const std::vector<std::pair<DimId, AxisList>>& list) const {
    Json out = Json::object();
    for (const auto& [d, on] : list) {
      if (!on.empty()) out[dimension(d)] = axes(on);
    }
    return out;
  }

  /// Returns a placement: axes by dimension, and the axes with partial sums.
  Json placement(const Placement& where) const {
    Json out = {{"sharded", sharded(where.shard)}};
    if (!where.partial.empty()) out["partial"] = axes(where.partial);
    return out;
  }

  /// Adds `marks: {NAME: {value: …, rule: …}}`, unless there are no marks.
  void add_marks(Json& item, const MarkList& marks) const {
    for (const MarkId id : marks) {
      const Mark& mark = annotations_->marks[id];
      item["marks"][mark.name] = {{"value", mark.value}, {"rule", rule(mark.rule)}};
    }
  }

  Json segment_json(const Segment& segment) const {
    Json out = {{"name", segment.name},
                {"block", segment.block != nullptr ? Json(segment.block->name) : Json()},
                {"layers", segment.repeat ? formula(segment.repeat) : Json(1)}};
    // Neighboring segments with rounds alternate with this segment.
    if (segment.rounds) out["rounds"] = formula(segment.rounds);
    out["inputs"] = tensors(segment.inputs);
    out["sources"] = tensors(segment.sources);  // A null source is input data.
    out["output"] = tensor(segment.output);
    return out;
  }

  Json operand(const Operand& input, const Node& reader, std::size_t port) const {
    Json out = Json::object();
    if (reader.op != nullptr && port < reader.op->inputs.size()) out["port"] = reader.op->inputs[port].name;
    out["tensor"] = tensor(input.tensor);
    out["dims"] = dims(input.dims);
    return out;
  }

  /// Returns a node of the graph: its operator, its place in the model, and the names of its tensors, weights and
  /// attributes. With annotations, an object `sharded` gives the axes of the mesh over which each dimension is split,
  /// and marks give the rules that set them.
  Json node_json(NodeId id) const {
    const Node& node = graph_.nodes[id];
    Json out = {{"name", node.name},
                {"op", node.op != nullptr ? Json(node.op->name) : Json()},
                {"segment", graph_.segments[node.segment].name},
                {"component", node.component},
                {"tags", node.tags},
                {"inputs", Json::array()},
                {"outputs", tensors(node.outputs)},
                {"weights", array_of(node.weights, [this](const WeightUse& use) { return graph_.weights[use.weight].name; })},
                {"attributes", Json::object()}};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) out["inputs"].push_back(operand(node.inputs[i], node, i));
    for (const auto& [name, list] : node.attributes) out["attributes"][name] = dims(list);
    if (annotations_ == nullptr) return out;
    out["sharded"] = sharded(annotations_->nodes[id].axes);
    out["recomputed"] = annotations_->recomputed[id] != 0;
    add_marks(out, annotations_->nodes[id].marks);
    return out;
  }

  Json tensor_json(const Tensor& tensor) const {
    return {{"name", tensor.name}, {"dims", dims(tensor.dims)}, {"producer", node(tensor.producer)}, {"data", tensor.data}, {"gradient", !tensor.constant}};
  }

  Json weight_json(WeightId id) const {
    const Weight& weight = graph_.weights[id];
    Json out = {{"name", weight.name}, {"dims", dims(weight.dims)}, {"uses", array_of(weight.uses, [this](const auto& use) { return node(use.first); })}};
    if (annotations_ == nullptr) return out;
    const WeightPlacement& where = annotations_->weights[id];
    out["compute"] = placement(where.compute);
    out["stored"] = placement(where.stored);
    out["kept"] = placement(where.kept);
    out["gradient"] = placement(where.gradient);
    out["optimizer"] = placement(where.optimizer);
    if (!where.uses.empty()) out["compute_of_uses"] = array_of(where.uses, [this](const Placement& p) { return placement(p); });
    add_marks(out, where.marks);
    return out;
  }

  Json transfer_json(const Transfer& transfer) const {
    Json out = {{"phase", to_string(transfer.phase)},
                {"cadence", to_string(transfer.cadence)},
                {"collective", to_string(transfer.kind)},
                {"axes", axes(transfer.axes)},
                {"what", transfer.name},
                {"segment", graph_.segments[transfer.segment].name},
                {"dims", dims(transfer.dims)},
                {"message", placement(transfer.message)},
                {"reader", node(transfer.reader)},
                {"between_stages", transfer.stages},
                {"rule", rule(transfer.rule)}};
    add_marks(out, transfer.marks);
    return out;
  }

  Json saved_json(const Saved& kept) const {
    Json out = {{"tensor", tensor(kept.tensor)},
                {"placement", placement(kept.placement)},
                {"recomputed", kept.rebuilt},
                {"once", kept.once},
                {"readers", array_of(kept.readers, [this](NodeId id) { return node(id); })},
                {"rule", rule(kept.rule)}};
    add_marks(out, kept.marks);
    return out;
  }

  const Graph& graph_;
  const Annotations* annotations_;
};

}  // namespace

void each_part_of_graph(const Graph& graph, const Annotations* annotations, FunctionRef<void(const std::string& key, Json value)> part) {
  GraphWriter(graph, annotations).write(part);
}

std::string write_graph_json(const Graph& graph, const Annotations* annotations) {
  Json out = Json::object();
  each_part_of_graph(graph, annotations, [&](const std::string& key, Json value) { out[key] = std::move(value); });
  return json_text(out);
}

}  // namespace opledger
