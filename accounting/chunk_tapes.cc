#include "accounting/chunk_tapes.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"

namespace opledger {
namespace {

constexpr std::size_t kMostPrograms = 64;  // Limit of recordings per function; more would not pay off.
constexpr double kLargestWhole = 1e9;

/// Returns the value of an input: from `inputs`, else the value that the evaluator of the candidate has. A word counts
/// as its position.
double number_of(const Name& input, Evaluator& candidate, const ChunkTapes::Inputs& inputs) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& entry) { return entry.first == &input; });
  if (found != inputs.end()) return found->second;
  const Value bound = candidate.base_value(input).value;
  return bound.kind == Value::Kind::word ? bound.word : bound.scalar.value;
}

}  // namespace

/// Evaluates the function once with symbols for its three arguments and for the inputs of the candidate. The tape then
/// contains the result as an expression, and a guard for every branch that the evaluation took. `sample` gives the
/// arguments that decide the branches, `candidate` the evaluator to copy, `inputs` the values of the candidate's
/// inputs. The result lists the inputs on the tape, and the subset that the result or a guard reads. Returns nothing if
/// the value is no number or an input is unknown. Linear in the recorded instructions.
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
    // `extra` is the number of an input on the tape; the arguments have the first numbers.
    if (from.kind != Tape::Instruction::Kind::input || from.extra < sample.size()) continue;
    const Name* const input = symbols.program().find_input(tape.inputs()[from.extra]);
    if (input == nullptr) return std::nullopt;
    out.inputs.push_back(input);
    if (reached[i]) out.deciding.push_back(input);
  }
  return out;
}

/// Evaluates one recording for every argument without a result in `out`, and stores the results of arguments that
/// satisfy the guards. Arguments that violate a guard stay empty; another recording must cover them. One call tests the
/// guards for all these arguments, and one call of the kernel computes the results. Both read one column per argument
/// position and per input. Returns false if a result is no whole number of at most kLargestWhole in magnitude.
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

/// Tries the recordings of the function in turn until every argument of `all` has a value. If arguments remain after
/// the last recording, the first of them becomes the sample of a new one. Typical functions need a few recordings, one
/// per branch. Inputs that results or guards of a tried recording need are added to `read`. Returns nothing if a result
/// is wrong, recording fails, or the function needs more than kMostPrograms recordings.
std::optional<std::vector<long long>> ChunkTapes::call(const Function& function, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                                                       std::vector<const Name*>& read) {
  std::vector<RecordedSearch>& known = known_[&function];
  std::vector<std::optional<long long>> values(all.size());
  for (std::size_t p = 0;; ++p) {
    const auto missing = std::find(values.begin(), values.end(), std::nullopt);
    if (missing == values.end()) break;
    // No recording is left: record the first argument without a value.
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
