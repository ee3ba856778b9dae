#pragma once
#include <map>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/naming.h"
#include "checkpoint/tensor_names.h"
#include "questions/audit.h"

/// A checkpoint against the graph of its model: which tensors are missing, unknown or of another shape, and whether all of them together have as many elements as the
/// model has parameters.
namespace opledger {

/// Tensors whose names differ in numbers alone, and that are the same in what is said of them.
struct TensorFinding {
  std::string name;           ///< `{3-5,8}` for numbers that differ, `*` for many.
  std::string weights;        ///< Of the model, that they hold or would hold.
  std::string is, should_be;  ///< Shapes, where these are what was found …
  std::string why;            ///< … or what the tensors are instead.
  std::size_t tensors = 0;
  std::uint64_t elements = 0;  ///< In all; 0 where they are not known.
};

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
