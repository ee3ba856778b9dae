#include "accounting/communicators.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "accounting/graph_engine.h"
#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShownRuns = 4;  // Limit of ranges in a name.

/// Formats stages as ranges: `0-1, 3`.
std::string runs(const std::vector<long long>& positions) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (out.size() == kShownRuns) return fmt::format("{}, … {}, {} stages", join(out, ", "), positions.back(), positions.size());
    const long long first = positions[i];
    while (i + 1 < positions.size() && positions[i + 1] == positions[i] + 1) ++i;
    out.push_back(first == positions[i] ? fmt::format("{}", first) : fmt::format("{}-{}", first, positions[i]));
  }
  return join(out, ", ");
}

}  // namespace

bool Communicators::holds(const StageClass& stage, WeightId weight) const {
  const auto& uses = graph_.weights[weight].uses;
  const auto uses_weight = [&](const auto& use) { return stage.holds(graph_.nodes[use.first].segment.index()); };
  return std::any_of(uses.begin(), uses.end(), uses_weight);
}

std::vector<std::size_t> Communicators::holders(const StageClasses& stages, WeightId weight) const {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < stages.size(); ++c) {
    if (holds(stages[c], weight)) out.push_back(c);
  }
  return out;
}

std::vector<long long> Communicators::positions(const StageClasses& stages, WeightId weight) const {
  std::vector<long long> out;
  for (const std::size_t c : holders(stages, weight)) out.insert(out.end(), stages[c].positions.begin(), stages[c].positions.end());
  std::sort(out.begin(), out.end());
  return out;
}

AxisList Communicators::spanning(const AxisList& axes) {
  // An axis with a single rank distinguishes no communicators. If no other axis is left, all stay.
  AxisList out;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(out), [this](AxisId a) {
    const Scalar degree = sizes_.degree(a);
    return !degree.constant() || degree.value > 1;
  });
  return out.empty() ? axes : out;
}

/// Returns the number of the transfer's communicator. Communicators are interned: transfers with equal keys get equal
/// numbers. The key is the list of axes, plus, for a shared weight, its stages in every layout. Axes with a symbolic
/// degree stay in the key, so two numbers can mean the same ranks; `exists` decides per candidate.
WordId Communicators::find(const Transfer& transfer) {
  Group group{spanning(transfer.axes), transfer.stages, {}, {}};
  const auto shared = [&](const StageClasses& stages) { return !holders(stages, transfer.weight).empty(); };
  if (transfer.stages && transfer.weight && layouts_.any(shared)) {
    group.weight = transfer.weight;
    layouts_.each([&](const StageClasses& stages) { group.members.push_back(holders(stages, transfer.weight)); });
  }
  const auto [found, fresh] = index_.emplace(std::move(group), static_cast<WordId>(all_.size()));
  if (fresh) all_.push_back(found->first);
  return found->second;
}

Scalar Communicators::ranks(WordId communicator) {
  const Group& group = all_[communicator];
  const Scalar degrees = sizes_.degrees(group.axes);
  if (group.weight) return layouts_.number([&](const StageClasses& s) { return static_cast<double>(positions(s, group.weight).size()); });
  return group.stages ? sizes_.operate(Op::minimum, integer(2), degrees) : degrees;
}

/// Returns, as a truth, whether the communicators with the numbers `a` and `b` have the same ranks. Two groups of mesh
/// axes have the same ranks if every axis that only one group has is of degree 1. One comparison tests all these axes:
/// the product of their degrees is 1. On a tape, degrees and result may be symbols, which each candidate evaluates. A
/// group of pipeline stages equals only itself. Linear in the axes, up to a search in the other list.
Scalar Communicators::same(WordId a, WordId b) {
  const Group &first = all_[a], &second = all_[b];
  if (first.stages || second.stages) return truth(a == b);
  const auto alone = [this](const Group& group) {
    const Scalar ranks = sizes_.degrees(group.axes);
    return ranks.constant() && ranks.value == 1;
  };
  if (alone(first) || alone(second)) return truth(false);  // A single rank, in every candidate, sends nothing.
  Scalar others = integer(1);                              // Product of the degrees of the axes that only one group has.
  const auto multiply = [&](const AxisList& axes, const AxisList& known) {
    for (const AxisId axis : axes) {
      if (!contains(known, axis)) others = sizes_.multiply(others, sizes_.degree(axis));
    }
  };
  multiply(first.axes, second.axes);
  multiply(second.axes, first.axes);
  return sizes_.operate(Op::equal, others, integer(1));
}

/// Returns the condition that the communicator has several ranks and differs from every earlier communicator. Testing
/// all earlier communicators is quadratic over all calls; a run has a few dozen communicators.
Scalar Communicators::exists(WordId communicator) {
  const auto operate = [this](Op op, Scalar a, Scalar b = {}) { return sizes_.operate(op, a, b); };
  Scalar out = operate(Op::greater, ranks(communicator), integer(1));
  for (WordId earlier = 0; earlier < communicator; ++earlier) out = operate(Op::logical_and, out, operate(Op::logical_not, same(earlier, communicator)));
  return out;
}

/// Returns the position of the first processor of a stage. The stage number is written in the mixed base of the layer
/// axes, innermost first; each digit is multiplied by the stride of its axis.
Scalar Communicators::processor(const AxisList& layers, Scalar stage) {
  Scalar rest = stage, out = integer(0);
  for (auto axis = layers.rbegin(); axis != layers.rend(); ++axis) {
    out = sizes_.add(out, sizes_.multiply(sizes_.operate(Op::modulo, rest, sizes_.degree(*axis)), sizes_.stride(*axis)));
    rest = sizes_.operate(Op::floor_divide, rest, sizes_.degree(*axis));
  }
  return out;
}

std::string Communicators::name(const Group& group) {
  const std::string& axes = sizes_.named(group.axes);
  if (!group.weight) return axes;
  const std::string holders = layouts_.has_several() ? graph_.weights[group.weight].name : runs(positions(layouts_.sample(), group.weight));
  return fmt::format("{} {{{}}}", axes, holders);
}

/// Returns the longest row of ranks with a constant stride whose outermost axis is `outermost`. Axes nest without a gap
/// if the stride of the outer axis equals degree times stride of the inner axis. For example, degrees 2 and 4 with
/// strides 4 and 1 form one row of 8 ranks with stride 1. The row has one rank if another axis continues it outward, or
/// if the axis has one rank. The loop walks inward: an axis whose stride times degree equals the first stride of the
/// row extends the row. Degrees can be symbols, so each step is a select over all axes. The walk takes at most as many
/// steps as the communicator has axes; the cost is quadratic in the axes.
Communicators::Row Communicators::row_to(const AxisList& axes, AxisId outermost) {
  const auto operate = [this](Op op, Scalar a, Scalar b, Scalar c = {}) { return sizes_.operate(op, a, b, c); };
  const Scalar one = integer(1), degree = sizes_.degree(outermost), end = sizes_.multiply(sizes_.stride(outermost), degree);
  Scalar first = sizes_.stride(outermost), whole = operate(Op::greater, degree, one);
  // `first`: stride of the row's innermost axis so far. `whole`: the axis has several ranks and no outer continuation.
  const auto others = [&](FunctionRef<void(Scalar several, AxisId)> visit) {
    for (const AxisId other : axes) {
      if (other != outermost) visit(operate(Op::greater, sizes_.degree(other), one), other);
    }
  };
  for (std::size_t steps = 1; steps < axes.size(); ++steps) {  // Each step goes one axis inward.
    Scalar next = first;
    others([&](Scalar several, AxisId a) {
      const Scalar inside = operate(Op::equal, sizes_.multiply(sizes_.stride(a), sizes_.degree(a)), first);
      next = operate(Op::select, operate(Op::logical_and, several, inside), sizes_.stride(a), next);
    });
    first = next;
  }
  others([&](Scalar several, AxisId a) {
    const Scalar goes_on = operate(Op::logical_and, several, operate(Op::equal, sizes_.stride(a), end));
    whole = operate(Op::select, goes_on, truth(false), whole);
  });
  return {operate(Op::select, whole, operate(Op::floor_divide, end, first), one), first};
}

/// Returns the element of the set `axis`: the declared axis, also for a part of a cut axis.
WordId Communicators::axis_word(AxisId axis) const {
  const auto before = mesh_.axes.begin() + mesh_.whole(axis).number();
  return static_cast<WordId>(std::count_if(mesh_.axes.begin(), before, [](const Axis& a) { return a.part == Axis::Part::whole; }));
}

/// Writes three sets: the communicators, their axes, and the stages of communicators whose stages share a weight.
/// `first` and `last` are positions of processors, counted from the first processor of the axes. A communicator of mesh
/// axes spans them from 0 on. A communicator with a shared weight reaches from the first processor of its first stage
/// to the last processor of its last stage. Such stages can differ between layouts, so these numbers are look-ups by
/// layout (`layouts_.number`). `all_` holds the communicators by number.
void Communicators::fill(Evaluator& evaluator, const std::function<Value(std::string)>& text) {
  ElementTable communicator, axis, member;
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const Group& group = all_[c];
    const bool shared = bool(group.weight);
    const auto end = [&](bool last) {  // Position of the first or last stage with the weight.
      return layouts_.number([&](const StageClasses& s) {
        const std::vector<long long> all = positions(s, group.weight);
        return static_cast<double>(all.empty() ? 0 : last ? all.back() : all.front());
      });
    };
    // `width`: distance between neighbors along the innermost axis of `group.axes`. Of each stage, the communicator
    // spans this many consecutive processors.
    const Scalar one = integer(1), width = group.axes.empty() ? one : sizes_.stride(group.axes.back());
    const Scalar first = shared ? processor(group.axes, end(false)) : integer(0);
    const Scalar last = shared ? sizes_.add(processor(group.axes, end(true)), width) : sizes_.span(group.axes);
    communicator.row(name(group));
    communicator.exists(exists(static_cast<WordId>(c)));
    communicator.field("name", shared ? layouts_.text(text(name(group))) : text(name(group)));
    communicator.field("ranks", number_value(ranks(static_cast<WordId>(c))));
    communicator.field("first", number_value(first));
    communicator.field("last", number_value(sizes_.operate(Op::subtract, last, one)));
    communicator.field("between_stages", truth_value(group.stages));
    for (const AxisId a : group.axes) {
      axis.row(mesh_.axes[a].name);
      axis.belongs(kCommunicatorSet, c);
      axis.belongs(kAxisSet, axis_word(a));
      axis.field("degree", number_value(sizes_.degree(a)));
      axis.field("stride", number_value(sizes_.stride(a)));
      const Row row = row_to(group.axes, a);
      axis.field("row", number_value(row.ranks));
      axis.field("row_stride", number_value(row.stride));
    }
    for (std::size_t stage = 0; shared && stage < layouts_.sample().size(); ++stage) {
      const auto holds_weight = [&](const StageClasses& s) { return holds(s[stage], group.weight); };
      if (!layouts_.any(holds_weight)) continue;
      member.row(layouts_.sample()[stage].name());
      member.exists(layouts_.condition(holds_weight));
      member.belongs(kCommunicatorSet, c);
      member.belongs(kStageSet, stage);
    }
  }
  evaluator.set_elements(kCommunicatorSet, communicator.take());
  evaluator.set_elements(kCommunicatorAxisSet, axis.take());
  evaluator.set_elements(kCommunicatorStagesSet, member.take());
}

}  // namespace opledger
