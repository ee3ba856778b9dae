#include "base/diagnostics.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/width.h"

namespace opledger {
namespace {

constexpr std::size_t kExcerptWidth = 120;  // Maximum number of characters of a source line in a message.
constexpr std::size_t kExcerptBefore = 60;  // Characters before the column in a longer line, except near its ends.

bool same_place(const Span& a, const Span& b) {
  if (a.line != b.line || a.column != b.column) return false;
  if (a.file == b.file) return true;
  return a.file && b.file && a.file->path == b.file->path;  // The same file may be read twice.
}

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Splits a line into characters (UTF-8 sequences), which columns count.
std::vector<std::string_view> characters(std::string_view line) {
  std::vector<std::string_view> result;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    while (end < line.size() && continues_character(line[end])) ++end;
    result.push_back(line.substr(i, end - i));
    i = end;
  }
  return result;
}

// Returns the source line of a position, and below it a caret under the column; both lines begin with `indent`. A line
// of more than kExcerptWidth characters is cut to a window of this size, with `...` at the cut ends. The window begins
// kExcerptBefore characters before the column, or earlier near the end of the line. Columns count characters; the caret
// is placed by the width of the shown text on a terminal, as characters can be escaped or have two columns. Empty if
// the position is unknown or the line is empty.
std::string excerpt(const Span& span, std::string_view indent) {
  if (!span.known() || span.line == 0) return {};
  const std::vector<std::string_view> line = characters(line_of(span));
  if (line.empty()) return {};
  const std::size_t column = std::min<std::size_t>(span.column == 0 ? 0 : span.column - 1, line.size());
  std::size_t begin = 0;
  if (line.size() > kExcerptWidth && column > kExcerptBefore) begin = std::min(column - kExcerptBefore, line.size() - kExcerptWidth);
  const std::size_t end = std::min(line.size(), begin + kExcerptWidth);

  std::string shown = begin > 0 ? "..." : "";
  std::size_t caret = column == begin ? width(shown) : 0;
  for (std::size_t i = begin; i < end; ++i) {
    shown += line[i] == "\t" ? " " : visible(line[i]);
    if (i + 1 == column) caret = width(shown);
  }
  if (end < line.size()) shown += "...";
  return fmt::format("\n{0}{1}\n{0}{2}^", indent, shown, std::string(caret, ' '));
}

std::string render_at(const Diagnostic& diagnostic, std::string_view indent) {
  const std::string place = to_string(diagnostic.span);
  std::string result = fmt::format("{}{}{}{}: {}", indent, visible(place), place.empty() ? "" : ": ", word(diagnostic.severity), visible(diagnostic.message));
  result += excerpt(diagnostic.span, std::string(indent) + "  ");
  const std::string deeper = std::string(indent) + "  ";
  for (const Diagnostic& note : diagnostic.notes) result += "\n" + render_at(note, deeper);
  return result;
}

// Cuts a message of more than kMaxMessageBytes in the middle of its text, between two characters: names in a document
// may have any length, and both ends of a message say what is wrong.
void shorten(std::string& message) {
  if (message.size() <= kMaxMessageBytes) return;
  const std::string_view cut = " … ";
  std::size_t begin = kMaxMessageBytes / 2, end = message.size() - kMaxMessageBytes / 2 + cut.size();
  while (begin > 0 && continues_character(message[begin])) --begin;
  while (end < message.size() && continues_character(message[end])) ++end;
  message.replace(begin, end - begin, cut);
}

}  // namespace

Diagnostic& Diagnostics::error(const Span& span, std::string message) { return add({Severity::error, span, std::move(message), {}}); }

Diagnostic& Diagnostics::warning(const Span& span, std::string message) { return add({Severity::warning, span, std::move(message), {}}); }

Diagnostic& Diagnostics::add(Diagnostic message) {
  shorten(message.message);
  const auto same = [&](const Diagnostic& d) { return d.severity == message.severity && d.message == message.message && same_place(d.span, message.span); };
  const auto old = std::find_if(all_.begin(), all_.end(), same);
  // The caller may add notes to the result. A repeated message has its notes already, so the caller gets a scratch
  // copy.
  overflow_ = std::move(message);
  if (overflow_.severity == Severity::error) ++errors_;
  if (old != all_.end()) return overflow_;
  if (all_.size() >= kMaxDiagnostics) {
    ++dropped_;
    return overflow_;
  }
  all_.push_back(overflow_);
  return all_.back();
}

const Diagnostic* Diagnostics::first_error() const {
  const auto found = std::find_if(all_.begin(), all_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  return found == all_.end() ? nullptr : &*found;
}

void Diagnostics::append(Diagnostics&& other) {
  // The other sink counted repeated errors and errors beyond the limit without storing them.
  const auto kept =
      static_cast<std::size_t>(std::count_if(other.all_.begin(), other.all_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; }));
  for (Diagnostic& diagnostic : other.all_) add(std::move(diagnostic));
  errors_ += other.errors_ - kept;
  dropped_ += other.dropped_;
  other = Diagnostics();
}

std::string render(const Diagnostic& diagnostic) { return render_at(diagnostic, "") + "\n"; }

std::string render(const Diagnostics& diagnostics) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.all()) result += render(diagnostic);
  if (diagnostics.dropped() > 0) result += fmt::format("{} further messages are not shown\n", diagnostics.dropped());
  return result;
}

}  // namespace opledger
