#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "measured/measured_times.h"
#include "run/compiled_program.h"

/// A table of measured times with a document of kind `measurements` that maps its rows to runs.
namespace opledger {

/// A row of the table.
struct MeasuredRow {
  std::vector<double> inputs;      ///< Values of the run's inputs in base units, in the order of the document's columns; index of a word.
  std::vector<std::string> cells;  ///< Texts of the cells, or the document's defaults.
  std::vector<std::string> words;  ///< Values that the cells mean, as texts.
  double seconds = 0;              ///< Measured time, above 0.
  bool left_out = false;           ///< True if the row is in the half that is not fitted. Rows with equal inputs are in the same half.
  std::uint32_t line = 0;          ///< Line in the file or document, from 1.
};

/// Times of kernels or collectives, predicted by one compiled program.
class MeasuredTable final : public MeasuredTimes {
 public:
  /// Reads a table for the named system. `file` is the path of the rows; if empty, the document states rows or names
  /// a file. `corrected` says that predictions use the corrections that the system names. Returns null and reports
  /// errors if a required column is missing, no row matches, a cell is malformed, or a time is not above 0.
  /// `document` must outlive the result.
  static std::unique_ptr<MeasuredTable> read(const Document& document, const std::string& file, const std::string& system, bool corrected, Library& library,
                                             Diagnostics& diagnostics);

  const std::string& name() const override { return document_.name; }
  const Datum& root() const { return root_; }  ///< The document merged over those that it extends.
  const std::string& file() const override { return file_; }
  std::size_t count() const override { return rows_.size(); }
  double seconds(std::size_t row) const override { return rows_[row].seconds; }
  bool left_out(std::size_t row) const override { return rows_[row].left_out; }
  const std::vector<std::string>& columns() const { return columns_; }  ///< Columns that set inputs.
  const std::vector<std::string>& inputs() const { return inputs_; }    ///< Input of each column, in the order of `columns`.
  const std::vector<MeasuredRow>& rows() const { return rows_; }        ///< Selected rows in file order.
  const LinkedRun& run() const { return *run_; }                        ///< Run of the document's model that predicts all rows.

  /// Makes `predict` use this variant of the system, which must outlive all predictions. Returns false and reports
  /// errors if the run can't be linked with the variant.
  bool use_system(const Document& system, Library& library, Diagnostics& diagnostics);

  /// Makes `predict` supply the values of these fields of the system, each with the index of its constant. Returns
  /// false and reports errors if a field can't be opened.
  bool open(std::vector<std::pair<std::string, std::size_t>> fields, Library& library, Diagnostics& diagnostics);
  const std::vector<std::pair<std::string, std::size_t>>& opened() const override { return fields_; }

  std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) override {
    return predict(rows_[row], constants, diagnostics);
  }
  /// Predicts the time of a row in seconds, with `constants` in base units. Returns nothing and reports an error if
  /// the time can't be computed or is not above 0.
  std::optional<double> predict(const MeasuredRow& row, const std::vector<double>& constants, Diagnostics& diagnostics);

 private:
  class Reader;
  MeasuredTable(const Document& document, std::string file) : document_(document), file_(std::move(file)) {}
  /// Links the run, with the fields in `fields_` opened, and begins new compiled programs. Returns false after errors.
  bool link(Library& library, Diagnostics& diagnostics);

  const Document& document_;
  Datum root_ = Datum::map({}, {});
  std::string file_;
  RunRequest request_;
  std::string metric_;
  std::vector<std::string> columns_, inputs_;
  std::vector<MeasuredRow> rows_;
  std::vector<std::pair<std::string, std::size_t>> fields_;  ///< Fields with values from `predict`.
  std::unique_ptr<LinkedRun> run_;
  std::optional<ProgramCache> programs_;  ///< Compiled programs of `run_` for the metric.
};

}  // namespace opledger
