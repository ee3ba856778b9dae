#include "accounting/chunk_tapes.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"

namespace opledger {
namespace {

constexpr std::size_t kMostPrograms = 64;  // Limit of recordings per function; more would not pay off.
constexpr double kLargestWhole = 1e9;

double number_of(const Name& input, Evaluator& candidate, const ChunkTapes::Inputs& inputs) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& entry) { return entry.first == &input; });
  if (found != inputs.end()) return found->second;
  const Value bound = candidate.base_value(input).value;
  return bound.kind == Value::Kind::word ? bound.word : bound.scalar.value;
}

}  // namespace

/// Evaluates the function once with symbols for its arguments and for the candidate's inputs. The tape then contains
/// the result as an expression, and guards for every branch that was taken.
std::optional<ChunkTapes::RecordedSearch> ChunkTapes::record(const Function& function, const Arguments& sample, Evaluator& candidate, const Inputs& inputs) {
  Tape tape;
  Evaluator symbols = candidate.separate(inputs, &tape);
  std::vector<Value> arguments;
  for (const long long x : sample) arguments.push_back(number_value(tape.input("argument", static_cast<double>(x), true)));
  const Answer answer = symbols.ask(function, arguments);
  if (!answer.known() || !answer.value.is_number()) return std::nullopt;
  const Scalar result[] = {answer.value.scalar};
  std::vector<Scalar> needed = {result[0]};
  for (const Tape::Guard& guard : tape.guards()) needed.push_back(guard.condition);
  const std::vector<bool> reached = tape.reached(needed);
  RecordedSearch out{GuardedProgram(tape, result), {}, {}};
  for (std::size_t i = 0; i < tape.instructions().size(); ++i) {
    const Tape::Instruction& from = tape.instructions()[i];
    if (from.kind != Tape::Instruction::Kind::input || from.extra < sample.size()) continue;
    const Name* const input = symbols.program().find_input(tape.inputs()[from.extra]);
    if (input == nullptr) return std::nullopt;
    out.inputs.push_back(input);
    if (reached[i]) out.deciding.push_back(input);
  }
  return out;
}

/// Evaluates one recording for all arguments without a result whose guards hold. Returns false if a result is no whole
/// number.
bool ChunkTapes::run(const RecordedSearch& recorded, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                     std::vector<std::optional<long long>>& out) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!out[i]) missing.push_back(i);
  }
  std::vector<std::vector<double>> columns;
  for (std::size_t a = 0; a < std::tuple_size_v<Arguments>; ++a) {
    std::vector<double>& column = columns.emplace_back();
    column.reserve(missing.size());
    for (const std::size_t i : missing) column.push_back(static_cast<double>(all[i][a]));
  }
  for (const Name* input : recorded.inputs) columns.emplace_back(missing.size(), number_of(*input, candidate, inputs));
  std::vector<const double*> in;
  for (const auto& column : columns) in.push_back(column.data());
  const std::vector<bool> holds = recorded.program.guards.hold(in, missing.size());
  if (!contains(holds, true)) return true;
  std::vector<double> results(missing.size());
  double* const to[] = {results.data()};
  recorded.program.kernel.run(in, to, missing.size());
  for (std::size_t k = 0; k < missing.size(); ++k) {
    if (!holds[k]) continue;
    if (!(std::fabs(results[k]) <= kLargestWhole) || results[k] != std::floor(results[k])) return false;
    out[missing[k]] = static_cast<long long>(results[k]);
  }
  return true;
}

/// Tries the recordings in turn until every argument has a value, and records the first argument without one. Typical
/// functions need a few recordings, one per branch.
std::optional<std::vector<long long>> ChunkTapes::call(const Function& function, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                                                       std::vector<const Name*>& read) {
  std::vector<RecordedSearch>& known = known_[&function];
  std::vector<std::optional<long long>> values(all.size());
  for (std::size_t p = 0;; ++p) {
    const auto missing = std::find(values.begin(), values.end(), std::nullopt);
    if (missing == values.end()) break;
    if (p == known.size()) {
      std::optional<RecordedSearch> fresh =
          p < kMostPrograms ? record(function, all[static_cast<std::size_t>(missing - values.begin())], candidate, inputs) : std::nullopt;
      if (!fresh) return std::nullopt;
      known.push_back(std::move(*fresh));
    }
    if (!run(known[p], all, candidate, inputs, values)) return std::nullopt;
    for (const Name* input : known[p].deciding) {
      if (!contains(read, input)) read.push_back(input);
    }
  }
  std::vector<long long> out;
  for (const auto& value : values) out.push_back(*value);
  return out;
}

}  // namespace opledger
