#pragma once
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

/// A page of the documentation as a reader follows it: the files that it shows, the commands that it gives, and the lines that these print.
/// Of Markdown it knows fenced blocks and `code` within the text, nothing else.
namespace opledger {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text);

/// A fenced block of some language that is a whole file: the text before it ends with "`NAME`:", or it is a document with `kind` and `name`.
struct ShownFile {
  std::string name, text;
};

/// YAML or JSON that is no whole file.
struct Excerpt {
  std::string text;
  std::size_t line = 0;
};

/// A command: `$ …` in a block, with the lines below it; `opledger …` in a block without `$`, or within the text.
struct ShownCommand {
  std::string command;
  std::size_t begin = 0, end = 0;  ///< The lines of the page that show what it prints. None: nothing is shown.
  int status = 0;                  ///< After `# exit status` in the command; else 2 if an error is shown, else 0.
};

using Item = std::variant<ShownFile, Excerpt, ShownCommand>;

struct Page {
  Lines lines;
  std::vector<Item> items;  ///< In the order of the page.
};

/// Commands within the text that have a `…` are left out: they are no whole commands.
Page read_page(const std::string& markdown);

}  // namespace opledger
