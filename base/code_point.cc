#include "base/code_point.h"

#include <utf8proc.h>

namespace opledger {

CodePoint code_point(std::string_view text) {
  std::int32_t code = -1;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &code);
  return bytes > 0 ? CodePoint{code, static_cast<std::size_t>(bytes), true} : CodePoint{};
}

bool is_control(std::int32_t code) {
  const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0x61c;
  const utf8proc_category_t category = utf8proc_category(code);
  return turns || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

}  // namespace opledger
