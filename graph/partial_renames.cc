#include "graph/partial_renames.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expr/printer.h"
#include "graph/substitute.h"

namespace opledger {
namespace {

/// Returns the names of dimensions of a segment's tensors and weights.
std::set<std::string> dimensions_of(const Graph& graph, SegmentId segment) {
  std::set<std::string> out;
  const auto add = [&](const DimList& dims) {
    for (const DimId d : dims) out.insert(graph.dimensions[d].name);
  };
  for (const TensorId id : graph.tensors.ids()) {
    if (graph.tensors[id].segment == segment) add(graph.tensors[id].dims);
  }
  for (const WeightId id : graph.weights.ids()) {
    const Weight& weight = graph.weights[id];
    const auto is_here = [&](const auto& use) { return graph.nodes[use.first].segment == segment; };
    if (std::any_of(weight.uses.begin(), weight.uses.end(), is_here)) add(weight.dims);
  }
  return out;
}

/// Returns the dimension of the graph with this name, or null.
const DimensionInfo* find(const Graph& graph, const std::string& name) {
  const auto found = std::find_if(graph.dimensions.begin(), graph.dimensions.end(), [&](const DimensionInfo& info) { return info.name == name; });
  return found != graph.dimensions.end() ? &*found : nullptr;
}

/// Returns whether a formula calls no function and reads only dimensions whose sizes are parameters, so that its value
/// is a number.
bool reads_sizes(const Graph& graph, const Expr& formula) {
  if (formula.kind == Expr::Kind::call) return false;
  if (formula.kind == Expr::Kind::name) return find(graph, formula.text) != nullptr && find(graph, formula.text)->size == nullptr;
  return std::all_of(formula.args.begin(), formula.args.end(), [&](const ExprPtr& part) { return reads_sizes(graph, *part); });
}

/// Returns the formula `a == b`.
ExprPtr equality(ExprPtr a, ExprPtr b) {
  Expr out;
  out.kind = Expr::Kind::operation;
  out.op = Op::equal;
  out.span = a->span;
  out.depth = std::max(a->depth, b->depth) + 1;
  out.args = {std::move(a), std::move(b)};
  return std::make_shared<Expr>(std::move(out));
}

ExprPtr name_of(const std::string& name, const Span& span) {
  Expr out;
  out.kind = Expr::Kind::name;
  out.text = name;
  out.span = span;
  return std::make_shared<Expr>(std::move(out));
}

/// Returns the first rename of a segment whose old name the formula reads, or null.
const std::pair<Datum, Datum>* rename_in(const SegmentSpec& segment, const Expr& formula) {
  for (const auto& rename : segment.arguments) {
    if (formula.kind == Expr::Kind::name && formula.text == rename.first.text() && rename.second.text() != rename.first.text()) return &rename;
  }
  for (const ExprPtr& part : formula.args) {
    if (const auto* found = rename_in(segment, *part)) return found;
  }
  return nullptr;
}

/// Checks the renames of one segment. For each dimension with a default that reads a renamed name, the default is
/// written with the segment's names. Unless its value is known to equal the dimension's size in the model, the rename
/// is probably incomplete.
class SegmentCheck {
 public:
  SegmentCheck(const Model& model, const Graph& graph, const SegmentSpec& spec, const Condition& holds, Diagnostics& diagnostics)
      : model_(model), graph_(graph), spec_(spec), holds_(holds), diagnostics_(diagnostics) {
    for (const auto& [key, value] : spec.arguments) {
      renames_[key.text()] = value.text();
      written_.insert({key.text(), value.text()});
    }
    for (const InputSpec& edge : spec.inputs) {
      for (const RenameSpec& rename : edge.renames) written_.insert({rename.from, rename.to});
    }
  }

  void check(SegmentId segment) {
    for (const std::string& dimension : dimensions_of(graph_, segment)) {
      const auto known = model_.defaults.find(dimension);
      if (written_.count(dimension) == 0 && known != model_.defaults.end()) check(dimension, known->second);
    }
  }

 private:
  /// Warns if the segment does not rename a dimension whose default, in a document of blocks, reads a name that the
  /// segment renames. The default with the segment's names (`here`) is probably the intended size. No warning is given
  /// if both sizes are numbers of the model and equal in this run. The message suggests the missing rename.
  void check(const std::string& dimension, const ExprPtr& default_size) {
    const std::pair<Datum, Datum>* rename = rename_in(spec_, *default_size);
    if (rename == nullptr) return;
    const ExprPtr here = substitute(default_size, renames_);
    const ExprPtr& size = find(graph_, dimension)->size;
    const ExprPtr own = size != nullptr ? size : name_of(dimension, rename->first.span());
    if (reads_sizes(graph_, *own) && reads_sizes(graph_, *here) && holds_(equality(own, here)).value_or(false)) return;
    const std::string suggested = here->kind == Expr::Kind::name ? here->text : "NAME";
    const std::string further = here->kind == Expr::Kind::name ? "" : fmt::format(", where NAME is a parameter of the model with this size");
    diagnostics_.warning(
        rename->first.span(),
        fmt::format("segment `{}` has `{}: {}` and the `{}` of the whole model, which is usually `{}`, here `{}`: add `{}: {}`{} (or `{}: {}`)", spec_.name,
                    rename->first.text(), rename->second.text(), dimension, to_source(*default_size), to_source(*here), dimension, suggested, further,
                    dimension, dimension));
  }

  const Model& model_;
  const Graph& graph_;
  const SegmentSpec& spec_;
  const Condition& holds_;
  Diagnostics& diagnostics_;
  Renames renames_;
  std::set<std::string> written_;  ///< Names on both sides of the renames of the segment and of its edges.
};

}  // namespace

void warn_of_partial_renames(const Model& model, const Graph& graph, const Condition& holds, Diagnostics& diagnostics) {
  std::set<std::string> done;  // All parts of a segment share its renames, so one warning is enough.
  for (SegmentId id(0); graph.segments.has(id); ++id) {
    const Segment& segment = graph.segments[id];
    const auto spec = std::find_if(model.graph.begin(), model.graph.end(),
                                   [&](const SegmentSpec& other) { return other.name == segment.whole && other.block == segment.block->name; });
    if (spec == model.graph.end() || spec->arguments.empty() || !done.insert(segment.whole).second) continue;
    SegmentCheck(model, graph, *spec, holds, diagnostics).check(id);
  }
}

}  // namespace opledger
