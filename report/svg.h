#pragma once
#include <string>

/// Helpers shared by SVG pictures.
namespace opledger {

/// A color in RGB.
struct Color {
  double red = 0, green = 0, blue = 0;  ///< Components from 0 to 255.
};

std::string hex(const Color& color);  ///< Hexadecimal notation: `#56b4e9`.

/// Returns black or white, by contrast with `color`.
const char* ink_on(const Color& color);

/// Returns `text` without control characters, with markup escaped.
std::string escaped_svg(const std::string& text);

}  // namespace opledger
