#pragma once
#include <map>
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint.h"
#include "import/checkpoint/findings.h"
#include "import/checkpoint/naming.h"
#include "import/checkpoint/tensor_names.h"
#include "questions/audit/audit.h"

/// A checkpoint against the graph of its model: which tensors are missing, unknown or of another shape, and whether all of them together have as many elements as the
/// model has parameters.
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

CheckpointAudit audit_checkpoint(const TensorNames& names, const Mapping& mapping, const Checkpoint& checkpoint);

}  // namespace opledger
