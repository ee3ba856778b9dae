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

/// `cases` of accountings and of executions: sets of words, and what has which value at each.
namespace opledger {

class CaseReader {
 public:
  CaseReader(Program& program, Linker& linker, DefinitionReader& definitions, InputReader& inputs, Diagnostics& diagnostics)
      : program_(program), linker_(linker), definitions_(definitions), inputs_(inputs), diagnostics_(diagnostics) {}

  /// The sets and words of an accounting.
  void declare(const Document& document);
  /// Fields of a document, by their paths, that have other values at some word.
  std::vector<std::string> fields_of(const std::string& document) const;
  /// `decode.tp`, from an execution or the command line: whether it is one.
  bool add(const Given& given);
  bool is_one(const std::string& name) const { return !word_of(name).empty(); }
  /// One that gets values later.
  bool open(const std::string& name, const Span& span);
  /// A document of a word's own stands in there for another one.
  void give(const CaseDocument& document, const Name& of, const Name& own);
  /// When all names are there. `documents`: those that words name.
  void define(const std::vector<CaseDocument>& documents);

 private:
  struct Said {
    std::string word, name;
    Datum value;  ///< Null: it is open.
    Span span;
    bool by_user = false;  ///< A name that nothing has is a mistake then, and not what this model lacks.
  };
  struct Like {
    std::string word, other;
    Span span;
  };
  void take_over(const Like& like);
  void unite(const std::string& word, const Datum& others);
  std::string word_of(const std::string& name) const;
  void say(Said said);
  void declare_word(CaseSet& set, const Datum& word, const Datum& values);
  const NameScope& scope(std::size_t model) const { return model == 0 ? *program_.model : *program_.models[model].scope; }
  CaseWord* case_word(const std::string& word);
  void name_models(const std::vector<CaseDocument>& documents);
  void define(const Said& said);
  const Name& value_of(const Said& said, const Name& of, const NameScope& scope);
  void define(Name& n, const Said& said, const Name& of, const NameScope& scope);
  Name* target(const Said& said, const NameScope& scope) const;
  void tell_unknown(const Said& said, std::size_t first, std::size_t last);

  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  InputReader& inputs_;
  Diagnostics& diagnostics_;
  std::vector<Said> said_;
  std::vector<std::pair<std::string, const Datum*>> together_;  ///< By word.
  std::vector<Like> likes_;
  std::set<std::string, std::less<>> open_;
  std::map<std::string, const Name*> opened_;  ///< Their values, which all models share.
};

}  // namespace opledger
