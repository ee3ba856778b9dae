#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/formula.h"

/// What an accounting has besides names: constraints, tables, reports.
namespace opledger {

/// A piece of a message: text, then a value.
struct MessagePart {
  std::string text;
  const Formula* value = nullptr;  ///< Null: none.
  int digits = -1;                 ///< After the point (`{memory:.3}`); -1: as many as tell.
};

struct Constraint {
  Span span;
  SetId over{};  ///< `for`
  const Formula* when = nullptr;
  const Formula* require = nullptr;
  const Formula* at = nullptr;  ///< A field of a document, which the message points to; null: none.
  std::vector<MessagePart> message;
  std::string reason;
  std::vector<Constraint> all;
};

/// A column: a name at the words that its title spells out (`<phase>_flops`), or a text with values in it; or such texts, one for each word of a set.
struct TableColumn {
  std::string title;
  Name* name = nullptr;  ///< Null: `text`.
  std::vector<std::pair<SetId, WordId>> at;
  std::vector<MessagePart> text = {};
  SetId over{};
};

/// A sentence below a table.
struct TableNote {
  const Formula* when = nullptr;  ///< Null: always.
  std::vector<MessagePart> text;
};

struct Table {
  std::string name, title, doc;
  SetId rows;
  const Formula* where = nullptr;
  std::vector<TableColumn> columns;
  Name* under = nullptr;          ///< The word of the row that a row stands under, or nothing. Null: rows stand in no tree.
  const Formula* by = nullptr;    ///< People are shown rows for which it is the same below a row of their own, which has its name. Null: no such rows.
  std::vector<std::string> sums;  ///< Columns that are sums: of the rows under a row, and of all in the last.
  std::string total;              ///< What the last row, of sums, is called; empty: there is none.
  std::vector<TableNote> notes;
  std::vector<const Name*> largest_first;  ///< By the first of these that can be evaluated; empty: rows stand as the set has them.
  std::size_t shown = 0;                   ///< Rows, and items of lists, that people are shown; 0: all.
  Span span;
};

/// A metric under the name that users know it by: `as: block_<phase>_flops` publishes one for every phase.
struct Published {
  std::string name;
  const Name* metric = nullptr;
  std::vector<std::pair<SetId, WordId>> at;
};

/// Two numbers that must agree whatever the run is.
struct Check {
  std::string name, doc;
  std::string skipped;             ///< Why it is left out where `when` does not hold.
  std::vector<std::string> needs;  ///< Names of the model that it speaks of.
  std::string lacking;             ///< One of them that the run has not: it is not linked then.
  SetId over{};                    ///< `for`: once for each of these.
  const Formula* where = nullptr;
  const Formula* when = nullptr;
  const Formula *left = nullptr, *right = nullptr;
  const Formula* tolerance = nullptr;  ///< A share of the larger.
  const Formula* within = nullptr;     ///< A difference, in their unit.
  Span span;
};

/// What a command reads of the accounting: the input or metric behind each of its words.
struct Role {
  std::string word, name;
  Span span;
};

/// What a command prints: titled groups of metrics and tables.
struct ReportPart {
  std::string title;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< (key to print, published name)
  bool all_metrics = false;                                  ///< Every published name, besides `metrics`.
  std::string table;
  bool detail = false;  ///< Only for formats that programs read.
  Span span;
};

/// A part of a view on a page: a report, or a table as a table or as a picture of its columns. Which keys a kind of drawing takes is checked by `read_views`.
struct Drawing {
  struct Cells {
    std::string table, by;  ///< `by`: the title of the column that names the row.
    std::vector<std::string> columns;
  };
  struct Series {
    std::string name, intensity, rate, size;  ///< The points' name, and columns of their table.
  };
  std::string draw, report;  ///< `numbers`, `table`, `nodes`, …
  Cells cells;
  std::string limit;  ///< A metric.
  std::vector<Series> series;
  std::optional<Cells> ceilings, slopes;
};

/// What a page draws under one name.
struct View {
  std::string name;
  std::vector<Drawing> drawings;
};

}  // namespace opledger
