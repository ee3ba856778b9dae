#pragma once
#include <initializer_list>

#include "graph/placement.h"

/// Lists of ids by their numbers.
namespace opledger {

template <typename List>
List numbered(std::initializer_list<int> numbers) {
  List out;
  for (const int n : numbers) out.emplace_back(n);
  return out;
}
inline AxisList axes(std::initializer_list<int> numbers) { return numbered<AxisList>(numbers); }
inline DimList dims(std::initializer_list<int> numbers) { return numbered<DimList>(numbers); }

}  // namespace opledger
