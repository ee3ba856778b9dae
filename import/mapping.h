#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/library.h"

/// How configs of one family become a model, or of one framework a model and a run of it: a document of kind `import` with all that it uses. What a later document says too replaces what the earlier ones
/// say, name by name. docs/import.md describes the documents; here they are only put together.
namespace opledger {

/// The reason of constraints that are remarks: what does not hold is a warning.
inline constexpr const char* kRemark = "remark";

/// A field of a config that means something.
struct MappedField {
  std::string name;                 ///< What formulas call it.
  std::vector<std::string> places;  ///< Where a config may have it, `OUTER.INNER` inside a mapping; the first is the usual one.
  Datum type;                       ///< As accountings declare inputs.
  Datum null, words;                ///< What an explicit null, and certain texts, stand for; empty: nothing particular.
  Datum letters;                    ///< What each sign of a text stands for, where a text may stand for a list; empty: none may.
  bool unrolled = false;            ///< A text may stand for a list, and write repetitions short (written_repeats.h).
  std::string between;  ///< The sign between pieces of a text, whose items of the kind `counted_item` are counted; empty: the value is no such text.
  std::string counted_item;
  std::string form;                    ///< `number` or `list`; a value of the other form counts as absent. Empty: any form.
  Datum fallback;                      ///< The value of an absent field.
  bool counted = false;                ///< The value is the number of entries that the config has at the place.
  bool required = false;               ///< The field has no default.
  std::string assumed;                 ///< Reason why the default is an assumption, for a warning; empty: the default is the format's own.
  std::vector<std::string> overrules;  ///< Places of the file that are ignored once the user sets the field.
  Span span;
};

struct Mapping {
  const Document* document = nullptr;  ///< The one that was asked for; those that it uses have been merged.
  std::vector<std::string> model_types;
  std::vector<MappedField> fields;
  Document declarations;                        ///< Fields as inputs, sets, named formulas, functions, constraints: what a program is linked from.
  std::vector<std::string> ignored, suspected;  ///< Patterns of names that the fields don't have.
  std::vector<std::string> unsaid;              ///< Texts by which a document leaves a value to who reads it.
  std::vector<std::string> uses;                ///< Of the model that is made.
  std::vector<Datum::Entry> published;          ///< Likewise, as below: what is known of the model beside its shapes.
  std::vector<Datum::Entry> parameters;         ///< Likewise: name, and formula or `{is: FORMULA, when: CONDITION}`.
  Datum graph;                                  ///< Likewise: segments and layers. Null: this is only a part of others.
  std::vector<Datum::Entry> tensors;            ///< Of a checkpoint, and patterns of the weights that they hold.
  std::vector<std::string> buffers, beside;     ///< Likewise, patterns of those that are no weights, and of those that the model leaves out.
  std::vector<Datum::Entry> packed;             ///< How names of quantised weights end, and how the same weights are called otherwise.
  bool further_layers = false;                  ///< Layers behind the last one are left out too.
  std::vector<Datum> constraints;               ///< Those of `declarations`, in order.
  std::vector<std::string> quant_methods;       ///< What it maps instead of families: how weights are quantised.
  std::vector<Datum::Entry> rules;              ///< Of the rules that are then made (quantised.h): what is read, and marks.
  std::vector<std::string> formats;             ///< What it maps instead of families: documents that start a training, as `import` calls them.
  bool flags = false;                           ///< Fields are arguments of a command: `num_layers` stands under `--num-layers`.
  std::string arguments_at;                     ///< Where a document that is no command has them; empty: it has nothing else.
  std::vector<Datum::Entry> refused, noted;     ///< Patterns of names, and what an error or a warning says of a field of such a name.
  std::vector<Datum::Entry> execution;          ///< Of the execution that is made: keys, and formulas (made_execution.h).
  std::vector<std::string> of_model;            ///< Fields that a base model says, where nobody names a base execution.
  std::vector<std::string> assumed;             ///< Keys of an execution that the framework decides nothing of: a config has them in comments.
  std::vector<Datum::Entry> stretched;          ///< Likewise of keys that it decides, and has no such value for: a warning says which it has.
  std::string written_as;                       ///< What `export` writes: `script` or `toml`; empty: nothing.
  std::string command;                          ///< Of a script that starts the framework with flags, `{FIELD}` for values that stand in it.
  std::string judged_on;                        ///< The system on which what is exported must come to the same as the run, where none is named.
  std::vector<Datum::Entry> writes;             ///< Fields, and formulas of a run that they are written from (written_config.h).

  const Datum* rule(std::string_view key) const;  ///< Of `rules`; null: it says nothing of that.

  std::string name() const { return document->name; }
};

/// Empty, with errors, if something can't be loaded.
std::optional<Mapping> load_mapping(const Document& document, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
