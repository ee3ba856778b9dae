#pragma once
#include <memory>
#include <vector>

#include "run/annotated.h"
#include "run/linked.h"

/// Graphs of a run: of itself, and of what it is at other words of the accounting's cases. Those that would be built alike are one.
namespace opledger {

using AnnotatedGraphs = std::vector<std::unique_ptr<AnnotatedGraph>>;

/// A graph of `all`, or one more, for the evaluator's values of inputs. Null, with errors, if that is impossible.
const AnnotatedGraph* find_graph(const Linked& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics);

/// Fills the evaluator's sets from a graph of `all`, or from one more. Null, with errors, if that is impossible.
const AnnotatedGraph* fill_graph(const Linked& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics);

/// The same for runs at other words, when they are first asked for something. `all` and `run` must outlive the evaluator.
void fill_cases(const Linked& run, AnnotatedGraphs& all, Evaluator& evaluator);

}  // namespace opledger
