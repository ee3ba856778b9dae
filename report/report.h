#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// What a command prints, as plain data: which numbers, in which order. How they are written is the business of report/writers.h.
/// Texts of values belong to the run, so a report must not outlive it.
namespace opledger {

struct ReportMetric {
  std::string key;  ///< As the accounting's report calls it: for people.
  /// For programs: the key if it is a plain word that no other metric of the report has, else the metric's own name; `metric.NAME` if that means something
  /// else there.
  std::string id;
  std::string name;  ///< The metric.
  std::string unit;  ///< Of the number in base units: `byte`, `flop/s`, `count`, `ratio`, `1`; empty if it is no number.
  std::string doc;
  Value value;
};

struct ReportSection {
  std::string title;
  std::vector<ReportMetric> metrics;
  bool detail = false;  ///< Left out by formats that are read by people.
};

/// `{"error", "%", 0.01, 2}`: numbers of the column in hundredths, two digits after the point.
struct ColumnUnit {
  std::string column, unit;
  double factor = 1;
  int decimals = -1;  ///< -1: as many as make four digits.
};

struct ReportTable {
  std::string name, title;
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  bool detail = false;                   ///< Left out by formats that are read by people.
  bool mixed = false;                    ///< Its columns hold values of several units; a column of each row says which.
  std::vector<ColumnUnit> units = {};    ///< Columns that people read in a unit of their own, whatever fits each value.
  bool wide = false;                     ///< Columns are called by names, which are shown as they are; what a page has no room for goes on below.
  std::vector<std::string> unread = {};  ///< Columns that formats for people leave out.
  std::vector<std::string> prose = {};   ///< Columns of sentences: what is too long for a page goes on in the next line, where other texts are cut.
  std::vector<int> under = {};           ///< Of each row the one before it that it stands under; -1: none. Empty: rows stand in no tree.
  bool headed = false;                   ///< Rows under none only say what those under them have in common: what they have no value for stays empty.
  std::vector<Value> total = {};         ///< A last row, of sums. Empty: none.
  std::vector<std::string> notes = {};   ///< Sentences below it.
  std::vector<Point> points = {};        ///< Of the rows of an accounting's table that stand in no tree: where their values were asked for.
  std::size_t left_out = 0;              ///< Rows that it does not hold because they are too many …
  std::vector<std::pair<std::string, std::size_t>> left_out_items = {};  ///< … and items of the lists in a column.
};

using Kept = std::vector<std::shared_ptr<const void>>;

struct Report {
  std::string model, execution, system, accounting, stack = {};  ///< What it is about; no system: empty.
  std::vector<NamedDocument> documents = {};                     ///< What words of cases have instead.
  std::vector<ReportSection> sections = {};
  std::vector<ReportTable> tables = {};
  std::vector<Violation> violations = {};
  std::string title = {};    ///< Of a report that is about no single run; that of a run is its model.
  std::string against = {};  ///< Of a comparison: the other run, in a line.
  bool bare = false;         ///< One table, or the metrics, was asked for: text alone writes a heading and a title around it.

  Kept kept = {};  ///< Texts and lists that values of the tables point to, where these are not the run's.
};

/// The reports of these names in the run's accounting, one after the other. Empty, with errors, if there is none or a metric can't be evaluated. Without a system, the metrics
/// and columns that need one are left out. For people, tables have as many rows as they say (`shown`); for programs
/// no more than kMostCells. `only` asks for a single part: a table, be it a detail or not, or all metrics (kMetricsPart).
std::optional<Report> build_report(Run& run, const std::vector<std::string>& names, Diagnostics& diagnostics, bool for_people = false,
                                   const std::string& only = "");

/// A table of the run's accounting alone, whichever reports have it. Empty, with errors: there is none of this name, or it can't be computed.
std::optional<Report> build_table_report(Run& run, const std::string& name, Diagnostics& diagnostics);

/// A metric as a report calls it, without an id. Empty: it needs what there is none of (a system), or, with errors among `messages`, can't be evaluated.
std::optional<ReportMetric> build_metric(const std::string& key, const Published& published, Evaluator& evaluator, Diagnostics& messages);

/// What metrics are called among the parts of a report, where no table is called so.
inline constexpr const char* kMetricsPart = "metrics";

/// Leaves one part of a report, by its name. False, with an error: there is none.
bool keep_only(const std::string& name, Report& report, Diagnostics& diagnostics);

/// Rows of a table, or items of all lists of a column, at most: the groups of some 16,000 processors.
inline constexpr std::size_t kMostCells = 16384;

/// The text must live as long as the value.
Value text_value(const std::string& text);

/// One that lives as long as what keeps it.
Value kept_text(std::string text, Kept& kept);

/// Of the numbers of a column; empty: it has none, or they have several units.
std::string column_unit(const ReportTable& table, std::size_t column);

/// Of a number in base units, as in ReportMetric::unit; `declared` is what the accounting calls it.
std::string base_unit(const Value& value, const std::string& declared = "");

}  // namespace opledger
