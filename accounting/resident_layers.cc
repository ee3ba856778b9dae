#include "accounting/resident_layers.h"

#include <algorithm>

#include "expr/simplify.h"

namespace opledger {

/// Looks for a table of an earlier candidate with equal layouts, layout number, layers and names. Tables are kept only
/// while a tape records several layouts. Transient tables, which hold for a single candidate, are dropped first. A
/// reused table only refreshes its numbers to the sample; a new one starts empty.
std::shared_ptr<ResidentLayers> ResidentLayers::of(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, std::vector<std::string> names,
                                                   Evaluator& evaluator) {
  std::vector<std::shared_ptr<ResidentLayers>> none;
  auto& all = layouts.has_several() && evaluator.recording() && evaluator.candidates() != nullptr ? evaluator.candidates()->resident : none;
  std::erase_if(all, [](const auto& table) { return table->transient_; });
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& table) { return table->matches(layouts, layers, names); });
  std::shared_ptr<ResidentLayers> out = known != all.end() ? *known : nullptr;
  if (out == nullptr) {
    out = all.emplace_back(std::make_shared<ResidentLayers>());
    out->group_ = layouts.group();
    out->index_ = layouts.index();
    out->whole_.assign(layers.begin(), layers.end());
    out->names_ = std::move(names);
  }
  out->refresh(layouts, layers, evaluator.tape());
  return out;
}

bool ResidentLayers::matches(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, const std::vector<std::string>& names) const {
  return group_ == layouts.group() && same(index_, layouts.index()) && names_ == names &&
         std::equal(layers.begin(), layers.end(), whole_.begin(), whole_.end(), same);
}

/// Updates the sample values of all recorded scalars; the recorded instructions stay.
void ResidentLayers::refresh(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, Tape* tape) {
  layouts_ = &layouts;
  layers_ = &layers;
  tape_ = tape;
  if (tape == nullptr) return;
  for (auto& [_, number] : numbers_) tape->refresh(number);
  for (auto& [_, presence] : presences_) tape->refresh(presence.condition);
  if (!sets_) return;
  for (Elements* elements : {&sets_->segments, &sets_->layers, &sets_->chunk_ends, &sets_->following}) {
    for (auto& [_, exists] : elements->sometimes) tape->refresh(exists);
    for (auto& [_, column] : elements->fields) {
      column.each_scalar([&](Scalar& number) { tape->refresh(number); });
    }
  }
}

/// Records scalars, and notes whether guards allowed the tape to fold a scalar. A folded scalar is a constant of one
/// candidate, so the table must not serve other candidates.
template <class Make>
void ResidentLayers::record(Make&& make) {
  const std::uint64_t before = tape_ != nullptr ? tape_->folds() : 0;
  make();
  transient_ = transient_ || (tape_ != nullptr && tape_->folds() != before);
}

Scalar ResidentLayers::layers(std::size_t stage, SegmentId segment) {
  if (layouts_->one_stage()) return (*layers_)[segment];
  const auto [known, fresh] = numbers_.try_emplace({stage, segment});
  if (fresh) record([&] { known->second = layouts_->number([&](const StageClasses& classes) { return classes[stage].layers(segment.index()); }); });
  return known->second;
}

/// Returns the condition that a class of stages has layers of `segment` and none of `others`. Sorting `others` lets
/// equal questions share one recorded condition. `possible` is false if the condition is false in every layout; nothing
/// is recorded then.
const ResidentLayers::Presence& ResidentLayers::first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment) {
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const auto [known, fresh] = presences_.try_emplace({stage, std::move(others), segment});
  if (!fresh) return known->second;
  const auto has = [stage](const StageClasses& classes, SegmentId s) { return classes[stage].holds(s.index()); };
  const std::vector<SegmentId>& before = std::get<1>(known->first);
  const auto is_first = [&](const StageClasses& classes) {
    return has(classes, segment) && std::none_of(before.begin(), before.end(), [&](SegmentId s) { return has(classes, s); });
  };
  known->second.possible = layouts_->any(is_first);
  record([&] { known->second.condition = known->second.possible ? layouts_->condition(is_first) : truth(false); });
  return known->second;
}

const ResidentLayers::Sets& ResidentLayers::sets(FunctionRef<Sets(ResidentLayers&)> make) {
  if (!sets_) record([&] { sets_ = make(*this); });
  return *sets_;
}

}  // namespace opledger
