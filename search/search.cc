#include "search/search.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {
namespace {

/// An input's value from a number: in base units, 0 or 1, or the position of a word.
Value value_of(const Program& program, const Name& input, double number) {
  const Type& type = input.type;
  if (type.kind == Type::Kind::boolean) return truth_value(number != 0);
  if (type.kind == Type::Kind::integer) return number_value(integer(number), type.unit.dimension);
  if (type.kind != Type::Kind::words) return number_value(real(number), type.unit.dimension);
  Value v;
  v.kind = Value::Kind::word;
  v.set = type.set;
  v.word = static_cast<WordId>(number);
  v.text = &program.set(type.set).words[static_cast<std::size_t>(v.word)];
  return v;
}

bool check_metrics(const Program& program, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const Published& p : program.published) known.push_back(p.name);
  for (const std::string& name : names) {
    if (program.find_published(name) == nullptr) diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, known)));
  }
  return !diagnostics.failed();
}

/// The best candidates, one at a time, through structures of their own.
class Describer {
 public:
  Describer(SearchAnswer& answer, Diagnostics& diagnostics) : answer_(answer), diagnostics_(diagnostics), question_(question_of(answer.space)) {
    question_.outputs = answer.metrics;
  }

  bool run() {
    name_axes();
    for (const Found& found : answer_.result.best) {
      std::vector<double> candidate;
      SearchAnswer::Candidate& out = answer_.best.emplace_back();
      for (std::size_t a = 0; a < answer_.space.axes.size(); ++a) {
        if (answer_.space.axes[a].derived == nullptr) candidate.push_back(found.values[a]);
      }
      out.execution = execution_of(found);
      const Structure* structure = find(candidate);
      if (structure == nullptr) return false;
      out.metrics = structure->evaluate(candidate).outputs;
    }
    return true;
  }

 private:
  Space& space() { return answer_.space; }

  void name_axes() {
    for (const auto& [name, position] : space().order) {
      answer_.axes.push_back(name);
      positions_.push_back(position);
    }
  }

  std::vector<Value> execution_of(const Found& found) {
    const Program& program = space().run->program();
    std::vector<Value> out;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (positions_[i] >= 0) {
        const auto axis = static_cast<std::size_t>(positions_[i]);
        out.push_back(value_of(program, *space().axes[axis].input, found.values[axis]));
        continue;
      }
      Evaluator& evaluator = space().run->evaluator();
      const Name* input = program.find(answer_.axes[i]);
      out.push_back(input == nullptr ? Value{} : evaluator.evaluate(*input));
      evaluator.recover();
    }
    return out;
  }

  const Structure* find(const std::vector<double>& candidate) {
    for (const auto& structure : structures_) {
      if (structure->covers(candidate)) return structure.get();
    }
    const std::optional<Trace> trace = Structure::trace(*space().run, question_, candidate, shared_, diagnostics_);
    if (!trace) return nullptr;
    structures_.push_back(std::make_unique<Structure>(*trace));
    return structures_.back().get();
  }

  SearchAnswer& answer_;
  Diagnostics& diagnostics_;
  Question question_;
  Structure::Shared shared_;
  std::vector<std::unique_ptr<Structure>> structures_;
  std::vector<int> positions_;
};

}  // namespace

std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics) {
  SearchAnswer answer;
  std::optional<Space> space = read_space(request.run, library, diagnostics);
  if (!space) return std::nullopt;
  answer.space = std::move(*space);
  const Program& program = answer.space.run->program();
  if (!check_metrics(program, request.sweep.sums, diagnostics) || !check_metrics(program, request.metrics, diagnostics)) return std::nullopt;
  answer.accounting = answer.space.run->accounting();
  answer.objective = answer.space.objective;
  answer.sums = request.sweep.sums;
  answer.metrics = {answer.objective};
  for (const std::string& metric : request.metrics) {
    if (std::find(answer.metrics.begin(), answer.metrics.end(), metric) == answer.metrics.end()) answer.metrics.push_back(metric);
  }
  std::optional<SweepResult> result = sweep(answer.space, request.sweep, diagnostics);
  if (!result) return std::nullopt;
  answer.result = std::move(*result);
  for (std::size_t m = 0; m < answer.sums.size(); ++m) {
    const Name* metric = program.find_published(answer.sums[m])->metric;
    const Def* def = metric->defs.empty() ? nullptr : metric->defs[0];
    answer.totals.push_back(number_value(real(answer.result.sums[m].value()), def != nullptr && def->unit ? *def->unit : Dimension{}));
  }
  if (!Describer(answer, diagnostics).run()) return std::nullopt;
  return answer;
}

}  // namespace opledger
