#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Helpers for containers: membership, and names of items for messages.
namespace opledger {

/// Returns whether an element of a list equals a value; searches linearly.
template <class List, class T>
bool contains(const List& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Returns the name of an item: a text itself, the first of a pair, else its `text()` or its `name`. Dereferences
/// pointers.
template <class Item>
std::string name_of(const Item& item) {
  if constexpr (std::is_convertible_v<const Item&, std::string_view>)
    return std::string(std::string_view(item));
  else if constexpr (requires { item.first; })
    return name_of(item.first);
  else if constexpr (requires { *item; })
    return name_of(*item);
  else if constexpr (requires { item.text(); })
    return item.text();
  else
    return std::string(item.name);
}

/// Returns the names of all items.
template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> out;
  for (const auto& item : list) out.push_back(name_of(item));
  return out;
}

}  // namespace opledger
