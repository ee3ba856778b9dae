#include "import/checkpoint/findings.h"

#include <algorithm>

#include "base/text.h"

namespace opledger {
namespace {

bool is_position(const std::string& part) {
  constexpr std::size_t kDigits = 18;  // Digits that always fit into 64 bits.
  return !part.empty() && part.size() <= kDigits && std::all_of(part.begin(), part.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
}

/// Returns a name with `#` for each number and a final dot: `model.layers.#.mlp.`.
std::string unnumbered(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (is_position(part) ? "#" : part) + ".";
  return out;
}

/// Returns numbers as ranges: `{3-5,8}`; a single number without brackets; `*` for more than four ranges.
std::string ranges(const std::set<std::uint64_t>& numbers) {
  constexpr int kMost = 4;
  std::string out;
  int count = 0;
  for (auto it = numbers.begin(); it != numbers.end(); ++count) {
    const std::uint64_t first = *it;
    std::uint64_t last = first;
    while (++it != numbers.end() && *it == last + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
  }
  return count > kMost ? "*" : numbers.size() > 1 ? "{" + out + "}" : out;
}

}  // namespace

void Findings::add(const std::string& name, TensorFinding added, std::uint64_t elements) {
  // Findings are grouped by a key: the name without numbers, the weights, both shapes and the reason. `position_`
  // maps a key to the index of its group in `all_`, `parts_` and `numbers_`. Each group collects the numbers at every
  // position of the dotted name, so that `take` can write one name with ranges. The cost is one map lookup for each
  // tensor, and one set insertion for each number.
  const std::vector<std::string> parts = split(name, '.');
  const Key key{unnumbered(parts), added.weights, added.found_shape, added.expected_shape, added.reason};
  const auto [found, fresh] = position_.emplace(key, all_.size());
  ++tensors_;
  if (fresh) {
    all_.push_back(std::move(added));
    parts_.push_back(parts);
    numbers_.emplace_back(parts.size());
  }
  TensorFinding& finding = all_[found->second];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_position(parts[i])) numbers_[found->second][i].insert(std::stoull(parts[i]));
  }
  ++finding.tensors;
  finding.elements += elements;
}

std::vector<TensorFinding> Findings::take() const {
  std::vector<TensorFinding> out = all_;
  for (std::size_t f = 0; f < out.size(); ++f) {
    std::vector<std::string> parts = parts_[f];
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!numbers_[f][i].empty()) parts[i] = ranges(numbers_[f][i]);
    }
    out[f].name = join(parts, ".");
  }
  return out;
}

}  // namespace opledger
