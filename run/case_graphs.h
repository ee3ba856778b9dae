#pragma once
#include <memory>
#include <vector>

#include "run/annotated_graph.h"
#include "run/linked_run.h"

/// Graphs of a run: its own, and those at other words of the accounting's cases. Words with equal decisions of graph
/// construction share one graph. `fill_graph` prepares an evaluator for one graph; `fill_cases` lets it prepare the
/// others.
namespace opledger {

/// Returns the graph for the evaluator's inputs: an equivalent graph of `all`, or a new one that is added to `all`,
/// which owns it. `silent` suppresses warnings. Null, with errors, if the graph can't be built.
const AnnotatedGraph* find_graph(const LinkedRun& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics);

/// Finds or builds the graph as `find_graph` does and fills the evaluator's sets from it. Also provides the inputs that
/// a simulated step gives (extensions.h). Null, with errors, on failure.
const AnnotatedGraph* fill_graph(const LinkedRun& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics);

/// Makes the evaluator fill its sets at other words of cases on first use. `all` and `run` must outlive the evaluator.
void fill_cases(const LinkedRun& run, AnnotatedGraphs& all, Evaluator& evaluator);

}  // namespace opledger
