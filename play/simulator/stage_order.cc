#include "play/simulator/stage_order.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {
namespace {

constexpr char kLetters[] = {'F', 'I', 'W'};

std::string written(char letter, const Action& a) { return fmt::format("{}{}{}", a.stage_chunk, letter, a.microbatch); }

}  // namespace

std::string written(const Action& action) { return written(kLetters[static_cast<std::size_t>(action.work)], action); }

std::string written(const Batch& batch) {
  // An input gradient and a weight gradient of one chunk and microbatch are written together as `B`.
  const auto has = [&](const Action& a) { return std::find(batch.actions.begin(), batch.actions.end(), a) != batch.actions.end(); };
  std::vector<std::string> parts;
  for (const Action& a : batch.actions) {
    const bool is_backward = a.work != Work::forward && has({Work::input, a.stage_chunk, a.microbatch}) && has({Work::weight, a.stage_chunk, a.microbatch});
    if (is_backward && a.work == Work::weight) continue;
    parts.push_back(is_backward ? written('B', a) : written(a));
  }
  return batch.is_concurrent ? fmt::format("({})OVERLAP_F_B", join(parts, ";")) : join(parts, " ");
}

}  // namespace opledger
