#pragma once
#include <cstddef>

/// The size of a page or terminal for people.
namespace opledger {

inline constexpr std::size_t kPageWidth = 100;  ///< Default number of columns of lines for people.

/// The width for tables. Sentences wrap; wide tables continue below. Terminals also cut long texts in the middle; files
/// and pipes get complete texts.
struct PageSize {
  std::size_t columns = kPageWidth;
  bool cut = false;
};

}  // namespace opledger
