#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/layouts.h"
#include "run/linked.h"
#include "timeline/player.h"

/// The step of a run, played: works of its stages from the accounting's formulas, in the order that its schedule states. What is played is data, too: the accounting's
/// section `play` (docs/schedules.md) says which formulas are the works, and which inputs get the results.
namespace opledger {

class PlayedStep {
 public:
  /// Works and order of the evaluator's run, whose sets are filled. Null, with errors: nothing says what is played, the schedule has no order, or it does not fit the run.
  static std::unique_ptr<PlayedStep> prepare(Evaluator& evaluator, const Linked& run, const GraphRun& graph, Diagnostics& diagnostics);

  StepSize size() const { return order_->size(); }
  const std::string& schedule() const { return schedule_; }
  /// Once: the order is used up.
  std::optional<Played> play(Diagnostics& diagnostics, const PlayWatcher& watcher = {});

  const StageClasses& classes() const { return classes_; }
  std::size_t class_of(std::size_t stage) const { return class_of_[stage]; }

 private:
  PlayedStep() = default;
  class Reader;

  struct StageTimes {
    std::map<std::size_t, std::array<double, kWorks>> pieces;
    std::array<double, kWorks> hop{};
  };
  std::string schedule_;
  Span span_;
  std::unique_ptr<Order> order_;
  StageClasses classes_;
  std::vector<std::size_t> class_of_;
  std::vector<StageTimes> stages_;
  double together_ = 1;
};

/// From now on the inputs that the accounting names under `play` have the values of the played step. They are asked for only where formulas use them.
void provide_played(Evaluator& evaluator, const Linked& run, const GraphRun& graph);

}  // namespace opledger
