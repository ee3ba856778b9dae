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
#include "run/linked_run.h"

/// The simulation of a run's training step. The accounting's section `play` (docs/schedules.md) provides the seconds
/// of each kind of work, and names the inputs that receive the results; the schedule provides the order. `prepare` a
/// step, then `simulate` it once; `provide_simulated_step` does both when a formula reads a result.
namespace opledger {

/// A step that is ready to simulate, with data for timelines.
class StepSimulation {
 public:
  using LabeledBytes = std::vector<std::pair<std::string, double>>;  ///< Pairs of a label and its bytes.

  /// Evaluates times and order of a run whose sets are filled. `pictured`: also evaluates the values that only
  /// timelines show. Returns null, with errors, if the accounting has no section `play`, the schedule has no order,
  /// the order doesn't fit the run, or a formula can't be evaluated. The evaluator must outlive the result.
  static std::unique_ptr<StepSimulation> prepare(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph, bool pictured, Diagnostics& diagnostics);

  StepSize size() const { return order_->size(); }           ///< Returns the numbers of stages, chunks and microbatches.
  const std::string& schedule() const { return schedule_; }  ///< Returns the name of the schedule.
  const Span& span() const { return span_; }                 ///< Source position of the order.
  /// Simulates the step. May be called once, because the order is consumed. `watcher` is called for each event. Returns
  /// nothing, with an error, if the order is incomplete, deadlocks or has too many actions.
  std::optional<SimulatedStep> simulate(Diagnostics& diagnostics, const SimulationObserver& watcher = {});

  /// Returns the seconds of a message to the next stage in the direction of the work; 0 for weight gradients.
  double hop(std::size_t stage, Work work) const { return stages_[stage].hop[static_cast<std::size_t>(work)]; }
  /// Returns the bytes that stay on a stage for the whole step, by label; for timelines only.
  const LabeledBytes& resident(std::size_t stage) const { return stages_[stage].resident; }
  /// Returns the bytes of activations that a chunk of the stage saves for a microbatch in flight; 0 if the accounting
  /// doesn't state them. The step must be prepared with `pictured`.
  double saved_bytes(std::size_t stage, std::size_t stage_chunk) const { return stages_[stage].saved_bytes.find(stage_chunk)->second; }
  /// Returns the layers of a chunk, as a part of the stage's class.
  const StageClass::Part& part(std::size_t stage, std::size_t stage_chunk) const {
    return classes_[class_of_[stage]].parts[stages_[stage].parts.find(stage_chunk)->second];
  }
  /// Returns the seconds of a stage after its last batch: gradient reduction and optimizer; 0 without `pictured`.
  double end(std::size_t stage) const { return stages_[stage].end; }
  double waits() const { return waits_; }                   ///< Seconds in which every rank waits after the end of the step; 0 without `pictured`.
  const StageClasses& classes() const { return classes_; }  ///< Returns the classes of stages with equal layers.
  std::size_t class_of(std::size_t stage) const { return class_of_[stage]; }  ///< Returns the position of a stage's class in `classes()`.

 private:
  StepSimulation() = default;
  class Reader;

  /// Times and sizes of one stage; arrays by kind of work, maps by chunk.
  struct StageTimes {
    std::map<std::size_t, std::array<double, kWorkKinds>> stage_chunks;  ///< Seconds of each kind of work.
    std::array<double, kWorkKinds> hop{};                                ///< Seconds of a message after each kind of work.
    std::map<std::size_t, double> saved_bytes;                           ///< Bytes saved for a microbatch; for timelines only.
    std::map<std::size_t, std::size_t> parts;                            ///< Part of the stage's class for each chunk.
    LabeledBytes resident;                                               ///< Bytes for the whole step; for timelines only.
    double end = 0;                                                      ///< Seconds after the last batch; for timelines only.
  };
  std::string schedule_;                           ///< Name of the schedule.
  Span span_;                                      ///< Source position of the order.
  std::shared_ptr<const OrderDefinition> stated_;  ///< The order as its document states it; `order_` refers to it.
  std::unique_ptr<Order> order_;                   ///< The actions of each stage, produced during the simulation.
  StageClasses classes_;
  std::vector<std::size_t> class_of_;  ///< Class of each stage.
  std::vector<StageTimes> stages_;
  double overlap_factor_ = 1;  ///< Factor on the summed time of concurrent actions.
  double waits_ = 0;           ///< Seconds in which every rank waits after the end; for timelines only.
};

/// Returns the section `play` of the accounting; of several accountings that extend each other, the most derived one
/// with the section counts. Returns null without such a section.
const Datum* play_section(const LinkedRun& run);

/// Returns a description of the simulated step for explanations of input values, with the source position of its order.
/// Prepares the step, but doesn't simulate it. Returns nothing if the step can't be prepared.
std::optional<ValueSource> describe_simulated_step(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph);

/// Binds the inputs that the accounting names under `play: gives` to the results of the simulated step. The
/// simulation runs only if a formula reads one of the inputs.
void provide_simulated_step(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph);

}  // namespace opledger
