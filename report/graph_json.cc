#include "report/graph_json.h"

#include <utility>

#include "expr/printer.h"
#include "report/json_value.h"

namespace opledger {
namespace {

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, const Annotations* annotations) : graph_(graph), annotations_(annotations) {}

  Json write() const {
    Json out = {{kFormatKey, kFormat}};
    out["dimensions"] = dimensions();
    if (annotations_ != nullptr) out["axes"] = axes(annotations_->mesh.order);
    out["segments"] = segments();
    out["nodes"] = nodes();
    out["tensors"] = tensors();
    out["weights"] = weights();
    if (annotations_ == nullptr) return out;
    out["transfers"] = transfers();
    out["saved"] = saved();
    out["rules"] = rules();
    return out;
  }

 private:
  static Json formula(const ExprPtr& expr) { return expr ? Json(to_source(*expr)) : Json(); }
  Json tensor(TensorId id) const { return id ? Json(graph_.tensors[id].name) : Json(); }
  Json node(NodeId id) const { return id ? Json(graph_.nodes[id].name) : Json(); }
  Json rule(RuleId id) const { return id ? Json(annotations_->rules[id].text) : Json(); }
  std::string dimension(DimId d) const { return d == kElements ? "elements" : graph_.name(d); }

  Json dims(const DimList& list) const {
    Json out = Json::array();
    for (const DimId d : list) out.push_back(dimension(d));
    return out;
  }

  Json axes(const AxisList& list) const {
    Json out = Json::array();
    for (const AxisId a : list) out.push_back(annotations_->mesh.axes[a].name);
    return out;
  }

  Json sharded(const std::vector<std::pair<DimId, AxisList>>& list) const {
    Json out = Json::object();
    for (const auto& [d, on] : list) {
      if (!on.empty()) out[dimension(d)] = axes(on);
    }
    return out;
  }

  Json placement(const Placement& where) const {
    Json out = Json::object();
    out["sharded"] = sharded(where.shard);
    if (!where.partial.empty()) out["partial"] = axes(where.partial);
    return out;
  }

  /// `marks: {NAME: {value: …, rule: …}}`, of what has any.
  void add_marks(Json& item, const MarkList& marks) const {
    for (const MarkId id : marks) {
      const Mark& mark = annotations_->marks[id];
      item["marks"][mark.name] = {{"value", mark.value}, {"rule", rule(mark.rule)}};
    }
  }

  Json dimensions() const {
    Json out = Json::object();
    for (const DimensionInfo& d : graph_.dimensions) out[d.name] = d.size ? formula(d.size) : Json(d.name);
    return out;
  }

  Json segments() const {
    Json out = Json::array();
    for (const Segment& segment : graph_.segments) {
      Json item = Json::object();
      item["name"] = segment.name;
      item["block"] = segment.block != nullptr ? Json(segment.block->name) : Json();
      item["layers"] = segment.repeat ? formula(segment.repeat) : Json(1);
      if (segment.rounds) item["rounds"] = formula(segment.rounds);  // its neighbours with rounds take turns with it
      item["inputs"] = Json::array();
      for (const TensorId id : segment.inputs) item["inputs"].push_back(tensor(id));
      item["output"] = tensor(segment.output);
      out.push_back(std::move(item));
    }
    return out;
  }

  Json operand(const Operand& input, const Node& reader, std::size_t port) const {
    Json out = Json::object();
    if (reader.op != nullptr && port < reader.op->inputs.size()) out["port"] = reader.op->inputs[port].name;
    out["tensor"] = tensor(input.tensor);
    out["dims"] = dims(input.dims);
    return out;
  }

  Json nodes() const {
    Json out = Json::array();
    for (const NodeId id : graph_.nodes.ids()) out.push_back(describe(id));
    return out;
  }

  Json describe(NodeId id) const {
    const Node& node = graph_.nodes[id];
    Json out = Json::object();
    out["name"] = node.name;
    out["op"] = node.op != nullptr ? Json(node.op->name) : Json();
    out["segment"] = graph_.segments[node.segment].name;
    out["component"] = node.component;
    out["tags"] = node.tags;
    out["inputs"] = Json::array();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) out["inputs"].push_back(operand(node.inputs[i], node, i));
    out["outputs"] = Json::array();
    for (const TensorId output : node.outputs) out["outputs"].push_back(tensor(output));
    out["weights"] = Json::array();
    for (const WeightUse& use : node.weights) out["weights"].push_back(graph_.weights[use.weight].name);
    out["attributes"] = Json::object();
    for (const auto& [name, list] : node.attributes) out["attributes"][name] = dims(list);
    if (annotations_ == nullptr) return out;
    out["sharded"] = sharded(annotations_->nodes[id].axes);
    out["recomputed"] = annotations_->recomputed[id] != 0;
    add_marks(out, annotations_->nodes[id].marks);
    return out;
  }

  Json tensors() const {
    Json out = Json::array();
    for (const Tensor& tensor : graph_.tensors) {
      Json item = Json::object();
      item["name"] = tensor.name;
      item["dims"] = dims(tensor.dims);
      item["producer"] = node(tensor.producer);
      item["data"] = tensor.data;
      item["gradient"] = !tensor.constant;
      out.push_back(std::move(item));
    }
    return out;
  }

  Json weights() const {
    Json out = Json::array();
    for (const WeightId id : graph_.weights.ids()) {
      const Weight& weight = graph_.weights[id];
      Json item = Json::object();
      item["name"] = weight.name;
      item["dims"] = dims(weight.dims);
      item["uses"] = Json::array();
      for (const auto& use : weight.uses) item["uses"].push_back(node(use.first));
      if (annotations_ != nullptr) {
        const WeightPlacement& where = annotations_->weights[id];
        item["compute"] = placement(where.compute);
        item["stored"] = placement(where.stored);
        item["kept"] = placement(where.kept);
        item["gradient"] = placement(where.gradient);
        item["optimizer"] = placement(where.optimizer);
        add_marks(item, where.marks);
      }
      out.push_back(std::move(item));
    }
    return out;
  }

  Json transfers() const {
    Json out = Json::array();
    for (const Transfer& transfer : annotations_->transfers) {
      Json item = Json::object();
      item["phase"] = to_string(transfer.phase);
      item["cadence"] = to_string(transfer.cadence);
      item["collective"] = to_string(transfer.kind);
      item["axes"] = axes(transfer.axes);
      item["what"] = transfer.what;
      item["segment"] = graph_.segments[transfer.segment].name;
      item["dims"] = dims(transfer.dims);
      item["message"] = placement(transfer.message);
      item["reader"] = node(transfer.reader);
      item["between_stages"] = transfer.stages;
      item["rule"] = rule(transfer.rule);
      add_marks(item, transfer.marks);
      out.push_back(std::move(item));
    }
    return out;
  }

  Json saved() const {
    Json out = Json::array();
    for (const Saved& kept : annotations_->saved) {
      Json item = Json::object();
      item["tensor"] = tensor(kept.tensor);
      item["placement"] = placement(kept.placement);
      item["recomputed"] = kept.rebuilt;
      item["once"] = kept.once;
      item["readers"] = Json::array();
      for (const NodeId reader : kept.readers) item["readers"].push_back(node(reader));
      item["rule"] = rule(kept.rule);
      add_marks(item, kept.marks);
      out.push_back(std::move(item));
    }
    return out;
  }

  Json rules() const {
    Json out = Json::object();
    for (const RuleRef& rule : annotations_->rules) out[rule.text] = to_string(rule.span);
    return out;
  }

  const Graph& graph_;
  const Annotations* annotations_;
};

}  // namespace

std::string write_graph_json(const Graph& graph, const Annotations* annotations) {
  return GraphWriter(graph, annotations).write().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opledger
