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
#include "run/linked.h"
#include "run/trace.h"

/// Metrics and constraints of a run as compiled programs over some of its inputs, for evaluating many candidates. What decides the structure (which nodes
/// there are, which word or record results somewhere) is kept as guards: candidates that agree on them share one program.
namespace opledger {

class Structure {
 public:
  /// For candidates that are built as this one is. `candidate`: values of the inputs, in base units; 0 or 1; the position of a word in its set.
  /// Empty, with errors, if it can't be built or evaluated.
  static std::optional<Structure> compile(const Linked& run, const Question& question, const std::vector<double>& candidate, Diagnostics& diagnostics);
  /// What traces of one question share: graphs that were built, what is known of the candidates, and, where something is, what was recorded of those before.
  struct Shared {
    AnnotatedGraphs graphs;
    Candidates candidates;
    std::unique_ptr<Tape> tape = nullptr;
    std::unique_ptr<Evaluator> evaluator = nullptr;
  };
  /// The first step of it.
  static std::optional<Trace> trace(const Linked& run, const Question& question, const std::vector<double>& candidate, Shared& shared,
                                    Diagnostics& diagnostics);
  /// The same for this candidate alone: all results are constants. Cheaper, where no others will be asked for.
  static std::optional<Trace> numbers(const Linked& run, const Question& question, const std::vector<double>& candidate, Shared& shared,
                                      Diagnostics& diagnostics);
  /// The graph that it is counted by, of those that traces share. Null: it can't be built, or there is none.
  static const AnnotatedGraph* graph(const Linked& run, const Question& question, const std::vector<double>& candidate, Shared& shared);
  /// As `trace` where a candidate that can't be built or evaluated is one that is refused: by a single check, whose reason is the first error, for all
  /// that agree with it on what was asked until then.
  static Trace trace_or_refuse(const Linked& run, const Question& question, const std::vector<double>& candidate, Shared& shared);
  explicit Structure(const Trace& trace);

  const Kernel& kernel() const { return program_.kernel; }
  /// Null: there is no model.
  const AnnotatedGraph* graph() const { return graph_; }
  std::size_t guards() const { return program_.guards.count(); }

  /// Whether the candidate has this structure.
  bool covers(const std::vector<double>& candidate) const { return program_.guards.hold(candidate); }

  struct Result {
    std::vector<Value> outputs;  ///< In the order of the question; nothing for what has no value, or none that is finite.
    std::string violation;       ///< Of the first constraint that fails; empty: none does.
    std::string reason;          ///< What it is counted under.
  };
  Result evaluate(const std::vector<double>& candidate) const;

  /// The same of several, each as of it alone: nothing for those that do not have this structure.
  std::vector<std::optional<Result>> evaluate(std::span<const std::vector<double>* const> candidates) const;

 private:
  Result answer(FunctionRef<double(std::size_t)> result) const;

  class Compiler;

  GuardedProgram program_;
  std::vector<Value> metrics_;
  std::vector<Trace::Check> checks_;
  const AnnotatedGraph* graph_ = nullptr;
};

/// All structures met so far of one question.
class Structures {
 public:
  Structures(const Linked& run, Question question) : run_(run), question_(std::move(question)) {}

  /// Compiles one if the candidate has none yet. Null, with errors, if that fails.
  const Structure* find(const std::vector<double>& candidate, Diagnostics& diagnostics);
  std::size_t size() const { return all_.size(); }

 private:
  const Linked& run_;
  Question question_;
  Structure::Shared shared_;
  std::vector<std::unique_ptr<Structure>> all_;  ///< Those met last in front.
};

}  // namespace opledger
