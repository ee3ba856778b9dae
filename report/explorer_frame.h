#pragma once
#include <string_view>

namespace opledger {

/// explorer/explorer.html: a page without data. In the order of their places: `@TITLE@`, `@TYPE@`, `@DATA@`.
std::string_view explorer_frame();

}  // namespace opledger
