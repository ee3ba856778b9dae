#include "formulas/evaluate/interpreter.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "formulas/formula_text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxDependencies = 10'000'000;  // Maximum number of stored dependencies, about 240 MB.

}  // namespace

Point nowhere() {
  Point p;
  p.fill(kNoWord);
  return p;
}

Point bound(const Point& point, const Formula& at) {
  Point p = point;
  for (const auto& [set, word] : *at.bindings) {
    if (!set)
      p = nowhere();
    else
      p[set] = word;
  }
  return p;
}

Interpreter::Interpreter(const Program& program, Mode mode, Tape* tape)
    : program_(program),
      mode_(mode),
      tape_(tape),
      arithmetic_(program, mode, tape, error_),
      choices_(mode, tape, error_, arithmetic_),
      tables_(program, mode),
      definitions_(program, mode),
      cache_(*this, program, tables_, tape, error_),
      case_(*this),
      inputs_(*this),
      aggregation_(*this) {}

Answer Interpreter::answer(FunctionRef<Value()> query) {
  QueryError around = std::exchange(error_, {});
  const QueryCache::Scope in_progress(cache_, !case_.has_cases());  // other runs may refer to values
  Answer out = error_.answer(query());
  error_ = std::move(around);
  return out;
}

void Interpreter::set_elements(SetId set, Elements elements) {
  // Nodes of equal name in two candidates are the same element only with equal operators and definitions.
  std::vector<std::uint64_t> identities;
  if (set == program_.engine->nodes && cache_.is_recording()) identities = definitions_.identities(elements.names.size());
  if (!tables_.set(set, std::move(elements), identities)) forget();
}

void Interpreter::set_nodes(NodeValues values, NodeFormulas formulas) {
  if (cache_.is_recording() && !formulas.widened.empty()) forget();  // widened variances change the keys
  definitions_.set_nodes(std::move(values), std::move(formulas));
}

/// Starts the recording of another candidate of a search on the same tape, in this run and in the runs at other case
/// words; `inputs` are its values of the tape's inputs. The caches are cleared if they are too large together.
void Interpreter::begin(std::span<const double> inputs) {
  std::vector<Interpreter*> all{this};
  case_.each_run([&](Interpreter& run) { all.push_back(&run); });
  std::size_t dependencies = 0;
  for (Interpreter* run : all) dependencies += run->cache_.compact_dependencies();
  tape_->begin(inputs);
  const std::uint32_t next = cache_.revision() + 1;
  for (Interpreter* run : all) {
    if (dependencies > kMaxDependencies) run->forget();
    run->begin_candidate(next);
  }
}

void Interpreter::begin_candidate(std::uint32_t revision) {
  // The cache and the elements stay, and everything that belongs to one candidate is dropped: running sums, node values,
  // provided inputs. The cache is cleared if definitions of single nodes made names depend on more sets, because the keys
  // then have other words. Lists in cached values have items of the last sample.
  if (!cache_.is_recording() || !definitions_.nodes().widened.empty()) forget();
  tables_.begin_candidate();
  cache_.begin_candidate(revision);
  definitions_.begin_candidate();
  inputs_.begin_candidate();
  case_.begin_candidate();
  aggregation_.forget();
  arithmetic_.each_item([&](Value& item) { cache_.refresh(item); });
}

void Interpreter::forget() {
  cache_.forget();
  definitions_.forget();
  aggregation_.forget();
}

std::vector<WordId> Interpreter::visit(SetId id, const Point& point) {
  // Returns the members of a set over which an aggregate runs. A word set gives all its words, and a set of positions
  // all positions of its list. An element set gives the elements that belong to every word the point has chosen. The
  // list may be symbolic (`picks` has its alternatives). If their lengths differ, a guard fixes the alternative of the
  // sample candidate, because the number of terms can't be a symbol. Units mode, the check before a run, visits the
  // operators instead of nodes and one member of any other set of elements or positions.
  const Set& set = program_.set(id);
  std::vector<WordId> out;
  if (set.elements && !fill()) return out;
  if (!set.elements) {
    std::size_t count = set.words.size();
    if (set.positions_formula != nullptr) {
      const Value list = interpret(*set.positions_formula, nowhere(), {});
      count = mode_ == Mode::units ? 1 : list.record != nullptr ? list.record->fields.size() : 0;
      const auto as_long = [&](const Record* other) { return other->fields.size() == count; };
      if (list.picks != nullptr && !std::all_of(list.picks->begin(), list.picks->end(), as_long)) tape_->guard(list.scalar);
    }
    for (std::size_t w = 0; w < count; ++w) out.push_back(static_cast<WordId>(w));
    return out;
  }
  if (mode_ == Mode::units) {
    if (id != program_.engine->nodes || program_.operators == nullptr) return {0};
    return program_.nodes;
  }
  return cache_.is_recording() ? cache_.elements(id, point) : tables_.at(id, point);
}

std::optional<WordId> Interpreter::current(SetId id, const Point& point) {
  // Returns the current word of a set from its first source. The sources are the point, the case word of this run, the
  // value of the name that binds the set, and the default word. Returns nothing if no source has a word, or after an
  // error. A symbolic word becomes a guard, because the caller continues with the word of the sample candidate.
  const WordId chosen = point[id];
  if (chosen != kNoWord) return chosen;
  const Set& set = program_.set(id);
  if (const std::optional<WordId> word = case_.word(id)) return word;
  if (set.binder != nullptr) {
    const Value v = evaluate(*set.binder, point);
    if (error_.failed()) return std::nullopt;
    if (mode_ == Mode::units) return kAnyWord;
    if (v.kind == Value::Kind::word && v.text != nullptr) {
      const auto found = set.index.find(*v.text);
      if (found != set.index.end()) {
        specialize(tape_, v.scalar);  // the caller depends on the word itself
        return found->second;
      }
    }
    error_.fail(set.binder->defs.empty() ? set.span : set.binder->defs[0]->span, fmt::format("`{}` must be one of {}", set.name, join(set.words, ", ")));
    return std::nullopt;
  }
  if (set.default_word >= 0) return set.default_word;
  return std::nullopt;
}

Value Interpreter::interpret(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates a formula at a point; every part of a formula is evaluated through this function, too. `frame` has the
  // arguments of the enclosing function (`locals`) and the definition that `inherited` continues from. If the point has
  // other case words than this run, the run of these words evaluates the formula, after a translation of the arguments.
  // Steps are counted from the outermost formula (`depth_` 0). The limit of nested formulas is eight times the limit of
  // nested names, because a name's definition nests several formulas. After an error nothing is evaluated.
  if (error_.failed()) return {};
  if (case_.has_cases() && case_.changes(point)) {
    return case_.ask_there(point, [&](Interpreter& there, const Point& p) {
      const std::vector<Value> locals = frame.locals == nullptr ? std::vector<Value>{} : there.case_.translate(*this, *frame.locals);
      return there.interpret(f, p, {frame.chain, frame.index, frame.locals == nullptr ? nullptr : &locals});
    });
  }
  if (depth_ == 0) steps_ = 0;
  if (depth_ > kMaxEvaluationDepth * 8) return error_.fail(span_of(f), "this formula is nested too deeply");
  if (!spend(1, f)) return {};
  ++depth_;
  Value v = by_kind(f, point, frame);
  --depth_;
  return v;
}

bool Interpreter::spend(std::size_t steps, const Formula& f) {
  steps_ += steps;
  if (steps_ <= kMaxEvaluationSteps) return true;
  error_.fail(span_of(f), fmt::format("this takes too long to compute: more than {} steps", kMaxEvaluationSteps));
  return false;
}

std::optional<Answer> Interpreter::compute(const Formula& node_value, WordId node, WordId extent) {
  return definitions_.node_value(tables_.place_of(program_.engine->nodes, node), node_value.text, extent);
}

}  // namespace opledger
