#pragma once
#include "graph/annotations.h"
#include "questions/explain/explained_run.h"
#include "report/json_value.h"
#include "report/report.h"

/// JSON objects of the explorer's page; the first two are also whole outputs of commands. A caller writes them as text.
namespace opledger {

/// Returns the object written by `write_json`.
Json report_json(const Report& report);
/// Returns the object written by `write_graph_json`.
Json graph_json(const Graph& graph, const Annotations* annotations);
/// Returns {"definitions", "opened": trees of depth one, "metrics": {name: index in "opened"}, "columns":
/// {table.column: index in "definitions"}, "cells": {table.column: [index in "opened", or -1]}, "nodes", "left_out"}.
Json explained_json(const ExplainedRun& opened);

}  // namespace opledger
