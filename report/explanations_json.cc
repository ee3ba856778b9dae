#include "base/source.h"
#include "base/text.h"
#include "base/units.h"
#include "report/explanations.h"
#include "report/json_objects.h"

namespace opledger {
namespace {

/// Adds the position of a definition, unless it has no source.
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

/// Adds a value with its unit. On a page (`placed`), only missing values, records and lists keep their text, because
/// the page formats all others.
void add_value(const ExplainedValue& value, bool placed, Json& out) {
  out["value"] = json_value(value.value);
  if (value.value.is_number() && !value.value.unit.plain()) out["unit"] = to_string(value.value.unit);
  if (!placed || out["value"].is_null() || out["value"].is_structured()) out["shown"] = value.text;
}

/// Returns an explanation of a value as a tree: kind, name, value, words of its point, texts, arguments, and children
/// in the same form. Empty fields are omitted. A child with a `place` is explained elsewhere and is written as that
/// index. `placed` is true for the explorer's page, which formats numbers and derives further texts itself; these are
/// omitted to keep it small.
Json json_of(const Explanation& e, bool placed) {
  constexpr const char* kKinds[] = {"name", "call", "terms", "term"};  // In the order of Explanation::Kind.
  Json out = {{"kind", kKinds[static_cast<std::size_t>(e.kind)]}, {"name", e.name}};
  if (e.definition >= 0) out["definition"] = e.definition;
  add_value(e.value, placed, out);
  for (const auto& [set, word] : e.point) out["point"][set] = word;
  if (!placed && !e.where.empty()) out["where"] = e.where;
  const std::pair<const char*, const std::string*> texts[] = {
      {"own_unit", &e.own_unit}, {"put_in", &e.substituted}, {"because", &e.because}, {"joined_by", &e.joined_by}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) out[key] = *text;
  }
  if (!placed && e.documented) out["documented"] = true;
  if (e.more > 0) {
    out["more"] = {{"terms", e.more}};
    if (e.rest.value.is_number()) add_value(e.rest, placed, out["more"]);
  }
  for (const auto& [name, value] : e.arguments) {
    Json& argument = out["arguments"].emplace_back(Json{{"name", name}});
    add_value(value, placed, argument);
  }
  for (const Explanation& child : e.children) out["children"].push_back(child.place >= 0 ? Json(child.place) : json_of(child, placed));
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

/// Returns the explanation of a node of the graph: ports, placement and transfers with the rules that cause them, saved
/// tensors, and quantities. `placed` is true for the explorer's page: values omit texts that the page derives, and a
/// quantity explained elsewhere is written as the index of its place. A brief node has
/// only transfers and saved tensors.
Json json_of(const ExplainedNode& node, bool placed) {
  Json out = {{"name", node.name}, {"operator", node.op}};
  if (node.brief) {
    out["brief"] = true;
  } else {
    out.update({{"doc", node.doc}, {"source", node.source}});
    add_place(node.span, out);
    out["inputs"] = json_of(node.inputs);
    out["weights"] = json_of(node.weights);
    out["outputs"] = json_of(node.outputs);
    out["placement"] = array_of(node.placement, [](const ExplainedNode::Placement& p) {
      return Json{{"dimension", p.dimension}, {"axes", p.axes}, {"rule", json_of(p.rule)}};
    });
    out["recomputed"] = node.recomputed;
  }
  out["transfers"] = Json::array();
  for (const ExplainedNode::Transfer& t : node.transfers) {
    Json& one = out["transfers"].emplace_back(Json{{"phase", t.phase}, {"collective", t.collective}, {"axes", t.axes}, {"what", t.name}});
    add_value(t.bytes, placed, one);
    one.update({{"shape", t.shape}, {"cadence", t.cadence}, {"rule", json_of(t.rule)}});
  }
  out["kept"] = Json::array();
  for (const ExplainedNode::Kept& k : node.kept) {
    Json& one = out["kept"].emplace_back(Json{{"name", k.name}});
    add_value(k.bytes, placed, one);
    one.update({{"shape", k.shape}, {"how", k.how}});
  }
  if (node.brief) return out;
  out["quantities"] =
      array_of(node.quantities, [&](const Explanation& quantity) { return quantity.place >= 0 ? Json(quantity.place) : json_of(quantity, placed); });
  return out;
}

/// Removes the number, empty fields, and a source line that already contains the formula, to keep pages small.
void brief(Json& definition) {
  definition.erase("id");
  for (const char* key : {"unit", "doc", "source"}) {
    if (definition[key] == "") definition.erase(key);
  }
  const auto line = definition.find("text");
  const std::string formula = definition["formula"];
  if (line != definition.end() && !formula.empty() && line->get<std::string>().find(formula) != std::string::npos) definition.erase("text");
}

Json definitions_of(const Explanations& explanations) {
  Json out = Json::array();
  for (const ExplainedDefinition& d : explanations.definitions) out.push_back(json_of(d, out.size()));
  return out;
}

}  // namespace

Json explained_json(const ExplainedRun& opened) {
  Json out = {{"definitions", definitions_of(opened.all)}};
  for (Json& d : out["definitions"]) brief(d);
  out["opened"] = array_of(opened.all.names, [](const Explanation& e) { return json_of(e, true); });
  out["metrics"] = Json::object();
  for (const auto& [metric, place] : opened.metrics) out["metrics"][metric] = place;
  out["columns"] = Json::object();
  for (const auto& [column, definition] : opened.columns) out["columns"][column] = definition;
  out["cells"] = Json::object();
  for (const auto& [column, places] : opened.cells) out["cells"][column] = places;
  out["nodes"] = array_of(opened.all.nodes, [](const ExplainedNode& node) { return json_of(node, true); });
  out["left_out"] = opened.left_out;
  return out;
}

std::string write_explanations_json(const Explanations& explanations) {
  Json out = {{kFormatKey, kFormat}, {"definitions", definitions_of(explanations)}};
  out["names"] = array_of(explanations.names, [](const Explanation& e) { return json_of(e, false); });
  out["nodes"] = array_of(explanations.nodes, [](const ExplainedNode& node) { return json_of(node, false); });
  return json_text(out);
}

}  // namespace opledger
