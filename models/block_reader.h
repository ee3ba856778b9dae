#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

/// Reading of block and model sections into specs. Names are not resolved here; building a graph resolves them.
namespace opledger {

/// Reads a block from its name and its mapping. Returns nothing, with errors, if a part is malformed.
std::optional<Block> read_block(const Datum& name, const Datum& value, Diagnostics& diagnostics);

/// Reads a list of nodes and appends them to `out`, with nodes of groups in place of the groups. `when` is the condition of
/// the enclosing groups, or null; each node gets it. Malformed nodes are reported; some are appended nevertheless.
void read_nodes(const Datum& list, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out);

/// Reads an item of a model's `graph`: a segment, or a group whose segments alternate. `group` is the number that segments
/// of a group get. Returns the segments in order, without malformed ones, which are reported.
std::vector<SegmentSpec> read_segments(const Datum& value, int group, Diagnostics& diagnostics);

/// Reads inputs by position (`in: x`, `in: [x, {k: {seq: kv_seq}}]`) or by port (`in: {q: x, k: {k: {seq: kv_seq}}}`).
/// Inputs by position have an empty port. Malformed inputs are reported, and keep their position without a tensor.
std::vector<InputSpec> read_inputs(const Datum& value, Diagnostics& diagnostics);

/// Reads shared weights, `weights: {w: embedding.tokens.table}`: appends pairs of port and path to `out`, and their
/// positions to `spans`. Reports malformed entries.
void read_ties(const Datum& value, Diagnostics& diagnostics, std::vector<std::pair<std::string, std::string>>& out, std::vector<TieSpec>& spans);

/// Returns one name or a list of names, and appends their positions to `spans`. Items that are no names are reported and
/// skipped.
std::vector<std::string> read_dimension_names(const Datum& value, Diagnostics& diagnostics, std::vector<Span>& spans);

/// Reads `constraints: [{require: FORMULA, message: "… {FORMULA} …", when: FORMULA}]`. Entries without a condition or a
/// message are reported and skipped.
std::vector<Requirement> read_constraints(const Datum& value, Diagnostics& diagnostics);

/// Returns the text of a scalar; empty, with an error that names `key`, for other values.
std::string read_text(const Datum& key, const Datum& value, Diagnostics& diagnostics);

/// Returns whether a name of a node, block or tensor consists of letters, digits and `_`, without a leading digit. Reports
/// an error otherwise; `noun` is the kind of thing in the message, such as `a node`.
bool check_name(const Datum& name, const char* noun, Diagnostics& diagnostics);

}  // namespace opledger
