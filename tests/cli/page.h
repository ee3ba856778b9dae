#pragma once
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

/// A page of the documentation as a reader follows it: shown files, commands, and their outputs. The reader of
/// Markdown knows only fenced blocks and `code` within text.
namespace opledger {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text);

/// A fenced block that is a whole file: the text before it ends with "`NAME`:", or the block has the keys `kind` and
/// `name`.
struct ShownFile {
  std::string name, text;
};

/// YAML or JSON that is only a part of a file.
struct Excerpt {
  std::string text;
  std::size_t line = 0;
};

/// A command: `$ …` in a block with its output, `opledger …` in a block without `$`, or a command within text.
struct ShownCommand {
  std::string command;
  std::size_t begin = 0, end = 0;  ///< Lines of the page with the output; none if the page shows no output.
  int status = 0;                  ///< Status after `# exit status`; otherwise 2 if an error is shown, else 0.
};

using Item = std::variant<ShownFile, Excerpt, ShownCommand>;

struct Page {
  Lines lines;
  std::vector<Item> items;  ///< Items in the order of the page.
};

/// Reads a page. Commands within text that contain `…` are incomplete and left out.
Page read_page(const std::string& markdown);

}  // namespace opledger
