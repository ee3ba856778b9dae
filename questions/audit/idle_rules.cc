#include "questions/audit/idle_rules.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "graph/print.h"

namespace opledger {
namespace {

/// Returns the document of a rule reference: `megatron` for `megatron.shard[0]`.
std::string document_of(const std::string& reference) { return reference.substr(0, reference.find('.')); }

std::string document_of(const PartRule& rule) { return document_of(rule.part.rule); }
template <class Rule>
std::string document_of(const Rule& rule) {
  return document_of(rule.ref.text);
}

const Span& span_of(const PartRule& rule) { return rule.part.span; }
template <class Rule>
const Span& span_of(const Rule& rule) {
  return rule.ref.span;
}

template <class Set, class Visit>
void for_each_section(Set& rules, Visit visit) {
  visit(rules.parts);
  visit(rules.shard);
  visit(rules.nodes);
  visit(rules.weights);
  visit(rules.activations);
  visit(rules.recompute);
  visit(rules.mark);
  visit(rules.merge);
}

RuleSet without(const RuleSet& all, const std::string& document) {
  RuleSet out = all;
  for_each_section(out, [&](auto& rules) {
    rules.erase(std::remove_if(rules.begin(), rules.end(), [&](const auto& rule) { return document_of(rule) == document; }), rules.end());
  });
  return out;
}

/// Returns the annotated graph as text; empty if it can't be built.
std::optional<std::string> annotated(const LinkedRun& run, const RuleSet& rules) {
  Diagnostics ignored;
  Evaluator evaluator(run.program());
  GraphSources sources = run.graph_sources(evaluator.model());
  sources.rules = &rules;
  const std::unique_ptr<AnnotatedGraph> graph = annotate_graph(sources, evaluator, ignored);
  return graph == nullptr ? std::nullopt : std::optional<std::string>(to_text(graph->graph, graph->annotations));
}

/// Collects axes that the rules of a document name and the mesh lacks.
class Axes {
 public:
  explicit Axes(const Mesh& mesh) : mesh_(mesh) {}

  /// Returns the missing axes as a list.
  std::string lacking(const RuleSet& rules, const std::string& document) {
    for (const ShardRule& r : rules.shard) add(r, document, r.axes);
    for (const NodeRule& r : rules.nodes) {
      add(r, document, r.avoid);
      for (const ShardRule& own : r.shard) add(r, document, own.axes);
    }
    for (const WeightRule& r : rules.weights) {
      for (const auto* list : {&r.stored, &r.keep, &r.optimizer, &r.gradient, &r.reduced}) add(r, document, list->value_or(std::vector<std::string>{}));
    }
    for (const MarkRule& r : rules.mark) add(r, document, r.axes);
    for (const MergeRule& r : rules.merge) add(r, document, r.axes);
    return join(std::vector<std::string>(names_.begin(), names_.end()), ", ");
  }

 private:
  template <class Rule>
  void add(const Rule& rule, const std::string& document, const std::vector<std::string>& axes) {
    if (document_of(rule) != document) return;
    for (const std::string& name : axes) {
      if (mesh_.expand(name).empty()) names_.insert(name);
    }
  }

  const Mesh& mesh_;
  std::set<std::string> names_;
};

}  // namespace

/// Finds rule documents without effect by removing each in turn: the graph is annotated again with the remaining rules,
/// and its text is compared with that of all rules. Equal texts mean equal placements, transfers and marks. `documents`
/// holds each document with the position of its first rule. The cost, one annotation for each document, is affordable
/// because documents are few.
std::vector<AuditKey> idle_rules(const RunRequest& request, Library& library) {
  Diagnostics ignored;
  const std::unique_ptr<LinkedRun> run = LinkedRun::link(request, library, ignored);
  if (run == nullptr || !run->has_model()) return {};
  const RuleSet& all = *run->graph_sources().rules;
  const std::optional<std::string> with_all_rules = annotated(*run, all);
  if (!with_all_rules) return {};
  std::vector<std::pair<std::string, Span>> documents;
  for_each_section(all, [&](const auto& rules) {
    for (const auto& rule : rules) {
      const auto same = [&](const auto& other) { return other.first == document_of(rule); };
      if (std::none_of(documents.begin(), documents.end(), same)) documents.emplace_back(document_of(rule), span_of(rule));
    }
  });
  std::vector<AuditKey> out;
  for (const auto& [document, span] : documents) {
    if (annotated(*run, without(all, document)) == with_all_rules)
      out.push_back({"rules", document, Axes(*run->graph_sources().mesh).lacking(all, document), "", span});
  }
  return out;
}

}  // namespace opledger
