#include "play/simulator/stage_order.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {
namespace {

constexpr char kLetters[] = {'F', 'I', 'W'};

std::string written(char letter, const Action& a) { return fmt::format("{}{}{}", a.piece, letter, a.microbatch); }

}  // namespace

std::string written(const Action& action) { return written(kLetters[static_cast<std::size_t>(action.work)], action); }

std::string written(const Batch& batch) {
  const auto has = [&](const Action& a) { return std::find(batch.actions.begin(), batch.actions.end(), a) != batch.actions.end(); };
  std::vector<std::string> parts;
  for (const Action& a : batch.actions) {
    const bool whole = a.work != Work::forward && has({Work::input, a.piece, a.microbatch}) && has({Work::weight, a.piece, a.microbatch});
    if (whole && a.work == Work::weight) continue;
    parts.push_back(whole ? written('B', a) : written(a));
  }
  return batch.together ? fmt::format("({})OVERLAP_F_B", join(parts, ";")) : join(parts, " ");
}

}  // namespace opledger
