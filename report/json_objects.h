#pragma once
#include "base/function_ref.h"
#include "graph/annotations.h"
#include "questions/explain/explained_run.h"
#include "report/json_value.h"
#include "report/report.h"

/// JSON objects of the explorer's page; reports and graphs are also whole outputs of commands. A caller writes them as text.
namespace opledger {

/// Returns the object written by `write_json`.
Json report_json(const Report& report);
/// Returns the rows of a table as in the object of its report.
Json table_json(const ReportTable& table);
/// Returns the object of a report with an empty object of tables, for a writer that adds them one by one.
Json report_without_tables(const Report& report);
/// Calls `part` with the key and value of each part of the object written by `write_graph_json`, in order.
void each_part_of_graph(const Graph& graph, const Annotations* annotations, FunctionRef<void(const std::string& key, Json value)> part);
/// Returns {"definitions", "opened": trees of depth one, "metrics": {name: index in "opened"}, "columns":
/// {table.column: index in "definitions"}, "cells": {table.column: [index in "opened", or -1]}, "nodes", "left_out"}.
Json explained_json(const ExplainedRun& opened);

}  // namespace opledger
