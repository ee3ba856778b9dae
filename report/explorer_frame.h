#pragma once
#include <string_view>

namespace opledger {

/// Returns explorer/explorer.html, a page without data. Its placeholders are, in order, `@TITLE@`, `@TYPE@`, `@DATA@`.
std::string_view explorer_frame();

}  // namespace opledger
