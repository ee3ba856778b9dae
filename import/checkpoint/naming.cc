#include "import/checkpoint/naming.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

constexpr std::size_t kMostNamings = 32;  // Limit of tried namings: names in an unknown checkpoint may end in anything.
constexpr char kDot = '.';

std::string leading_part(const std::string& name) {
  const std::size_t dot = name.find(kDot);
  return dot == std::string::npos ? "" : name.substr(0, dot + 1);
}

/// Returns the model's tensor names without a layer's number, except names of copies. A name of the checkpoint may
/// end like an anchor, behind another prefix.
std::vector<std::string> anchors(const TensorNames& names) {
  std::vector<std::string> out;
  for (const TensorGroup& group : names.groups) {
    const std::string& name = names.entries[group.entry].name;
    if (name.find('*') == std::string::npos && !group.copy) out.push_back(name);
  }
  return out;
}

/// Returns the number of tensor groups whose first tensor is in the checkpoint under a naming.
std::size_t groups_found(const Naming& naming, const TensorNames& names, const Checkpoint& checkpoint) {
  std::size_t out = 0;
  for (const TensorGroup& group : names.groups) {
    if (group.layers.empty()) continue;
    const auto all = naming.names(group.name(names.entries[group.entry], group.layers.front(), 0));
    out += std::any_of(all.begin(), all.end(), [&](const std::string& name) { return checkpoint.tensors.count(name) > 0; }) ? 1 : 0;
  }
  return out;
}

}  // namespace

std::string Naming::outer_prefix() const { return to.ends_with(kDot + from) ? to.substr(0, to.size() - from.size()) : plain() ? "" : to; }

std::vector<std::string> Naming::names(const std::string& name) const {
  if (plain()) return {name};
  if (name.rfind(from, 0) == 0) return {to + name.substr(from.size())};
  return to.ends_with(kDot + from) ? std::vector<std::string>{outer_prefix() + name, name} : std::vector<std::string>{name};
}

Naming find_naming(const TensorNames& names, const Checkpoint& checkpoint) {
  // A naming replaces the prefix `from` of names by `to`. Candidates come from anchors, which are names of the model
  // without numbers. A name of the checkpoint may end like an anchor, without or with the anchor's first part; its
  // beginning is then a candidate for `to`. Each candidate is scored by the groups of tensors that it finds. The
  // mapping's own names win ties. The cost is anchors times tensors, and at most `kMostNamings` candidates are
  // scored.
  std::set<std::pair<std::string, std::string>> candidates;
  for (const std::string& anchor : anchors(names)) {
    for (const std::string& from : {std::string(), leading_part(anchor)}) {
      const std::string tail = anchor.substr(from.size());
      if (tail.find(kDot) == std::string::npos) continue;  // A name of one part, such as `weight`, is the end of any name.
      for (const auto& [name, _] : checkpoint.tensors) {
        if (!name.ends_with(tail) || candidates.size() == kMostNamings) continue;
        const std::string to = name.substr(0, name.size() - tail.size());
        if ((to.empty() || to.back() == kDot) && to != from) candidates.emplace(from, to);
      }
    }
  }
  Naming best;
  std::size_t most = groups_found(best, names, checkpoint);
  for (const auto& [from, to] : candidates) {
    const Naming naming{from, to};
    const std::size_t found = groups_found(naming, names, checkpoint);
    if (found > most) best = naming, most = found;
  }
  return best;
}

}  // namespace opledger
