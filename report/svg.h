#pragma once
#include <string>

/// What SVG pictures share.
namespace opledger {

struct Colour {
  double red = 0, green = 0, blue = 0;  ///< 0 to 255.
};

std::string hex(const Colour& colour);  ///< `#56b4e9`

/// Black or white, whichever is read better on it.
const char* ink_on(const Colour& colour);

/// Text without control characters, and nothing that is markup.
std::string escaped_svg(const std::string& text);

}  // namespace opledger
