#include "run/compiled_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "formulas/formula_text.h"

namespace opledger {

/// Evaluates metrics and constraints on symbolic inputs and records the result on a tape. Incremental mode keeps one
/// evaluator and tape for all candidates. The evaluator revalidates memoized results, and each trace copies the part of
/// the tape that its results need. Incremental mode needs known candidate values.
class CompiledProgram::Compiler {
 public:
  Compiler(const LinkedRun& run, const Query& query, Shared& shared, Diagnostics& diagnostics, bool symbols = true)
      : run_(run),
        query_(query),
        shared_(shared),
        diagnostics_(diagnostics),
        incremental_(symbols && !shared.candidates.values.empty()),
        evaluator_(incremental_ ? incremental_evaluator(run, shared)
                                : own_.emplace(run.program(), Evaluator::Mode::numbers, symbols ? &trace_.tape : nullptr)) {}

  /// Returns a trace with the guards recorded so far and one failing check, with this reason, in place of results.
  Trace refuse(std::string reason) {
    trace_.metrics.assign(query_.outputs.size(), Value{});
    trace_.results.assign(query_.outputs.size(), Scalar{});
    trace_.checks.assign(1, {add_result(truth(false)), {}, std::move(reason)});
    return finish();
  }

  const AnnotatedGraph* graph(const std::vector<double>& candidate) {
    return add_inputs(candidate) ? find_graph(run_, shared_.graphs, true, evaluator_, diagnostics_) : nullptr;
  }

  /// Evaluates the metrics and constraints of the query for one candidate and returns the recording; nothing, with
  /// errors, on failure.
  std::optional<Trace> trace(const std::vector<double>& candidate) {
    if (!shared_.candidates.values.empty()) evaluator_.set_candidates(&shared_.candidates);
    if (incremental_) evaluator_.begin(candidate);
    if (!add_inputs(candidate) || !build() || !add_metrics()) return std::nullopt;
    if (query_.constraints) {
      add_constraints(run_.program().constraints, nowhere(), {});
      add_constraints(query_.where, nowhere(), {});
    }
    return finish();
  }

 private:
  /// Returns the evaluator shared with earlier candidates; creates it for the first one.
  static Evaluator& incremental_evaluator(const LinkedRun& run, Shared& shared) {
    if (shared.evaluator == nullptr) {
      shared.tape = std::make_unique<Tape>();
      shared.evaluator = std::make_unique<Evaluator>(run.program(), Evaluator::Mode::numbers, shared.tape.get());
    }
    return *shared.evaluator;
  }

  Tape* tape() { return evaluator_.tape(); }

  /// Finishes the trace. On a shared tape, copies the operations that results and guards need, and renumbers the
  /// symbols of results.
  Trace finish() {
    if (incremental_) {
      std::vector<Scalar*> results;
      for (Scalar& result : trace_.results) results.push_back(&result);
      for (const Tape::Guard& guard : tape()->guards()) trace_.recorded.push_back(guard.condition.symbol);
      trace_.tape = tape()->extract(results);
      for (std::size_t i = 0; i < trace_.metrics.size(); ++i) trace_.metrics[i].scalar = trace_.results[i];
      for (Trace::Check& check : trace_.checks) {
        for (Trace::Text& text : check.message) text.value.scalar = trace_.results[text.result];
      }
    }
    return std::move(trace_);
  }

  /// Makes the query's inputs symbols of the tape, with the values of `candidate` as the sample. Derived inputs get
  /// their formulas. If all values of an input are known beforehand, their range becomes a bound, which lets the tape
  /// fold comparisons. Without a tape (mode of numbers) the inputs are constants. Returns false, with an error, for an
  /// unknown input or one without a value.
  bool add_inputs(const std::vector<double>& candidate) {
    std::vector<const Name*> names;
    for (std::size_t i = 0; i < query_.inputs.size(); ++i) {
      const Name* name = run_.program().find_input(query_.inputs[i]);
      if (name == nullptr) {
        diagnostics_.error({}, fmt::format("unknown input `{}`{}", query_.inputs[i], known_names(query_.inputs[i], "inputs", names_of(run_.program().inputs))));
        return false;
      }
      evaluator_.make_symbolic(*name, candidate[i]);
      names.push_back(name);
    }
    for (const auto& [name, formula] : query_.derived) evaluator_.derive(*name, *formula);
    const auto known = [&](const Name* name) {
      const Answer input = evaluator_.base_value(*name);
      const auto values = shared_.candidates.values.find(name);
      if (tape() != nullptr && input.known() && values != shared_.candidates.values.end() && !values->second.empty())
        tape()->bound(input.value.scalar, values->second.front(), values->second.back());
      return input.report(diagnostics_);
    };
    return std::all_of(names.begin(), names.end(), known);  // Asking in this order numbers the tape's inputs.
  }

  bool build() {
    if (!run_.has_model()) return true;
    fill_cases(run_, shared_.graphs, evaluator_);
    trace_.graph = fill_graph(run_, shared_.graphs, false, evaluator_, diagnostics_);
    return trace_.graph != nullptr;
  }

  std::size_t add_result(const Scalar& scalar) {
    trace_.results.push_back(scalar);
    return trace_.results.size() - 1;
  }

  bool add_metrics() {
    for (const std::string& output : query_.outputs) {
      const std::optional<Published> metric = run_.program().metric(output, diagnostics_);
      if (!metric) return false;
      const Answer answer = evaluator_.ask(*metric);
      // A refused candidate may lack some metrics.
      if (!query_.constraints && !answer.report(diagnostics_)) return false;
      const Value& v = answer.value;
      if (v.kind != Value::Kind::number && v.kind != Value::Kind::truth && !v.scalar.constant()) tape()->guard(v.scalar);
      add_result(v.scalar);
      trace_.metrics.push_back(v);
    }
    return true;
  }

  /// Adds constraints as checks of the trace. A constraint over a set is added for each word of the set; `point` has
  /// the words chosen so far. Each check is one truth: the constraint does not apply, or it holds. `outer_condition` is
  /// the condition under which the surrounding constraints apply; nothing: always. It is joined with the presence of
  /// the word and with the constraint's own `when`. Nested constraints follow under the joined condition.
  void add_constraints(const std::vector<Constraint>& all, const Point& point, std::optional<Scalar> outer_condition) {
    for (const Constraint& c : all) {
      const std::vector<WordId> words = c.over ? evaluator_.visit(c.over, point) : std::vector<WordId>{kNoWord};
      for (const WordId word : words) {
        const Point p = c.over ? evaluator_.choose(point, c.over, word) : point;
        std::optional<Scalar> condition = outer_condition;
        if (const Scalar there = c.over ? evaluator_.presence(c.over, word) : truth(true); !there.constant())
          condition = condition ? apply(tape(), Op::logical_and, *condition, there) : there;
        if (c.when != nullptr) {
          const std::optional<Scalar> when = truth_of(*c.when, p, condition);
          if (!when) continue;
          condition = condition ? apply(tape(), Op::logical_and, *condition, *when) : *when;
        }
        if (c.require != nullptr) add_check(c, p, condition);
        add_constraints(c.all, p, condition);
      }
    }
  }

  /// Returns the condition as a truth. Empty if it can't be evaluated: silently if the run lacks a document, otherwise
  /// with a failing check for candidates that reach it.
  std::optional<Scalar> truth_of(const Formula& formula, const Point& point, const std::optional<Scalar>& condition) {
    const Answer answer = evaluator_.ask(formula, point);
    const Value v = as_truth(answer.value);
    if (v.kind == Value::Kind::truth) return v.scalar;
    const std::string why = answer.known() ? fmt::format("`{}` can't be evaluated", shown(formula)) : answer.error->message;
    if (!answer.absent) trace_.checks.push_back({add_result(not_applicable(condition)), {}, why});
    return std::nullopt;
  }

  /// Returns the negation of the condition; false without a condition, which makes a check fail.
  Scalar not_applicable(const std::optional<Scalar>& condition) { return condition ? apply(tape(), Op::logical_not, *condition) : truth(false); }

  /// Adds one constraint as a check: its truth, its reason, and the parts of its message with their values as further
  /// results. The truth is "the constraint does not apply, or it holds". A message's words can differ between
  /// candidates: the position of the word is a result, and `words` turns it into text. Other texts that differ are
  /// fixed by a guard. Nothing is added if the truth can't be evaluated; `truth_of` has then added a failing check
  /// where needed.
  void add_check(const Constraint& c, const Point& point, const std::optional<Scalar>& condition) {
    std::optional<Scalar> holds = truth_of(*c.require, point, condition);
    if (!holds) return;
    if (condition) holds = apply(tape(), Op::logical_or, *holds, not_applicable(condition));
    Trace::Check check;
    check.result = add_result(*holds);
    check.reason = c.reason;
    for (const MessagePart& part : c.message) {
      Trace::Text text{part.text, {}, part.digits, 0, part.value != nullptr, nullptr, part.value != nullptr ? shown(*part.value) : ""};
      if (part.value != nullptr) {
        text.value = evaluator_.ask(*part.value, point).value;
        const bool varies = text.value.text != nullptr && !text.value.scalar.constant();
        if (varies && text.value.kind == Value::Kind::word) text.words = &run_.program().set(text.value.set).words;
        if (varies && text.words == nullptr) tape()->guard(text.value.scalar);
        text.result = add_result(text.value.scalar);
      }
      check.message.push_back(std::move(text));
    }
    trace_.checks.push_back(std::move(check));
  }

  const LinkedRun& run_;
  const Query& query_;
  Shared& shared_;
  Diagnostics& diagnostics_;
  Trace trace_;
  const bool incremental_;
  std::optional<Evaluator> own_;
  Evaluator& evaluator_;
};

std::optional<CompiledProgram> CompiledProgram::compile(const LinkedRun& run, const Query& query, const std::vector<double>& candidate,
                                                        Diagnostics& diagnostics) {
  Shared shared;
  const std::optional<Trace> traced = trace(run, query, candidate, shared, diagnostics);
  return traced ? std::optional<CompiledProgram>(*traced) : std::nullopt;
}

std::optional<Trace> CompiledProgram::trace(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared,
                                            Diagnostics& diagnostics) {
  return Compiler(run, query, shared, diagnostics).trace(candidate);
}

std::optional<Trace> CompiledProgram::numbers(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared,
                                              Diagnostics& diagnostics) {
  return Compiler(run, query, shared, diagnostics, false).trace(candidate);
}

const AnnotatedGraph* CompiledProgram::graph(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared) {
  Diagnostics ignored;
  return run.has_model() ? Compiler(run, query, shared, ignored, false).graph(candidate) : nullptr;
}

Trace CompiledProgram::trace_or_refuse(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared) {
  Diagnostics diagnostics;
  Compiler compiler(run, query, shared, diagnostics);
  if (std::optional<Trace> traced = compiler.trace(candidate)) return std::move(*traced);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return compiler.refuse(d.message);
  }
  return compiler.refuse("it can't be computed");
}

CompiledProgram::CompiledProgram(const Trace& trace) : program_(trace.tape, trace.results), metrics_(trace.metrics), checks_(trace.checks) {}

CompiledProgram::Result CompiledProgram::evaluate(const std::vector<double>& candidate) const {
  const std::vector<double> results = program_.kernel.run(candidate);
  return answer([&](std::size_t i) { return results[i]; });
}

namespace {

/// Transposes candidates into one array per input, as batch evaluation by the kernel and guards requires.
struct Columns {
  Columns(std::size_t inputs, std::span<const std::vector<double>* const> candidates) : values(inputs, std::vector<double>(candidates.size())) {
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t c = 0; c < candidates.size(); ++c) values[i][c] = (*candidates[c])[i];
      pointers.push_back(values[i].data());
    }
  }

  std::vector<std::vector<double>> values;
  std::vector<const double*> pointers;
};

}  // namespace

/// Evaluates several candidates and returns a result for each, in order; nothing for a candidate that violates a guard,
/// as the program is not valid there. The guards of all candidates are tested first; then the kernel runs once on the
/// candidates that pass. Kernel and guards read one array per input (`Columns`). `own` and `places` list the passing
/// candidates and their positions.
std::vector<std::optional<CompiledProgram::Result>> CompiledProgram::evaluate(std::span<const std::vector<double>* const> candidates) const {
  const Kernel& kernel = program_.kernel;
  const std::vector<bool> holds = program_.guards.hold(Columns(kernel.inputs(), candidates).pointers, candidates.size());
  std::vector<std::size_t> places;
  std::vector<const std::vector<double>*> own;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!holds[c]) continue;
    places.push_back(c);
    own.push_back(candidates[c]);
  }
  std::vector<std::vector<double>> results(kernel.outputs(), std::vector<double>(own.size()));
  std::vector<double*> to;
  for (std::vector<double>& column : results) to.push_back(column.data());
  kernel.run(Columns(kernel.inputs(), own).pointers, to, own.size());
  std::vector<std::optional<Result>> out(candidates.size());
  for (std::size_t k = 0; k < places.size(); ++k) out[places[k]] = answer([&](std::size_t i) { return results[i][k]; });
  return out;
}

/// Assembles the result of one candidate from the numbers of the kernel; `result(i)` is number i. Metrics come first
/// and get the kinds and units of the recording. The first failing check gives message and reason; later checks may be
/// meaningless then. A check fails if its number is 0.
CompiledProgram::Result CompiledProgram::answer(FunctionRef<double(std::size_t)> result) const {
  Result answer{metrics_, {}, {}};
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    Value& v = answer.outputs[i];
    v.scalar = real(result(i));
    if (!std::isfinite(v.scalar.value)) v = {};
  }
  for (const Trace::Check& check : checks_) {
    if (result(check.result) != 0) continue;
    for (const Trace::Text& part : check.message) {
      Value v = part.value;
      v.scalar = real(part.has_value ? result(part.result) : 0);
      if (part.words != nullptr) v.text = &(*part.words)[static_cast<std::size_t>(result(part.result))];
      answer.violation += part.text + (part.has_value ? human(v, part.digits) : "");
    }
    answer.reason = check.reason.empty() ? answer.violation : check.reason;
    break;
  }
  return answer;
}

const CompiledProgram* ProgramCache::find(const std::vector<double>& candidate, Diagnostics& diagnostics) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& structure) { return structure->covers(candidate); });
  if (found != all_.end()) {
    std::rotate(all_.begin(), found, found + 1);  // Consecutive candidates tend to share a program.
    return all_.front().get();
  }
  const std::optional<Trace> trace = CompiledProgram::trace(run_, query_, candidate, shared_, diagnostics);
  if (!trace) return nullptr;
  all_.insert(all_.begin(), std::make_unique<CompiledProgram>(*trace));
  return all_.front().get();
}

}  // namespace opledger
