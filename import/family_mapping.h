#pragma once
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint_names.h"
#include "import/field_mapping.h"

/// The model that configs of one family describe. A launch script may describe a model by its arguments, too.
namespace opledger {

struct FamilyMapping {
  FieldMapping config;
  CheckpointNames names;          ///< The names of the weights in checkpoints.
  std::vector<std::string> uses;  ///< The documents of blocks that the model uses.
  Datum published;                ///< Numbers known of the model beside its shapes: name, and formula or `{is: FORMULA, when: CONDITION}`.
  Datum parameters;               ///< Parameters of the model, written as `published`.
  Datum graph;                    ///< Segments and layers. Null: the mapping is only a part of others.
};

FamilyMapping read_family_mapping(const Mapping& mapping);

}  // namespace opledger
