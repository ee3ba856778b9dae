#include "run/run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/evaluate/render_message.h"
#include "formulas/formula_text.h"
#include "formulas/link/linker.h"

namespace opledger {

/// Links the documents, then solves an input if the run requests it, else builds the graph and fills the evaluator's
/// sets. The sets at other words of cases are filled on first use. A run without a graph has an evaluator only.
std::unique_ptr<Run> Run::prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run(new Run());
  if (!run->load(request, library, diagnostics)) return nullptr;
  if (std::optional<SolvedInput> solved = requested_solution(*run, diagnostics)) return solve(*run, std::move(*solved), library, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  run->evaluator_.emplace(run->program());
  if (!run->has_model()) return run;
  fill_cases(*run, run->graphs_, *run->evaluator_);
  run->annotated_ = fill_graph(*run, run->graphs_, false, *run->evaluator_, diagnostics);
  return run->annotated_ != nullptr ? std::move(run) : nullptr;
}

/// Solves the input on a linked run in which its value is stated, then prepares the run with the solution. Stating a
/// value first matters: inputs whose defaults depend on it are then linked by the same formulas as in the solved run.
std::unique_ptr<Run> Run::solve(const Run& run, SolvedInput solved, Library& library, Diagnostics& diagnostics) {
  const auto with = [&](Datum value) {
    RunRequest request = run.request();
    request.fields.push_back({solved.name, std::move(value), solved.span, false});
    return request;
  };
  const std::unique_ptr<LinkedRun> linked = LinkedRun::link(with(Datum::scalar("1", false, solved.span)), library, diagnostics);
  const std::optional<double> value = linked == nullptr ? std::nullopt : InputSolver(*linked, solved, {}).solve({}, diagnostics);
  if (!value) return nullptr;
  const RunRequest request = with(Datum::scalar(exact(*value), false, solved.span));
  std::unique_ptr<Run> out = prepare(request, library, diagnostics);
  if (out != nullptr) out->solved_ = std::move(solved);
  return out;
}

namespace {

/// Sets the case word `word` in `point`: it becomes the current word of the set of `cases` that contains it. Returns
/// false, with an error and a suggestion, if no set has the word. A combined word (`together`) is an error, too: it
/// consists of several words with a graph each, so no single graph belongs to it.
bool choose_case(const Program& program, const std::string& word, Point& point, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const CaseSet& cases : program.cases) {
    const Set& set = program.set(cases.set);
    known.insert(known.end(), set.words.begin(), set.words.end());
    const auto found = set.index.find(word);
    if (found == set.index.end()) continue;
    std::vector<std::string> parts;
    for (const WordId part : cases.words[found->second].together) parts.push_back("`" + set.words[part] + "`");
    if (!parts.empty()) diagnostics.error({}, fmt::format("`{}` has no graph of its own: it is {} together", word, join(parts, " and ")));
    point[cases.set] = found->second;
    return parts.empty();
  }
  diagnostics.error({}, known.empty() ? fmt::format("there is no case `{}`: the accounting has none", word)
                                      : fmt::format("there is no case `{}`{}", word, suggestion(word, known)));
  return false;
}

}  // namespace

/// Returns the graph at these words of cases, with the evaluator and the point for formulas over it. The words are set
/// in a point; `Evaluator::at` gives the evaluator for that point. The words may leave the run's own graph in effect;
/// otherwise the graph is built here. Evaluators fill their sets on first use, so a formula that counts nodes forces
/// the build, and `find_equivalent` finds the result among `graphs_`. Nothing, with errors, if a word is unknown or the
/// graph can't be built.
std::optional<Run::CaseGraph> Run::graph_at(const std::vector<std::string>& words, Diagnostics& diagnostics) {
  Point point = nowhere();
  for (const std::string& word : words) {
    if (!choose_case(program(), word, point, diagnostics)) return std::nullopt;
  }
  const auto there = evaluator_->at(point);
  if (!there) return diagnostics.error({}, fmt::format("there is no graph of {}", join(words, ", "))), std::nullopt;
  Evaluator& evaluator = *there->first;
  if (&evaluator == &*evaluator_ || !has_graph()) return CaseGraph{annotated_, &evaluator, there->second};
  const ExprPtr nodes = parse_expression("count(over " + program().set(program().engine->nodes).name + ")", {}, diagnostics);
  const Formula* const count = Linker(program(), evaluator.queries(), diagnostics).link(nodes, *program().global);
  if (count == nullptr || !evaluator.ask(*count).report(diagnostics)) return std::nullopt;
  const AnnotatedGraph* const built = find_equivalent(graphs_, evaluator);
  return built == nullptr ? std::nullopt : std::optional(CaseGraph{built, &evaluator, there->second});
}

std::vector<const Formulas*> Run::formulas() const {
  std::vector<const Formulas*> out = {&program()};
  for (const auto& graph : graphs_) out.push_back(&graph->formulas);
  return out;
}

std::optional<Value> Run::value(const std::string& name, Diagnostics& diagnostics) {
  const std::optional<Published> metric = program().metric(name, diagnostics);
  if (!metric) return std::nullopt;
  Answer answer = evaluator_->ask(*metric);
  return answer.report(diagnostics) ? std::optional(std::move(answer.value)) : std::nullopt;
}

namespace {

/// Checks constraints in order and collects violations without duplicates. Evaluation errors are reported only until
/// the first violation, because later constraints may then be meaningless.
class ConstraintChecker {
 public:
  /// With `remarks`, a violation whose message can't be rendered is dropped; otherwise its condition is the message.
  ConstraintChecker(Evaluator& evaluator, Diagnostics& diagnostics, bool remarks = false)
      : evaluator_(evaluator), diagnostics_(diagnostics), remarks_(remarks) {}

  void check(const std::vector<Constraint>& constraints, const Point& point) {
    for (const Constraint& c : constraints) {
      const std::vector<WordId> words = c.over ? evaluator_.visit(c.over, point) : std::vector<WordId>{kNoWord};
      for (const WordId word : words) check(c, c.over ? evaluator_.choose(point, c.over, word) : point);
    }
  }

  std::vector<Violation> out;

 private:
  void check(const Constraint& c, const Point& point) {
    if (c.when != nullptr && !holds(*c.when, point).value_or(false)) return;
    if (c.require != nullptr) {
      const std::optional<bool> holds_here = holds(*c.require, point);
      if (!holds_here) return;
      if (!*holds_here) violate(c, point);
    }
    check(c.all, point);
  }

  void violate(const Constraint& c, const Point& point) {
    Violation v;
    std::optional<std::string> text = render_message(evaluator_, c.message, point, sink());
    if (!text && remarks_) return;
    v.message = text ? std::move(*text) : shown(*c.require);
    v.reason = c.reason.empty() ? v.message : c.reason;
    v.span = c.span;
    if (c.at != nullptr) {
      const Answer field = evaluator_.ask(*c.at, point);
      if (field.report_unless_absent(sink()) && field.value.record != nullptr) v.at = field.value.record->span;
    }
    const auto same = [&](const Violation& other) { return other.message == v.message && other.reason == v.reason; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(v));
  }

  /// Returns the truth of a condition; nothing if it has no value.
  std::optional<bool> holds(const Formula& formula, const Point& point) {
    const Answer answer = evaluator_.ask(formula, point);
    return answer.report_unless_absent(sink()) ? std::optional(answer.value.scalar.value != 0) : std::nullopt;
  }

  /// Returns the receiver of errors: after the first violated constraint they are dropped. Remarks are independent.
  Diagnostics& sink() { return out.empty() || remarks_ ? diagnostics_ : ignored_; }

  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
  bool remarks_;
  Diagnostics ignored_;
};

}  // namespace

std::vector<Violation> Run::violations(Diagnostics& diagnostics) {
  ConstraintChecker checker(*evaluator_, diagnostics);
  checker.check(program().constraints, nowhere());
  return std::move(checker.out);
}

std::vector<Violation> Run::remarks(Diagnostics& diagnostics) {
  ConstraintChecker checker(*evaluator_, diagnostics, true);
  checker.check(program().remarks, nowhere());
  return std::move(checker.out);
}

}  // namespace opledger
