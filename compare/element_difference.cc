#include "compare/element_difference.h"

#include <map>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "base/text.h"

namespace opledger {
namespace {

/// Elements with the same name in a run, merged into one entry: values are added, rules collected.
struct NamedElement {
  Value value;
  std::vector<std::string> rules;
};
using NamedElements = std::map<std::string, NamedElement>;

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (!one.empty() && !contains(all, one)) all.push_back(one);
}

std::string text_of(const Annotations& notes, RuleId rule) { return !rule ? std::string() : notes.rules[rule].text; }

void put(NamedElements& all, const std::string& name, const Value& value, const std::vector<std::string>& rules) {
  const auto [entry, fresh] = all.try_emplace(name);
  if (fresh)
    entry->second.value = value;
  else
    entry->second.value.scalar.value += value.scalar.value;
  for (const std::string& rule : rules) add_once(entry->second.rules, rule);
}

Value field(Run& run, SetId set, const char* name, std::size_t i) { return run.evaluator().elements(set).fields.find(name)->second[i]; }

/// Returns the bytes that one rank sends in each message, with the rule that caused the message. A name has the
/// tensor, phase, kind and axes of a message; messages of one name are added up. Messages within one rank are left
/// out. `notes.transfers` and the elements of the set have the same order.
NamedElements messages(Run& run) {
  NamedElements out;
  const Annotations& notes = run.annotations();
  for (std::size_t i = 0; i < notes.transfers.size(); ++i) {
    const Transfer& t = notes.transfers[i];
    if (field(run, kTransferSet, "ranks", i).scalar.value <= 1) continue;
    const std::string name = join({t.name, to_string(t.phase), to_string(t.kind), "over", *field(run, kTransferSet, "axes", i).text, "sent"}, " ");
    put(out, name, field(run, kTransferSet, "bytes", i), {text_of(notes, t.weight_rule ? t.weight_rule : t.rule)});
  }
  return out;
}

/// Returns the bytes of each tensor saved for backward, with the rule that saves it. The name says whether the tensor
/// is kept or recomputed.
NamedElements saved(Run& run) {
  NamedElements out;
  const Annotations& notes = run.annotations();
  for (std::size_t i = 0; i < notes.saved.size(); ++i) {
    const Saved& s = notes.saved[i];
    const std::string name = run.graph().tensors[s.tensor].name + (s.rebuilt ? " recomputed" : " kept");
    put(out, name, field(run, kSavedSet, "bytes", i), {text_of(notes, s.rule)});
  }
  return out;
}

/// Returns the elements of each weight as stored, as gradient and as updated by the optimizer. Entries of a weight in
/// further segments that share it are left out, so that it counts once.
NamedElements weights(Run& run) {
  NamedElements out;
  const Elements& elements = run.evaluator().elements(kWeightSet);
  std::map<std::string, std::vector<std::string>> rules;
  for (const WeightId w : run.graph().weights.ids()) {
    for (const RuleId rule : run.annotations().weights[w].rules) add_once(rules[run.graph().weights[w].name], text_of(run.annotations(), rule));
  }
  for (std::size_t i = 0; i < elements.names.size(); ++i) {
    for (const char* part : {"stored", "gradient", "optimizer"}) {
      if (field(run, kWeightSet, "shared", i).scalar.value != 0) continue;
      put(out, elements.names[i] + " " + part, field(run, kWeightSet, part, i), rules[elements.names[i]]);
    }
  }
  return out;
}

/// Appends each element with different values, in the order of names; an element that one run lacks has no value
/// there. Each value names the rules of its element.
void compare(const NamedElements& first, const NamedElements& second, std::vector<ComparedQuantity>& out) {
  const auto find = [](const NamedElements& all, const std::string& name) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : NamedElement{};
  };
  std::map<std::string, bool> names;
  for (const NamedElements* all : {&first, &second}) {
    for (const auto& [name, _] : *all) names[name] = true;
  }
  for (const auto& [name, _] : names) {
    const NamedElement a = find(first, name), b = find(second, name);
    add_difference(out, {name, {{a.value, "", {}, join(a.rules, ", ")}, {b.value, "", {}, join(b.rules, ", ")}}});
  }
}

}  // namespace

void compare_elements(Run& first, Run& second, std::vector<ComparedQuantity>& out) {
  if (!first.has_graph() || !second.has_graph()) return;
  compare(messages(first), messages(second), out);
  compare(saved(first), saved(second), out);
  compare(weights(first), weights(second), out);
}

std::string rules_of_node(Run& run, NodeId node) {
  const Annotations& notes = run.annotations();
  Inquiry inquiry(run.evaluator());
  Sizes sizes(inquiry, run.graph_run());
  std::vector<std::string> rules;
  for (const auto& [axis, why] : notes.nodes[node].why) {
    if (sizes.degree(axis).value > 1) add_once(rules, text_of(notes, why));
  }
  if (notes.recomputed[node] != 0) rules.emplace_back("recomputed");
  return join(rules, ", ");
}

}  // namespace opledger
