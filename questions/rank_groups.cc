#include "questions/rank_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "accounting/graph_engine.h"
#include "accounting/layouts.h"
#include "accounting/sizes.h"
#include "base/limits.h"
#include "base/text.h"

namespace opledger {
namespace {

/// Numbering of ranks by the axes of the mesh, as mixed-radix numbers.
class RankNumbering {
 public:
  explicit RankNumbering(Run& run) : mesh_(run.annotations().mesh), inquiry_(run.evaluator()), sizes_(inquiry_, run.graph_run()) {
    for (const AxisId axis : mesh_.order) ranks_ *= degree(axis);
  }

  std::int64_t ranks() const { return ranks_; }

  /// Returns the axes with more than one rank, in the order of the mesh.
  AxisList spread(const AxisList& axes) {
    AxisList out;
    for (const AxisId axis : mesh_.order) {
      if (degree(axis) > 1 && contains(axes, axis)) out.push_back(axis);
    }
    return out;
  }

  std::string name(const AxisList& axes) { return sizes_.describe(axes); }

  /// Returns the groups along these axes. `members`: positions along the axes if only some ranks take part. The
  /// remaining axes enumerate the groups.
  GroupsOfRanks groups(const AxisList& axes, const std::vector<std::int64_t>& members) {
    std::vector<std::int64_t> offsets;
    for (const std::int64_t place : members.empty() ? all_places(axes) : members) offsets.push_back(offset(axes, place));
    std::sort(offsets.begin(), offsets.end());
    std::vector<GroupsOfRanks::Axis> group_axes;
    for (const AxisId axis : mesh_.order) {
      if (!contains(axes, axis)) group_axes.push_back({degree(axis), stride(axis)});
    }
    return {std::move(group_axes), std::move(offsets)};
  }

 private:
  std::vector<std::int64_t> all_places(const AxisList& axes) {
    std::int64_t n = 1;
    for (const AxisId axis : axes) n *= degree(axis);
    std::vector<std::int64_t> out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }

  /// Returns the distance from the first rank to a position along the axes, counted with the innermost axis first.
  std::int64_t offset(const AxisList& axes, std::int64_t place) {
    std::int64_t out = 0;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      out += place % degree(*axis) * stride(*axis);
      place /= degree(*axis);
    }
    return out;
  }

  std::int64_t degree(AxisId axis) { return static_cast<std::int64_t>(sizes_.degree(axis).value); }
  std::int64_t stride(AxisId axis) { return static_cast<std::int64_t>(sizes_.stride(axis).value); }

  const Mesh& mesh_;
  Inquiry inquiry_;
  Sizes sizes_;
  std::int64_t ranks_ = 1;
};

/// Returns the processors of a host if the accounting declares them, else 0.
std::int64_t node_of(Run& run) {
  const Role* role = run.program().find_role("comm", "node");
  if (role == nullptr || !run.has_system()) return 0;
  Diagnostics ignored;
  const std::optional<Value> value = run.value(role->name, ignored);
  return value && value->is_number() ? static_cast<std::int64_t>(value->scalar.value) : 0;
}

void add(std::vector<std::string>& all, const std::string& one) {
  if (!contains(all, one)) all.push_back(one);
}

/// Positions of the stages in communicators of stages that share a weight.
class CommunicatorMembers {
 public:
  explicit CommunicatorMembers(Run& run) : elements_(run.evaluator().elements(kCommunicatorStagesSet)) {
    if (elements_.names.empty()) return;
    IdVector<SegmentId, Scalar> layers;
    for (const Value& v : run.evaluator().elements(kSegmentSet).fields.find("layers")->second.all()) layers.push_back(v.scalar);
    Inquiry inquiry(run.evaluator());
    if (std::optional<Layouts> layouts = Layouts::read(inquiry, run.graph_run(), layers)) stages_ = layouts->sample();
  }

  /// Returns the positions of stages; empty for other communicators.
  std::vector<std::int64_t> of(WordId communicator) const {
    std::vector<std::int64_t> out;
    for (std::size_t m = 0; m < elements_.names.size(); ++m) {
      if (word(kCommunicatorSet, m) != communicator) continue;
      const StageClass& stages = stages_[word(kStageSet, m)];
      out.insert(out.end(), stages.positions.begin(), stages.positions.end());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  WordId word(SetId set, std::size_t member) const { return elements_.belongs.find(set)->second[member]; }

  const Elements& elements_;
  StageClasses stages_;
};

/// Axes of a communicator, and the positions along them if only some ranks take part.
struct CommunicatingAxes {
  AxisList axes;
  std::vector<std::int64_t> members;
  bool operator==(const CommunicatingAxes& o) const { return axes == o.axes && members == o.members; }
};

}  // namespace

GroupsOfRanks::GroupsOfRanks(std::vector<Axis> group_axes, std::vector<std::int64_t> offsets)
    : group_axes_(std::move(group_axes)), offsets_(std::move(offsets)), size_(1) {
  std::sort(group_axes_.begin(), group_axes_.end(), [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  for (const Axis& axis : group_axes_) size_ *= static_cast<std::size_t>(axis.degree);
}

/// Decodes the group number as a mixed-radix number over the group axes, innermost digit first.
std::int64_t GroupsOfRanks::first(std::size_t group) const {
  std::int64_t out = 0;
  auto place = static_cast<std::int64_t>(group);
  for (auto axis = group_axes_.rbegin(); axis != group_axes_.rend(); ++axis) {
    out += place % axis->degree * axis->stride;
    place /= axis->degree;
  }
  return out;
}

std::vector<std::int64_t> GroupsOfRanks::operator[](std::size_t group) const {
  std::vector<std::int64_t> out;
  const std::int64_t begin = first(group);
  for (const std::int64_t offset : offsets_) out.push_back(begin + offset);
  return out;
}

/// Merges the transfers of a run, each a collective over some axes of the mesh, into one entry for each set of axes. A
/// transfer between stages that share a weight has members, the positions of these stages, and an entry of its own.
/// `known` holds axes and members of the entries so far, at the same positions as `out.axes`. Transfers over a single
/// rank are skipped, and slices, which send nothing. An entry is a chain if all its transfers are sends between stages.
/// The ranks of the groups are listed last, in compact form, after the check of the limit. The cost is transfers times
/// sets of axes.
std::optional<CommunicatingRanks> communicating_ranks(Run& run, Diagnostics& diagnostics) {
  RankNumbering numbering(run);
  CommunicatingRanks out;
  out.ranks = numbering.ranks();
  out.node = node_of(run);
  const CommunicatorMembers members(run);
  const Elements &transfers = run.evaluator().elements(kTransferSet), &communicators = run.evaluator().elements(kCommunicatorSet);
  std::vector<CommunicatingAxes> known;
  for (std::size_t i = 0; i < run.annotations().transfers.size(); ++i) {
    const Transfer& transfer = run.annotations().transfers[i];
    const WordId communicator = transfers.belongs.find(kCommunicatorSet)->second[i];
    const CommunicatingAxes communicating{numbering.spread(transfer.axes), members.of(communicator)};
    if (communicating.axes.empty() || communicating.members.size() == 1 || transfer.kind == Collective::slice) continue;
    const auto found = std::find(known.begin(), known.end(), communicating);
    const auto position = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(communicating);
      out.axes.push_back({communicating.members.empty() ? numbering.name(communicating.axes) : communicators.names[communicator], {}, {}, true, {}});
    }
    add(out.axes[position].collectives, to_string(transfer.kind));
    if (!contains(out.axes[position].communicators, communicator)) out.axes[position].communicators.push_back(communicator);
    out.axes[position].chain = out.axes[position].chain && transfer.stages && transfer.kind == Collective::point_to_point;
  }
  if (static_cast<double>(out.ranks) * static_cast<double>(known.size()) > static_cast<double>(kMaxPeers)) {
    diagnostics.error({}, fmt::format("{} groups of axes and {} ranks: at most {} ranks are listed", known.size(), out.ranks, kMaxPeers));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < known.size(); ++i) out.axes[i].groups = numbering.groups(known[i].axes, known[i].members);
  return out;
}

}  // namespace opledger
