#include "play/orders.h"

#include <fmt/core.h>

#include <algorithm>

#include "play/simulator/action_file.h"

namespace opledger {

std::shared_ptr<const OrderDefinition> load_order(const StatedOrder& stated, Library& library, Diagnostics& diagnostics) {
  if (stated.here != nullptr) return stated.here;
  const Datum& name = stated.written;
  const Document* document = library.load(name.text(), {"order"}, diagnostics, name.span(), name.span().file->path);
  return document != nullptr ? read_order(document->root, diagnostics) : nullptr;
}

std::unique_ptr<Order> load_actions(const OrderDefinition& order, long long stages, long long microbatches, Diagnostics& diagnostics) {
  // Checks the path, reads the file, and compares its sizes with those of the run; a wrong path or size is an error at
  // the key of the document, and errors in the file are reported at their place there. The path must stay below the
  // folder of the document, so that a document can't read arbitrary files.
  const auto fail = [&](std::string message) {
    diagnostics.error(order.actions_span, std::move(message));
    return nullptr;
  };
  const std::filesystem::path name(order.actions), folder = std::filesystem::path(order.actions_span.file->path).parent_path();
  if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    return fail(fmt::format("`{}` must lie in the folder of the document or below", order.actions));
  std::error_code unknown;
  if (!std::filesystem::exists(folder / name, unknown)) return fail(fmt::format("the folder of this document has no file `{}`", order.actions));
  auto out = read_actions(folder / name, diagnostics);
  if (out == nullptr) return nullptr;
  const StepSize size = out->size();
  if (static_cast<long long>(size.stages) == stages && static_cast<long long>(size.microbatches) == microbatches) return out;
  return fail(
      fmt::format("`{}` is for {} stages and {} microbatches, the run has {} and {}", order.actions, size.stages, size.microbatches, stages, microbatches));
}

}  // namespace opledger
