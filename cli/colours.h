#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Colours of what people see on a terminal. Text is laid out and made harmless without them, and gets them last: no width depends on them, and no document can bring its own.
namespace opledger {

/// What `--color` says: `auto`, `always` or `never`; anything else is an error of the command line, told elsewhere.
inline constexpr std::string_view kColourWords[] = {"auto", "always", "never"};

/// Whether what goes to this descriptor is coloured. `auto`: if it is a terminal that shows colours (TERM), and NO_COLOR is empty or not set.
bool coloured(std::string_view asked, int descriptor);

/// What a command line asks for before it is read as a whole, for messages about it.
std::string asked_colour(const std::vector<std::string>& words);

/// Results: titles.
std::string painted_results(const std::string& text);
/// Of two runs, also the first value and the second in lines `NAME  FIRST -> SECOND`.
std::string painted_differences(const std::string& text);
/// Messages: what they are, what was meant, the mark below a place.
std::string painted_messages(const std::string& text);

}  // namespace opledger
