#include "accounting/sizes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace opledger {

Sizes::Sizes(Inquiry& inquiry, const GraphRun& run) : inquiry_(inquiry), run_(run), padded_(run.graph->dimensions.size()) {
  for (const auto& [d, _] : run.annotations->padded) padded_[d] = true;
}

namespace {
constexpr double kMost = 9e15;  // Above this, doubles no longer represent all whole numbers.

/// Guards a mean, as keep_whole guards other sizes.
void keep_above_zero(Tape* tape, const Scalar& s) {
  if (s.constant()) return;
  tape->guard(apply(tape, Op::logical_and, apply(tape, Op::greater, s, integer(0)), apply(tape, Op::less_equal, s, integer(kMost))));
}
}  // namespace

void keep_whole(Tape* tape, const Scalar& s, double least, double most) {
  if (s.constant()) return;
  const auto operate = [&](Op op, const Scalar& a, const Scalar& b) { return apply(tape, op, a, b, {}); };
  if (!s.exact) tape->guard(operate(Op::equal, operate(Op::floor_divide, s, integer(1)), s));
  tape->guard(operate(Op::logical_and, operate(Op::greater_equal, s, integer(least)), operate(Op::less_equal, s, integer(most))));
}

std::string size_error(const Value& v, bool mean) {
  const bool number = v.is_number() && v.unit.plain();
  if (mean) {
    if (number && v.scalar.value > 0 && v.scalar.value <= kMost) return {};
    return fmt::format("a number above 0 of at most 9e15, not {}", number ? exact(v.scalar.value) : opledger::describe(v));
  }
  if (number && v.scalar.value > kMost) return fmt::format("a whole number of at most 9e15, not {}", exact(v.scalar.value));
  if (number && v.scalar.value >= 1 && v.scalar.value == std::floor(v.scalar.value)) return {};
  return fmt::format("a whole number of at least 1, not {}", number ? exact(v.scalar.value) : opledger::describe(v));
}

Span written(const Formula& formula, const Span& otherwise) {
  const Name* const name = formula.kind == Formula::Kind::name ? formula.name : nullptr;
  const Def* const def = name == nullptr || name->defs.empty() ? nullptr : name->defs[0];
  if (def == nullptr || def->otherwise == nullptr) return otherwise;
  return written(*def->otherwise, def->span.known() ? def->span : otherwise);
}

Scalar Sizes::operate(Op op, Scalar a, Scalar b, Scalar c) { return apply(inquiry_.tape(), op, a, b, c); }
Scalar Sizes::multiply(Scalar a, Scalar b) { return operate(Op::multiply, a, b); }
Scalar Sizes::add(Scalar a, Scalar b) { return operate(Op::add, a, b); }

/// Returns the size of a dimension as a scalar, cached in `sizes_`. A size must be a whole number from 1 to kMost; an
/// average (`mean`) may be any number above 0 and up to kMost. A dimension that rounds is rounded down first. On a
/// tape, guards keep the recording valid only for such sizes. A whole size counts as exact afterwards, as the guards
/// ensure. An invalid size is reported with the sample's value and replaced by 1, so further checks can go on.
Scalar Sizes::size(DimId d) {
  if (const auto found = sizes_.find(d); found != sizes_.end()) return found->second;
  const Formula* formula = run_.sizes[d];
  Scalar s = integer(1);
  if (formula != nullptr) {
    Value v = inquiry_.ask(*formula);
    const DimensionInfo& info = run_.graph->dimensions[d];
    if (info.rounds && !info.mean && v.is_number()) v.scalar = operate(Op::floor, v.scalar);
    if (!inquiry_.stopped()) {
      const std::string wrong = size_error(v, info.mean);
      if (wrong.empty()) {
        s = v.scalar;
      } else {
        specialize(inquiry_.tape(), v.scalar);
        inquiry_.error(written(*formula, info.span), fmt::format("dimension `{}` must be {}", info.name, wrong));
      }
      if (info.mean) {
        keep_above_zero(inquiry_.tape(), s);
      } else {
        keep_whole(inquiry_.tape(), s, 1, kMost);
        s.exact = true;
      }
    }
  }
  return sizes_[d] = s;
}

/// Returns the ranks along an axis, cached: the degree that a document states, or for a part of a cut axis the ranks
/// that part_degree assigns. The result is at least 1.
Scalar Sizes::degree(AxisId id) {
  if (const auto found = degrees_.find(id); found != degrees_.end()) return found->second;
  const Axis& axis = run_.annotations->mesh.axes[id];
  Scalar s = integer(1);
  if (axis.part == Axis::Part::whole) {
    const Name* name = run_.degrees[id];
    if (name != nullptr) s = inquiry_.ask(*name).scalar;
  } else {
    s = part_degree(
        inquiry_.tape(), run_.annotations->mesh, id, [this](DimId d) { return fitting_size(d); }, [this](AxisId a) { return degree(a); });
  }
  if (s.value < 1) s = integer(1);
  return degrees_[id] = s;
}

/// Returns the ranks of one part of a cut axis. The part that fits a dimension takes as many ranks as divide the rest
/// of its dimension: gcd(left, degree). `left` is the size of the dimension divided by the parts that came before it.
/// The other part takes the remaining ranks. An aligned part takes nothing once an earlier axis left a rest
/// (`blocked`), because blocks would no longer be contiguous.
Scalar part_degree(Tape* tape, const Mesh& mesh, AxisId id, FunctionRef<Scalar(DimId)> size, FunctionRef<Scalar(AxisId)> degree) {
  const auto operate = [&](Op op, Scalar a, Scalar b, Scalar c = {}) { return apply(tape, op, a, b, c); };
  const Axis& part = mesh.axes[id];
  const Scalar whole = degree(part.of);
  Scalar left = size(part.dimension), blocked = truth(false);
  for (const AxisId b : part.before) {
    const Axis& filled = mesh.axes[b];
    const bool divides = filled.part == Axis::Part::fitting && filled.dimension == part.dimension;
    left = operate(Op::floor_divide, left, divides ? degree(b) : operate(Op::gcd, left, degree(b)));
    if (part.aligned && filled.of) blocked = operate(Op::logical_or, blocked, operate(Op::not_equal, degree(filled.of), degree(b)));
  }
  Scalar fits = operate(Op::gcd, left, whole);
  if (part.aligned) fits = operate(Op::select, blocked, integer(1), fits);
  return part.part == Axis::Part::fitting ? fits : operate(Op::floor_divide, whole, fits);
}

Scalar Sizes::degrees(const AxisList& axes) {
  Scalar n = integer(1);
  for (const AxisId a : axes) n = multiply(n, degree(a));
  return n;
}

Scalar Sizes::stride(AxisId id) {
  if (const auto found = strides_.find(id); found != strides_.end()) return found->second;
  return strides_[id] = opledger::stride(inquiry_, run_.annotations->mesh, id, [this](AxisId a) { return degree(a); });
}

/// Returns the product of the degrees of the axes inside an axis. Each possible order of the mesh gives a stride;
/// selects over the input kMeshOrder choose among them.
Scalar stride(Inquiry& inquiry, const Mesh& mesh, AxisId axis, FunctionRef<Scalar(AxisId)> degree) {
  const auto in_order = [&](std::size_t order) {
    Scalar n = integer(1);
    for (const AxisId a : mesh.inside(axis, order)) n = apply(inquiry.tape(), Op::multiply, n, degree(a));
    return n;
  };
  Scalar out = in_order(0);
  const Name* const name = mesh.orders.empty() ? nullptr : inquiry.program().find_input(kMeshOrder);
  if (name == nullptr) return out;
  const Value word = inquiry.ask(*name);
  const Scalar order = word.scalar.constant() ? integer(word.word) : word.scalar;
  for (std::size_t k = 1; k <= mesh.orders.size(); ++k)
    out = apply(inquiry.tape(), Op::select, apply(inquiry.tape(), Op::equal, order, integer(static_cast<double>(k))), in_order(k), out);
  return out;
}

Scalar Sizes::span(const AxisList& axes) {
  Scalar n = integer(1);
  for (const AxisId a : axes) {
    const Scalar reach = multiply(stride(a), degree(a));
    const Scalar many = operate(Op::greater, degree(a), integer(1));
    n = operate(Op::maximum, n, operate(Op::select, many, reach, integer(1)));
  }
  return n;
}

Scalar Sizes::load(DimId d) {
  if (run_.loads[d] == nullptr) return integer(1);
  if (const auto found = loads_.find(d); found != loads_.end()) return found->second;
  const Value v = inquiry_.ask(*run_.loads[d]);
  const DimensionInfo& info = run_.graph->dimensions[d];
  const bool good = v.is_number() && v.unit.plain() && specialize(inquiry_.tape(), operate(Op::greater, v.scalar, integer(0))) != 0;
  if (!good && !inquiry_.stopped()) {
    specialize(inquiry_.tape(), v.scalar);
    inquiry_.error(info.span, fmt::format("the load of dimension `{}` must be a number above 0, not {}", info.name,
                                          v.is_number() ? exact(v.scalar.value) : opledger::describe(v)));
  }
  return loads_[d] = good ? v.scalar : integer(1);
}

/// Returns the entries of a dimension on the busiest rank. The ceiling of size times load is written as -floor(-x), as
/// tapes have no ceiling operation.
Scalar Sizes::local(DimId d, const AxisList* axes) {
  if (run_.loads[d] == nullptr) return even_share(d, axes);
  if (is_mean(d)) return multiply(even_share(d, axes), load(d));
  const Scalar below = operate(Op::floor_divide, operate(Op::subtract, integer(0), multiply(even_share(d, axes), load(d))), integer(1));
  return operate(Op::subtract, integer(0), below);
}

/// Returns the entries of a dimension on a rank with an even split over `axes`. The result is rounded up if the
/// dimension may be padded, else down; an average is not rounded. Without padding, check_divisions has checked that
/// nothing is left over.
Scalar Sizes::even_share(DimId d, const AxisList* axes) {
  const Scalar whole = size(d);
  if (axes == nullptr || axes->empty()) return whole;
  const Scalar n = degrees(*axes);
  if (is_mean(d)) return operate(Op::divide, whole, n);
  if (!padded_[d]) return operate(Op::floor_divide, whole, n);
  return operate(Op::floor_divide, operate(Op::subtract, add(whole, n), integer(1)), n);
}

Scalar Sizes::elements(const DimList& dims, const Placement& placement) {
  Scalar n = integer(1);
  for (const DimId d : dims) n = multiply(n, local(d, placement.axes(d)));
  const AxisList* spread = placement.axes(kElements);
  return spread == nullptr ? n : operate(Op::divide, n, degrees(*spread));
}

Scalar Sizes::elements(const DimList& dims) {
  Scalar n = integer(1);
  for (const DimId d : dims) n = multiply(n, size(d));
  return n;
}

IdVector<AxisId, bool> Sizes::shown() {
  IdVector<AxisId, bool> out;
  for (const AxisId a : run_.annotations->mesh.axes.ids()) out.push_back(degree(a).value > 1);
  return out;
}

std::string Sizes::describe(const AxisList& axes) {
  const Mesh& mesh = run_.annotations->mesh;
  IdVector<AxisId, bool> shown(mesh.axes.size(), false);
  const auto mark_shown = [&](AxisId a) { shown[a] = specialize(inquiry_.tape(), operate(Op::greater, degree(a), integer(1))) != 0; };
  std::for_each(axes.begin(), axes.end(), mark_shown);
  for (const auto& [name, _] : mesh.groups) {
    const AxisList parts = mesh.expand(name);
    if (std::any_of(parts.begin(), parts.end(), [&](AxisId a) { return contains(axes, a); })) std::for_each(parts.begin(), parts.end(), mark_shown);
  }
  return mesh.describe(axes, shown);
}

const std::string& Sizes::named(const AxisList& axes) {
  const auto [known, fresh] = names_.try_emplace(axes);
  if (!fresh) return known->second;
  IdVector<AxisId, bool> shown;
  for (const AxisId a : run_.annotations->mesh.axes.ids()) shown.push_back(!degree(a).constant() || degree(a).value > 1);
  return known->second = run_.annotations->mesh.describe(axes, shown);
}

/// Formats a tensor's dimensions, and after a slash the axes that split them: `batch·seq·hidden/(dp·tp)`. Only axes
/// with several ranks are named. `times` is a factor in front. Empty on a tape, because the axes with several ranks
/// differ between candidates.
std::string Sizes::shape(const DimList& dims, const Placement& placement, double times) {
  if (inquiry_.tape() != nullptr) return {};
  std::vector<std::string> top;
  if (times != 1) top.push_back(exact(times));
  for (const DimId d : dims) top.push_back(run_.graph->name(d));
  std::vector<std::string> bottom;
  for (const auto& [d, axes] : placement.shard) {
    for (const std::string& name : split(named(axes), '*')) {
      if (!name.empty()) bottom.push_back(name);
    }
  }
  std::string out = top.empty() ? "1" : join(top, "·");
  if (bottom.size() == 1) out += "/" + bottom[0];
  if (bottom.size() > 1) out += "/(" + join(bottom, "·") + ")";
  return out;
}

}  // namespace opledger
