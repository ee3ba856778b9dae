#include "search/sweep/part_maker.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kMostOpen = 8, kMostWaiting = 32;         // parts that wait for further siblings, and siblings in them
constexpr std::size_t kMostPlans = 16, kPlansOfAStructure = 2;  // that are for several structures
constexpr std::size_t kMostInstructions = 1 << 20;              // of siblings, before equal ones are one: what a part's registers take is bounded by it

}  // namespace

void PartMaker::begin(std::shared_ptr<const Stretch> stretch, std::optional<std::size_t> stop, std::size_t metrics,
                      const std::vector<const std::vector<double>*>& values) {
  stretch_ = std::move(stretch);
  stop_ = stop;
  metrics_ = stop ? 0 : metrics;
  values_ = &values;
  open_.clear();
}

bool PartMaker::add(Piece piece, Take take) {
  const AxisSet fixed = piece.known | piece.region.settle(piece.values);
  Common own = common(piece, fixed);
  auto open = std::find_if(open_.begin(), open_.end(), [&](const Open& o) {
    return o.part.siblings.size() < (alone_ ? 1 : kMostSiblings) && o.instructions < kMostInstructions && o.common == own;
  });
  if (open == open_.end()) {
    if ((open_.size() == kMostOpen || waiting() >= kMostWaiting) && !close(take)) return false;
    open_.push_back({std::move(own), {nullptr, stretch_, std::move(piece.region), {}, fixed, stop_}, 0});
    open = open_.end() - 1;
  }
  open->instructions += piece.structure.trace.tape.instructions().size();
  open->part.siblings.push_back({&piece.structure, std::move(piece.values)});
  return true;
}

std::size_t PartMaker::waiting() const {
  std::size_t out = 0;
  for (const Open& open : open_) out += open.part.siblings.size();
  return out;
}

bool PartMaker::finish(Take take) {
  while (!open_.empty()) {
    if (!close(take)) return false;
  }
  return true;
}

bool PartMaker::close(Take take) {
  Open oldest = std::move(open_.front());
  open_.pop_front();
  oldest.part.plan = plan(oldest);
  return !diagnostics_.has_errors() && take(std::move(oldest.part));
}

PartMaker::Common PartMaker::common(const Piece& piece, AxisSet fixed) const {
  const std::vector<AxisSet> deciding = stops_.deciding();
  AxisSet decide = piece.known;
  for (const std::size_t axis : free_.axes) decide |= (fixed & axis_bit(axis)) == 0 ? deciding[axis] & fixed : 0;
  Common out{piece.known, fixed, {}, piece.region.given(fixed, piece.values)};
  for (std::size_t a = 0; a < piece.values.size(); ++a) {
    if ((decide & axis_bit(a)) != 0) out.decided.emplace_back(a, piece.values[a]);
  }
  return out;
}

PartMaker::PlanKey PartMaker::key(const Open& open) const {
  PlanKey out;
  auto& [structures, fixed, same, settled, together] = out;
  fixed = open.part.fixed;
  settled = stops_.settled();
  for (const auto& [axes, _] : open.common.filters) together.push_back(axes);
  const std::vector<Sibling>& siblings = open.part.siblings;
  for (const Sibling& sibling : siblings) structures.push_back(sibling.structure);
  for (const std::size_t axis : free_.axes) {
    if ((fixed & axis_bit(axis)) == 0) continue;
    for (const Sibling& sibling : siblings) {
      std::size_t first = 0;
      while (siblings[first].values[axis] != sibling.values[axis]) ++first;
      same.push_back(first);
    }
  }
  return out;
}

std::shared_ptr<LaterPlan> PartMaker::plan(const Open& open) {
  if (!alone_ && plans_.size() > kMostPlans + kPlansOfAStructure * structures_.size()) {
    alone_ = true;
    plans_.clear();
  }
  const Part& part = open.part;
  std::shared_ptr<LaterPlan>& plan = plans_[key(open)];
  if (plan == nullptr) {
    for (const Sibling& sibling : part.siblings) structures_.insert(sibling.structure);
    assignment_.enter(*stretch_, part.region);
    assignment_.values = part.siblings[0].values;
    plan = std::make_shared<LaterPlan>(part.siblings, metrics_,
                                       PlanRequest{space_, free_, stops_.deciding(), part.fixed, part.region, *values_, samples(open.common.known)});
  }
  return plan;
}

/// Some random candidates, and about how many values the axes have that aren't known: the mean over them.
PartSamples PartMaker::samples(AxisSet known) {
  constexpr int kSamples = 64;
  PartSamples out;
  std::vector<double>& sum = out.sizes;
  sum.resize(space_.axes.size());
  std::vector<double> seen(space_.axes.size());
  const std::vector<double> before = assignment_.values;
  for (int sample = 0; sample < kSamples; ++sample) {
    AxisSet now = known;
    while (assignment_.derive(now, diagnostics_) == Assigned::good && now != assignment_.all()) {
      const std::size_t axis = assignment_.next(now, assignment_.all());
      const std::vector<double> domain = admitted(axis, now);
      if (domain.empty()) break;
      sum[axis] += static_cast<double>(domain.size());
      seen[axis] += 1;
      assignment_.values[axis] = domain[random_() % domain.size()];
      now |= axis_bit(axis);
    }
    if (now == assignment_.all()) out.candidates.push_back(assignment_.values);
    assignment_.values = before;
  }
  for (std::size_t a = 0; a < sum.size(); ++a) sum[a] = seen[a] > 0 ? sum[a] / seen[a] : 1;
  return out;
}

std::vector<double> PartMaker::admitted(std::size_t axis, AxisSet known) {
  std::vector<double> out;
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  for (std::size_t i = 0; domain != nullptr && i < domain->size(); ++i) {
    assignment_.values[axis] = (*domain)[i];
    if (assignment_.admits(axis, known | axis_bit(axis))) out.push_back((*domain)[i]);
  }
  return out;
}

}  // namespace opledger
