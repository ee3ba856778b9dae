#include "cli/colors.h"

#include <fmt/color.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "cli/terminal.h"

namespace opledger {
namespace {

using fmt::text_style;

const text_style kTitle = fmt::emphasis::bold;
const text_style kError = fmt::emphasis::bold | fmt::fg(fmt::terminal_color::red);
const text_style kWarning = fmt::emphasis::bold | fmt::fg(fmt::terminal_color::yellow);
const text_style kNote = fmt::emphasis::bold | fmt::fg(fmt::terminal_color::cyan);
const text_style kSuggestionStyle = fmt::fg(fmt::terminal_color::green);
const text_style kFirst = fmt::fg(fmt::terminal_color::red), kSecond = fmt::fg(fmt::terminal_color::green);

struct Word {
  std::string_view text;
  text_style style;
};
const Word kSeverities[] = {{"error: ", kError}, {"warning: ", kWarning}, {"note: ", kNote}, {"infeasible: ", kError}, {"failed: ", kError}};
constexpr std::string_view kSuggestionBegin = "(did you mean `", kSuggestionEnd = "`?)", kArrow = " -> ";

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string in_style(std::string_view text, const text_style& style) { return fmt::format(style, "{}", text); }

void style_part(std::string& line, std::size_t at, std::size_t size, const text_style& style) {
  if (size > 0) line.replace(at, size, in_style(std::string_view(line).substr(at, size), style));
}

/// Applies a function to every complete line. The function receives the line, the previous line and the next line.
template <class Of>
std::string transform_lines(const std::string& text, const Of& of) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) lines.emplace_back(rest.substr(0, end));
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) out += of(lines[i], i == 0 ? "" : lines[i - 1], i + 1 < lines.size() ? lines[i + 1] : "") + "\n";
  return out + std::string(rest);
}

/// Returns whether a line is a title: not indented, after an empty line, and before an indented line.
bool is_title(const std::string& line, const std::string& before, const std::string& after) {
  return before.empty() && !line.empty() && line[0] != ' ' && after.starts_with("  ");
}

void color_values(std::string& line) {
  const std::size_t arrow = line.find(kArrow);
  if (!line.starts_with("  ") || arrow == std::string::npos) return;
  const std::size_t second = line.find_first_not_of(' ', arrow + kArrow.size());
  if (second != std::string::npos) style_part(line, second, std::min(line.find("  ", second), line.size()) - second, kSecond);
  const std::size_t gap = line.rfind("  ", arrow - 1);
  if (gap != std::string::npos) style_part(line, gap + 2, arrow - gap - 2, kFirst);
}

/// Colors the first severity word that begins the line or follows a place.
void color_severity(std::string& line) {
  const Word* first = nullptr;
  std::size_t place = std::string::npos;
  for (const Word& word : kSeverities) {
    const std::size_t at = line.find(word.text);
    const bool begins = at != std::string::npos && (line.find_first_not_of(' ') == at || (at > 1 && line[at - 1] == ' ' && line[at - 2] == ':'));
    if (begins && at < place) first = &word, place = at;
  }
  if (first != nullptr) style_part(line, place, first->text.size() - 1, first->style);
}

void color_suggestion(std::string& line) {
  const std::size_t at = line.rfind(kSuggestionBegin);
  if (at == std::string::npos) return;
  const std::size_t begin = at + kSuggestionBegin.size(), end = line.find(kSuggestionEnd, begin);
  if (end != std::string::npos) style_part(line, begin, end - begin, kSuggestionStyle);
}

}  // namespace

bool is_colored(std::string_view requested, int descriptor) {
  if (requested == "always" || requested == "never") return requested == "always";
  const std::string terminal = environment("TERM");
  return is_terminal(descriptor) && environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb";
}

std::string requested_color(const std::vector<std::string>& words) {
  const std::string option = "--color";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
  }
  return "";
}

std::string color_results(const std::string& text) {
  return transform_lines(text, [](std::string line, const std::string& before, const std::string& after) {
    return is_title(line, before, after) ? in_style(line, kTitle) : line;
  });
}

std::string color_differences(const std::string& text) {
  return transform_lines(color_results(text), [](std::string line, const std::string&, const std::string&) {
    color_values(line);
    return line;
  });
}

std::string color_messages(const std::string& text) {
  return transform_lines(text, [](std::string line, const std::string&, const std::string&) {
    color_suggestion(line);
    color_severity(line);
    if (line.find_first_not_of(' ') == line.size() - 1 && line.ends_with('^')) style_part(line, line.size() - 1, 1, kSuggestionStyle);
    return line;
  });
}

}  // namespace opledger
