#pragma once
#include <string>
#include <utility>
#include <vector>

#include "schemas/library.h"

/// Request and result of an import of any format.
namespace opledger {

/// The file to import and the user's choices.
struct ImportRequest {
  std::string file;                                                ///< Path of the file.
  std::string name;                                                ///< Name of the new model document.
  std::string mapping = {};                                        ///< Name or path of a document of kind `import`; empty: the mapping that matches the file.
  std::string rules = {};                                          ///< Name of the document with rules for quantized weights; empty: no rules.
  bool has_optional_rules = false;                                 ///< A file without quantized weights is no error, although `rules` names a document.
  bool trained = false;                                            ///< The model as trained: the import ignores quantization.
  std::string execution = {};                                      ///< Name of the new execution.
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< Values of fields, and of variables in a script, that the user sets.
  std::string base_model = {}, base_execution = {};                ///< Documents that the file changes; empty if the file is complete.
  std::vector<std::string> published_rules = {};                   ///< Rules of the weights that the base model is published with.
  std::vector<std::pair<std::string, std::string>> system_settings = {};  ///< Changed fields of the system for the proof run, as by `--set`.
  std::string system = {};                                                ///< System for the proof run; empty: none.
};

/// Texts of the new documents. All texts are empty after an error. A format with a single document in each file
/// returns it as `text`, of any kind.
struct ImportedDocuments {
  /// The model; empty if the file describes only an execution.
  std::string text;
  std::string rules = {};       ///< Rules for quantized weights; empty unless requested.
  std::string execution = {};   ///< The execution; empty if the file describes only a model.
  std::string base_model = {};  ///< Name of the execution's model: the request's, or the one that the file names; empty without one.
};

}  // namespace opledger
