#include "accounting/held_layers.h"

#include <algorithm>

#include "expr/simplify.h"

namespace opledger {

std::shared_ptr<HeldLayers> HeldLayers::of(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, std::vector<std::string> names,
                                           Evaluator& evaluator) {
  std::vector<std::shared_ptr<HeldLayers>> none;
  auto& all = layouts.looked_up() && evaluator.recording() && evaluator.candidates() != nullptr ? evaluator.candidates()->held : none;
  std::erase_if(all, [](const auto& held) { return held->passing_; });
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& held) { return held->fits(layouts, layers, names); });
  std::shared_ptr<HeldLayers> out = known != all.end() ? *known : nullptr;
  if (out == nullptr) {
    out = all.emplace_back(std::make_shared<HeldLayers>());
    out->group_ = layouts.group();
    out->index_ = layouts.index();
    out->whole_.assign(layers.begin(), layers.end());
    out->names_ = std::move(names);
  }
  out->renew(layouts, layers, evaluator.tape());
  return out;
}

bool HeldLayers::fits(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, const std::vector<std::string>& names) const {
  return group_ == layouts.group() && same(index_, layouts.index()) && names_ == names &&
         std::equal(layers.begin(), layers.end(), whole_.begin(), whole_.end(), same);
}

/// Numbers are the sample's.
void HeldLayers::renew(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, Tape* tape) {
  layouts_ = &layouts;
  layers_ = &layers;
  tape_ = tape;
  if (tape == nullptr) return;
  for (auto& [_, number] : numbers_) tape->refresh(number);
  for (auto& [_, held] : held_) tape->refresh(held.whether);
  if (!sets_) return;
  for (Elements* elements : {&sets_->segments, &sets_->shares, &sets_->endings, &sets_->reach}) {
    for (auto& [_, there] : elements->sometimes) tape->refresh(there);
    for (auto& [_, column] : elements->fields) {
      column.each_scalar([&](Scalar& number) { tape->refresh(number); });
    }
  }
}

/// What was folded meanwhile, since guards had decided it, is not so for others.
template <class Make>
void HeldLayers::record(Make&& make) {
  const std::uint64_t before = tape_ != nullptr ? tape_->folds() : 0;
  make();
  passing_ = passing_ || (tape_ != nullptr && tape_->folds() != before);
}

Scalar HeldLayers::layers(std::size_t stage, SegmentId segment) {
  if (layouts_->one_stage()) return (*layers_)[segment];
  const auto [known, fresh] = numbers_.try_emplace({stage, segment});
  if (fresh) record([&] { known->second = layouts_->number([&](const StageClasses& classes) { return classes[stage].layers(segment.index()); }); });
  return known->second;
}

const HeldLayers::Held& HeldLayers::first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment) {
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const auto [known, fresh] = held_.try_emplace({stage, std::move(others), segment});
  if (!fresh) return known->second;
  const auto has = [stage](const StageClasses& classes, SegmentId s) { return classes[stage].holds(s.index()); };
  const std::vector<SegmentId>& before = std::get<1>(known->first);
  const auto is_first = [&](const StageClasses& classes) {
    return has(classes, segment) && std::none_of(before.begin(), before.end(), [&](SegmentId s) { return has(classes, s); });
  };
  known->second.ever = layouts_->ever(is_first);
  record([&] { known->second.whether = known->second.ever ? layouts_->whether(is_first) : truth(false); });
  return known->second;
}

const HeldLayers::Sets& HeldLayers::sets(FunctionRef<Sets(HeldLayers&)> make) {
  if (!sets_) record([&] { sets_ = make(*this); });
  return *sets_;
}

}  // namespace opledger
