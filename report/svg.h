#pragma once
#include <string>

/// Helpers shared by SVG pictures.
namespace opledger {

/// A color in RGB.
struct Color {
  double red = 0, green = 0, blue = 0;  ///< Components from 0 to 255.
};

std::string hex(const Color& color);  ///< Hexadecimal notation: `#56b4e9`.

/// Returns the color of text on a background: a dark gray on light colors, white on dark ones.
const char* ink_on(const Color& color);

/// Returns `text` without control characters, with markup escaped.
std::string escaped_svg(const std::string& text);

}  // namespace opledger
