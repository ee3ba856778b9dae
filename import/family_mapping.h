#pragma once
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint_names.h"
#include "import/field_mapping.h"

/// The model that configs of one family describe. A launch script may describe a model by its arguments, too.
namespace opledger {

/// The keys of a mapping from which a model is written.
struct FamilyMapping {
  FieldMapping config;            ///< Fields of the family's configs.
  CheckpointNames names;          ///< The names of the weights in checkpoints.
  std::vector<std::string> uses;  ///< The documents of blocks that the model uses.
  Datum published;                ///< Published numbers of the model: name, and formula or `{is: FORMULA, when: CONDITION}`.
  Datum parameters;               ///< Parameters of the model, in the form of `published`.
  Datum graph;                    ///< Segments and layers; null if the mapping is only a part of others.
};

/// Reads the fields, the checkpoint names and the section `model`.
FamilyMapping read_family_mapping(const Mapping& mapping);

}  // namespace opledger
