#pragma once
#include <cstddef>

/// The size of a page or terminal for people.
namespace opledger {

inline constexpr std::size_t kPageWidth = 100;  ///< Default number of columns of lines for people.

/// The width for tables. Sentences wrap; wide tables continue below.
struct PageSize {
  std::size_t columns = kPageWidth;  ///< Number of columns of a line.
  bool cut = false;                  ///< True for terminals: long texts are cut in the middle. Files get complete texts.
};

}  // namespace opledger
