#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/family_mapping.h"
#include "import/mapped_config.h"

/// Writes the model that a config describes: formulas of fields become numbers, conditions are evaluated, layers are
/// ordered.
namespace opledger {

/// The formulas of a family's model, linked with the config's fields. A null formula is absent.
struct LinkedModel {
  /// A segment of the graph, or a stack of layers of several kinds. A null condition `when` holds.
  struct Segment {
    const Datum* source = nullptr;  ///< The segment in the mapping.
    const Formula* when = nullptr;
    const Formula* layers = nullptr;   ///< Number of layers of all `kinds` together; null for a plain segment.
    std::vector<Segment> kinds;        ///< Kinds of layers; their `when` and `sizes` read the layer's number.
    std::vector<MappedFormula> sizes;  ///< Dimensions and parameters of a kind that differ from layer to layer.
  };
  /// A tensor of a checkpoint. A null condition `when` holds.
  struct Tensor {
    std::string name;                   ///< Name in a checkpoint, `*` for numbers.
    std::vector<std::string> patterns;  ///< Patterns of the weights stored in the tensor.
    const Formula* when = nullptr;
  };
  std::vector<std::string> uses;                     ///< Names of the documents of blocks.
  std::vector<MappedFormula> published, parameters;  ///< Published numbers and parameters of the model.
  std::vector<Segment> graph;                        ///< Segments in graph order.
  std::vector<Tensor> tensors;                       ///< Tensors of checkpoints, in the mapping's order.
};

/// Links the model of a family, and the names of its weights in checkpoints. `program` is the result of `link_config`
/// and receives the formulas. Returns nothing and reports errors if a formula can't be linked.
std::optional<LinkedModel> link_imported_model(const FamilyMapping& family, Program& program, Diagnostics& diagnostics);

/// The first keys of a new document.
struct DocumentHeading {
  /// `name`, `doc` and `source` are values of these keys; `source` describes the imported file. `comment` is the first
  /// line. `checkpoint` names the mapping with the checkpoint's tensor names; empty to omit the key.
  std::string name, doc, source, comment, checkpoint = {};
};

/// A model document and the structure of its layers.
struct ImportedModel {
  std::string text;                                                       ///< Text of the document; a comment after each parameter names its sources.
  std::vector<std::vector<std::string>> stacks;                           ///< Layer stacks; for each layer of a stack, the name of its segment.
  std::vector<std::pair<std::string, std::vector<std::string>>> tensors;  ///< Tensors of a checkpoint, each with patterns of its weights.
};

/// Writes the model. Returns nothing and reports errors if a formula has no value, or if a layer has no kind.
std::optional<ImportedModel> make_model(const LinkedModel& model, MappedConfig& config, const DocumentHeading& heading, Diagnostics& diagnostics);

/// Links and writes the model of a config. Returns nothing and reports errors if a formula can't be linked or has no
/// value, or if a layer has no kind. A violated constraint of the mapping is an error, too.
std::optional<ImportedModel> make_model(const FamilyMapping& family, const ConfigFields& fields, const Datum& config, const DocumentHeading& heading,
                                        Diagnostics& diagnostics);

}  // namespace opledger
