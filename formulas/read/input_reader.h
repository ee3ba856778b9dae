#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "formulas/read/definition_reader.h"
#include "formulas/read/program_sources.h"

/// Reader of values of inputs and model parameters from documents and the command line, for the run's model and for
/// models of case words. Order: `add_parameters`, `define_inputs`, then `add_model` for each other model.
namespace opledger {

class InputReader {
 public:
  /// Reads `sources` into `program`; definitions go to `definitions`, which links them later.
  InputReader(const ProgramSources& sources, Program& program, Linker& linker, DefinitionReader& definitions, Diagnostics& diagnostics)
      : sources_(sources), program_(program), linker_(linker), definitions_(definitions), diagnostics_(diagnostics) {}

  /// Returns the last assignment of a name: from the command line, else from the execution; null if neither has one.
  const FieldAssignment* assignment(const std::string& name) const;
  /// Declares the parameters of the run's model in the model's scope, except those with the name of an input.
  void add_parameters();
  /// Defines every input by its first source: command line, execution, mesh axis, model, default. An input without a
  /// source stays without a value.
  void define_inputs();
  /// Defines one input by a value, or by a formula over the names of a model.
  void define(Name& input, const Datum& value, const Span& at, const NameScope& scope);
  /// Parses the value that `given` assigns to a parameter of a model into `out`. `parameters` are the model's, or null:
  /// bare names are texts if the parameter takes texts. Returns false, with an error, if the value is no formula.
  bool parse_value(const FieldAssignment& given, const std::vector<Definition>* parameters, Definition& out) const;
  /// Declares the parameters of a model of case words in `scope`, and appends to `values` the inputs that have another
  /// source in this model.
  void add_model(const OtherModel& model, NameScope& scope, std::vector<CaseValue>& values);
  /// Returns whether a model of case words has a parameter of this name.
  bool of_other_model(const std::string& parameter) const;

 private:
  /// Source of an input's value: a parameter of a model, or a written value.
  struct Source {
    const Definition* parameter = nullptr;  ///< Parameter of the model; null: `value` counts.
    Datum value;
    Span at;  ///< Position for messages.
  };
  /// Returns the first source of an input's value; nothing if it has none. `parameters` are the model's, or null.
  std::optional<Source> source(const Name& input, const Span& at, const std::vector<Definition>* parameters) const;
  /// Returns the degree of a mesh axis, or null.
  const Datum* axis(const std::string& name) const;
  /// Returns whether the name gets its value later (ProgramSources::open).
  bool is_open(const std::string& name) const;
  /// Returns whether a value for an input of the type is a formula instead of a constant.
  static bool is_formula(const Type& type, const Datum& value);
  /// Makes an open parameter an input.
  void make_input(Name& name, const Definition& parameter);
  /// Appends the value of an input in another model to `values`, if the model matters.
  void add_case_value(Name& input, const Span& at, const OtherModel& model, const NameScope& scope, std::vector<CaseValue>& values);

  const ProgramSources& sources_;
  Program& program_;
  Linker& linker_;
  DefinitionReader& definitions_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
