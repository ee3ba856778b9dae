#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/definition_reader.h"
#include "formulas/read/input_reader.h"
#include "formulas/read/program_sources.h"

/// Reader of `cases` in accountings and executions: sets of words, and the values that change at each word.
/// formulas/cases.h describes the result. Order: `declare` for each accounting, `add` and `open` for values of the
/// user, `add_document`, then `define`.
namespace opledger {

/// Collects the values of case words while documents are read, and links them when all names are declared.
class CaseReader {
 public:
  /// Reads into `program`. `definitions` and `inputs` receive the values of parameters and inputs.
  CaseReader(Program& program, Linker& linker, DefinitionReader& definitions, InputReader& inputs, Diagnostics& diagnostics)
      : program_(program), linker_(linker), definitions_(definitions), inputs_(inputs), diagnostics_(diagnostics) {}

  /// Declares the sets and words of an accounting and collects their values. Reports errors.
  void declare(const Document& document);
  /// Returns the paths of a document's fields that have other values at some word.
  std::vector<std::string> fields_of(const std::string& document) const;
  /// Adds an assignment such as `decode.tp` from an execution or the command line. Returns false if its name does not
  /// begin with a case word.
  bool add(const FieldAssignment& value);
  /// Returns whether the name begins with a case word and a dot.
  bool is_one(const std::string& name) const { return !word_of(name).empty(); }
  /// Declares a case input that gets values later. Returns false if the name does not begin with a case word.
  bool open(const std::string& name, const Span& span);
  /// Replaces the document `of` by `own` at the word of `document`. Ignores an unknown word.
  void add_document(const CaseDocument& document, const Name& of, const Name& own);
  /// Defines the values of all words after all names are declared. `documents` lists the documents of words.
  void define(const std::vector<CaseDocument>& documents);

 private:
  /// A value of the input or parameter `name` at `word`.
  struct CaseAssignment {
    std::string word, name;
    Datum value;  ///< Value; null: the input stays open.
    Span span;    ///< Position for messages.
    /// Set by the user: an unknown name is an error. An unknown name in an accounting is ignored, because a model may
    /// lack it.
    bool by_user = false;
  };
  /// A word with `like: OTHER`, which inherits the values of another word.
  struct Inheritance {
    std::string word, other;
    Span span;  ///< Position of `other`.
  };
  /// Copies the values of the other word that the word lacks.
  void inherit_values(const Inheritance& inheritance);
  /// Makes a word the combination of the words listed in `others`.
  void combine(const std::string& word, const Datum& others);
  /// Returns the case word in front of the first dot; empty: none.
  std::string word_of(const std::string& name) const;
  /// Stores an assignment, replacing an earlier one of the same word and name.
  void set_value(CaseAssignment assignment);
  void declare_word(CaseSet& set, const Datum& word, const Datum& values);
  /// Returns the scope of a counted model's parameters.
  const NameScope& scope(std::size_t model) const { return model == 0 ? *program_.model : *program_.models[model].scope; }
  /// Returns the settings of a word, or null.
  CaseWord* case_word(const std::string& word);
  /// Stores the documents and models of words.
  void name_models(const std::vector<CaseDocument>& documents);
  /// Defines an assignment for each model that may be counted at its word.
  void define(const CaseAssignment& assignment);
  /// Returns the name of an assigned value, creating it; `of` is the input or parameter that changes.
  const Name& value_of(const CaseAssignment& assignment, const Name& of, const NameScope& scope);
  /// Gives the name `n` the assigned value.
  void define_value(Name& n, const CaseAssignment& assignment, const Name& of, const NameScope& scope);
  /// Returns the parameter or input that an assignment changes, or null.
  Name* target(const CaseAssignment& assignment, const NameScope& scope) const;
  /// Reports an assignment of the user that changes nothing in the models from `first` to `last`.
  void report_unknown(const CaseAssignment& assignment, std::size_t first, std::size_t last);

  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  InputReader& inputs_;
  Diagnostics& diagnostics_;
  std::vector<CaseAssignment> assignments_;                     ///< Collected values in order.
  std::vector<std::pair<std::string, const Datum*>> together_;  ///< Pairs of a word and the words that it combines.
  std::vector<Inheritance> inheritances_;                       ///< Words with `like`, in order.
  std::set<std::string, std::less<>> open_;                     ///< Names of values that stay open, such as `decode.tp`.
  std::map<std::string, const Name*> opened_;                   ///< Open inputs by name, shared by all models.
};

}  // namespace opledger
