#pragma once
#include "graph/annotations.h"
#include "questions/explain/opened_run.h"
#include "report/json_value.h"
#include "report/report.h"

/// What commands write, as objects: a page holds several of them.
namespace opledger {

/// As `write_json`.
Json report_json(const Report& report);
/// As `write_graph_json`.
Json graph_json(const Graph& graph, const Annotations* annotations);
/// {"definitions", "opened": names opened one level, "metrics": {name: place}, "columns": {table.column: definition}, "nodes", "left_out"}.
Json opened_json(const OpenedRun& opened);

}  // namespace opledger
