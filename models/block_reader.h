#pragma once
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

/// Sections of block and model documents to specs. Nothing is looked up here: names meet their targets when a graph is built.
namespace opledger {

/// A block, or null with errors.
std::optional<Block> read_block(const Datum& name, const Datum& value, Diagnostics& diagnostics);

/// The nodes of a list, groups flattened; `when` is what encloses them.
void read_nodes(const Datum& list, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out);

/// One segment of a model's `graph`, or the segments of a group that take turns; nothing, with errors, if one is wrong.
std::vector<SegmentSpec> read_segments(const Datum& value, int group, Diagnostics& diagnostics);

/// `in: x`, `in: [x, {k: {seq: kv_seq}}]` by position, `in: {q: x, k: {k: {seq: kv_seq}}}` by port.
std::vector<InputSpec> read_inputs(const Datum& value, Diagnostics& diagnostics);

/// `weights: {w: embedding.tokens.table}`
void read_ties(const Datum& value, Diagnostics& diagnostics, std::vector<std::pair<std::string, std::string>>& out, std::vector<TieSpec>& spans);

/// A name or a list of names, with the place of each.
std::vector<std::string> read_dimension_names(const Datum& value, Diagnostics& diagnostics, std::vector<Span>& spans);

/// `constraints: [{require: FORMULA, message: "… {FORMULA} …", when: FORMULA}]`
std::vector<Requirement> read_constraints(const Datum& value, Diagnostics& diagnostics);

/// Text of a scalar; empty, with an error, of anything else.
std::string read_text(const Datum& key, const Datum& value, Diagnostics& diagnostics);

/// A name of a node, block or tensor: letters, digits and `_`.
bool check_name(const Datum& name, const char* what, Diagnostics& diagnostics);

}  // namespace opledger
