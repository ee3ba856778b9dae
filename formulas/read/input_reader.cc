#include "formulas/read/input_reader.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "expr/parser.h"
#include "formulas/link/types.h"

namespace opledger {

const FieldAssignment* InputReader::assignment(const std::string& name) const {
  for (const auto* list : {&sources_.overrides, &sources_.execution}) {
    for (auto g = list->rbegin(); g != list->rend(); ++g) {
      if (g->name == name) return &*g;
    }
  }
  return nullptr;
}

bool InputReader::is_open(const std::string& name) const {
  return std::any_of(sources_.open.begin(), sources_.open.end(), [&](const auto& o) { return o.first == name; });
}

void InputReader::add_parameters() {
  if (sources_.parameters == nullptr) return;
  for (const Definition& parameter : *sources_.parameters) {
    if (program_.find(parameter.name) != nullptr && program_.find(parameter.name)->input) continue;
    Name*& n = program_.model->names[parameter.name];
    if (n != nullptr) continue;
    n = &linker_.name(parameter.name);
    if (is_open(parameter.name)) make_input(*n, parameter);
    if (assignment(parameter.name) == nullptr) definitions_.add(*n, parameter, *program_.model);
  }
}

/// Makes an open parameter of the model (a parameter that gets its value later) an input. Its type follows its value in
/// the model: true or false, a whole plain number, or a number in the value's unit. A formula counts as a plain number.
void InputReader::make_input(Name& n, const Definition& parameter) {
  const ExprPtr& value = parameter.otherwise;
  n.input = true;
  n.type.kind = value == nullptr                                                         ? Type::Kind::number
                : value->kind == Expr::Kind::boolean                                     ? Type::Kind::boolean
                : value->kind != Expr::Kind::number                                      ? Type::Kind::number
                : value->number == std::floor(value->number) && value->dimension.plain() ? Type::Kind::integer
                                                                                         : Type::Kind::number;
  if (value != nullptr && value->kind == Expr::Kind::number) n.type.unit.dimension = value->dimension;
  program_.inputs.emplace_back(&n, parameter.span);
}

const Datum* InputReader::axis(const std::string& name) const {
  for (const auto& [axis, degree] : sources_.axes) {
    if (axis == name) return &degree;
  }
  return nullptr;
}

std::optional<InputReader::Source> InputReader::source(const Name& input, const Span& at, const std::vector<Definition>* parameters) const {
  // Sources in order of precedence: assignment, degree of a mesh axis, parameter of the model, default.
  if (const FieldAssignment* g = assignment(input.name)) return Source{nullptr, g->value, g->span};
  if (const Datum* degree = axis(input.name)) return Source{nullptr, *degree, at};
  const std::size_t count = parameters != nullptr ? parameters->size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if ((*parameters)[i].name == input.name) return Source{&(*parameters)[i], {}, at};
  }
  return input.type.optional ? std::optional(Source{nullptr, input.type.fallback, at}) : std::nullopt;
}

void InputReader::define_inputs() {
  for (const auto& [n, span] : program_.inputs) {
    const std::optional<Source> from = source(*n, span, sources_.parameters);
    if (from && from->parameter != nullptr)
      definitions_.add(*n, *from->parameter, *program_.model);
    else if (from)
      define(*n, from->value, from->at, *program_.model);
  }
}

/// Returns whether a value is a formula, which may use names of the model, instead of a constant or word.
bool InputReader::is_formula(const Type& type, const Datum& value) {
  // words of other languages, which are no names here
  static const std::set<std::string> kTruths = {"True", "False", "TRUE", "FALSE", "yes", "no", "on", "off"};
  const bool foreign = type.kind == Type::Kind::boolean && value.is_scalar() && kTruths.count(value.text()) != 0;
  const bool number = type.kind == Type::Kind::number || type.kind == Type::Kind::integer || type.kind == Type::Kind::boolean;
  double constant = 0;
  Dimension dimension;
  return number && !foreign && value.is_scalar() && value.text() != "true" && value.text() != "false" && !parse_quantity(value.text(), constant, dimension);
}

void InputReader::define(Name& n, const Datum& value, const Span& at, const NameScope& scope) {
  if (is_formula(n.type, value)) {
    Definition definition;
    if (parse_definition(Datum::scalar(n.name, false, at), value, diagnostics_, definition)) definitions_.add(n, std::move(definition), scope);
    return;
  }
  const std::optional<Value> v = read_value(program_, linker_, n.type, value, n.name, diagnostics_);
  if (!v) return;
  if (v->record != nullptr) n.constant = v->record;
  linker_.define_constant(n, *v, at);
}

bool InputReader::parse_value(const FieldAssignment& given, const std::vector<Definition>* parameters, Definition& out) const {
  if (!parse_definition(Datum::scalar(given.name, false, given.span), given.value, diagnostics_, out)) return false;
  const bool texts = parameters != nullptr && std::any_of(parameters->begin(), parameters->end(), [&](const Definition& parameter) {
                       return parameter.name == given.name && takes_texts(parameter.otherwise);
                     });
  if (texts) out.otherwise = names_as_texts(out.otherwise);
  return true;
}

void InputReader::add_model(const OtherModel& model, NameScope& scope, std::vector<CaseValue>& values) {
  // Declares the parameters of another model, which case words select, in `scope`, and appends to `values` the inputs
  // whose values this model changes. Parameters of the name of an input are such values; they get no name of their own.
  // Assignments of the execution and the command line replace a parameter's formula here too. An open parameter of the
  // run's model is shared: one input for all models.
  for (const Definition& parameter : *model.parameters) {
    if (program_.find(parameter.name) != nullptr && program_.find(parameter.name)->input) continue;
    Name*& n = scope.names[parameter.name];
    if (n != nullptr) continue;
    const auto of_run = program_.model->names.find(parameter.name);
    const bool is_shared = is_open(parameter.name) && of_run != program_.model->names.end();
    n = is_shared ? of_run->second : &linker_.name(parameter.name);
    if (is_shared) continue;
    Definition definition = parameter;
    const FieldAssignment* const given = assignment(parameter.name);
    if (given == nullptr || parse_value(*given, model.parameters, definition)) definitions_.add(*n, std::move(definition), scope);
  }
  const auto inputs = program_.inputs;
  for (const auto& [input, at] : inputs) add_case_value(*input, at, model, scope, values);
}

/// Adds to `values` the value of an input in a model of case words, if the value may differ there. The run's model or
/// this model must have a parameter of its name, or its value must be a formula, which may use the model's parameters.
/// Open and structured inputs have one value for all models.
void InputReader::add_case_value(Name& input, const Span& at, const OtherModel& model, const NameScope& scope, std::vector<CaseValue>& values) {
  if (is_open(input.name) || !scalar_type(input.type)) return;
  const std::optional<Source> here = source(input, at, sources_.parameters), there = source(input, at, model.parameters);
  const bool of_model = (here && here->parameter != nullptr) || (there && there->parameter != nullptr);
  if (!of_model && !(there && is_formula(input.type, there->value))) return;
  Name& n = linker_.name(input.name);
  n.input = true;
  n.type = input.type;
  values.push_back({&input, &n});
  if (there && there->parameter != nullptr)
    definitions_.add(n, *there->parameter, scope);
  else if (there)
    define(n, there->value, there->at, scope);
}

bool InputReader::of_other_model(const std::string& parameter) const {
  return std::any_of(sources_.models.begin(), sources_.models.end(), [&](const OtherModel& model) {
    return std::any_of(model.parameters->begin(), model.parameters->end(), [&](const Definition& p) { return p.name == parameter; });
  });
}

}  // namespace opledger
