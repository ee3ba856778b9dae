#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/width.h"
#include "report/page.h"
#include "report/report.h"

/// Values as texts for people: what the text and the Markdown writer share.
namespace opledger {

/// `45.6 GiB`, `8,030,261,248`, `yes`, `-` for nothing; a share of a whole is `41.2 %`. One line without control characters, whatever a document says.
std::string shown(const Value& value, bool share = false);

/// What stands in a column, row by row and in the row of sums; the first shows what stands under what. Where a table has values of several units, its column `unit` says which are shares.
std::vector<std::string> shown_column(const ReportTable& table, std::size_t column);

/// The title of a column.
std::string shown_title(const ReportTable& table, std::size_t column);

/// The columns that people read.
std::vector<std::size_t> shown_columns(const ReportTable& table);

/// `… and 12 more`: rows that the table does not hold. Empty: it holds all.
std::string left_out(const ReportTable& table);

/// A key with blanks for underscores.
std::string shown_key(std::string key);

/// `text` in at most `columns` columns (one at least); an ellipsis stands for what is cut off at its end.
std::string shortened(const std::string& text, std::size_t columns);

/// The same, cut in its middle: of a dotted name both ends tell more.
std::string shortened_inside(const std::string& text, std::size_t columns);

/// `text` in lines of at most `columns` columns, broken at blanks; a word that is longer has a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

/// Of the rows and the row of sums. A zero that stands in a column of other numbers has their unit, though its formula doesn't say so.
std::vector<Value> column_values(const ReportTable& table, std::size_t column);

/// Filled with blanks.
std::string padded(const std::string& text, std::size_t columns, bool right);

}  // namespace opledger
