#include "search/single.h"

#include <algorithm>

namespace opledger {
namespace {

Question question(const Space& space, std::vector<std::string> names) {
  Question out = question_of(space);
  out.outputs = std::move(names);
  out.constraints = true;
  return out;
}

/// Empty: not all of them are there.
std::vector<std::size_t> places(const std::vector<std::string>& names, const std::vector<std::string>& among) {
  std::vector<std::size_t> out;
  for (const std::string& name : names) {
    const auto found = std::find(among.begin(), among.end(), name);
    if (found == among.end()) return {};
    out.push_back(static_cast<std::size_t>(found - among.begin()));
  }
  return out;
}

}  // namespace

SingleCandidates::SingleCandidates(Space& space, std::vector<std::string> names, const SweepResult& swept)
    : free_(space), swept_(swept), structures_(*space.run, question(space, names)) {
  if (swept.known != nullptr) places_ = places(names, swept.known->question().outputs);
}

std::optional<Structure::Result> SingleCandidates::evaluate(const std::vector<double>& values, Diagnostics& diagnostics) {
  if (!places_.empty()) return known(values);
  const std::vector<double> candidate = free_.of(values);
  const Structure* structure = structures_.find(candidate, diagnostics);
  return structure == nullptr ? std::nullopt : std::optional(structure->evaluate(candidate));
}

Structure::Result SingleCandidates::known(const std::vector<double>& values) {
  const KnownStructure& structure = swept_.known->of(values);
  Structure::Result out = compiled_.try_emplace(&structure, structure.trace).first->second.evaluate(free_.of(values));
  std::vector<Value> asked;
  for (const std::size_t place : places_) asked.push_back(out.outputs[place]);
  out.outputs = std::move(asked);
  return out;
}

}  // namespace opledger
