#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/formula.h"

/// Sections of an accounting without names of their own: constraints, tables, checks, reports and views.
namespace opledger {

/// Part of a message: a text, then a value.
struct MessagePart {
  std::string text;                ///< Text in front of the value.
  const Formula* value = nullptr;  ///< Formula of the value; null: the part is only text.
  int digits = -1;                 ///< Digits after the point (`{memory:.3}`); -1: as many as needed.
};

/// A condition on a run. A run that violates it is infeasible.
struct Constraint {
  Span span;                         ///< Position in the document.
  SetId over{};                      ///< Set of `for`: the constraint is checked for each of its members; none: once.
  const Formula* when = nullptr;     ///< Condition under which the constraint and `all` apply; null: always.
  const Formula* require = nullptr;  ///< Condition that must hold; null: only `all` counts.
  const Formula* at = nullptr;       ///< Document field that the message points to; null: none.
  std::vector<MessagePart> message;  ///< Message of a violation.
  std::string reason;                ///< Short reason for counts of infeasible runs, such as `out of memory`; empty: the message.
  std::vector<Constraint> all;       ///< Constraints inside, checked under the same `when` and for the same member.
};

/// A column of a table: a name at the words that its title spells (`<phase>_flops`), or a text with values. Each cell
/// of a text column with `over` is a list of texts, with an item for each member of that set.
struct TableColumn {
  std::string title;                         ///< Heading, and name of the column in `sums` and views.
  Name* name = nullptr;                      ///< Name of the values; null: the column is `text`.
  std::vector<std::pair<SetId, WordId>> at;  ///< Words at which `name` is evaluated.
  std::vector<MessagePart> text = {};        ///< Text with values, for a column without `name`.
  SetId over{};                              ///< Set over whose members each cell is a list; none: cells are single texts.
};

/// A sentence below a table, printed if `when` holds.
struct TableNote {
  const Formula* when = nullptr;  ///< Condition; null: always true.
  std::vector<MessagePart> text;  ///< Sentence with values.
};

/// A table with a row for each member of a set.
struct Table {
  std::string name, title, doc;    ///< Name for reports, heading, and description for readers.
  SetId rows;                      ///< Set whose members are the rows.
  const Formula* where = nullptr;  ///< Condition of a row to be shown; null: all rows are.
  std::vector<TableColumn> columns;
  Name* under = nullptr;                   ///< Word of the parent row, or nothing for a top row; null: the table is no tree.
  const Formula* by = nullptr;             ///< Key that groups rows in output for readers; each group gets a row with the key's text. Null: no groups.
  std::vector<std::string> sums;           ///< Columns to sum, over the rows below a row and over all rows in the last one.
  std::string total;                       ///< Name of the last row, which has the sums; empty: no such row.
  std::vector<TableNote> notes;            ///< Sentences below the table.
  std::vector<const Name*> largest_first;  ///< Sort keys, largest first; the first with a value in every row counts. Empty: the set's order.
  std::size_t shown = 0;                   ///< Maximum number of rows and list items shown to readers; 0: all.
  std::vector<std::string> minor;          ///< Titles of columns that narrow terminals leave out first, in this order.
  Span span;                               ///< Position of the name.
};

/// A metric under its public name: `as: block_<phase>_flops` publishes one for every phase.
struct Published {
  std::string name;                          ///< Public name, such as `block_forward_flops`.
  const Name* metric = nullptr;              ///< Name that is evaluated.
  std::vector<std::pair<SetId, WordId>> at;  ///< Words at which `metric` is evaluated.
};

/// A check: two numbers that must agree in every run.
struct Check {
  std::string name, doc;                            ///< Name, and description for readers.
  std::string skipped;                              ///< Reason printed if `when` does not hold and the check is skipped.
  std::vector<std::string> needs;                   ///< Model parameters that the check needs.
  std::string lacking;                              ///< First of `needs` that the model lacks; then the check is not linked.
  SetId over{};                                     ///< Set of `for`: the numbers are compared for each of its members; none: once.
  const Formula* where = nullptr;                   ///< Condition at a member of `over`; other members are left out. Null: none.
  const Formula* when = nullptr;                    ///< Condition under which the check runs at all; null: always.
  const Formula *left = nullptr, *right = nullptr;  ///< Numbers that must agree.
  const Formula* tolerance = nullptr;               ///< Allowed relative difference, as a share of the larger number; null: only rounding (1e-9).
  const Formula* within = nullptr;                  ///< Allowed absolute difference, in the unit of the numbers; null: 0.
  Span span;                                        ///< Position of the name.
};

/// A role that a command needs, such as its objective, and the input or metric that the accounting assigns to it.
struct Role {
  std::string word, name;  ///< Role, and name of the input or metric.
  Span span;               ///< Position of the name.
};

/// A part of a report: a titled group of metrics, or a table.
struct ReportPart {
  std::string title;                                         ///< Heading; empty: none.
  std::vector<std::pair<std::string, std::string>> metrics;  ///< Metrics as (printed key, published name).
  bool all_metrics = false;                                  ///< The part lists every published name in addition to `metrics`.
  std::string table;                                         ///< Name of the table; empty: none.
  bool detail = false;                                       ///< The part is printed only in machine-readable formats.
  bool full = false;                                         ///< The part is not on the first screen: formats for people print it on request.
  std::vector<std::string> later;                            ///< Keys of metrics that are not on the first screen, though the part is.
  Span span;                                                 ///< Position of the part.
};

/// A hint for readers of a run's page: a sentence about a number that stands out, and the place of the page that shows more.
struct Hint {
  Span span;                         ///< Position in the document.
  SetId over{};                      ///< Set of `for`: the hint is given for the member with the largest weight; none: once.
  const Formula* when = nullptr;     ///< Condition of the hint.
  const Formula* weight = nullptr;   ///< Plain number that orders hints, largest first.
  std::vector<MessagePart> message;  ///< Sentence with values.
  std::vector<MessagePart> see;      ///< Address of the place on the page: VIEW, or VIEW/ITEM?OPTION=VALUE.
};

/// A drawing of a view: a report, a table as a table or picture, or metrics that add up to another metric. `read_views`
/// checks the keys of each kind.
struct Drawing {
  /// Cells of a table that are drawn.
  struct Cells {
    std::string table, by;             ///< Table, and the column `by` that names its rows.
    std::vector<std::string> columns;  ///< Columns that are drawn.
  };
  /// Points of a roofline: name, and the columns with their intensity (x), rate (y) and size.
  struct Series {
    std::string name, intensity, rate, size;
  };
  /// Metrics that are parts of a total and have one color.
  struct Parts {
    std::string name;                  ///< Name of the group, such as `communication`.
    std::vector<std::string> metrics;  ///< Metrics, in the order of the drawing.
  };
  std::string draw, report;               ///< Kind of the drawing, such as `numbers`, `table` or `nodes`, and the report that it shows.
  Cells cells;                            ///< Table and columns; empty for a report.
  std::string limit;                      ///< Metric drawn as a limit; empty: none.
  std::string title, total;               ///< Heading of a drawing of metrics, and the metric to which its parts add up.
  std::vector<Parts> parts;               ///< Groups of parts of `total`.
  std::vector<Series> series;             ///< Groups of points of a roofline.
  std::optional<Cells> ceilings, slopes;  ///< Horizontal and sloped roofs of a roofline, from tables.
};

/// A named view of a page: drawings in their order.
struct View {
  std::string name;
  std::vector<Drawing> drawings;
};

}  // namespace opledger
