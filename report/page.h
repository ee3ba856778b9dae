#pragma once
#include <cstddef>

/// What people read on.
namespace opledger {

inline constexpr std::size_t kPageWidth = 100;  ///< Columns that lines for people keep to, where nothing says otherwise.

/// Tables give way to it: sentences go on in the next line, columns that are called by names go on below. A terminal also cuts long texts in their middle; in a file or a
/// pipe nothing is cut.
struct PageSize {
  std::size_t columns = kPageWidth;
  bool cut = false;
};

}  // namespace opledger
