#include "formulas/evaluate/evaluator.h"

#include "formulas/evaluate/interpreter.h"
#include "formulas/evaluate/means.h"

namespace opledger {

Evaluator::Evaluator(const Program& program, Mode mode, Tape* tape) : interpreter_(std::make_unique<Interpreter>(program, mode, tape)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

Answer Evaluator::ask(const Name& name, const Point& point) {
  return interpreter_->answer([&] { return interpreter_->evaluate(name, point); });
}

Answer Evaluator::ask(const Formula& formula, const Point& point) { return ask(formula, point, nullptr); }

Answer Evaluator::ask(const Formula& formula, const Point& point, const std::vector<Value>* locals) {
  return interpreter_->answer([&] { return interpreter_->interpret(formula, point, {nullptr, 0, locals}); });
}

Answer Evaluator::ask(const Function& function, const std::vector<Value>& arguments) {
  return interpreter_->answer([&] { return interpreter_->call(function, arguments, nowhere(), function.span); });
}

Answer Evaluator::base_value(const Name& input) {
  return interpreter_->answer([&] { return interpreter_->inputs_.base_value(input); });
}

const Program& Evaluator::program() const { return interpreter_->program_; }
Formulas& Evaluator::queries() { return interpreter_->queries_; }
Tape* Evaluator::tape() const { return interpreter_->tape_; }
std::size_t Evaluator::steps() const { return interpreter_->steps_; }
void Evaluator::release_memory() {
  if (!interpreter_->case_.has_cases()) interpreter_->cache_.trim();
}
void Evaluator::make_symbolic(const Name& input) { interpreter_->inputs_.make_symbolic(input, std::nullopt); }
void Evaluator::make_symbolic(const Name& input, double sample) { interpreter_->inputs_.make_symbolic(input, sample); }
std::vector<const Name*> Evaluator::symbols() const { return interpreter_->inputs_.symbols(); }
void Evaluator::derive(const Name& input, const Formula& formula) { interpreter_->inputs_.derive(input, formula); }
void Evaluator::provide(const Name& input, std::function<Answer(Evaluator&)> value) { interpreter_->inputs_.provide(input, *this, std::move(value)); }
bool Evaluator::provides(const Name& input) const { return interpreter_->inputs_.provides(input); }
void Evaluator::fill_cases(Filler fill) { interpreter_->case_.set_filler(*this, std::move(fill)); }

std::vector<std::pair<SetId, WordId>> Evaluator::cases() const {
  std::vector<std::pair<SetId, WordId>> out;
  const std::vector<WordId>& words = interpreter_->case_.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CaseSet& cases = program().cases[i];
    if (words[i] != 0 || !cases.words[static_cast<std::size_t>(words[i])].documents.empty()) out.emplace_back(cases.set, words[i]);
  }
  return out;
}

std::size_t Evaluator::model() const { return interpreter_->case_.model(); }

std::optional<std::pair<Evaluator*, Point>> Evaluator::at(const Point& point) {
  if (!interpreter_->case_.has_cases() || !interpreter_->case_.changes(point)) return std::pair{this, point};
  return interpreter_->case_.at(point);
}

bool Evaluator::reads_mean(const Formula& formula) const { return opledger::reads_mean(formula, interpreter_->case_.replacements()); }
const std::vector<const Name*>& Evaluator::read() const { return interpreter_->inputs_.read(); }

Evaluator Evaluator::separate(const std::vector<std::pair<const Name*, double>>& values, Tape* tape) const {
  Evaluator out(program(), Mode::numbers, tape);
  out.interpreter_->inputs_.take(interpreter_->inputs_);
  for (const auto& [name, value] : values) out.make_symbolic(*name, value);
  return out;
}

void Evaluator::set_elements(SetId set, Elements elements) { interpreter_->set_elements(set, std::move(elements)); }
void Evaluator::begin(std::span<const double> inputs) { interpreter_->begin(inputs); }
bool Evaluator::recording() const { return interpreter_->cache_.is_recording(); }
WordId Evaluator::element_at(SetId set, WordId place) const { return interpreter_->tables_.element_at(set, place); }
const Elements& Evaluator::elements(SetId set) const { return interpreter_->tables_[set]; }
void Evaluator::set_nodes(NodeValues values, NodeFormulas formulas) { interpreter_->set_nodes(std::move(values), std::move(formulas)); }
Point Evaluator::choose(const Point& point, SetId set, WordId word) const { return interpreter_->tables_.choose(point, set, word); }

Point Evaluator::choose(Point point, const std::vector<std::pair<SetId, WordId>>& words) const {
  for (const auto& [set, word] : words) point = choose(point, set, word);
  return point;
}

std::vector<WordId> Evaluator::visit(SetId set, const Point& point) {
  std::vector<WordId> out;
  const auto words = [&] { return out = interpreter_->visit(set, point), Value{}; };
  if (!interpreter_->answer(words).known()) return {};
  std::erase_if(out, [&](WordId w) { return interpreter_->tables_.presence(set, w).constant() && interpreter_->tables_.presence(set, w).value == 0; });
  return out;
}

Scalar Evaluator::presence(SetId set, WordId element) const { return interpreter_->tables_.presence(set, element); }

Evaluator::Chosen Evaluator::chosen(const Name& name, const Point& point) {
  Chosen out;
  interpreter_->answer([&] { return out = interpreter_->chosen(name, point), Value{}; });
  return out;
}

Evaluator::Chosen Evaluator::chosen(const Function& function, const std::vector<Value>& arguments, const Point& point) {
  Chosen out;
  interpreter_->answer([&] { return out = interpreter_->chosen(function.defs, &arguments, point), Value{}; });
  return out;
}

const Variance& Evaluator::variance(const Name& name) const { return interpreter_->definitions_.variance(name); }

}  // namespace opledger
