#include "accounting/communicators.h"

#include <algorithm>

namespace opledger {

WordId Communicators::find(const Transfer& transfer) {
  const auto [found, fresh] = index_.emplace(std::pair{transfer.axes, transfer.stages}, static_cast<WordId>(all_.size()));
  if (fresh) all_.push_back(found->first);
  return found->second;
}

/// The set `axis` has those that the mesh was declared with; a part of one that was cut belongs to it.
WordId Communicators::axis_word(AxisId axis) const {
  while (mesh_.axes[static_cast<std::size_t>(axis)].of >= 0) axis = mesh_.axes[static_cast<std::size_t>(axis)].of;
  const auto before = mesh_.axes.begin() + axis;
  return static_cast<WordId>(std::count_if(mesh_.axes.begin(), before, [](const Axis& a) { return a.part == Axis::Part::whole; }));
}

void Communicators::fill(Evaluator& evaluator, const std::function<Value(std::string)>& text) {
  ElementTable communicator, side;
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const auto& [axes, stages] = all_[c];
    const std::string name = sizes_.describe(axes);
    communicator.row(name);
    communicator.field("name", text(name));
    communicator.field("ranks", number_value(sizes_.degrees(axes)));
    communicator.field("span", number_value(sizes_.span(axes)));
    communicator.field("between_stages", truth_value(stages));
    for (const AxisId a : axes) {
      side.row(mesh_.axes[static_cast<std::size_t>(a)].name);
      side.belongs(kCommunicatorSet, static_cast<WordId>(c));
      side.belongs(kAxisSet, axis_word(a));
      side.field("degree", number_value(sizes_.degree(a)));
      side.field("stride", number_value(sizes_.stride(a)));
    }
  }
  evaluator.set_elements(kCommunicatorSet, communicator.take());
  evaluator.set_elements(kSideSet, side.take());
}

}  // namespace opledger
