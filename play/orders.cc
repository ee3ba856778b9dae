#include "play/orders.h"

#include <fmt/core.h>

#include "play/simulator/action_file.h"

namespace opledger {

std::shared_ptr<const OrderDefinition> load_order(const StatedOrder& stated, Library& library, Diagnostics& diagnostics) {
  if (stated.here != nullptr) return stated.here;
  const Datum& name = stated.written;
  const Document* document = library.load(name, {"order"}, diagnostics);
  return document != nullptr ? read_order(document->root, diagnostics) : nullptr;
}

std::unique_ptr<Order> load_actions(const OrderDefinition& order, long long stages, long long microbatches, const Library& library, Diagnostics& diagnostics) {
  const std::shared_ptr<const SourceFile> source = library.read_named(Datum::scalar(order.actions, false, order.actions_span), diagnostics);
  auto out = source != nullptr ? read_actions(source, diagnostics) : nullptr;
  if (out == nullptr) return nullptr;
  const StepSize size = out->size();
  if (static_cast<long long>(size.stages) == stages && static_cast<long long>(size.microbatches) == microbatches) return out;
  diagnostics.error(order.actions_span, fmt::format("`{}` is for {} stages and {} microbatches, the run has {} and {}", order.actions, size.stages,
                                                    size.microbatches, stages, microbatches));
  return nullptr;
}

}  // namespace opledger
