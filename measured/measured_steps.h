#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/measured_times.h"
#include "measured/validation.h"
#include "run/compiled_program.h"

/// Measured times of whole runs under one stack, from a document of kind `validation`.
namespace opledger {

/// Times of runs, predicted by one compiled program per run.
class MeasuredSteps final : public MeasuredTimes {
 public:
  /// Reads the timed runs under the stack. `name`: the document of measurements that declares the fitted constants.
  /// Null, with errors, if no run names the stack and has a time, or a run can't be linked.
  static std::unique_ptr<MeasuredSteps> read(const std::string& name, const Document& validation, const Document& stack, Library& library,
                                             Diagnostics& diagnostics);

  const std::string& name() const override { return name_; }
  const std::string& file() const override { return file_; }
  std::size_t count() const override { return rows_.size(); }
  double seconds(std::size_t row) const override { return rows_[row].seconds; }
  bool left_out(std::size_t row) const override { return rows_[row].left_out; }
  const std::vector<std::pair<std::string, std::size_t>>& opened() const override { return inputs_; }
  std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) override;

  /// Makes `predict` supply the values of these inputs, each with the index of its constant.
  void open(std::vector<std::pair<std::string, std::size_t>> inputs);
  std::vector<const LinkedRun*> runs() const;

 private:
  struct Row {
    std::string metric;
    double seconds = 0;
    bool left_out = false;
    std::unique_ptr<LinkedRun> run;
    std::unique_ptr<ProgramCache> structures;
  };
  std::string name_, file_;
  std::vector<Row> rows_;
  std::vector<std::pair<std::string, std::size_t>> inputs_;
};

}  // namespace opledger
