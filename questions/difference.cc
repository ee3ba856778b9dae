#include "questions/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "accounting/engine.h"
#include "formulas/types.h"
#include "questions/counterparts.h"
#include "questions/element_difference.h"

namespace opledger {
namespace {

constexpr double kSame = 1e-12;

std::string doc_of(const Name& name) {
  for (const Def* def : name.defs) {
    if (!def->doc.empty()) return def->doc;
  }
  return {};
}

double number_of(const Value& v) { return v.is_number() ? v.scalar.value : 0; }
double size_of(const Difference& d) { return std::fabs(number_of(d.second) - number_of(d.first)); }

/// Each entry by its part of what its quantity differs by in all: seconds and bytes can't be compared as they are.
void sort_by_part(std::vector<Difference>& entries) {
  std::map<std::string, double> whole;
  const auto quantity = [](const Difference& d) { return d.name.substr(d.name.rfind(' ') + 1); };
  for (const Difference& d : entries) whole[quantity(d)] += size_of(d);
  for (Difference& d : entries) {
    const double all = whole.at(quantity(d));
    d.part = all == 0 ? 0 : size_of(d) / all;
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Difference& a, const Difference& b) { return a.part > b.part; });
}

void compare_inputs(Run& first, Run& second, Differences& out) {
  for (const auto& [input, _] : first.program().inputs) {
    const Name* other = second.program().find(input->name);
    if (other == nullptr || !other->input || !scalar_type(input->type)) continue;
    add_difference(out.inputs, {input->name, value_or_nothing(first, *input, nowhere()), value_or_nothing(second, *other, nowhere()), "", {}, {}});
  }
}

void compare_metrics(Run& first, Run& second, Differences& out) {
  for (const Published& p : first.program().published) {
    const Published* other = second.program().find_published(p.name);
    if (other == nullptr) continue;
    const Point here = first.evaluator().choose(nowhere(), p.at), there = second.evaluator().choose(nowhere(), other->at);
    add_difference(out.metrics, {p.name, value_or_nothing(first, *p.metric, here), value_or_nothing(second, *other->metric, there), doc_of(*p.metric),
                                 formula_place(first, *p.metric, here), formula_place(second, *other->metric, there)});
  }
}

std::vector<std::string> rules_of_nodes(Run& run) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < run.graph().nodes(); ++n) out.push_back(rules_of_node(run, static_cast<NodeId>(n)));
  return out;
}

/// Quantities that the accounting lists for nodes, phase by phase.
void compare_nodes(Run& first, Run& second, Differences& out) {
  const auto report = first.program().reports.find("node");
  if (report == first.program().reports.end() || !first.has_graph() || !second.has_graph()) return;
  std::map<std::string, std::pair<WordId, WordId>> nodes;  // its position in each, or none
  for (std::size_t n = 0; n < first.graph().nodes(); ++n) nodes[first.graph().node(static_cast<NodeId>(n)).name] = {static_cast<WordId>(n), kNoWord};
  for (std::size_t n = 0; n < second.graph().nodes(); ++n)
    nodes.try_emplace(second.graph().node(static_cast<NodeId>(n)).name, kNoWord, kNoWord).first->second.second = static_cast<WordId>(n);
  const auto at = [&](Run& run, const Name* name, WordId node, std::size_t phase, Span& place) {
    if (name == nullptr || node == kNoWord) return Value{};
    const Point p = run.evaluator().choose(run.evaluator().choose(nowhere(), kNodeSet, node), kPhaseSet, static_cast<WordId>(phase));
    place = formula_place(run, *name, p);
    return value_or_nothing(run, *name, p);
  };
  const std::vector<std::string> first_rules = rules_of_nodes(first), second_rules = rules_of_nodes(second);
  const std::vector<std::string>& phases = first.program().set(kPhaseSet).words;
  for (const ReportPart& part : report->second) {
    for (const auto& [_, metric] : part.metrics) {
      const Name *here = first.program().find(metric), *there = second.program().find(metric);
      for (const auto& [node, ids] : nodes) {
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
          Difference d{node + " " + phases[phase] + " " + metric, {}, {}, "", {}, {}};
          d.first = at(first, here, ids.first, phase, d.first_at);
          d.second = at(second, there, ids.second, phase, d.second_at);
          if (ids.first != kNoWord) d.first_rule = first_rules[static_cast<std::size_t>(ids.first)];
          if (ids.second != kNoWord) d.second_rule = second_rules[static_cast<std::size_t>(ids.second)];
          add_difference(out.entries, std::move(d));
        }
      }
    }
  }
}

}  // namespace

bool Difference::differs() const {
  if (first.kind == Value::Kind::word && second.kind == Value::Kind::word) return *first.text != *second.text;
  if (first.kind == Value::Kind::text && second.kind == Value::Kind::text) return *first.text != *second.text;
  const auto number = [](const Value& v) { return v.is_number() || v.kind == Value::Kind::truth; };
  if (number(first) && number(second)) {
    const double a = first.scalar.value, b = second.scalar.value;
    return std::fabs(b - a) > kSame * std::max(std::fabs(a), std::fabs(b));
  }
  const Value& only = first.kind == Value::Kind::nothing ? second : first;
  return !only.is_number() || only.scalar.value != 0;
}

std::optional<double> Difference::change() const {
  if (!first.is_number() || !second.is_number() || first.scalar.value == 0) return std::nullopt;
  return (second.scalar.value - first.scalar.value) / std::fabs(first.scalar.value);
}

Differences differences(Run& first, Run& second) {
  Differences out;
  if (first.accounting() == second.accounting()) {
    compare_inputs(first, second, out);
    compare_metrics(first, second, out);
    compare_nodes(first, second, out);
    compare_elements(first, second, out.elements);
  } else if (!compare_counterparts(second, first, true, out) && !compare_counterparts(first, second, false, out)) {
    compare_metrics(first, second, out);
  }
  const auto size = [](const Difference& d) { return std::fabs(d.change().value_or(std::numeric_limits<double>::infinity())); };
  std::stable_sort(out.metrics.begin(), out.metrics.end(), [&](const Difference& a, const Difference& b) { return size(a) > size(b); });
  sort_by_part(out.entries);
  sort_by_part(out.elements);
  return out;
}

}  // namespace opledger
