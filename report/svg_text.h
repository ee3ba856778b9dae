#pragma once
#include <string>

namespace opledger {

/// Text for an SVG picture: no control characters, nothing that is markup.
std::string escaped_svg(const std::string& text);

}  // namespace opledger
