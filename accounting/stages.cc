#include "accounting/stages.h"

#include <fmt/core.h>

#include <algorithm>

namespace opledger {

std::string StageClass::name() const {
  if (count == 1) return fmt::format("{}", first);
  if (last - first + 1 == count) return fmt::format("{}-{}", first, last);
  return fmt::format("{}-{} ({} of them)", first, last, count);
}

namespace {

/// First layer of a stage: the first `total % stages` stages hold one more.
long long start_of(long long stage, long long total, long long stages) { return stage * (total / stages) + std::min(stage, total % stages); }

std::vector<double> content(long long stage, long long stages, const std::vector<double>& layers, const std::vector<bool>& repeated, long long total) {
  const long long from = start_of(stage, total, stages), to = start_of(stage + 1, total, stages);
  std::vector<double> out(layers.size(), 0);
  long long at = 0;  // layers of repeated segments before this one
  for (std::size_t s = 0; s < layers.size(); ++s) {
    const long long n = static_cast<long long>(layers[s]);
    if (repeated[s]) {
      out[s] = static_cast<double>(std::max(0LL, std::min(to, at + n) - std::max(from, at)));
      at += n;
      continue;
    }
    const long long beside = at == 0 ? 0 : at - 1;  // the layer that it stays with
    const bool here = total == 0 ? stage == 0 : at == total ? stage == stages - 1 : beside >= from && beside < to;
    if (here) out[s] = static_cast<double>(n);
  }
  return out;
}

}  // namespace

std::vector<StageClass> split_stages(const std::vector<double>& layers, const std::vector<bool>& repeated, long long stages) {
  long long total = 0;
  for (std::size_t s = 0; s < layers.size(); ++s) total += repeated[s] ? static_cast<long long>(layers[s]) : 0;
  std::vector<StageClass> classes;
  for (long long stage = 0; stage < stages; ++stage) {
    std::vector<double> here = content(stage, stages, layers, repeated, total);
    auto found = std::find_if(classes.begin(), classes.end(), [&](const StageClass& c) { return c.layers == here; });
    if (found == classes.end()) {
      classes.push_back({std::move(here), stage, stage, 0});
      found = classes.end() - 1;
    }
    found->last = stage;
    ++found->count;
  }
  return classes;
}

}  // namespace opledger
