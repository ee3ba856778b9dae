#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/measured_times.h"
#include "measured/validation.h"
#include "run/compiled_program.h"
#include "run/solved_input.h"

/// Measured times of whole runs under one stack, from a document of kind `validation`.
namespace opledger {

/// Times of runs, predicted by one compiled program per run.
class MeasuredSteps final : public MeasuredTimes {
 public:
  /// Reads the timed runs under the stack from a document of validation. `name` is the document of measurements that
  /// declares the fitted constants. Returns null and reports errors if no run under the stack has a time, if a time is
  /// negative, or if a run can't be linked.
  static std::unique_ptr<MeasuredSteps> read(const std::string& name, const Document& validation, const Document& stack, Library& library,
                                             Diagnostics& diagnostics);

  const std::string& name() const override { return name_; }
  const std::string& file() const override { return file_; }
  std::size_t count() const override { return rows_.size(); }
  double seconds(std::size_t row) const override { return rows_[row].seconds; }
  bool left_out(std::size_t row) const override { return rows_[row].left_out; }
  const std::vector<std::pair<std::string, std::size_t>>& opened() const override { return inputs_; }
  std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) override;

  /// Makes `predict` supply the values of these inputs, each with the index of its constant. Must be called before
  /// `predict`.
  void open(std::vector<std::pair<std::string, std::size_t>> inputs);
  std::vector<const LinkedRun*> runs() const;  ///< Returns the run of each row, owned by this object.

 private:
  /// A run with its measured time.
  struct Row {
    std::string metric;                        ///< Name of the time in the run's accounting.
    double seconds = 0;                        ///< Measured time.
    bool left_out = false;                     ///< True if the row is not used for fitting.
    std::unique_ptr<LinkedRun> run;            ///< The linked run.
    std::optional<SolvedInput> solved;         ///< An input whose value depends on the fitted constants and is computed for each prediction.
    std::unique_ptr<InputSolver> solver;       ///< Its solver; null before `open`, and without such an input.
    std::unique_ptr<ProgramCache> structures;  ///< Programs that compute the metric; null before `open`.
  };
  std::string name_, file_;  ///< Names of the document of measurements and of the validation.
  std::vector<Row> rows_;
  std::vector<std::pair<std::string, std::size_t>> inputs_;
};

}  // namespace opledger
