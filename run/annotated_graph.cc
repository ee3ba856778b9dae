#include "run/annotated_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accounting/sizes.h"
#include "expr/parser.h"
#include "formulas/link/linker.h"
#include "graph/build.h"
#include "graph/partial_renames.h"
#include "graph/unread.h"
#include "graph/verify.h"
#include "rules/annotate.h"

namespace opledger {

using Ranks = FunctionRef<Scalar(AxisId)>;

/// Degrees of axes, computed while the graph is under construction. `Sizes` computes the same numbers later from the
/// finished graph. An axis that is a part of another axis has a degree that depends on dimension sizes; results are
/// memoized.
class Degrees {
 public:
  Degrees(const Graph& graph, const Mesh& mesh, Inquiry& inquiry, FunctionRef<const Formula*(DimId)> size, FunctionRef<const Name*(AxisId)> whole)
      : graph_(graph), mesh_(mesh), inquiry_(inquiry), size_(size), whole_(whole) {}

  Scalar operator()(AxisId axis) {
    const auto known = ranks_.find(axis);
    return known != ranks_.end() ? known->second : ranks_[axis] = find(axis);
  }

 private:
  Scalar find(AxisId axis) {
    Scalar ranks = integer(1);
    if (mesh_.axes[axis].part != Axis::Part::whole) {
      ranks = part_degree(
          inquiry_.tape(), mesh_, axis, [this](DimId d) { return size(d); }, *this);
    } else if (const Name* const name = whole_(axis)) {
      ranks = inquiry_.ask(*name).scalar;
    }
    return ranks.value < 1 ? integer(1) : ranks;
  }

  Scalar size(DimId dimension) {
    if (graph_.dimensions[dimension].mean) return integer(0);  // Zero is divisible by any degree.
    const Formula* const formula = size_(dimension);
    const Value v = formula != nullptr ? inquiry_.ask(*formula) : Value{};
    if (!v.is_number() || v.scalar.value < 1) return integer(1);
    return graph_.dimensions[dimension].rounds ? apply(inquiry_.tape(), Op::floor, v.scalar) : v.scalar;
  }

  const Graph& graph_;
  const Mesh& mesh_;
  Inquiry& inquiry_;
  FunctionRef<const Formula*(DimId)> size_;
  FunctionRef<const Name*(AxisId)> whole_;
  std::map<AxisId, Scalar> ranks_;
};

/// Evaluates the decisions of graph construction (conditions, divisibility, degrees of 1) and records each with its
/// value in `decisions`. The static `answer` evaluates a recorded decision for other inputs, so recording and replaying
/// use one definition.
class DecisionRecorder {
 public:
  DecisionRecorder(Evaluator& evaluator, const NameScope& scope, Formulas& into, Diagnostics& diagnostics)
      : program_(evaluator.program()),
        scope_(scope),
        linker_(program_, into, diagnostics),
        inquiry_(evaluator),
        evaluator_(evaluator),
        diagnostics_(diagnostics) {}

  /// Evaluates a condition (`when`, `require`) and records the decision. Nothing, with an error, if it has no value or
  /// is no truth. Nodes of a block that many segments use share a condition, which is evaluated once.
  std::optional<bool> holds(const ExprPtr& expr) {
    if (const auto known = conditions_.find(expr); known != conditions_.end()) return known->second;
    const Formula* formula = link(expr);
    if (formula == nullptr) return std::nullopt;
    const Answer answer = evaluator_.ask(*formula);
    if (!answer.report(diagnostics_)) return std::nullopt;
    const Value v = as_truth(answer.value);
    if (v.kind != Value::Kind::truth) {
      diagnostics_.error(expr->span, fmt::format("a condition must be true or false, not {}", describe(v)));
      return std::nullopt;
    }
    decisions.push_back({BuildDecision::Kind::condition, formula, nullptr, {}, specialize(inquiry_.tape(), v.scalar)});
    return conditions_[expr] = decisions.back().value != 0;
  }

  /// Returns whether the ranks of `axes` divide the size of a dimension, and records the decision. A mean is divisible
  /// by any number, without a decision. A size without a value counts as not divisible; its reader reports it.
  bool divides(const DimensionInfo& info, const AxisList& axes, Ranks ranks) {
    if (info.mean) return true;
    BuildDecision division{BuildDecision::Kind::remainder, size_of(info), nullptr, axes, 0, info.rounds};
    return division.formula != nullptr && decide(std::move(division), ranks).value_or(1) == 0;
  }

  /// Returns whether an axis has a single rank, and records the decision.
  bool one_rank(AxisId axis, Ranks ranks) { return decide({BuildDecision::Kind::one_rank, nullptr, nullptr, {axis}, 0}, ranks).value_or(0) != 0; }

  /// Evaluates a decision with the evaluator behind `inquiry`. The value is the truth of a condition or of one rank, or
  /// a remainder: of a size divided by the ranks of the axes or by `parts`. On a tape, a guard keeps the value. Nothing
  /// if a size is no number.
  static std::optional<double> answer(const BuildDecision& s, Inquiry& inquiry, Ranks ranks) {
    Tape* const tape = inquiry.tape();
    Scalar by = integer(1);
    if (s.parts != nullptr) by = inquiry.ask(*s.parts).scalar;
    for (const AxisId a : s.axes) by = apply(tape, Op::multiply, by, ranks(a));
    if (s.kind == BuildDecision::Kind::one_rank) return specialize(tape, apply(tape, Op::equal, by, integer(1)));
    const Value v = inquiry.ask(*s.formula);
    if (s.kind == BuildDecision::Kind::condition) return specialize(tape, as_truth(v).scalar);
    if (!v.is_number()) return std::nullopt;
    return specialize(tape, apply(tape, Op::modulo, s.rounds ? apply(tape, Op::floor, v.scalar) : v.scalar, by));
  }

  /// Checks the constraints of the model and its blocks, and the ratio of sizes of each pair of grouped dimensions.
  bool check(const Graph& graph) {
    bool good = true;
    for (const Requirement& r : graph.requirements) {
      if (r.when && !holds(r.when).value_or(false)) continue;
      const std::optional<bool> holds_here = holds(r.require);
      if (holds_here && !*holds_here) {
        std::vector<Diagnostic> notes = input_notes(r);
        diagnostics_.error(r.span, message(r)).notes = std::move(notes);
      }
      good = good && holds_here.value_or(false);
    }
    for (const auto& [fine, coarse] : graph.grouped) good = check_group(graph.dimensions[fine], graph.dimensions[coarse]) && good;
    return good;
  }

  /// Checks sizes that documents state as values. Errors then point to the line of the user and not to a formula
  /// computed from it.
  bool check_sizes(const Graph& graph) {
    bool good = true;
    for (const DimensionInfo& info : graph.dimensions) {
      const Formula* size = size_of(info);
      if (size == nullptr || !is_stated(*size)) continue;
      const Answer answer = evaluator_.ask(*size);
      const std::string wrong = answer.report(diagnostics_) ? size_error(answer.value, info.mean || info.rounds) : std::string();
      good = good && answer.known() && wrong.empty();
      if (wrong.empty()) continue;
      specialize(inquiry_.tape(), answer.value.scalar);
      diagnostics_.error(written(*size, info.span), fmt::format("dimension `{}` must be {}", info.name, wrong));
    }
    return good;
  }

  std::vector<BuildDecision> decisions;
  Inquiry& inquiry() { return inquiry_; }

  /// Returns the linked size of a dimension; by default, a formula that reads the parameter with the dimension's name.
  const Formula* size_of(const DimensionInfo& info) {
    const auto [size, fresh] = sizes_.try_emplace(info.name, nullptr);
    if (fresh) size->second = link(info.size ? info.size : parse_expression(info.name, info.span, diagnostics_));
    return size->second;
  }

 private:
  /// Returns whether a formula is a value or a chain of names that ends at a value. Names may be recursive, so visited
  /// names are remembered.
  static bool is_stated(const Formula& f) {
    std::set<const Name*> visited;
    const Formula* at = &f;
    for (;;) {
      if (at->kind == Formula::Kind::operation && at->args.size() == 1) {  // A sign.
        at = at->args[0];
      } else if (at->kind == Formula::Kind::name && visited.insert(at->name).second && !at->name->defs.empty() && at->name->defs[0]->otherwise != nullptr) {
        at = at->name->defs[0]->otherwise;
      } else {
        return at->kind == Formula::Kind::constant || at->kind == Formula::Kind::list;
      }
    }
  }

  /// Returns notes with the stated inputs from which a violated constraint follows. A stated input is a value in
  /// another document than the constraint's. The search is depth first, through the default definitions of the names in
  /// the formula, and stops after kMost notes. `visited` keeps recursive names from endless search.
  std::vector<Diagnostic> input_notes(const Requirement& requirement) {
    constexpr std::size_t kMost = 4;
    std::vector<Diagnostic> notes;
    if (evaluator_.tape() != nullptr) return notes;  // Notes guard values, which would give each candidate a program of its own.
    std::set<const Name*> visited;
    std::vector<const Formula*> open{link(requirement.require)};
    while (!open.empty() && notes.size() < kMost) {
      const Formula* const f = open.back();
      open.pop_back();
      if (f == nullptr) continue;
      open.insert(open.end(), f->args.rbegin(), f->args.rend());
      if (f->kind != Formula::Kind::name || !visited.insert(f->name).second || f->name->defs.empty()) continue;
      const Def& def = *f->name->defs[0];
      if (is_stated(*f) && def.span.known() && def.span.file != requirement.span.file)
        notes.push_back({Severity::note, def.span, fmt::format("`{}` = {}", f->name->name, worth(f)), {}});
      open.push_back(def.otherwise);
    }
    return notes;
  }

  /// Returns the value of a formula as text for people.
  std::string worth(const Formula* formula) {
    if (formula == nullptr) return "?";
    const Answer answer = evaluator_.ask(*formula);
    if (answer.known()) specialize(inquiry_.tape(), answer.value.scalar);
    return human(answer.value);
  }

  std::string message(const Requirement& requirement) {
    std::string out;
    for (const Requirement::Part& part : requirement.message) out += part.text + (part.value ? worth(link(part.value)) : "");
    return out;
  }

  /// Checks that the size of the fine dimension is a multiple of the parameter of the coarse one; reports an error
  /// otherwise.
  bool check_group(const DimensionInfo& fine, const DimensionInfo& coarse) {
    const auto parts = scope_.names.find(coarse.name);
    if (coarse.size || parts == scope_.names.end()) return true;  // No parameter to check against.
    const Formula* const size = size_of(fine);
    if (size == nullptr) return false;
    const std::optional<double> left = decide({BuildDecision::Kind::group, size, parts->second, {}, 0}, [](AxisId) { return integer(1); });
    if (left.value_or(0) == 0) return true;  // A size that is no number is reported by its reader.
    diagnostics_.error(
        fine.span, fmt::format("`{}` = {} is not a multiple of `{}` = {}, as `grouped` requires", fine.name, worth(size), coarse.name, worth(size_of(coarse))));
    return false;
  }

  /// Evaluates and records a decision; nothing, without a record, if it has no value.
  std::optional<double> decide(BuildDecision decision, Ranks ranks) {
    const std::optional<double> found = answer(decision, inquiry_, ranks);
    if (!found) return std::nullopt;
    decision.value = *found;
    decisions.push_back(std::move(decision));
    return found;
  }

  const Formula* link(const ExprPtr& expr) { return linker_.link(expr, scope_); }

  const Program& program_;
  const NameScope& scope_;  ///< Scope of the model.
  Linker linker_;
  Inquiry inquiry_;  ///< Evaluates decisions; collects errors.
  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
  std::map<std::string, const Formula*> sizes_;   ///< Sizes by name of dimension.
  std::unordered_map<ExprPtr, bool> conditions_;  ///< Conditions with a value.
};

/// The graph under construction, and the functions that answer the queries of the rule passes. `recorder` evaluates every
/// decision on the inputs (conditions, divisibility, single ranks) and records it, so that `find_equivalent` can compare
/// other inputs later. Degrees of axes are computed from the unfinished graph, since the degrees of cut axes depend on its
/// dimensions.
struct GraphBuilder::State {
  State(const GraphSources& from, Evaluator& of, Diagnostics& to)
      : sources(from),
        evaluator(of),
        diagnostics(to),
        out(std::make_unique<AnnotatedGraph>()),
        scope(*of.program().models[from.number].scope),
        recorder(of, scope, out->formulas, to) {}

  const Formula* size(DimId d) { return recorder.size_of(out->graph.dimensions[d]); }

  GraphSources sources;
  Evaluator& evaluator;
  Diagnostics& diagnostics;
  std::unique_ptr<AnnotatedGraph> out;
  const NameScope& scope;
  DecisionRecorder recorder;
  Condition holds = [this](const ExprPtr& expr) { return recorder.holds(expr); };
  std::function<const Formula*(DimId)> size_of = [this](DimId d) { return size(d); };
  std::function<bool(DimId, const Mesh&, const AxisList&)> divides = [this](DimId d, const Mesh& mesh, const AxisList& axes) {
    const auto whole = [&](AxisId a) { return evaluator.program().find(mesh.axes[a].name); };
    return recorder.divides(out->graph.dimensions[d], axes, Degrees(out->graph, mesh, recorder.inquiry(), size_of, whole));
  };
  std::function<bool(const Mesh&, AxisId)> one_rank = [this](const Mesh& mesh, AxisId axis) {
    const auto whole = [&](AxisId a) { return evaluator.program().find(mesh.axes[a].name); };
    return recorder.one_rank(axis, Degrees(out->graph, mesh, recorder.inquiry(), size_of, whole));
  };
};

GraphBuilder::GraphBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
GraphBuilder::~GraphBuilder() = default;

const Graph& GraphBuilder::graph() const { return state_->out->graph; }
const Mesh& GraphBuilder::mesh() const { return *state_->sources.mesh; }
const Condition& GraphBuilder::condition() const { return state_->holds; }
SizeQueries GraphBuilder::queries() const { return {state_->divides, state_->one_rank}; }

/// The order matters: conditions read the axes; sizes and constraints are checked before rules divide dimensions.
std::unique_ptr<GraphBuilder> GraphBuilder::build(const GraphSources& sources, Evaluator& evaluator, Diagnostics& diagnostics) {
  auto state = std::make_unique<State>(sources, evaluator, diagnostics);
  DecisionRecorder& recorder = state->recorder;
  fill_axes(recorder.inquiry(), *sources.mesh);
  if (!recorder.inquiry().good()) return diagnostics.append(std::move(recorder.inquiry().messages())), nullptr;
  std::vector<LayerPart> parts;
  for (const PartRule& rule : sources.rules->parts) {
    if (!rule.when || state->holds(rule.when).value_or(false)) parts.push_back(rule.part);
  }
  std::optional<Graph> graph = build_graph(*sources.model, *sources.operators, state->holds, diagnostics, parts);
  if (!graph || diagnostics.has_errors()) return nullptr;
  // A size that reads an average is an average, too; `means` keeps the flags as the model states them.
  for (const DimId d : graph->dimensions.ids()) {
    DimensionInfo& info = graph->dimensions[d];
    const Formula* const size = recorder.size_of(info);
    state->out->means.push_back(info.mean);
    info.mean = info.mean || (size != nullptr && evaluator.reads_mean(*size));
  }
  if (!recorder.check_sizes(*graph) || !recorder.check(*graph)) return nullptr;
  state->out->graph = std::move(*graph);
  Diagnostics remarks;
  warn_of_unread(state->out->graph, sources.silent ? remarks : diagnostics);
  if (!sources.silent) warn_of_partial_renames(*sources.model, state->out->graph, state->holds, diagnostics);
  if (remarks.has_errors()) diagnostics.append(std::move(remarks));
  return std::unique_ptr<GraphBuilder>(new GraphBuilder(std::move(state)));
}

std::optional<Annotations> GraphBuilder::annotate(const RuleSet& rules) {
  Diagnostics& diagnostics = state_->diagnostics;
  Diagnostics remarks;
  std::optional<Annotations> annotations = opledger::annotate(graph(), mesh(), rules, condition(), queries(), state_->sources.silent ? remarks : diagnostics);
  if (remarks.has_errors()) diagnostics.append(std::move(remarks));
  diagnostics.append(std::move(state_->recorder.inquiry().messages()));
  if (!annotations || diagnostics.has_errors()) return std::nullopt;
  return annotations;
}

std::optional<GraphRun> GraphBuilder::bind(const Graph& graph, const Annotations& annotations, Formulas& into) {
  std::optional<GraphRun> run = bind_graph(state_->evaluator.program(), state_->scope, graph, annotations, into, state_->diagnostics);
  if (state_->diagnostics.has_errors()) return std::nullopt;
  return run;
}

std::unique_ptr<AnnotatedGraph> GraphBuilder::finish(Annotations annotations) {
  std::unique_ptr<AnnotatedGraph> out = std::move(state_->out);
  out->model = state_->sources.number;
  out->annotations = std::move(annotations);
  // A defect is an error of this program, not of the documents.
  for (const std::string& defect : verify(out->graph, out->annotations)) state_->diagnostics.error({}, "internal: " + defect);
  std::optional<GraphRun> run = bind(out->graph, out->annotations, out->formulas);
  if (!run) return nullptr;
  out->run = std::move(*run);
  out->decisions = std::move(state_->recorder.decisions);
  return out;
}

/// Builds the graph of a model, places its tensors by the rules, and links its formulas. `sources.silent` drops the
/// warnings about the built graph and of the rule passes, and keeps errors. Returns null, with errors, if a step fails.
std::unique_ptr<AnnotatedGraph> annotate_graph(const GraphSources& sources, Evaluator& evaluator, Diagnostics& diagnostics) {
  const std::unique_ptr<GraphBuilder> builder = GraphBuilder::build(sources, evaluator, diagnostics);
  if (builder == nullptr) return nullptr;
  std::optional<Annotations> annotations = builder->annotate(*sources.rules);
  return annotations ? builder->finish(std::move(*annotations)) : nullptr;
}

namespace {

/// Evaluates the recorded decisions of one graph for the evaluator's inputs.
class DecisionReplay {
 public:
  DecisionReplay(const AnnotatedGraph& graph, Evaluator& evaluator) : graph_(graph), evaluator_(evaluator), inquiry_(evaluator) {}

  /// Returns the value of a decision; empty if it has no value for these inputs.
  std::optional<double> answer(std::size_t decision) {
    const std::optional<double> out = DecisionRecorder::answer(graph_.decisions[decision], inquiry_, degrees_);
    return inquiry_.good() ? out : std::nullopt;
  }

  /// Returns whether the same dimensions would be averages.
  bool same_means() {
    for (const DimId d : graph_.graph.dimensions.ids()) {
      const Formula* const formula = size(d);
      if (formula != nullptr && !graph_.means[d] && evaluator_.reads_mean(*formula) != graph_.graph.dimensions[d].mean) return false;
    }
    return true;
  }

 private:
  const Formula* size(DimId d) const { return graph_.run.sizes[d]; }

  const AnnotatedGraph& graph_;
  Evaluator& evaluator_;
  Inquiry inquiry_;
  const std::function<const Formula*(DimId)> size_ = [this](DimId d) { return size(d); };
  const std::function<const Name*(AxisId)> whole_ = [this](AxisId a) { return graph_.run.degrees[a]; };
  Degrees degrees_{graph_.graph, graph_.annotations.mesh, inquiry_, size_, whole_};
};

/// Compares one decision of a graph with a value. A graph without this decision comes first.
struct CompareDecisions {
  std::size_t decision;
  bool operator()(const AnnotatedGraph* graph, double value) const { return decision >= graph->decisions.size() || graph->decisions[decision].value < value; }
  bool operator()(double value, const AnnotatedGraph* graph) const { return decision < graph->decisions.size() && value < graph->decisions[decision].value; }
};

}  // namespace

namespace {

/// Compares graphs by model, then by the values of their decisions.
bool precedes(const std::unique_ptr<AnnotatedGraph>& a, const std::unique_ptr<AnnotatedGraph>& b) {
  if (a->model != b->model) return a->model < b->model;
  const auto less = [](const BuildDecision& left, const BuildDecision& right) { return left.value < right.value; };
  return std::lexicographical_compare(a->decisions.begin(), a->decisions.end(), b->decisions.begin(), b->decisions.end(), less);
}

}  // namespace

const AnnotatedGraph* add_graph(AnnotatedGraphs& all, std::unique_ptr<AnnotatedGraph> graph) {
  return all.insert(std::upper_bound(all.begin(), all.end(), graph, precedes), std::move(graph))->get();
}

/// Returns the first graph whose recorded decisions all recur for the evaluator's inputs, with the same sizes as
/// averages; null if none does. Graphs are sorted by decisions. Two graphs with equal decisions so far have the same
/// next decision, because construction is deterministic. Each decision is therefore evaluated once, and a binary search
/// narrows the range of remaining graphs, as in a decision tree. The range is a copy, because an evaluation may add graphs
/// of other case words. On a tape, each evaluation records a guard.
const AnnotatedGraph* find_equivalent(const AnnotatedGraphs& all, Evaluator& evaluator) {
  std::vector<const AnnotatedGraph*> left;
  for (const auto& graph : all) {
    if (graph->model == evaluator.model()) left.push_back(graph.get());
  }
  auto first = left.begin(), last = left.end();
  for (std::size_t decision = 0; first != last;) {
    const AnnotatedGraph* const representative = *first;
    DecisionReplay replay(*representative, evaluator);
    for (; first != last && *first == representative && decision < representative->decisions.size(); ++decision) {
      const std::optional<double> now = replay.answer(decision);
      if (!now || std::isnan(*now)) return nullptr;
      std::tie(first, last) = std::equal_range(first, last, *now, CompareDecisions{decision});
    }
    // The representative differs. The next graph agrees in all decisions so far and takes its place.
    if (first == last || *first != representative) continue;
    if (replay.same_means()) return representative;
    ++first;
  }
  return nullptr;
}

}  // namespace opledger
