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
  std::string text;
  const Formula* value = nullptr;  ///< Formula of the value; null: the part is only text.
  int digits = -1;                 ///< Digits after the point (`{memory:.3}`); -1: as many as needed.
};

struct Constraint {
  Span span;
  SetId over{};  ///< Set of `for`: the constraint is checked for each of its words.
  const Formula* when = nullptr;
  const Formula* require = nullptr;
  const Formula* at = nullptr;  ///< Document field that the message points to; null: none.
  std::vector<MessagePart> message;
  std::string reason;
  std::vector<Constraint> all;
};

/// A column of a table: a name at the words that its title spells (`<phase>_flops`), or a text with values. A text
/// column with `over` stands for one column for each word of that set.
struct TableColumn {
  std::string title;
  Name* name = nullptr;  ///< Name of the values; null: the column is `text`.
  std::vector<std::pair<SetId, WordId>> at;
  std::vector<MessagePart> text = {};
  SetId over{};
};

/// A sentence below a table, printed if `when` holds.
struct TableNote {
  const Formula* when = nullptr;  ///< Condition; null: always true.
  std::vector<MessagePart> text;
};

struct Table {
  std::string name, title, doc;
  SetId rows;
  const Formula* where = nullptr;
  std::vector<TableColumn> columns;
  Name* under = nullptr;          ///< Word of the parent row, or nothing for a top row; null: the table is no tree.
  const Formula* by = nullptr;    ///< Key that groups rows in output for readers; each group gets a row with the key's text. Null: no groups.
  std::vector<std::string> sums;  ///< Columns to sum, over the rows below a row and over all rows in the last one.
  std::string total;              ///< Name of the last row, which has the sums; empty: no such row.
  std::vector<TableNote> notes;
  std::vector<const Name*> largest_first;  ///< Sort keys, largest first; the first that can be evaluated counts. Empty: the set's order.
  std::size_t shown = 0;                   ///< Maximum number of rows and list items shown to readers; 0: all.
  Span span;
};

/// A metric under its public name: `as: block_<phase>_flops` publishes one for every phase.
struct Published {
  std::string name;
  const Name* metric = nullptr;
  std::vector<std::pair<SetId, WordId>> at;
};

/// A check: two numbers that must agree in every run.
struct Check {
  std::string name, doc;
  std::string skipped;             ///< Reason printed if `when` does not hold and the check is skipped.
  std::vector<std::string> needs;  ///< Model parameters that the check needs.
  std::string lacking;             ///< First of `needs` that the model lacks; then the check is not linked.
  SetId over{};                    ///< Set of `for`: the check runs for each of its words.
  const Formula* where = nullptr;
  const Formula* when = nullptr;
  const Formula *left = nullptr, *right = nullptr;
  const Formula* tolerance = nullptr;  ///< Allowed relative difference, as a share of the larger number.
  const Formula* within = nullptr;     ///< Allowed absolute difference, in the unit of the numbers.
  Span span;
};

/// A role that a command needs, such as its objective, and the input or metric that the accounting assigns to it.
struct Role {
  std::string word, name;
  Span span;
};

/// A part of a report: a titled group of metrics, or a table.
struct ReportPart {
  std::string title;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< Metrics as (printed key, published name).
  bool all_metrics = false;                                  ///< The part lists every published name in addition to `metrics`.
  std::string table;
  bool detail = false;  ///< The part is printed only in machine-readable formats.
  Span span;
};

/// A drawing of a view: a report, or a table as a table or picture. `read_views` checks the keys of each kind.
struct Drawing {
  struct Cells {
    std::string table, by;  ///< Table, and the column `by` that names its rows.
    std::vector<std::string> columns;
  };
  struct Series {
    std::string name, intensity, rate, size;  ///< Name of the points, and columns of their table.
  };
  std::string draw, report;  ///< Kind of the drawing, such as `numbers`, `table` or `nodes`, and the report that it shows.
  Cells cells;
  std::string limit;  ///< Metric drawn as a limit.
  std::vector<Series> series;
  std::optional<Cells> ceilings, slopes;
};

/// A named view of a page.
struct View {
  std::string name;
  std::vector<Drawing> drawings;
};

}  // namespace opledger
