#include "compare/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "accounting/graph_engine.h"
#include "compare/counterparts.h"
#include "compare/element_difference.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

double number_of(const Value& v) { return v.is_number() ? v.scalar.value : 0; }
double size_of(const ComparedQuantity& d) { return std::fabs(number_of(d.value(1)) - number_of(d.value(0))); }

/// Sorts entries by their share of the total difference of their quantity, which makes seconds and bytes comparable.
/// The quantity is the last word of an entry's name. Sets `part` of each entry.
void sort_by_part(std::vector<ComparedQuantity>& entries) {
  std::map<std::string, double> whole;
  const auto quantity = [](const ComparedQuantity& d) { return d.name.substr(d.name.rfind(' ') + 1); };
  for (const ComparedQuantity& d : entries) whole[quantity(d)] += size_of(d);
  for (ComparedQuantity& d : entries) {
    const double all = whole.at(quantity(d));
    d.part = all == 0 ? 0 : size_of(d) / all;
  }
  std::stable_sort(entries.begin(), entries.end(), [](const ComparedQuantity& a, const ComparedQuantity& b) { return a.part > b.part; });
}

void compare_inputs(Run& first, Run& second, Differences& out) {
  for (const auto& [input, _] : first.program().inputs) {
    if (first.evaluator().provides(*input)) continue;  // Computed by the engine from other inputs.
    const Name* other = second.program().find(input->name);
    if (other == nullptr || !other->input || !scalar_type(input->type)) continue;
    add_difference(out.inputs, {input->name, {{first.evaluator().ask(*input).value}, {second.evaluator().ask(*other).value}}});
  }
}

void compare_metrics(Run& first, Run& second, Differences& out) {
  for (const Published& p : first.program().published) {
    const Published* other = second.program().find_published(p.name);
    if (other == nullptr) continue;
    ComparedQuantity one{p.name,
                         {compared_value(first, *p.metric, first.evaluator().choose(nowhere(), p.at)),
                          compared_value(second, *other->metric, second.evaluator().choose(nowhere(), other->at))}};
    if (const Def* def = p.metric->described()) one.values[1].why = def->doc;
    add_difference(out.metrics, std::move(one));
  }
}

IdVector<NodeId, std::string> rules_of_nodes(Run& run) {
  IdVector<NodeId, std::string> out;
  for (const NodeId n : run.graph().nodes.ids()) out.push_back(rules_of_node(run, n));
  return out;
}

/// Compares the quantities of the accounting's report `node` at each node and phase. Nodes correspond by name; a node
/// that one run lacks has no value there. Each value names the rules that place the node, so a difference shows its
/// cause. Nothing is compared without the report or without graphs. The cost is quantities times nodes times phases.
void compare_nodes(Run& first, Run& second, Differences& out) {
  const auto report = first.program().reports.find("node");
  if (report == first.program().reports.end() || !first.has_graph() || !second.has_graph()) return;
  std::map<std::string, std::pair<NodeId, NodeId>> nodes;  // Node of each run by name; an id is unset if the run lacks the node.
  for (const NodeId n : first.graph().nodes.ids()) nodes[first.graph().nodes[n].name].first = n;
  for (const NodeId n : second.graph().nodes.ids()) nodes[second.graph().nodes[n].name].second = n;
  const auto value_at = [&](Run& run, const Name* name, NodeId node, std::size_t phase, const IdVector<NodeId, std::string>& rules) {
    if (name == nullptr || !node) return ComparedValue{};
    const Point p = run.evaluator().choose(run.evaluator().choose(nowhere(), kNodeSet, node.number()), kPhaseSet, static_cast<WordId>(phase));
    ComparedValue out = compared_value(run, *name, p);
    out.rule = rules[node];
    return out;
  };
  const IdVector<NodeId, std::string> first_rules = rules_of_nodes(first), second_rules = rules_of_nodes(second);
  const std::vector<std::string>& phases = first.program().set(kPhaseSet).words;
  for (const ReportPart& part : report->second) {
    for (const auto& [_, metric] : part.metrics) {
      const Name *here = first.program().find(metric), *there = second.program().find(metric);
      for (const auto& [node, ids] : nodes) {
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
          ComparedQuantity d{node + " " + phases[phase] + " " + metric,
                             {value_at(first, here, ids.first, phase, first_rules), value_at(second, there, ids.second, phase, second_rules)}};
          add_difference(out.entries, std::move(d));
        }
      }
    }
  }
}

}  // namespace

Differences differences(Run& first, Run& second) {
  // Runs of one accounting are compared by name. For two accountings, one must define the other's metrics
  // (`compares`): the second run's accounting is tried first, then the first's. Without such a definition, metrics
  // with equal names are compared. Metrics are sorted by the size of their relative change, entries by their share.
  Differences out;
  if (first.accounting() == second.accounting()) {
    compare_inputs(first, second, out);
    compare_metrics(first, second, out);
    compare_nodes(first, second, out);
    compare_elements(first, second, out.elements);
  } else if (!compare_counterparts(second, first, true, out) && !compare_counterparts(first, second, false, out)) {
    compare_metrics(first, second, out);
  }
  const auto size = [](const ComparedQuantity& d) { return std::fabs(d.change(1).value_or(std::numeric_limits<double>::infinity())); };
  std::stable_sort(out.metrics.begin(), out.metrics.end(), [&](const ComparedQuantity& a, const ComparedQuantity& b) { return size(a) > size(b); });
  sort_by_part(out.entries);
  sort_by_part(out.elements);
  return out;
}

}  // namespace opledger
