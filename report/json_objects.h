#pragma once
#include "graph/annotations.h"
#include "questions/explain/explained_run.h"
#include "report/json_value.h"
#include "report/report.h"

/// JSON objects that both commands and the explorer's page contain; a caller writes them as text.
namespace opledger {

/// Returns the object written by `write_json`.
Json report_json(const Report& report);
/// Returns the object written by `write_graph_json`.
Json graph_json(const Graph& graph, const Annotations* annotations);
/// Returns {"definitions", "opened": trees of depth one, "metrics": {name: index}, "columns": {table.column:
/// definition}, "cells", "nodes", "left_out"}.
Json explained_json(const ExplainedRun& opened);

}  // namespace opledger
