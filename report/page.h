#pragma once
#include <cstddef>

/// The size of a page or terminal for people.
namespace opledger {

inline constexpr std::size_t kPageWidth = 100;  ///< Default number of columns of lines for people.

/// The width for tables. Sentences wrap; wide tables continue below.
struct PageSize {
  std::size_t columns = kPageWidth;  ///< Number of columns of a line.
  bool cut = false;                  ///< True for terminals: columns that don't fit are left out, long names wrap. Files get complete tables.
  bool full = false;                 ///< True if details are requested, too: every part of a report, and every column of its tables.
};

}  // namespace opledger
