#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// The output of a command as plain data: numbers and their order. report/writers.h formats them. Values point into the
/// run, which must outlive the report.
namespace opledger {

/// A metric of a report.
struct ReportMetric {
  std::string key;  ///< Label in the accounting's report, for people.
  /// Identifier for programs: the key if it is a plain word, unique in the report, and the metric is in no section with
  /// `detail`; else the metric's name. If that name has another meaning in JSON, the identifier is `metric.NAME`.
  std::string id;
  std::string name;  ///< Name of the metric in the accounting.
  /// Unit of the number in base units: `byte`, `flop/s`, `count`, `ratio`, `1`; empty for values without a number.
  std::string unit;
  std::string doc;     ///< Documentation of the metric; may be empty.
  Value value;         ///< Value in base units.
  bool later = false;  ///< True if formats for people omit the metric, because it is not on the first screen.
};

/// A titled group of metrics.
struct ReportSection {
  std::string title;                  ///< Title for people.
  std::vector<ReportMetric> metrics;  ///< Metrics in the order of the accounting's report.
  bool detail = false;                ///< True if formats for people omit the section.
};

/// A fixed unit of a column. `{"error", "%", 0.01, 2}` shows numbers in hundredths with two decimals.
struct ColumnUnit {
  std::string column, unit;  ///< Column and shown unit.
  double factor = 1;         ///< One shown unit in base units.
  int decimals = -1;         ///< Digits after the point; -1: four significant digits.
};

/// A table, with hints for its display.
struct ReportTable {
  std::string name, title;               ///< Name for programs, and title for people.
  std::vector<std::string> columns;      ///< Names of the columns.
  std::vector<std::vector<Value>> rows;  ///< Values by row, then column.
  bool detail = false;                   ///< True if formats for people omit the table.
  bool has_mixed_units = false;          ///< True if columns mix units; a column `unit` then gives the unit of each row.
  std::vector<ColumnUnit> units = {};    ///< Columns with a fixed unit instead of a prefix that fits each value.
  bool wide = false;                     ///< True if columns are names, shown verbatim; columns beyond the page's width continue below.
  std::vector<std::string> hidden = {};  ///< Columns omitted by formats for people.
  std::vector<std::string> prose = {};   ///< Columns of sentences, which wrap where longer texts are cut.
  std::vector<std::string> minor = {};   ///< Columns that narrow terminals and pages leave out first, in this order.
  std::vector<int> parents = {};         ///< Index of each row's parent, an earlier row; -1: a root. Empty: no tree.
  bool has_group_headings = false;       ///< True if roots are mere headings of groups, whose missing values stay blank.
  std::vector<Value> total = {};         ///< Last row with totals; empty: no totals.
  std::vector<std::string> notes = {};   ///< Sentences below the table.
  std::vector<Point> points = {};        ///< Point at which each row's values were evaluated; empty in tables with a tree.
  std::size_t left_out = 0;              ///< Number of rows omitted because of size limits.
  /// Column and number of list items omitted because of size limits.
  std::vector<std::pair<std::string, std::size_t>> left_out_items = {};
};

/// Owners of texts and lists that values point to; copying them extends the lifetime.
using ValueOwners = std::vector<std::shared_ptr<const void>>;

/// The output of a command.
struct Report {
  std::string model, execution, system, accounting, stack = {};  ///< Names of the documents; empty: not used.
  std::vector<NamedDocument> documents = {};                     ///< Documents that replace named cases.
  std::vector<ReportSection> sections = {};
  std::vector<ReportTable> tables = {};
  std::vector<Violation> violations = {};  ///< Violated constraints; not empty for an infeasible run.
  std::string title = {};                  ///< Title of a report about several runs; a run's title is its model.
  std::string against = {};                ///< Name of the second run in a comparison, else empty.
  bool bare = false;                       ///< True if a single part was requested; CSV and JSON, and a table in Markdown, then have no heading.
  std::vector<std::string> more = {};      ///< Tables that are not on the first screen and were not requested.

  ValueOwners kept = {};  ///< Owners of texts and lists that do not belong to the run.
};

/// Returns the named reports of the run's accounting, in order. Without a system, metrics and columns that need one are
/// omitted. Returns nothing, with errors, if a report is unknown or a metric of a feasible run fails; an infeasible run
/// omits such metrics. For people, tables have at most the declared number of rows (`shown`), for programs kMostCells.
/// `only` selects a single part: a table, including details, or every metric (kMetricsPart). Without
/// `full`, people get the parts of the first screen.
std::optional<Report> build_report(Run& run, const std::vector<std::string>& names, Diagnostics& diagnostics, bool for_people = false,
                                   const std::string& only = "", bool full = false);

/// Returns a single table of the run's accounting, from whichever report contains it. Returns nothing, with errors, if
/// the table is unknown or cannot be computed.
std::optional<Report> build_table_report(Run& run, const std::string& name, Diagnostics& diagnostics);

/// Returns a metric labeled `key`, without an id. Returns nothing if the metric needs a missing system, or, with errors
/// in `messages`, if its evaluation fails.
std::optional<ReportMetric> build_metric(const std::string& key, const Published& published, Evaluator& evaluator, Diagnostics& messages);

/// Name of the part with the metrics, unless a table has this name.
inline constexpr const char* kMetricsPart = "metrics";

/// Removes every part of a report except the named part. Returns false, with an error, if the part is unknown.
bool keep_only(const std::string& name, Report& report, Diagnostics& diagnostics);

/// Maximum number of rows of a table, or of list items in a column: the groups of about 16,000 processors.
inline constexpr std::size_t kMostCells = 16384;

/// Returns a value that points to `text`, which must outlive the value.
Value text_value(const std::string& text);

/// Returns a value that points to a copy of `text` owned by `kept`.
Value owned_text(std::string text, ValueOwners& kept);

/// Returns the unit of the numbers in a column; empty if the column has no numbers, or if the table mixes units.
std::string column_unit(const ReportTable& table, std::size_t column);

/// Returns the unit of a number in base units, as in ReportMetric::unit. `declared` is the unit stated by the
/// accounting.
std::string base_unit(const Value& value, const std::string& declared = "");

}  // namespace opledger
