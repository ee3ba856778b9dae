#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "accounting/value.h"

/// Values as texts for people: what the text and the Markdown writer share.
namespace opledger {

/// `45.6 GiB`, `8,030,261,248`, `yes`; a share of a whole is `41.2 %`. One line without control characters, whatever a document says.
std::string shown(const Value& value, bool share = false);

/// A key with blanks for underscores.
std::string shown_key(std::string key);

/// Columns that a text takes on a terminal.
std::size_t width(std::string_view text);

/// `text` in at most `columns` columns; what is cut off is an ellipsis.
std::string shortened(const std::string& text, std::size_t columns);

/// Filled with blanks.
std::string padded(const std::string& text, std::size_t columns, bool right);

}  // namespace opledger
