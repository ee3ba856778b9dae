#pragma once
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

/// Reading of block and model sections into specs. Names are not resolved here; building a graph resolves them.
namespace opledger {

/// Reads a block. Empty, with errors, if it is malformed.
std::optional<Block> read_block(const Datum& name, const Datum& value, Diagnostics& diagnostics);

/// Reads a list of nodes and flattens groups. `when`: condition of the enclosing groups, or null.
void read_nodes(const Datum& list, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out);

/// Reads a segment of a model's `graph`, or the segments of a group that alternate. Empty, with errors, if it is
/// malformed.
std::vector<SegmentSpec> read_segments(const Datum& value, int group, Diagnostics& diagnostics);

/// Reads inputs by position (`in: x`, `in: [x, {k: {seq: kv_seq}}]`) or by port (`in: {q: x, k: {k: {seq: kv_seq}}}`).
std::vector<InputSpec> read_inputs(const Datum& value, Diagnostics& diagnostics);

/// Reads shared weights: `weights: {w: embedding.tokens.table}`.
void read_ties(const Datum& value, Diagnostics& diagnostics, std::vector<std::pair<std::string, std::string>>& out, std::vector<TieSpec>& spans);

/// Reads one name or a list of names, with their positions.
std::vector<std::string> read_dimension_names(const Datum& value, Diagnostics& diagnostics, std::vector<Span>& spans);

/// Reads `constraints: [{require: FORMULA, message: "… {FORMULA} …", when: FORMULA}]`.
std::vector<Requirement> read_constraints(const Datum& value, Diagnostics& diagnostics);

/// Returns the text of a scalar; empty, with an error, for other values.
std::string read_text(const Datum& key, const Datum& value, Diagnostics& diagnostics);

/// Checks the name of a node, block or tensor: letters, digits and `_`, without a leading digit.
bool check_name(const Datum& name, const char* noun, Diagnostics& diagnostics);

}  // namespace opledger
