#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Colors of text on a terminal. Text is laid out and escaped before colors are added, so colors change no width, and
/// documents can't bring their own control sequences.
namespace opledger {

/// Values of `--color`; the option parser reports every other value. `auto` is the default.
inline constexpr std::string_view kColorWords[] = {"auto", "always", "never"};

/// Returns whether output to a file descriptor is colored. `auto` colors a terminal with color support (TERM), unless
/// NO_COLOR is set and not empty.
bool is_colored(std::string_view requested, int descriptor);

/// Returns the value of `--color` before the command line is parsed, so that parse errors are colored, too. Returns
/// an empty text without the option.
std::string requested_color(const std::vector<std::string>& words);

/// Colors the titles of a result.
std::string color_results(const std::string& text);
/// Colors the titles of a comparison, and both values of lines `NAME  FIRST -> SECOND`.
std::string color_differences(const std::string& text);
/// Colors the severity of a message, the suggested word and the mark below a place.
std::string color_messages(const std::string& text);

}  // namespace opledger
