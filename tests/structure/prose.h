#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Measures how plainly sentences are written: comments, messages, documentation lines of YAML, pages.
/// docs/contributing.md has the rules, the limits, and the same figures for three other projects.
namespace opledger::structure {

/// Counts over several texts. Texts of fewer than three words are not counted.
struct Prose {
  int texts = 0;
  int words = 0;
  int bad_beginnings = 0;  ///< Texts whose first word is a preposition or a relative word.
  int pronouns = 0;        ///< Pronouns and relative words.
  int whats = 0;           ///< Occurrences of "what".

  void add(std::string_view text);
  void add(const Prose& other);
  double bad_beginnings_percent() const;
  double pronouns_percent() const;
  double whats_per_thousand() const;
};

/// Bytes of lines without their indentation, and the part of them in line comments.
struct CommentBytes {
  std::size_t comments = 0;
  std::size_t all = 0;

  void add(std::string_view file);
  double percent() const;
};

/// Comments of C++ or TypeScript without delimiters. Whole-line comments on consecutive lines are one text; quotes in backticks are left out.
std::vector<std::string> comments_of_code(std::string_view file);

/// String literals of C++ with at least three words: messages, help, titles. Adjacent literals are one text.
std::vector<std::string> messages_of_code(std::string_view file);

/// Values of `doc` and comments of a YAML file.
std::vector<std::string> texts_of_yaml(std::string_view file);

/// Paragraphs, list items and table cells of a Markdown page, without headings, code and quotes in backticks.
std::vector<std::string> texts_of_page(std::string_view file);

}  // namespace opledger::structure
