#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/mapping.h"

/// Names under which configs refer to models, such as those of a hub, and the models of the library.
namespace opledger {

/// The keys of a mapping about names of models.
struct ModelNames {
  std::string place;                 ///< Place of the config that names the model; empty if the format names none.
  Datum models;                      ///< Name, or pattern of names, and the model of the library.
  std::vector<std::string> endings;  ///< Endings of names of quantized copies, such as `-bnb-4bit`.
};

/// Reads the keys `names_model`, `model_names` and `copy_endings`.
ModelNames read_model_names(const Mapping& mapping);

/// Returns the model with the name that a config states. Capital letters do not matter. A name with an ending of
/// quantized copies is a copy of the model whose name is equal up to the ending and the owner in front of the `/`.
/// Returns nothing and reports an error, with a suggestion, for any other name.
std::optional<std::string> find_named_model(const Datum& name, const ModelNames& names, Diagnostics& diagnostics);

}  // namespace opledger
