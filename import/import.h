#pragma once
#include <string>
#include <utility>
#include <vector>

#include "schemas/library.h"

/// What is imported, whatever its format.
namespace opledger {

struct ImportRequest {
  std::string file;                                             ///< By path.
  std::string name;                                             ///< Of the new document.
  std::string mapping = {};                                     ///< A document of kind `import`, by name or path; empty: the one for the file's family.
  std::string rules = {};                                       ///< Name of the document that says how weights are quantised; empty: none is wanted.
  bool trained = false;                                         ///< The model as it is trained: what is said of quantised weights is left out, whatever it is.
  std::string execution = {};                                   ///< Name of the execution, of a document that says how a model is run.
  std::vector<std::pair<std::string, std::string>> given = {};  ///< Values of fields, and of variables of a script, that the file leaves open.
  std::string base_model = {}, base_execution = {};             ///< What the file changes; empty: it says everything.
  std::string system = {};                                      ///< On which what is made must run; empty: on none.
};

/// Texts of documents; all empty, with errors, if the file can't be imported.
struct Imported {
  std::string text;
  std::string rules = {};      ///< Where they were asked for.
  std::string execution = {};  ///< Where the file says how a model is run. Without a text, it says nothing of the model.
};

}  // namespace opledger
