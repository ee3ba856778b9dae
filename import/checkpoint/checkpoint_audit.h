#pragma once
#include <map>
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint.h"
#include "import/checkpoint/findings.h"
#include "import/checkpoint/naming.h"
#include "import/checkpoint/tensor_names.h"
#include "questions/audit/audit.h"

/// Compares a checkpoint with the graph of its model: which tensors are missing, unknown or of another shape, and whether all tensors together have as many
/// elements as the model has parameters.
namespace opledger {

struct StoredType {
  std::string type;
  std::size_t tensors = 0;
  std::uint64_t elements = 0, bytes = 0;
};

struct CheckpointAudit {
  std::string mapping;
  Naming naming;
  std::vector<AuditCheck> checks;
  std::vector<TensorFinding> missing, unknown, misshapen;
  std::vector<TensorFinding> beside;  ///< What else is there by right: copies of tied weights, buffers, what the model leaves out.
  std::vector<StoredType> types;
  std::vector<std::string> unnamed;  ///< Weights that the mapping has no tensor for.
};

/// Compares the tensors of a checkpoint with `names`, those of the model. `patterns`: those of the mapping, which explain tensors that the model lacks.
CheckpointAudit audit_checkpoint(const TensorNames& names, const CheckpointNames& patterns, const Checkpoint& checkpoint);

}  // namespace opledger
