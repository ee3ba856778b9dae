#include "tests/structure/prose.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "tests/structure/sources.h"

namespace opledger::structure {
namespace {

const std::set<std::string_view> kBadBeginnings = {"of",     "by",      "what", "that",    "those", "which",    "where", "as",   "in",
                                                   "from",   "for",     "to",   "with",    "at",    "likewise", "also",  "else", "behind",
                                                   "beside", "besides", "if",   "whether", "how",   "such",     "so"};
const std::set<std::string_view> kPronouns = {"what", "which", "that", "those", "whose", "whoever", "whatever", "where", "who",
                                              "it",   "they",  "them", "these", "this",  "others",  "other",    "one",   "such",
                                              "same", "so",    "some", "all",   "any",   "none",    "there"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '\''; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    for (; i < text.size() && is_letter(text[i]); ++i) word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    result.push_back(std::move(word));
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

bool begins(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// Returns the text without examples in backticks, which are code.
std::string without_quotes(std::string_view text) {
  std::string result;
  bool quoted = false;
  for (char c : text) {
    if (c == '`') {
      quoted = !quoted;
      result += c;
    } else if (!quoted) {
      result += c;
    }
  }
  return result;
}

double share(int part, int whole, double scale) { return whole == 0 ? 0 : scale * part / whole; }

/// Appends a text with single blanks between its words, unless it is empty.
void keep(std::vector<std::string>& texts, std::string& text) {
  std::string squeezed;
  for (char c : trimmed(text)) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_blank) squeezed += c;
    if (is_blank && squeezed.back() != ' ') squeezed += ' ';
  }
  if (!squeezed.empty()) texts.push_back(std::move(squeezed));
  text.clear();
}

/// Returns the value after `doc:`, which begins at `at` of line `i`: quoted, plain, or folded over the more deeply indented lines below, which are passed over.
std::string doc_value(const std::vector<std::string_view>& lines, std::size_t& i, std::size_t at) {
  const std::string_view first = trimmed(lines[i].substr(at));
  if (!first.empty() && (first[0] == '"' || first[0] == '\'')) return std::string(first.substr(1, first.find(first[0], 1) - 1));
  std::string value = begins(first, ">") || begins(first, "|") ? "" : std::string(first.substr(0, first.find_first_of("}#")));
  const std::size_t depth = lines[i].find_first_not_of(" -");
  while (i + 1 < lines.size() && (trimmed(lines[i + 1]).empty() || lines[i + 1].find_first_not_of(' ') > depth)) {
    if (trimmed(lines[i + 1]).empty() && !begins(first, ">") && !begins(first, "|")) break;
    if (value.find('}') != std::string::npos || first.find('}') != std::string_view::npos) break;
    value += " " + std::string(trimmed(lines[++i]));
  }
  return value;
}

}  // namespace

void Prose::add(std::string_view text) {
  const std::vector<std::string> found = words_of(text);
  if (found.size() < 3) return;
  ++texts;
  words += static_cast<int>(found.size());
  bad_beginnings += kBadBeginnings.contains(found.front()) ? 1 : 0;
  for (const std::string& word : found) {
    pronouns += kPronouns.contains(word) ? 1 : 0;
    whats += word == "what" ? 1 : 0;
  }
}

void Prose::add(const Prose& other) {
  texts += other.texts;
  words += other.words;
  bad_beginnings += other.bad_beginnings;
  pronouns += other.pronouns;
  whats += other.whats;
}

double Prose::bad_beginnings_percent() const { return share(bad_beginnings, texts, 100); }
double Prose::pronouns_percent() const { return share(pronouns, words, 100); }
double Prose::whats_per_thousand() const { return share(whats, words, 1000); }

void CommentBytes::add(std::string_view file) {
  for (std::string_view line : lines_of(file)) all += trimmed(line).size();
  for (const Piece& piece : pieces(file)) {
    // Quotes belong to comments; their two backticks are not a part of the piece.
    if (piece.kind == Kind::comment) comments += piece.text.size();
    if (piece.kind == Kind::quote) comments += piece.text.size() + 2;
  }
}

double CommentBytes::percent() const { return all == 0 ? 0 : 100.0 * static_cast<double>(comments) / static_cast<double>(all); }

std::vector<std::string> comments_of_code(std::string_view file) {
  std::vector<std::string> result;
  std::string text;
  int last_line = 0;        // last line of the comment in `text`
  bool whole_line = false;  // no code precedes the last comment on its line
  int code_line = 0;        // last line with code
  for (const Piece& piece : pieces(file)) {
    if (piece.kind == Kind::code || piece.kind == Kind::literal) {
      if (!trimmed(piece.text).empty()) code_line = piece.line;
      continue;
    }
    if (piece.kind == Kind::quote) continue;
    const bool continues = piece.line == last_line || (whole_line && code_line != piece.line && piece.line == last_line + 1);
    if (!continues) keep(result, text);
    if (!continues || piece.line != last_line) whole_line = code_line != piece.line;
    last_line = piece.line;
    std::string_view part = trimmed(piece.text);
    while (!part.empty() && (part[0] == '/' || part[0] == '*' || part[0] == '<')) part.remove_prefix(1);
    if (begins(trimmed(part), "NOLINT") || begins(trimmed(part), "clang-format")) continue;
    text += " " + std::string(part);
  }
  keep(result, text);
  return result;
}

std::vector<std::string> messages_of_code(std::string_view file) {
  std::vector<std::string> result;
  std::string text;
  for (const Piece& piece : pieces(file)) {
    if (piece.kind == Kind::literal) {
      text += piece.text;
    } else if (piece.kind == Kind::code && !trimmed(piece.text).empty()) {
      text = without_quotes(text);
      keep(result, text);
    }
  }
  text = without_quotes(text);
  keep(result, text);
  return result;
}

std::vector<std::string> texts_of_yaml(std::string_view file) {
  std::vector<std::string> result;
  std::string comment;
  const std::vector<std::string_view> lines = lines_of(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (begins(line, "#")) {
      comment += " " + without_quotes(line.substr(1));
      continue;
    }
    keep(result, comment);
    if (const std::size_t at = lines[i].find(" # "); at != std::string_view::npos) {
      comment = without_quotes(lines[i].substr(at + 3));
      keep(result, comment);
    }
    const std::size_t doc = lines[i].find("doc: ");
    if (doc == std::string_view::npos || (doc > 0 && is_letter(lines[i][doc - 1]))) continue;
    std::string value = without_quotes(doc_value(lines, i, doc + 5));
    keep(result, value);
  }
  keep(result, comment);
  return result;
}

std::vector<std::string> texts_of_page(std::string_view file) {
  std::vector<std::string> result;
  std::string text;
  bool in_code = false;
  for (std::string_view line : lines_of(file)) {
    line = trimmed(line);
    if (begins(line, "```")) in_code = !in_code;
    const bool is_item = begins(line, "- ") || begins(line, "* ") || (!line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) != 0);
    if (line.empty() || in_code || begins(line, "```") || begins(line, "#") || begins(line, "|") || is_item) {
      text = without_quotes(text);
      keep(result, text);
    }
    if (in_code || begins(line, "```") || begins(line, "#")) continue;
    if (!begins(line, "|")) {
      text += " " + std::string(line);
      continue;
    }
    while (!line.empty()) {
      line.remove_prefix(1);
      std::string cell = without_quotes(line.substr(0, line.find('|')));
      keep(result, cell);
      line.remove_prefix(std::min(line.find('|'), line.size()));
    }
  }
  text = without_quotes(text);
  keep(result, text);
  return result;
}

}  // namespace opledger::structure
