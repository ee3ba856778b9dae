#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/known_structures.h"
#include "search/sweep/sweep_result.h"

/// Single candidates of a space that was swept, evaluated by the structures that the sweep traced where these know all that is asked, else by others.
namespace opledger {

class SingleCandidates {
 public:
  /// `names`: metrics, or other names that vary with nothing. What is given must live as long.
  SingleCandidates(Space& space, std::vector<std::string> names, const SweepResult& swept);

  /// Values by name, in their order, and why it is refused; `values`: by axis. Empty, with errors, if it can't be evaluated.
  std::optional<Structure::Result> evaluate(const std::vector<double>& values, Diagnostics& diagnostics);

 private:
  Structure::Result evaluate_swept(const std::vector<double>& values);

  FreeAxes free_;
  const SweepResult& swept_;
  std::vector<std::size_t> output_positions_;  ///< Of the names among what the sweep asked; empty: it did not ask all of them.
  std::map<const GuardedTrace*, Structure> compiled_;
  Structures programs_;
};

}  // namespace opledger
