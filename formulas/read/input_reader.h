#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/definition_reader.h"
#include "formulas/read/program_sources.h"

/// Reader of values of inputs and model parameters from documents and the command line, for the run's model and for
/// models of case words.
namespace opledger {

class InputReader {
 public:
  InputReader(const ProgramSources& sources, Program& program, Linker& linker, DefinitionReader& definitions, Diagnostics& diagnostics)
      : sources_(sources), program_(program), linker_(linker), definitions_(definitions), diagnostics_(diagnostics) {}

  /// Returns the last assignment of a name: from the command line, else from the execution; null if neither has one.
  const FieldAssignment* assignment(const std::string& name) const;
  /// Declares the parameters of the run's model in the model's scope.
  void add_parameters();
  /// Defines every input by its first source: command line, execution, model, default.
  void define_inputs();
  /// Defines one input by a value, or by a formula over the names of a model.
  void define(Name& input, const Datum& value, const Span& at, const NameScope& scope);
  /// Declares the parameters of a model of case words, and lists in `values` the inputs that its parameters determine.
  void add_model(const OtherModel& model, NameScope& scope, std::vector<CaseValue>& values);
  /// Returns whether a model of case words has such a parameter.
  bool of_other_model(const std::string& parameter) const;

 private:
  /// Source of an input's value: a parameter of a model, or a written value.
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
  void add_case_value(Name& input, const Span& at, const OtherModel& model, const NameScope& scope, std::vector<CaseValue>& values);

  const ProgramSources& sources_;
  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
