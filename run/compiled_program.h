#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accounting/layouts.h"
#include "base/function_ref.h"
#include "expr/guarded_program.h"
#include "run/case_graphs.h"
#include "run/linked_run.h"
#include "run/trace.h"

/// Compiled programs over some inputs of a run, for evaluating many candidates. A trace of one candidate records
/// arithmetic on a tape; decisions that change the graph or the kind of a result become guards. Candidates that satisfy
/// the guards share the program, as in tracing compilers. Use: `ProgramCache::find` for candidates one by one;
/// `trace_or_refuse` and the constructor where a caller keeps the traces itself. A candidate is a list with one value
/// per input of the query. A value is a number in base units, a truth as 0 or 1, or the position of a word in its set.
namespace opledger {

/// The metrics and constraints of a run, compiled to a kernel and specialized under guards.
class CompiledProgram {
 public:
  /// Traces and compiles one candidate. Returns nothing, with errors, if the graph can't be built or, in a query
  /// without constraints, a metric can't be evaluated.
  static std::optional<CompiledProgram> compile(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Diagnostics& diagnostics);
  /// State shared by traces of one query: graphs, known value ranges of the candidates, and the incremental tape and
  /// evaluator. The last two are null until incremental tracing starts.
  struct Shared {
    AnnotatedGraphs graphs;                          ///< Graphs built so far; traces point to them.
    Candidates candidates;                           ///< Values that inputs can have, set by the caller; empty: unknown.
    std::unique_ptr<Tape> tape = nullptr;            ///< Tape of incremental tracing.
    std::unique_ptr<Evaluator> evaluator = nullptr;  ///< Evaluator of incremental tracing.
  };
  /// Traces one candidate, the first step of `compile`. Empty, with errors, if it fails.
  static std::optional<Trace> trace(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared, Diagnostics& diagnostics);
  /// Evaluates one candidate with numbers only; all results are constants. Cheaper than a trace if no other candidate
  /// follows.
  static std::optional<Trace> numbers(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared, Diagnostics& diagnostics);
  /// Returns the graph for a candidate, owned by `shared`; null if the graph can't be built or the run has no model.
  static const AnnotatedGraph* graph(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared);
  /// Traces one candidate like `trace`. If that fails, returns a trace with one failing check, whose reason is the
  /// first error. The guards recorded before the error decide which other candidates fail the same way.
  static Trace trace_or_refuse(const LinkedRun& run, const Query& query, const std::vector<double>& candidate, Shared& shared);
  /// Compiles a trace, which need not outlive the program.
  explicit CompiledProgram(const Trace& trace);

  const Kernel& kernel() const { return program_.kernel; }  ///< Computes metrics and checks from the inputs.
  /// Returns the number of guards.
  std::size_t guards() const { return program_.guards.count(); }

  /// Returns whether the candidate satisfies all guards.
  bool covers(const std::vector<double>& candidate) const { return program_.guards.hold(candidate); }

  /// The results of one candidate.
  struct Result {
    std::vector<Value> outputs;  ///< Metrics in the order of the query; an empty value if it is missing or not finite.
    std::string violation;       ///< Message of the first violated constraint; empty if all hold.
    std::string reason;          ///< Reason under which the violation is counted.
  };
  /// Evaluates one candidate, which must satisfy the guards (`covers`).
  Result evaluate(const std::vector<double>& candidate) const;

  /// Evaluates several candidates with one call of the kernel. Empty for candidates that violate a guard.
  std::vector<std::optional<Result>> evaluate(std::span<const std::vector<double>* const> candidates) const;

 private:
  /// Assembles a result from the numbers of the kernel.
  Result answer(FunctionRef<double(std::size_t)> result) const;

  class Compiler;

  GuardedProgram program_;
  std::vector<Value> metrics_;
  std::vector<Trace::Check> checks_;
};

/// The compiled programs of one query so far, most recently used first.
class ProgramCache {
 public:
  ProgramCache(const LinkedRun& run, Query query) : run_(run), query_(std::move(query)) {}

  /// Returns the program that covers the candidate; compiles one if necessary. Null, with errors, if compilation fails.
  const CompiledProgram* find(const std::vector<double>& candidate, Diagnostics& diagnostics);
  std::size_t size() const { return all_.size(); }  ///< Number of programs compiled so far.

 private:
  const LinkedRun& run_;
  Query query_;
  CompiledProgram::Shared shared_;
  std::vector<std::unique_ptr<CompiledProgram>> all_;  ///< Most recently used first.
};

}  // namespace opledger
