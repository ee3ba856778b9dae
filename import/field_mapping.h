#pragma once
#include <string>
#include <vector>

#include "import/mapping.h"

/// The fields of a config and their meaning. Mappings of model families, of launch scripts and of quantization share
/// this part. docs/import.md describes the keys.
namespace opledger {

/// The `reason` of constraints that come from the section `remarks`. A violation gives a warning instead of an error.
inline constexpr const char* kRemark = "remark";

/// A field of a config that the mapping knows.
struct MappedField {
  std::string name;                 ///< The name in formulas.
  std::vector<std::string> places;  ///< Keys that lead to the field in a config, `OUTER.INNER` inside a mapping; the first place is the usual one.
  Datum type;                       ///< The type, as accountings declare inputs.
  Datum null, words;                ///< The meanings of an explicit null, and of certain texts; null if they have none.
  Datum letters;                    ///< Meaning of each sign if a text abbreviates a list; null if texts do not abbreviate lists.
  bool unrolled = false;            ///< A text may abbreviate a list, with repetitions (repetitions.h).
  /// Separator of the parts of a text. The value is then a list: for each part, the number of entries that match
  /// `counted_item`. Empty: parts are not counted.
  std::string between;
  std::string counted_item;            ///< Pattern of counted entries, such as `layers.*`. The word `true` sets `counted` instead.
  std::string form;                    ///< `number`, `list` or `text`: a value of another form counts as absent. Empty: any form.
  Datum otherwise;                     ///< Value of entries without the field, for places `OUTER.*.INNER`.
  Datum fallback;                      ///< The value of an absent field.
  bool counted = false;                ///< The value is the number of entries at the place.
  bool in_comment = false;             ///< The framework has no place for the field: a config states it in a comment.
  bool required = false;               ///< The field has no default.
  std::string assumed;                 ///< The reason why the default is an assumption, for a warning; empty if the default is the format's own.
  std::vector<std::string> overrules;  ///< Places of the file that are ignored once the user sets the field.
  Span span;                           ///< Place of the field in the mapping.
};

/// The kind of config that a mapping reads: the config of a model, of quantized weights, or a launch script. The key
/// `formats` makes a mapping one for launch scripts, and `quant_methods` one for quantized weights. A mapping without
/// both keys reads the config of a model.
enum class ConfigKind { model, quantization, launch };

/// The keys of a mapping about fields.
struct FieldMapping {
  const Document* document = nullptr;           ///< The requested document.
  ConfigKind kind = ConfigKind::model;          ///< Kind of the configs.
  bool flags = false;                           ///< Fields are arguments of a command: `num_layers` has the place `--num-layers`.
  bool makes_model = false;                     ///< The mapping has the graph of a model.
  std::vector<MappedField> fields;              ///< Fields in the mapping's order.
  Document declarations;                        ///< The source of a program: fields as inputs, sets, named formulas, functions, constraints.
  std::vector<std::string> ignored, suspected;  ///< Patterns of names without a field: names that change no cost or shape, and names that are errors.
  std::vector<std::string> placeholders;        ///< Placeholder texts, whose values another program fills in.
  Datum refused, noted;                         ///< Messages of errors and of warnings about names without a field; keys are patterns of names.

  std::string name() const { return document->name; }
};

/// Reads the keys about fields, merged over all documents of the mapping.
FieldMapping read_field_mapping(const Mapping& mapping);

}  // namespace opledger
