#include <fmt/core.h>

#include "base/text.h"
#include "report/explanations.h"

namespace opledger {
namespace {

std::string pad(std::size_t n) { return std::string(n, ' '); }
std::string place(const Span& span) { return span.known() ? "    " + to_string(span) : ""; }

std::string rule_text(const ExplainedRule& rule) { return rule.text.empty() ? "" : fmt::format("{} ({})", rule.text, to_string(rule.span)); }

/// A writer of explanations as indented text. Each level of operands is indented by two more blanks.
class ExplanationWriter {
 public:
  explicit ExplanationWriter(const Explanations& all) : all_(all) {}

  void write(const Explanation& e, std::size_t indent) {
    switch (e.kind) {
      case Explanation::Kind::name:
        name(e, indent);
        break;
      case Explanation::Kind::call:
        call(e, indent);
        break;
      case Explanation::Kind::terms:
        terms(e, indent);
        break;
      case Explanation::Kind::term:
        break;
    }
  }

  std::string out;

 private:
  const ExplainedDefinition* definition(const Explanation& e) const { return e.definition < 0 ? nullptr : &all_.definitions[e.definition]; }

  /// Writes a name: a line with value and position, then documentation, formula, the formula with values, source, and
  /// operands.
  void name(const Explanation& e, std::size_t indent) {
    const ExplainedDefinition* const d = definition(e);
    const std::string where = e.where.empty() ? "" : " [" + e.where + "]", own_unit = e.own_unit.empty() ? "" : " = " + e.own_unit;
    out += fmt::format("{}{}{} = {}{}{}\n", pad(indent), e.name, where, e.value.text, own_unit, d == nullptr ? "" : place(d->span));
    if (!e.because.empty()) out += pad(indent + 4) + "0, because this does not hold: " + e.because + "\n";
    if (d == nullptr || d->formula.empty()) return;
    remark(e.documented ? d->doc : "", indent);
    formula(*d, e, indent);
    remark(e.documented ? d->source : "", indent);
    for (const Explanation& child : e.children) write(child, indent + 2);
  }

  void call(const Explanation& e, std::size_t indent) {
    const ExplainedDefinition& d = *definition(e);
    std::vector<std::string> arguments;
    for (const auto& [argument, value] : e.arguments) arguments.push_back(argument + ": " + value.text);
    out += fmt::format("{}{}({}) = {}    {}\n", pad(indent), e.name, join(arguments, ", "), e.value.text, to_string(d.span));
    formula(d, e, indent);
    for (const Explanation& child : e.children) write(child, indent + 2);
  }

  /// Writes the terms of a sum or maximum, largest first, and the number of omitted terms.
  void terms(const Explanation& e, std::size_t indent) {
    for (const Explanation& term : e.children) {
      out += fmt::format("{}{} {}: {}\n", pad(indent), e.name, term.name, term.value.text);
      for (const Explanation& child : term.children) write(child, indent + 2);
    }
    if (e.more > 0) out += fmt::format("{}… {} more\n", pad(indent), e.more);
  }

  void formula(const ExplainedDefinition& d, const Explanation& e, std::size_t indent) {
    out += pad(indent + 4) + d.formula + "\n";
    if (!e.substituted.empty()) out += pad(indent + 4) + "= " + e.substituted + "\n";
  }

  void remark(const std::string& text, std::size_t indent) {
    if (!text.empty()) out += pad(indent + 4) + "# " + text + "\n";
  }

  const Explanations& all_;
};

std::string ports(const char* kind, const std::vector<ExplainedNode::Port>& all) {
  std::string out;
  for (const ExplainedNode::Port& port : all)
    out += fmt::format("  {} {}: {}[{}]\n", kind, port.name, port.tensor.empty() ? "" : port.tensor + " ", join(port.dimensions, " "));
  return out;
}

/// Appends a node as indented lines: name, operator and position; ports; placement with rules; transfers; saved
/// tensors; then its quantities, which `to` writes as explanations. Empty parts are left out, except for the placement:
/// a node without one is computed completely by every rank.
void write_node(const ExplainedNode& node, ExplanationWriter& to) {
  std::string& out = to.out;
  out += fmt::format("{}    {}    {}\n", node.name, node.op, to_string(node.span));
  if (!node.doc.empty()) out += fmt::format("  {}\n", node.doc);
  out += ports("in  ", node.inputs) + ports("weight", node.weights) + ports("out ", node.outputs);
  out += "  placed\n";
  for (const ExplainedNode::Placement& p : node.placement) out += fmt::format("    {} over {}    {}\n", p.dimension, p.axes, rule_text(p.rule));
  if (node.placement.empty()) out += "    every rank computes all of it\n";
  if (node.recomputed) out += "  recomputed in backward\n";
  if (!node.transfers.empty()) out += "  communicates, per layer and rank\n";
  for (const ExplainedNode::Transfer& t : node.transfers)
    out += fmt::format("    {} {} over {} of {}: {} ({}), once per {}    {}\n", t.phase, t.collective, t.axes, t.name, t.bytes.text, t.shape, t.cadence,
                       rule_text(t.rule));
  if (!node.kept.empty()) out += "  kept for backward, per layer and microbatch\n";
  for (const ExplainedNode::Kept& k : node.kept) out += fmt::format("    {}: {} ({}){}\n", k.name, k.bytes.text, k.shape, k.how.empty() ? "" : ", " + k.how);
  for (const Explanation& quantity : node.quantities) to.write(quantity, 2);
  if (!node.source.empty()) out += fmt::format("  source: {}\n", node.source);
}

}  // namespace

std::string write_explanations_text(const Explanations& explanations) {
  ExplanationWriter writer(explanations);
  for (const Explanation& e : explanations.names) writer.write(e, 0);
  for (const ExplainedNode& node : explanations.nodes) {
    if (!writer.out.empty()) writer.out += "\n";
    write_node(node, writer);
  }
  return std::move(writer.out);
}

}  // namespace opledger
