#include "play/simulator/unrolled_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/limits.h"

namespace opledger {
namespace {

constexpr std::uint32_t kUnassigned = UINT32_MAX;
constexpr std::uint64_t kSpareItems = 100'000;  // skipped items that a stage may have, in addition to ten times its actions

}  // namespace

std::unique_ptr<UnrolledOrder> UnrolledOrder::unroll(const OrderDefinition& order, long long stages, long long microbatches, long long chunks,
                                                     Evaluator& evaluator, Diagnostics& diagnostics) {
  // Checks the sizes and requirements and places the chunks on stages; batches are unrolled later, by `next`. The
  // number of chunks comes from the order if the order fixes it, else from the run. The limit of chunks bounds the
  // memory.
  if (order.chunks) chunks = *order.chunks;
  if (chunks > 1 && !order.chunks && !order.chunked) {
    diagnostics.error(order.span, fmt::format("this order has one chunk of layers on a stage, not {}", chunks));
    return nullptr;
  }
  if (stages < 1 || microbatches < 1 || chunks < 1 || microbatches > 1'000'000'000 || stages * chunks > static_cast<long long>(kMaxStages)) {
    diagnostics.error(order.span,
                      fmt::format("{} stages with {} chunks each and {} microbatches are out of range: from 1 to {} chunks in all, from 1 to 10^9 microbatches",
                                  stages, chunks, microbatches, kMaxStages));
    return nullptr;
  }
  const StepSize size = {static_cast<std::size_t>(stages), 0, static_cast<std::uint32_t>(microbatches)};
  std::unique_ptr<UnrolledOrder> out(new UnrolledOrder(order, size, chunks, evaluator));
  return out->check_requirements(diagnostics) && out->place_chunks(diagnostics) ? std::move(out) : nullptr;
}

/// Checks the order's `require` conditions, and reports the first that fails with its message.
bool UnrolledOrder::check_requirements(Diagnostics& diagnostics) {
  for (const OrderRequirement& r : order_.requirements) {
    const std::optional<bool> holds = formulas_.holds(r.is, diagnostics);
    if (!holds) return false;
    if (*holds) continue;
    diagnostics.error(r.span, r.message);
    return false;
  }
  return true;
}

/// Evaluates the chunk of the model in every slot, which is a stage, a direction and an index on the stage. Without a
/// formula, chunks are dealt out to the stages in turn: index * stages + stage. Each direction must place every chunk
/// on exactly one stage, and all directions must have equally many chunks. Fills both maps between chunks and stages,
/// and `stages_` with empty states. Returns false, with an error, after a violation.
bool UnrolledOrder::place_chunks(Diagnostics& diagnostics) {
  const auto directions = static_cast<std::size_t>(order_.directions), chunks = static_cast<std::size_t>(chunks_);
  stages_of_chunks_.assign(directions, {});
  for (std::uint32_t k = 0; k < size_.stages; ++k) {
    for (std::uint32_t w = 0; w < directions; ++w) {
      for (std::uint32_t c = 0; c < chunks; ++c) {
        const auto stage_chunk = below(kMaxStages, "stage_chunk", order_.stage_chunk, {k, 0, c, w}, static_cast<long long>(c * size_.stages + k), diagnostics);
        if (!stage_chunk) return false;
        const std::size_t p = *stage_chunk;
        chunks_of_stages_.push_back(*stage_chunk);
        std::vector<std::uint32_t>& stage_of_chunk = stages_of_chunks_[w];
        if (p >= stage_of_chunk.size()) stage_of_chunk.resize(p + 1, kUnassigned);
        if (stage_of_chunk[p] != kUnassigned) {
          diagnostics.error(order_.span, fmt::format("stages {} and {} both have chunk {}", stage_of_chunk[p], k, p));
          return false;
        }
        stage_of_chunk[p] = k;
      }
    }
  }
  size_.stage_chunks = stages_of_chunks_[0].size();
  for (const auto& stage_of_chunk : stages_of_chunks_) {
    const auto missing = std::find(stage_of_chunk.begin(), stage_of_chunk.end(), kUnassigned);
    if (missing == stage_of_chunk.end() && stage_of_chunk.size() == size_.stage_chunks) continue;
    diagnostics.error(order_.span, fmt::format("no stage has chunk {}", missing - stage_of_chunk.begin()));
    return false;
  }
  Stage first;
  first.item_counts.assign(2 * directions, 0);
  first.microbatches.assign(2 * directions * chunks, 0);
  stages_.assign(size_.stages, first);
  return true;
}

std::optional<std::size_t> UnrolledOrder::stage_of(std::size_t stage_chunk, std::uint32_t microbatch) const {
  // Microbatches alternate between the directions.
  const auto& stage_of_chunk = stages_of_chunks_[microbatch % static_cast<std::uint32_t>(order_.directions)];
  return stage_chunk < stage_of_chunk.size() ? std::optional<std::size_t>(stage_of_chunk[stage_chunk]) : std::nullopt;
}

std::vector<std::size_t> UnrolledOrder::stage_chunks_of(std::size_t stage) const {
  const auto count = static_cast<std::ptrdiff_t>(order_.directions * chunks_), first = static_cast<std::ptrdiff_t>(stage) * count;
  const std::set<std::size_t> out(chunks_of_stages_.begin() + first, chunks_of_stages_.begin() + first + count);
  return {out.begin(), out.end()};
}

std::optional<long long> UnrolledOrder::at(const ExprPtr& formula, const OrderPlace& place, long long otherwise, Diagnostics& diagnostics) {
  return formula == nullptr ? std::optional(otherwise) : formulas_.whole(formula, place, diagnostics);
}

std::optional<std::uint32_t> UnrolledOrder::below(long long limit, const char* quantity, const ExprPtr& formula, const OrderPlace& place, long long otherwise,
                                                  Diagnostics& diagnostics) {
  const std::optional<long long> v = at(formula, place, otherwise, diagnostics);
  if (v && *v >= 0 && *v < limit) return static_cast<std::uint32_t>(*v);
  if (v) diagnostics.error(formula != nullptr ? formula->span : order_.span, fmt::format("`{}` is {}, but must be from 0 to {}", quantity, *v, limit - 1));
  return std::nullopt;
}

/// Moves to the first phase with repetitions left, from the current phase on; a phase's `times` is evaluated when the
/// stage reaches the phase. Returns false at the end, or with an error.
bool UnrolledOrder::advance(std::size_t position, Stage& stage, Diagnostics& diagnostics) {
  while (stage.phase < order_.phases.size()) {
    const OrderPhase& phase = order_.phases[stage.phase];
    if (stage.left < 0) {
      const auto times = formulas_.whole(phase.times, {static_cast<std::uint32_t>(position), 0, 0, 0}, diagnostics);
      if (!times) return false;
      stage.left = std::max(0LL, *times);
    }
    if (stage.left > 0) return true;
    ++stage.phase;
    stage.left = -1;
  }
  return false;
}

bool UnrolledOrder::next(std::size_t position, Batch& out, Diagnostics& diagnostics) {
  // Sets `out` to the next batch of the stage that has actions. `advance` finds the phase, and `add` expands the items
  // of one batch of its pattern; a batch whose items were all skipped is empty, and the loop goes on. `stage.left`
  // counts the repetitions of the pattern that are left. The number of items is limited to ten times the actions of a
  // stage and a constant, because a phase with huge `times` whose items are all skipped would practically never end.
  Stage& stage = stages_[position];
  const std::uint64_t most = kSpareItems + 10 * kWorkKinds * static_cast<std::uint64_t>(size_.microbatches) * static_cast<std::uint64_t>(chunks_);
  out.actions.clear();
  while (out.actions.empty()) {
    if (!advance(position, stage, diagnostics)) return false;
    const OrderPhase& phase = order_.phases[stage.phase];
    const std::vector<std::string>& items = phase.batches[stage.batch];
    out.is_concurrent = items.size() > 1;
    for (const std::string& name : items) {
      if (!add(name, position, stage, out, diagnostics)) return false;
    }
    if (++stage.batch == phase.batches.size()) {
      stage.batch = 0;
      --stage.left;
    }
    if (stage.unrolled <= most) continue;
    diagnostics.error(phase.span, fmt::format("stage {} has done {} items here and is not at the end: this phase goes on for too long", position, most));
    return false;
  }
  return true;
}

/// Appends the actions of one item of a pattern, none if its microbatch is out of range. The item's formulas give its
/// direction, chunk and microbatch. The default chunk and direction are 0. The default microbatch is the number of
/// earlier items of the same kind (forward or backward), direction and chunk on the stage. An input gradient without
/// weight gradient defers the latter: a later item with weight gradients alone takes it from `stage.deferred`. Returns
/// false, with an error, if a formula of the item fails or gives a chunk or direction out of range.
bool UnrolledOrder::add(const std::string& name, std::size_t position, Stage& stage, Batch& out, Diagnostics& diagnostics) {
  const OrderItem& item = order_.items.find(name)->second;
  ++stage.unrolled;
  OrderPlace place{static_cast<std::uint32_t>(position), 0, 0, 0};
  const auto direction = below(order_.directions, "direction", item.direction, place, 0, diagnostics);
  if (!direction) return false;
  place.direction = *direction;
  if (item.weight && !item.input) return add_deferred(item, place, stage, out, diagnostics);
  const std::size_t kind = (item.forward ? 0 : 1) * static_cast<std::size_t>(order_.directions) + *direction;
  place.n = stage.item_counts[kind]++;
  const auto chunk = below(chunks_, "chunk", item.chunk, place, 0, diagnostics);
  if (!chunk) return false;
  const std::uint64_t number = stage.microbatches[kind * static_cast<std::size_t>(chunks_) + *chunk]++;
  const auto microbatch = at(item.microbatch, place, static_cast<long long>(number), diagnostics);
  if (!microbatch) return false;
  // Each direction (`direction`) counts its own microbatches. The microbatches of a step alternate between the directions.
  // Items out of range are skipped, so an order needs no special phases for its end.
  if (*microbatch < 0 || *microbatch >= static_cast<long long>(size_.microbatches) / order_.directions) return true;
  const std::size_t slot = (position * static_cast<std::size_t>(order_.directions) + *direction) * static_cast<std::size_t>(chunks_) + *chunk;
  Action action{item.forward ? Work::forward : Work::input, chunks_of_stages_[slot], static_cast<std::uint32_t>(*microbatch * order_.directions + *direction)};
  out.actions.push_back(action);
  if (item.forward) return true;
  action.work = Work::weight;
  if (item.weight)
    out.actions.push_back(action);
  else
    stage.deferred.push_back({*direction, *chunk, action});
  return true;
}

/// Appends the oldest deferred weight gradient that matches the direction and chunk of the item, where the item states
/// them, and removes it from `stage.deferred`. An item without a match adds nothing. Returns false, with an error, if
/// the formula of the chunk fails.
bool UnrolledOrder::add_deferred(const OrderItem& item, const OrderPlace& place, Stage& stage, Batch& out, Diagnostics& diagnostics) {
  const auto chunk = below(chunks_, "chunk", item.chunk, place, 0, diagnostics);
  if (!chunk) return false;
  const auto oldest = std::find_if(stage.deferred.begin(), stage.deferred.end(), [&](const Deferred& w) {
    return (item.direction == nullptr || w.direction == place.direction) && (item.chunk == nullptr || w.chunk == *chunk);
  });
  if (oldest == stage.deferred.end()) return true;
  out.actions.push_back(oldest->action);
  stage.deferred.erase(oldest);
  return true;
}

}  // namespace opledger
