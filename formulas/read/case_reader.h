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
namespace opledger {

class CaseReader {
 public:
  CaseReader(Program& program, Linker& linker, DefinitionReader& definitions, InputReader& inputs, Diagnostics& diagnostics)
      : program_(program), linker_(linker), definitions_(definitions), inputs_(inputs), diagnostics_(diagnostics) {}

  /// Declares the sets and words of an accounting.
  void declare(const Document& document);
  /// Returns the paths of a document's fields that have other values at some word.
  std::vector<std::string> fields_of(const std::string& document) const;
  /// Adds an assignment such as `decode.tp` from an execution or the command line. Returns false if its name does not
  /// begin with a case word.
  bool add(const FieldAssignment& value);
  bool is_one(const std::string& name) const { return !word_of(name).empty(); }
  /// Declares a case input that gets values later. Returns false if the name does not begin with a case word.
  bool open(const std::string& name, const Span& span);
  /// Replaces the document `of` by `own` at the word of `document`.
  void add_document(const CaseDocument& document, const Name& of, const Name& own);
  /// Defines the values of all words after all names are declared. `documents` lists the documents of words.
  void define(const std::vector<CaseDocument>& documents);

 private:
  /// A value of `name` at `word`.
  struct CaseAssignment {
    std::string word, name;
    Datum value;  ///< Value; null: the input stays open.
    Span span;
    /// Set by the user: an unknown name is an error. An unknown name in an accounting is ignored, because a model may
    /// lack it.
    bool by_user = false;
  };
  /// A word with `like: OTHER`, which inherits the values of another word.
  struct Inheritance {
    std::string word, other;
    Span span;
  };
  void inherit_values(const Inheritance& inheritance);
  void combine(const std::string& word, const Datum& others);
  std::string word_of(const std::string& name) const;
  void set_value(CaseAssignment assignment);
  void declare_word(CaseSet& set, const Datum& word, const Datum& values);
  const NameScope& scope(std::size_t model) const { return model == 0 ? *program_.model : *program_.models[model].scope; }
  CaseWord* case_word(const std::string& word);
  void name_models(const std::vector<CaseDocument>& documents);
  void define(const CaseAssignment& assignment);
  const Name& value_of(const CaseAssignment& assignment, const Name& of, const NameScope& scope);
  void define_value(Name& n, const CaseAssignment& assignment, const Name& of, const NameScope& scope);
  Name* target(const CaseAssignment& assignment, const NameScope& scope) const;
  void report_unknown(const CaseAssignment& assignment, std::size_t first, std::size_t last);

  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  InputReader& inputs_;
  Diagnostics& diagnostics_;
  std::vector<CaseAssignment> assignments_;
  std::vector<std::pair<std::string, const Datum*>> together_;  ///< Pairs of a word and the words that it combines.
  std::vector<Inheritance> inheritances_;
  std::set<std::string, std::less<>> open_;
  std::map<std::string, const Name*> opened_;  ///< Open inputs by name, shared by all models.
};

}  // namespace opledger
