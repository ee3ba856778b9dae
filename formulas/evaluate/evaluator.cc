#include "formulas/evaluate/evaluator.h"

#include "formulas/evaluate/walk.h"

namespace opledger {

Evaluator::Evaluator(const Program& program, Mode mode, Tape* tape) : walk_(std::make_unique<Walk>(program, mode, tape)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

Answer Evaluator::ask(const Name& name, const Point& point) {
  return walk_->answer([&] { return walk_->evaluate(name, point); });
}

Answer Evaluator::ask(const Formula& formula, const Point& point) { return ask(formula, point, nullptr); }

Answer Evaluator::ask(const Formula& formula, const Point& point, const std::vector<Value>* locals) {
  return walk_->answer([&] { return walk_->evaluate(formula, point, locals); });
}

Answer Evaluator::ask(const Function& function, const std::vector<Value>& arguments) {
  return walk_->answer([&] { return walk_->call(function, arguments, nowhere(), function.span); });
}

Answer Evaluator::given(const Name& input) {
  return walk_->answer([&] { return walk_->given(input); });
}

const Program& Evaluator::program() const { return walk_->program_; }
Formulas& Evaluator::questions() { return walk_->questions_; }
Tape* Evaluator::tape() const { return walk_->tape_; }
std::size_t Evaluator::steps() const { return walk_->steps_; }
void Evaluator::make_symbolic(const Name& input) { walk_->symbolic_[&input] = std::nullopt; }
void Evaluator::make_symbolic(const Name& input, double sample) { walk_->symbolic_[&input] = sample; }
std::vector<const Name*> Evaluator::symbols() const { return walk_->symbols(); }
void Evaluator::derive(const Name& input, const Formula& formula) { walk_->derived_[&input] = &formula; }
void Evaluator::provide(const Name& input, std::function<Answer(Evaluator&)> value) { walk_->provided_[&input] = {this, std::move(value)}; }
bool Evaluator::provides(const Name& input) const { return walk_->provided_.contains(&input); }
void Evaluator::fill_cases(Filler fill) {
  walk_->elsewhere_ = std::make_unique<Walk::Elsewhere>();
  walk_->elsewhere_->fill = std::move(fill);
  walk_->self_ = this;
}

std::vector<std::pair<SetId, WordId>> Evaluator::cases() const {
  std::vector<std::pair<SetId, WordId>> out;
  for (std::size_t i = 0; i < walk_->words_.size(); ++i) {
    const CaseSet& cases = walk_->program_.cases[i];
    const WordId word = walk_->words_[i];
    if (word != 0 || !cases.words[word].documents.empty()) out.emplace_back(cases.set, word);
  }
  return out;
}

std::size_t Evaluator::model() const { return walk_->model_; }

std::optional<std::pair<Evaluator*, Point>> Evaluator::at(const Point& point) {
  if (!walk_->has_cases_ || !walk_->leaves(point)) return std::pair{this, point};
  std::optional<Point> there;
  Walk* walk = nullptr;
  walk_->answer([&] {
    walk = &walk_->at(point);
    there = walk->arrive(*walk_, point);
    return Value{};
  });
  if (!there || walk->self_ == nullptr) return std::nullopt;
  return std::pair{walk->self_, *there};
}

bool Evaluator::reads_mean(const Formula& formula) const { return walk_->reads_mean(formula); }
const std::vector<const Name*>& Evaluator::read() const { return walk_->read_; }

Evaluator Evaluator::apart(const std::vector<std::pair<const Name*, double>>& values, Tape* tape) const {
  Evaluator out(program(), Mode::numbers, tape);
  out.walk_->symbolic_ = walk_->symbolic_;
  out.walk_->derived_ = walk_->derived_;
  for (const auto& [name, value] : values) out.walk_->symbolic_[name] = value;
  return out;
}

void Evaluator::set_elements(SetId set, Elements elements) { walk_->set_elements(set, std::move(elements)); }
void Evaluator::begin(std::span<const double> inputs) { walk_->begin(inputs); }
bool Evaluator::recording() const { return walk_->lasting_; }
WordId Evaluator::element_at(SetId set, WordId place) const { return walk_->element_at(set, place); }
const Elements& Evaluator::elements(SetId set) const { return walk_->elements_[set]; }
void Evaluator::set_nodes(NodeValues values, NodeFormulas formulas) { walk_->set_nodes(std::move(values), std::move(formulas)); }
Point Evaluator::choose(const Point& point, SetId set, WordId word) const { return walk_->choose(point, set, word); }

Point Evaluator::choose(Point point, const std::vector<std::pair<SetId, WordId>>& words) const {
  for (const auto& [set, word] : words) point = choose(point, set, word);
  return point;
}

std::vector<WordId> Evaluator::visit(SetId set, const Point& point) {
  std::vector<WordId> out;
  const auto words = [&] { return out = walk_->visit(set, point), Value{}; };
  if (!walk_->answer(words).known()) return {};
  std::erase_if(out, [&](WordId w) { return walk_->there(set, w).constant() && walk_->there(set, w).value == 0; });
  return out;
}

Scalar Evaluator::there(SetId set, WordId element) const { return walk_->there(set, element); }

Evaluator::Chosen Evaluator::chosen(const Name& name, const Point& point) {
  Chosen out;
  walk_->answer([&] { return out = walk_->chosen(name, point), Value{}; });
  return out;
}

Evaluator::Chosen Evaluator::chosen(const Function& function, const std::vector<Value>& arguments, const Point& point) {
  Chosen out;
  walk_->answer([&] { return out = walk_->chosen(function, arguments, point), Value{}; });
  return out;
}

const Variance& Evaluator::variance(const Name& name) const { return walk_->variance(name); }

}  // namespace opledger
