#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/layouts.h"
#include "play/simulator/pipeline_simulator.h"
#include "run/linked.h"

/// The step of a run, played: works of its stages from the accounting's formulas, in the order that its schedule states. What is played is data, too: the accounting's
/// section `play` (docs/schedules.md) says which formulas are the works, and which inputs get the results.
namespace opledger {

class StepSimulation {
 public:
  using Levels = std::vector<std::pair<std::string, double>>;  ///< Bytes, by what they are.

  /// Works and order of the evaluator's run, whose sets are filled; `pictured`: with what only pictures show. Null, with errors: nothing says what is played, the schedule has no order, or it does not fit the run.
  static std::unique_ptr<StepSimulation> prepare(Evaluator& evaluator, const Linked& run, const GraphRun& graph, bool pictured, Diagnostics& diagnostics);

  StepSize size() const { return order_->size(); }
  const std::string& schedule() const { return schedule_; }
  const Span& span() const { return span_; }  ///< Of its order.
  /// Once: the order is used up.
  std::optional<SimulatedStep> simulate(Diagnostics& diagnostics, const SimulationObserver& watcher = {});

  double hop(std::size_t stage, Work work) const { return stages_[stage].hop[static_cast<std::size_t>(work)]; }  ///< Seconds.
  /// For pictures, 0 where the accounting says nothing: bytes that stand at a stage, bytes that a piece keeps of a microbatch in flight, seconds after the last work.
  const Levels& standing(std::size_t stage) const { return stages_[stage].standing; }
  double kept(std::size_t stage, std::size_t piece) const { return stages_[stage].kept.find(piece)->second; }
  /// A piece's part of a stage: of its class.
  const StageClass::Part& part(std::size_t stage, std::size_t piece) const {
    return classes_[class_of_[stage]].parts[stages_[stage].parts.find(piece)->second];
  }
  double end(std::size_t stage) const { return stages_[stage].end; }
  double waits() const { return waits_; }  ///< Seconds that all ranks wait after the end of the step.
  const StageClasses& classes() const { return classes_; }
  std::size_t class_of(std::size_t stage) const { return class_of_[stage]; }

 private:
  StepSimulation() = default;
  class Reader;

  struct StageTimes {
    std::map<std::size_t, std::array<double, kWorks>> pieces;
    std::array<double, kWorks> hop{};
    std::map<std::size_t, double> kept;
    std::map<std::size_t, std::size_t> parts;  ///< By piece.
    Levels standing;
    double end = 0;
  };
  std::string schedule_;
  Span span_;
  std::shared_ptr<const OrderDefinition> stated_;
  std::unique_ptr<Order> order_;
  StageClasses classes_;
  std::vector<std::size_t> class_of_;
  std::vector<StageTimes> stages_;
  double together_ = 1;
  double waits_ = 0;
};

/// What the newest of the run's accountings says under `play`; null: none does.
const Datum* play_section(const Linked& run);

/// Returns the order and the size of the step, and where the order is written. Empty: none can be played.
std::optional<ValueSource> describe_played(Evaluator& evaluator, const Linked& run, const GraphRun& graph);

/// From now on the inputs that the accounting names under `play` have the values of the played step. They are asked for only where formulas use them.
void provide_played(Evaluator& evaluator, const Linked& run, const GraphRun& graph);

}  // namespace opledger
