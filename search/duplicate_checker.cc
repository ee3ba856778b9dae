#include "search/duplicate_checker.h"

#include <algorithm>
#include <bit>

#include "accounting/sizes.h"
#include "graph/print.h"
#include "graph/same.h"
#include "run/mentioned_inputs.h"

namespace opledger {
namespace {

/// Returns a query for every published metric, except the measure of simplicity: a choice without any effect on a run may
/// count as less simple.
Query full_query(const Space& space) {
  Query out = query_of(space);
  for (const Published& p : space.run->program().published) {
    if (!space.simplicity || p.name != space.simplicity->metric) out.outputs.push_back(p.name);
  }
  out.constraints = true;  // an infeasible candidate then has missing values, not errors
  return out;
}

/// Returns whether two graphs have the same text with all annotations. Null equals null only.
bool equal(const AnnotatedGraph* a, const AnnotatedGraph* b) {
  if (a == nullptr || b == nullptr || a == b) return a == b;
  return to_text(a->graph, a->annotations) == to_text(b->graph, b->annotations);
}

}  // namespace

bool same_value(const Value& a, const Value& b) {
  if (a.kind != b.kind || (a.text == nullptr) != (b.text == nullptr)) return false;
  return a.text != nullptr ? *a.text == *b.text : std::bit_cast<std::uint64_t>(a.scalar.value) == std::bit_cast<std::uint64_t>(b.scalar.value);
}

DuplicateChecker::DuplicateChecker(Space& space) : space_(space), query_(full_query(space)) {
  for (const std::size_t axis : FreeAxes(space).axes) {
    inputs_.push_back(space.axes[axis].input);
    distinguishes_.push_back(distinguishes(*space.axes[axis].input));
  }
  std::vector<const Formula*> deciding;
  for (const auto& [_, formula] : query_.derived) deciding.push_back(formula);
  mentioned_ = opledger::mentioned_inputs(*space.run, deciding);
}

/// Returns whether different values of an input are different runs by definition: numbers, the order of the mesh, and words
/// that choose a document. Other words and truths can name the same run twice.
bool DuplicateChecker::distinguishes(const Name& input) const {
  const auto& inputs = space_.run->program().inputs;
  const bool number = input.type.kind == Type::Kind::number || input.type.kind == Type::Kind::integer;
  return number || input.name == kMeshOrder || std::any_of(inputs.begin(), inputs.end(), [&](const auto& other) { return other.first->chosen_by == &input; });
}

/// Evaluates a candidate with plain numbers, once. Null if it fails.
const DuplicateChecker::EvaluatedCandidate* DuplicateChecker::evaluated(const std::vector<double>& candidate) {
  const auto found = std::find_if(evaluated_.begin(), evaluated_.end(), [&](const auto& entry) { return entry->candidate == candidate; });
  if (found != evaluated_.end()) return found->get();
  Diagnostics ignored;
  const std::optional<Trace> trace = CompiledProgram::numbers(*space_.run, query_, candidate, shared_, ignored);
  if (!trace) return nullptr;
  evaluated_.push_back(std::make_unique<EvaluatedCandidate>(EvaluatedCandidate{candidate, trace->graph, trace->metrics}));
  return evaluated_.back().get();
}

/// Returns whether a formula of the program, or of the graph if it is not null, reads an input in which `a` and `b` differ.
bool DuplicateChecker::reads_difference(const AnnotatedGraph* graph, const std::vector<double>& a, const std::vector<double>& b) const {
  const std::set<const Name*> by_graph = graph == nullptr ? std::set<const Name*>{} : opledger::mentioned_inputs(space_.run->program(), graph->run);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && (mentioned_.contains(inputs_[i]) || by_graph.contains(inputs_[i]))) return true;
  }
  return false;
}

/// A shortcut without metrics: two candidates are duplicates if no formula reads the inputs that differ and the graphs
/// are equal. Programs with cases, which have several graphs, and runs without a model take the slow way.
bool DuplicateChecker::have_same_graphs(const std::vector<double>& a, const std::vector<double>& b) {
  const LinkedRun& run = *space_.run;
  if (!run.has_model() || !run.program().cases.empty() || reads_difference(nullptr, a, b)) return false;
  const AnnotatedGraph* const first = CompiledProgram::graph(run, query_, a, shared_);
  const AnnotatedGraph* const second = first != nullptr ? CompiledProgram::graph(run, query_, b, shared_) : nullptr;
  if (second == nullptr || reads_difference(first, a, b)) return false;
  return first == second || opledger::same(first->graph, first->annotations, second->graph, second->annotations);
}

/// Tests cheap conditions first: inputs that distinguish runs, then graphs, then all metrics bit for bit. Rounding can't make
/// different runs equal, except by chance in every metric.
bool DuplicateChecker::are_duplicates(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (distinguishes_[i] && a[i] != b[i]) return false;
  }
  if (have_same_graphs(a, b)) return true;
  const EvaluatedCandidate* const first = evaluated(a);
  const EvaluatedCandidate* const second = first != nullptr ? evaluated(b) : nullptr;
  return second != nullptr && equal(first->graph, second->graph) &&
         std::equal(first->values.begin(), first->values.end(), second->values.begin(), second->values.end(), same_value);
}

}  // namespace opledger
