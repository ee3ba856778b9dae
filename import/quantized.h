#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "import/imported_model.h"
#include "import/quantization_mapping.h"

/// Writes rules for a model with quantized weights. The config of the weights names the method of quantization and
/// lists the quantized modules. A document of kind `import`, found by the method's name, states bytes and compute
/// precision as marks. Marks are properties of nodes and cached tensors that rules set and formulas read. The code
/// knows no method.
namespace opledger {

/// A mark that the mapping gives to quantized modules, with the linked formula of its value.
struct LinkedMark {
  std::string of;         ///< Kind of the marked elements, such as `node`.
  MappedFormula formula;  ///< Name, value and condition of the mark, such as `stored_width: …`.
};

/// Links the formulas of all marks. Returns nothing and reports errors if a formula can't be linked.
std::optional<std::vector<LinkedMark>> link_quantized(const QuantizationMapping& mapping, Program& program, Diagnostics& diagnostics);

/// The conversion of one group of modules: the modules, and the marks that the rules set on them.
struct Scheme {
  /// A mark with its value, evaluated for the config.
  struct Mark {
    /// Kind of the marked elements, name of the mark, text of its value, text of the value's formula.
    std::string of, name, value, from;
  };
  std::vector<Datum> targets;  ///< Names or classes of modules.
  bool converts = true;        ///< False if the modules keep their precision.
  std::vector<Mark> marks;
};

/// The conversions that a config describes.
struct Schemes {
  std::vector<Scheme> all;        ///< One scheme for each group of modules. The first scheme that names a module wins.
  std::vector<Datum> exceptions;  ///< Names of modules without a conversion, from settings of single modules.
};

/// Returns one scheme for each group of modules in the config; most configs have one group. Modules with equal settings
/// of their own form a group. Returns no scheme and reports errors if the config can't be read. `model` is the config of
/// the model, of which the mapping may read fields (`from_model`).
Schemes read_schemes(const Datum& config, const Datum& model, const QuantizationMapping& mapping, Diagnostics& diagnostics);

/// Returns the text of the rules; `heading` describes them. Returns an empty text and reports errors if the config
/// lists no module of the model. Warns of listed modules that the model lacks. `model_config` is the config of the model.
std::string make_quantized_rules(const Datum& config, const Datum& model_config, const QuantizationMapping& mapping, const Graph& graph,
                                 const ImportedModel& model, const DocumentHeading& heading, Diagnostics& diagnostics);

}  // namespace opledger
