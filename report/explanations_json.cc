#include "base/source.h"
#include "base/text.h"
#include "base/units.h"
#include "report/explanations.h"
#include "report/json_value.h"

namespace opledger {
namespace {

void add_place(const Span& span, Json& out) {
  if (!span.known()) return;
  out["file"] = span.file->path;
  out["line"] = span.line;
  out["column"] = span.column;
}

Json json_of(const ExplainedDefinition& d, std::size_t id) {
  Json out = {{"id", id}, {"name", d.name}, {"unit", d.unit}, {"doc", d.doc}, {"source", d.source}, {"formula", d.formula}};
  add_place(d.span, out);
  if (d.span.known()) out["text"] = std::string(line_of(d.span));
  return out;
}

void add_value(const ExplainedValue& value, Json& out) {
  out["value"] = json_value(value.value);
  if (value.value.is_number() && !value.value.unit.plain()) out["unit"] = to_string(value.value.unit);
  out["shown"] = value.text;
}

Json json_of(const Explanation& e) {
  constexpr const char* kKinds[] = {"name", "call", "terms", "term"};
  Json out = {{"kind", kKinds[static_cast<std::size_t>(e.kind)]}, {"name", e.name}};
  if (e.definition >= 0) out["definition"] = e.definition;
  add_value(e.value, out);
  for (const auto& [set, word] : e.point) out["point"][set] = word;
  const std::pair<const char*, const std::string*> texts[] = {
      {"where", &e.where}, {"own_unit", &e.own_unit}, {"put_in", &e.put_in}, {"because", &e.because}, {"joined_by", &e.joined_by}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) out[key] = *text;
  }
  if (e.documented) out["documented"] = true;
  if (e.more > 0) {
    out["more"] = {{"terms", e.more}};
    if (e.rest.value.is_number()) add_value(e.rest, out["more"]);
  }
  for (const auto& [name, value] : e.arguments) {
    Json& argument = out["arguments"].emplace_back(Json{{"name", name}});
    add_value(value, argument);
  }
  for (const Explanation& child : e.children) out["children"].push_back(json_of(child));
  return out;
}

Json json_of(const ExplainedRule& rule) {
  if (rule.text.empty()) return {};
  Json out = {{"name", rule.text}};
  add_place(rule.span, out);
  return out;
}

Json json_of(const std::vector<ExplainedNode::Port>& ports) {
  return array_of(ports, [](const ExplainedNode::Port& port) {
    Json out = {{"name", port.name}};
    if (!port.tensor.empty()) out["tensor"] = port.tensor;
    out["dimensions"] = port.dimensions;
    return out;
  });
}

Json json_of(const ExplainedNode& node) {
  Json out = {{"name", node.name}, {"operator", node.op}, {"doc", node.doc}, {"source", node.source}};
  add_place(node.span, out);
  out["inputs"] = json_of(node.inputs);
  out["weights"] = json_of(node.weights);
  out["outputs"] = json_of(node.outputs);
  out["placement"] = array_of(node.placement, [](const ExplainedNode::Placement& p) {
    return Json{{"dimension", p.dimension}, {"axes", p.axes}, {"rule", json_of(p.rule)}};
  });
  out["recomputed"] = node.recomputed;
  out["transfers"] = Json::array();
  for (const ExplainedNode::Transfer& t : node.transfers) {
    Json& one = out["transfers"].emplace_back(Json{{"phase", t.phase}, {"collective", t.collective}, {"axes", t.axes}, {"what", t.what}});
    add_value(t.bytes, one);
    one.update({{"shape", t.shape}, {"cadence", t.cadence}, {"rule", json_of(t.rule)}});
  }
  out["kept"] = Json::array();
  for (const ExplainedNode::Kept& k : node.kept) {
    Json& one = out["kept"].emplace_back(Json{{"name", k.name}});
    add_value(k.bytes, one);
    one.update({{"shape", k.shape}, {"how", k.how}});
  }
  out["quantities"] = array_of(node.quantities, [](const Explanation& quantity) { return json_of(quantity); });
  return out;
}

}  // namespace

std::string write_explanations_json(const Explanations& explanations) {
  Json out = {{kFormatKey, kFormat}, {"definitions", Json::array()}, {"names", Json::array()}, {"nodes", Json::array()}};
  for (std::size_t i = 0; i < explanations.definitions.size(); ++i) out["definitions"].push_back(json_of(explanations.definitions[i], i));
  for (const Explanation& e : explanations.names) out["names"].push_back(json_of(e));
  for (const ExplainedNode& node : explanations.nodes) out["nodes"].push_back(json_of(node));
  return json_text(out);
}

}  // namespace opledger
