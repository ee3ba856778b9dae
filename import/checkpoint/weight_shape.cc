#include "import/checkpoint/weight_shape.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/matrix.h"
#include "import/checkpoint/stored_tensor.h"

namespace opledger {
namespace {

constexpr double kLargest = 9e15;  // Doubles represent whole numbers up to 9e15 exactly.

/// Returns whether the inputs of a node have all the dimensions, and the list is not empty.
bool reads(const Node& node, const DimList& dims) {
  const auto among = [&](DimId d) {
    const auto has = [d](const DimList& list) { return std::find(list.begin(), list.end(), d) != list.end(); };
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Operand& x) { return has(x.dims); });
  };
  return !dims.empty() && std::all_of(dims.begin(), dims.end(), among);
}

/// Returns whether an output of a node has any of the dimensions.
bool writes(const Graph& graph, const Node& node, const DimList& dims) {
  const auto among = [&](DimId d) {
    const auto has = [&](TensorId y) { return std::find(graph.tensors[y].dims.begin(), graph.tensors[y].dims.end(), d) != graph.tensors[y].dims.end(); };
    return std::any_of(node.outputs.begin(), node.outputs.end(), has);
  };
  return std::any_of(dims.begin(), dims.end(), among);
}

}  // namespace

WeightShapes::WeightShapes(Run& run) : run_(run) {
  for (const WeightId id : run.graph().weights.ids()) stacked_ = join(stacked_, matrix_dims(run.graph(), id).stack);
}

std::optional<std::uint64_t> WeightShapes::size(const DimList& dims, Diagnostics& diagnostics) {
  double out = 1;
  for (const DimId d : dims) {
    const Answer answer = run_.evaluator().ask(*run_.graph_run().sizes[d]);
    if (!answer.report(diagnostics)) return std::nullopt;
    out *= std::floor(answer.value.scalar.value);
  }
  if (out >= 0 && out < kLargest) return static_cast<std::uint64_t>(out);
  diagnostics.error({}, "a weight of the model is too large for a tensor");
  return std::nullopt;
}

std::optional<WeightShape> WeightShapes::shape(WeightId id, bool separate_last, Diagnostics& diagnostics) {
  // `matrix_dims` divides the dimensions of a weight: rows are contracted with the input, columns go to the output, and
  // a stack numbers separate matrices. A matrix is stored as outputs by inputs, so columns come first. A lookup table
  // is stored as rows by elements. A weight is a table if not all of its rows are dimensions of an input, or if an
  // output has a row. A weight without rows and stack is a vector; `separate_last` keeps the last of several dimensions
  // as a second axis. Leading dimensions of a vector that are stacks of some other weight (`stacked_`) become a stack
  // here, too.
  const Graph& graph = run_.graph();
  const Weight& weight = graph.weights[id];
  const Node& node = graph.nodes[weight.uses.front().first];
  const MatrixDims matrix = matrix_dims(graph, id);
  DimList stack = matrix.stack, first = matrix.columns, second = matrix.rows;
  WeightShape out;
  // A lookup table reads its rows by index.
  if (!matrix.rows.empty() && !(reads(node, matrix.rows) && !writes(graph, node, matrix.rows))) std::swap(first, second);
  if (matrix.rows.empty() && matrix.stack.empty()) {
    while (!first.empty() && std::find(stacked_.begin(), stacked_.end(), first[0]) != stacked_.end()) {
      stack.push_back(first[0]);
      first.erase(first.begin());
    }
    out.flat = !separate_last || first.size() < 2;
    if (!out.flat) second = {first.back()};
    if (!out.flat) first.pop_back();
  }
  for (const DimId d : stack) {
    const auto entries = size({d}, diagnostics);
    if (!entries) return std::nullopt;
    out.stack.push_back(*entries);
  }
  for (const DimId d : join(first, second)) {
    const auto entries = size({d}, diagnostics);
    if (!entries) return std::nullopt;
    out.dims.emplace(d, *entries);
  }
  const auto a = size(first, diagnostics), b = size(second, diagnostics);
  if (!a || !b) return std::nullopt;
  out.first = *a, out.second = *b;
  return out;
}

namespace {

/// Returns the shape of one matrix from matrices with different layouts and exactly one common dimension: projections
/// by heads that form one matrix product. The common dimension is the second axis, and all other sizes add up along the
/// first. Returns nothing without such a dimension.
std::optional<std::vector<std::uint64_t>> by_common_dimension(const std::vector<WeightShape>& weights) {
  std::map<DimId, std::uint64_t> common = weights.front().dims;
  for (const WeightShape& w : weights) std::erase_if(common, [&](const auto& d) { return w.dims.count(d.first) == 0; });
  if (common.size() != 1 || common.begin()->second == 0) return std::nullopt;
  const std::uint64_t size = common.begin()->second;
  std::uint64_t rest = 0;
  for (const WeightShape& w : weights) rest += product(w.stack).value_or(0) * w.first * w.second / size;
  return std::vector<std::uint64_t>{rest, size};
}

}  // namespace

std::optional<std::vector<std::uint64_t>> joint_shape(const std::vector<WeightShape>& weights, bool transposed, bool numbered) {
  // Weights with equal stacks and second sizes are concatenated along the first axis. Weights with other layouts may
  // still form one matrix, whose second axis is their only common dimension. With `numbered`, each matrix of the stack
  // is a tensor of its own, so the stack is no part of the shape.
  const WeightShape& one = weights.front();
  std::uint64_t first = 0;
  for (const WeightShape& w : weights) {
    if (w.stack != one.stack || w.second != one.second || w.flat != one.flat) return numbered ? std::nullopt : by_common_dimension(weights);
    first += w.first;
  }
  std::vector<std::uint64_t> out = numbered ? std::vector<std::uint64_t>{} : one.stack;
  const bool nothing_else = one.flat && first == 1 && !one.stack.empty();  // One number for each entry of a stack.
  if (nothing_else) return out;
  out.push_back(first);
  if (!one.flat) out.push_back(one.second);
  if (!one.flat && transposed) std::swap(out[out.size() - 1], out[out.size() - 2]);
  return out;
}

}  // namespace opledger
