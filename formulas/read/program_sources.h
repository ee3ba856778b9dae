#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/datum.h"

/// The documents and values from which `link_program` (reader.h) links a program. The caller owns everything to which
/// pointers refer. Engine and operators must outlive the program.
namespace opledger {

class OperatorLibrary;
struct Definition;
struct Document;
struct Engine;

/// A field of an execution, or a value from the command line.
struct FieldAssignment {
  std::string name;  ///< Name of an input or parameter, or path of a document's field, such as `system.memory.capacity`.
  Datum value;
  Span span;             ///< Position of the name.
  bool assumed = false;  ///< The value is a default, which is dropped if no input has the name.
};

/// A model that replaces the run's in some words of a case.
struct OtherModel {
  const std::vector<Definition>* parameters = nullptr;  ///< Parameters of the model.
  std::vector<std::pair<std::string, Datum>> records;   ///< Documents that come with the model, by name in the accounting.
};

/// A document that replaces the run's in one word of a case: `decode: {system: NAME}`.
struct CaseDocument {
  std::string word, role, name;  ///< Case word, document that is replaced (`system`), and name of the new document.
  Datum record;                  ///< The content; null for a model.
  std::size_t model = 0;         ///< The position of a model in Program::models; 0 is the run's model.
};

/// Everything from which a program is linked. Empty fields are allowed.
struct ProgramSources {
  explicit ProgramSources(const Engine& set_engine) : engine(set_engine) {}

  const Engine& engine;
  std::vector<const Document*> documents;                     ///< Accounting and operator documents, each after the documents that it uses.
  const OperatorLibrary* operators = nullptr;                 ///< All operators; null without a graph.
  std::set<std::string> used;                                 ///< Operators that the run's model names; only their units are checked. Empty: all.
  const std::vector<Definition>* parameters = nullptr;        ///< Parameters of the model; null if there is no model.
  bool own_graph = false;                                     ///< The accounting brings a graph of its own, whose formulas see global names only.
  std::vector<std::pair<const Datum*, std::string>> options;  ///< `options` sections of rule documents, and the documents' names.
  std::vector<FieldAssignment> execution;                     ///< Fields of the execution document.
  std::vector<FieldAssignment> overrides;                     ///< `--set`: these win.
  std::vector<std::pair<std::string, Span>> open;             ///< Parameters of the model, fields of documents and values of case words that get values later.
  std::vector<std::pair<std::string, Datum>> axes;            ///< Mesh axes that are no groups, and their degrees.
  std::vector<std::pair<Datum, Datum>> inputs;                ///< Names and types of inputs that an execution declares.
  std::vector<std::pair<std::string, std::vector<std::string>>> axis_groups;  ///< Name -> axes: the degree is the product.
  std::vector<std::pair<std::string, Datum>> records;                         ///< `documents` of the accounting that are not open: `system`.
  std::vector<std::string> missing;                                           ///< Names of documents that the run lacks.
  std::vector<OtherModel> models;                                             ///< The models of Program::models, from position 1.
  std::vector<CaseDocument> case_documents;                                   ///< Documents that case words replace.
  /// Alternatives of a document by name; the input with the document's name selects one.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, Datum>>>> choices;
};

}  // namespace opledger
