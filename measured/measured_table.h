#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "measured/measured_times.h"
#include "run/structure.h"

/// A table of measured times beside a document of kind `measurements`, which says what its rows are runs of.
namespace opledger {

struct MeasuredRow {
  std::vector<double> inputs;      ///< Of the run, in base units, in the order of the document's columns.
  std::vector<std::string> cells;  ///< What the row says in these columns, or what the document does without it …
  std::vector<std::string> words;  ///< … and what that stands for.
  double seconds = 0;              ///< Measured, above 0.
  bool left_out = false;           ///< Of the half that nothing is fitted to. Rows of equal inputs are in the same half.
  std::uint32_t line = 0;
};

class MeasuredTable final : public MeasuredTimes {
 public:
  /// `file`: of the rows; empty: those that the document has itself. `corrected`: times are computed with the corrections that the system names. Null, with errors: a column that the document needs is not
  /// there, no row can be used, a cell is no such value, a time is not above 0.
  static std::unique_ptr<MeasuredTable> read(const Document& document, const std::string& file, const std::string& system, bool corrected, Library& library,
                                             Diagnostics& diagnostics);

  const std::string& name() const override { return document_.name; }
  const Datum& root() const { return root_; }  ///< What the document says, or those that it extends.
  const std::string& file() const override { return file_; }
  std::size_t count() const override { return rows_.size(); }
  double seconds(std::size_t row) const override { return rows_[row].seconds; }
  bool left_out(std::size_t row) const override { return rows_[row].left_out; }
  const std::vector<std::string>& columns() const { return columns_; }  ///< Those that set inputs, and `inputs` which.
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<MeasuredRow>& rows() const { return rows_; }
  const Linked& run() const { return *run_; }

  /// From now on `predict` takes this variant of the system. False, with errors, if it can't be read.
  bool take(const Document& system, Library& library, Diagnostics& diagnostics);

  /// From now on these fields of the system get their values from `predict`; each says which of the constants.
  bool open(std::vector<std::pair<std::string, std::size_t>> fields, Library& library, Diagnostics& diagnostics);
  const std::vector<std::pair<std::string, std::size_t>>& opened() const override { return fields_; }

  std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) override {
    return predict(rows_[row], constants, diagnostics);
  }
  std::optional<double> predict(const MeasuredRow& row, const std::vector<double>& constants, Diagnostics& diagnostics);

 private:
  class Reader;
  MeasuredTable(const Document& document, std::string file) : document_(document), file_(std::move(file)) {}
  bool link(Library& library, Diagnostics& diagnostics);

  const Document& document_;
  Datum root_ = Datum::map({}, {});
  std::string file_;
  RunRequest request_;
  std::string metric_;
  std::vector<std::string> columns_, inputs_;
  std::vector<MeasuredRow> rows_;
  std::vector<std::pair<std::string, std::size_t>> fields_;  ///< Opened ones.
  std::unique_ptr<Linked> run_;
  std::optional<Structures> structures_;
};

}  // namespace opledger
