#include "report/checkpoint_report.h"

#include <fmt/core.h>

#include <algorithm>

namespace opledger {
namespace {

Value count(double n) { return number_value(integer(n)); }

/// A text column of a table of findings, between the name and the number of tensors.
struct FindingColumn {
  const char* name;
  std::string TensorFinding::*text;
};

/// Builds a table of findings about tensors: the name, the texts in `columns`, then numbers of tensors and elements. A
/// finding may stand for several tensors of one pattern. A table of more than kMostCells cells is cut, and the number
/// of omitted rows is reported. New texts are owned by `kept`.
ReportTable findings(const char* name, const char* title, const std::vector<TensorFinding>& all, const std::vector<FindingColumn>& columns, ValueOwners& kept) {
  ReportTable out{name, title, {"tensor"}, {}};
  for (const FindingColumn& column : columns) out.columns.emplace_back(column.name);
  out.columns.insert(out.columns.end(), {"tensors", "elements"});
  out.prose = {"tensor", "weights"};
  for (const TensorFinding& f : all) {
    if (out.rows.size() * out.columns.size() > kMostCells) {
      ++out.left_out;
      continue;
    }
    std::vector<Value> row = {owned_text(f.name, kept)};
    for (const FindingColumn& column : columns) row.push_back(owned_text(f.*column.text, kept));
    row.push_back(count(static_cast<double>(f.tensors)));
    row.push_back(f.elements > 0 ? count(static_cast<double>(f.elements)) : Value{});
    out.rows.push_back(std::move(row));
  }
  return out;
}

ReportTable types(const CheckpointAudit& audit, ValueOwners& kept) {
  ReportTable out{"types", "Types of the tensors", {"type", "tensors", "elements", "bytes"}, {}};
  for (const StoredType& t : audit.types) {
    out.rows.push_back({owned_text(t.type, kept), count(static_cast<double>(t.tensors)), count(static_cast<double>(t.elements)),
                        number_value(integer(static_cast<double>(t.bytes)), Dimension{{1, 0, 0, 0}})});
  }
  return out;
}

ReportTable naming(const CheckpointAudit& audit, ValueOwners& kept) {
  ReportTable out{"names", "Names of the tensors", {"mapping", "begin_with", "in_place_of"}, {}};
  out.rows.push_back({owned_text(audit.mapping, kept), owned_text(audit.naming.to, kept), owned_text(audit.naming.from, kept)});
  out.detail = audit.naming.plain();
  return out;
}

ReportTable unnamed(const CheckpointAudit& audit, ValueOwners& kept) {
  ReportTable out{"unnamed", "Weights that the mapping does not name", {"weight"}, {}};
  for (const std::string& weight : audit.unnamed) out.rows.push_back({owned_text(weight, kept)});
  return out;
}

}  // namespace

std::vector<ReportTable> checkpoint_tables(const CheckpointAudit& audit, ValueOwners& kept) {
  const FindingColumn weights{"weights", &TensorFinding::weights}, is{"is", &TensorFinding::found_shape},
      should_be{"should_be", &TensorFinding::expected_shape}, why{"why", &TensorFinding::reason};
  std::vector<ReportTable> all = {findings("missing", "Missing tensors", audit.missing, {weights}, kept),
                                  findings("unknown", "Unknown tensors", audit.unknown, {}, kept),
                                  findings("misshapen", "Tensors of another shape", audit.misshapen, {weights, is, should_be}, kept),
                                  unnamed(audit, kept),
                                  findings("beside", "Tensors that belong to no weight of the model", audit.explained, {why}, kept),
                                  types(audit, kept),
                                  naming(audit, kept)};
  return all;
}

}  // namespace opledger
