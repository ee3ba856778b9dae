#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/family_mapping.h"
#include "import/mapped_config.h"

/// The model that a mapping makes of a config: formulas of fields become numbers, conditions are settled, layers are put in order.
namespace opledger {

/// A mapping's formulas, linked. Formulas that are null are not there.
struct LinkedModel {
  struct Segment {
    const Datum* written = nullptr;  ///< As the mapping has it.
    const Formula* when = nullptr;
    const Formula* layers = nullptr;  ///< How many there are of `kinds` together; otherwise it is a segment itself.
    std::vector<Segment> kinds;       ///< Their `when` sees which layer it is.
  };
  struct Tensor {
    std::string name;                   ///< In a checkpoint, `*` for numbers.
    std::vector<std::string> patterns;  ///< Of the weights that it holds.
    const Formula* when = nullptr;
  };
  std::vector<std::string> uses;  ///< Documents of blocks.
  std::vector<MappedFormula> published, parameters;
  std::vector<Segment> graph;
  std::vector<Tensor> tensors;
};

/// Links the model of a family, and the names of its weights in checkpoints. Returns nothing, with errors, if a formula can't be linked.
std::optional<LinkedModel> link_made_model(const FamilyMapping& family, Program& program, Diagnostics& diagnostics);

/// What a model document is called, and what it says of itself.
struct MadeHeading {
  std::string name, doc, source, comment, checkpoint = {};  ///< `checkpoint`: the mapping by which names in checkpoints are known; empty: not said.
};

struct MadeModel {
  std::string text;                              ///< The document's, with a comment behind every parameter that says what it comes from.
  std::vector<std::vector<std::string>> stacks;  ///< Of layers that are counted together, from 0: each one's segment.
  std::vector<std::pair<std::string, std::vector<std::string>>> tensors;  ///< Of a checkpoint, and patterns of the weights that they hold.
};

/// Empty, with errors, if a formula is worth nothing, or layers are of no kind.
std::optional<MadeModel> make_model(const LinkedModel& model, MappedConfig& config, const MadeHeading& heading, Diagnostics& diagnostics);

/// The same of a config alone. Empty, with errors, if it contradicts itself or the mapping.
std::optional<MadeModel> make_model(const FamilyMapping& family, const ConfigFields& fields, const Datum& config, const MadeHeading& heading,
                                    Diagnostics& diagnostics);

}  // namespace opledger
