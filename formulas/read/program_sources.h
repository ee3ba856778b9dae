#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/datum.h"

/// The documents and values from which `link_program` (reader.h) links a program.
namespace opledger {

class OperatorLibrary;
struct Definition;
struct Document;
struct Engine;

/// An execution's field, or one given on the command line.
struct Given {
  std::string name;
  Datum value;
  Span span;
  bool assumed = false;  ///< Nobody asked for it: left out where nothing has the name.
};

/// A model that words of cases have instead of the run's.
struct OtherModel {
  const std::vector<Definition>* parameters = nullptr;
  std::vector<std::pair<std::string, Datum>> records;  ///< `documents` of the accounting that it brings.
};

/// `decode: {system: NAME}`: a document that a word of cases has instead of the run's.
struct CaseDocument {
  std::string word, role, name;
  Datum record;           ///< Of what is no model.
  std::size_t model = 0;  ///< Of a model: in Program::models; 0: it is the run's.
};

struct ProgramSources {
  explicit ProgramSources(const Engine& what_fills_sets) : engine(what_fills_sets) {}

  const Engine& engine;
  std::vector<const Document*> documents;  ///< Accounting and operator documents, each after those it uses.
  const OperatorLibrary* operators = nullptr;
  std::set<std::string> used;                                                 ///< Those that the run's model names, whose units are checked; empty: all.
  const std::vector<Definition>* parameters = nullptr;                        ///< Of a model; null: closed formulas need none.
  bool own_graph = false;                                                     ///< The graph is not this model's: only global names are seen there.
  std::vector<std::pair<const Datum*, std::string>> options;                  ///< `options` sections of rule documents, and the documents' names.
  std::vector<Given> execution;                                               ///< Fields of the execution document.
  std::vector<Given> overrides;                                               ///< `--set`: these win.
  std::vector<std::pair<std::string, Span>> open;                             ///< Parameters of the model and fields of documents that get values later.
  std::vector<std::pair<std::string, Datum>> axes;                            ///< Mesh axes that are no groups, and their degrees.
  std::vector<std::pair<Datum, Datum>> inputs;                                ///< Those that an execution brings itself: names and types.
  std::vector<std::pair<std::string, std::vector<std::string>>> axis_groups;  ///< Name -> axes: the degree is the product.
  std::vector<std::pair<std::string, Datum>> records;                         ///< `documents` of the accounting that are not open: `system`.
  std::vector<std::string> missing;                                           ///< Those that the run does without.
  std::vector<OtherModel> models;                                             ///< Program::models from 1 on.
  std::vector<CaseDocument> case_documents;
  /// Of such a document, several to choose from, by name: an input that is called like it says which.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, Datum>>>> choices;
};

}  // namespace opledger
