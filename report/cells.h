#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/width.h"
#include "report/page.h"
#include "report/report.h"

/// Values as texts for people, shared by the text and the Markdown writer.
namespace opledger {

/// Returns `45.6 GiB`, `8,030,261,248`, `yes`, or `-` for a missing value; with `share`, `41.2 %`.
/// The text is a single line without control characters, even if a document contains them.
std::string display_text(const Value& value, bool share = false);

/// Returns the texts of a column: a text for each row, then the total. The first column also draws the tree of rows. In
/// a table of mixed units, the column `unit` marks ratios, which are shown as percentages.
std::vector<std::string> display_column(const ReportTable& table, std::size_t column);

/// Returns the title of a column for people: its name verbatim in a wide table, else with blanks for underscores.
std::string display_title(const ReportTable& table, std::size_t column);

/// Returns the metrics of a section that formats for people show.
std::vector<const ReportMetric*> shown_metrics(const ReportSection& section);

/// Returns the indices of the columns that formats for people show.
std::vector<std::size_t> visible_columns(const ReportTable& table);

/// Returns `… and 12 more` if the table omits rows, else an empty text.
std::string omission_note(const ReportTable& table);

/// Returns a sentence about the tables that are not on the first screen, with the options that show them; empty if every
/// table is.
std::string more_note(const Report& report);

/// Returns a key with blanks instead of underscores, and without control characters.
std::string display_key(std::string key);

/// Returns `text` cut to `columns` columns (at least 1); an ellipsis replaces the end.
std::string shortened(const std::string& text, std::size_t columns);

/// Returns `text` cut to `columns` columns; an ellipsis replaces the middle, because both ends of a dotted name
/// identify its node.
std::string shortened_in_middle(const std::string& text, std::size_t columns);

/// Returns `text` broken into lines of at most `columns` columns, after the last mark between words of a name that fits
/// (`.`, `_`, `/`, `-`, a blank), else anywhere.
std::vector<std::string> broken_name(const std::string& text, std::size_t columns);

/// Returns `text` broken at blanks into lines of at most `columns` columns; a longer word gets a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

/// Returns the values of a column: one for each row, then the total if the table has one. A literal zero gets the unit
/// of the column's other values.
std::vector<Value> column_values(const ReportTable& table, std::size_t column);

/// Returns `text` filled with blanks to `columns` columns, aligned to the right or to the left.
std::string padded(const std::string& text, std::size_t columns, bool right);

}  // namespace opledger
