#pragma once
#include <map>
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint.h"
#include "import/checkpoint/findings.h"
#include "import/checkpoint/naming.h"
#include "import/checkpoint/tensor_names.h"
#include "questions/audit/audit.h"

/// Compares a checkpoint with the graph of its model. The audit lists missing tensors, unknown tensors and wrong
/// shapes. It also checks that the tensors have as many elements as the model has parameters.
namespace opledger {

/// Totals of the tensors with one element type.
struct StoredType {
  std::string type;                       ///< Name of the type in the files, such as `BF16`.
  std::size_t tensors = 0;                ///< Number of tensors.
  std::uint64_t elements = 0, bytes = 0;  ///< Elements and bytes of these tensors.
};

/// Result of an audit: checks for the report, and tensors grouped by finding.
struct CheckpointAudit {
  std::string mapping;                                     ///< Name of the mapping with the tensor names.
  Naming naming;                                           ///< Prefixes under which the checkpoint was found to store the model.
  std::vector<AuditCheck> checks;                          ///< Checks of names, shapes, bytes and files, in the order of the report.
  std::vector<TensorFinding> missing, unknown, misshapen;  ///< Absent tensors, tensors without an explanation, tensors of a wrong shape.
  /// Tensors with an explanation: packed quantized weights, copies of tied weights, buffers, parts that the model leaves out.
  std::vector<TensorFinding> explained;
  std::vector<StoredType> types;     ///< Totals by element type, largest bytes first.
  std::vector<std::string> unnamed;  ///< Weights for which the mapping has no tensor.
};

/// Compares the tensors of a checkpoint with `names`, the tensors of the model. The mapping's `patterns` explain
/// tensors that the model lacks.
CheckpointAudit audit_checkpoint(const TensorNames& names, const CheckpointNames& patterns, const Checkpoint& checkpoint);

}  // namespace opledger
