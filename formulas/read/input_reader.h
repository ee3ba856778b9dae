#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/definition_reader.h"
#include "formulas/read/program_sources.h"

/// What documents and the command line say of inputs and of parameters of models: of the run's, and of those that are counted at words of cases.
namespace opledger {

class InputReader {
 public:
  InputReader(const ProgramSources& sources, Program& program, Linker& linker, DefinitionReader& definitions, Diagnostics& diagnostics)
      : sources_(sources), program_(program), linker_(linker), definitions_(definitions), diagnostics_(diagnostics) {}

  /// The command line's, else the execution's; null: neither says anything.
  const Given* given(const std::string& name) const;
  /// Parameters of the run's model become names that its scope sees.
  void add_parameters();
  /// An input is what was given on the command line, else by the execution, else by the model, else its default.
  void define_inputs();
  /// The value of one, in a formula over the names of a model.
  void define(Name& input, const Datum& value, const Span& at, const NameScope& scope);
  /// The same names for a model that is counted at some words, and what stands in there for inputs that follow from its parameters.
  void add_model(const OtherModel& model, NameScope& scope, std::vector<CaseValue>& values);
  /// Whether one of these models has such a parameter.
  bool of_other_model(const std::string& parameter) const;

 private:
  /// Where a value of an input is from: a parameter of a model, or what was written.
  struct Source {
    const Definition* parameter = nullptr;
    Datum value;
    Span at;
  };
  std::optional<Source> source(const Name& input, const Span& at, const std::vector<Definition>* parameters) const;
  const Datum* axis(const std::string& name) const;
  bool is_open(const std::string& name) const;
  static bool is_formula(const Type& type, const Datum& value);
  void make_input(Name& name, const Definition& parameter);
  void stand_in(Name& input, const Span& at, const OtherModel& model, const NameScope& scope, std::vector<CaseValue>& values);

  const ProgramSources& sources_;
  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
