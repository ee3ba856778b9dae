#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Small questions about lists.
namespace opledger {

template <class List, class T>
bool contains(const List& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// What an item is called: a text itself, a pair by its first, all else by its `text()` or its `name`.
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

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> out;
  for (const auto& item : list) out.push_back(name_of(item));
  return out;
}

}  // namespace opledger
