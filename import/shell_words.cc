#include "import/shell_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kMostWords = 100'000;

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::all_of(text.begin(), text.end(), is_shell_letter);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

/// A scanner of shell words. `word_` and `quoted_` hold the current word, `command_` the current command. A line end or
/// an operator ends the command; inside `NAME=(…)` words go to the list instead.
class ShellReader {
 public:
  /// `has_operators` ends words at `|`, `;`, `&`, `<`, `>`. In the value of a variable these characters have no
  /// special meaning.
  ShellReader(std::shared_ptr<const SourceFile> source, bool has_operators, Diagnostics& diagnostics)
      : source_(std::move(source)), text_(source_->text), has_operators_(has_operators), diagnostics_(diagnostics) {}

  std::optional<ShellScript> read() {
    while (!failed_ && at_ < text_.size()) step();
    if (!failed_) end_word();
    if (!failed_ && in_list_) fail(list_begin_, "a list begins here, and its `)` is missing");
    if (failed_) return std::nullopt;
    end_command();
    return std::move(out_);
  }

 private:
  /// Reads the character at the current position, or the quoted text, expansion, comment or redirection that begins
  /// there. The order of the tests matters. Backslashes, quotes and expansions come first, because they hide every
  /// other meaning. A `#` begins a comment only in front of a word, and `(` begins a list only after `NAME=`.
  /// Operators end a command, but are plain characters in a list and in the value of a variable. Other brackets are
  /// counted in `open_`, so that `)` ends a list only if no bracket of the current word is open.
  void step() {
    const char c = text_[at_];
    if (c == '\\') return escaped();
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '`' || text_.compare(at_, 2, "$(") == 0 || text_.compare(at_, 2, "${") == 0) return expansion();
    if (c == '#' && !has_word_) return skip_line();
    if (c == '\n') return end_line();
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      next();
      return end_word();
    }
    if (c == '(' && !in_list_ && begins_list()) return begin_list();
    if (c == ')' && in_list_ && open_ == 0) return end_list();
    if ((c == ';' || c == '&' || c == '|') && has_operators_ && !in_list_) {
      next();
      end_word();
      return end_command();
    }
    if ((c == '<' || c == '>') && has_operators_ && !in_list_) return redirection();
    open_ += c == '(' ? 1 : c == ')' && open_ > 0 ? -1 : 0;
    add_character();
  }

  char next() {
    const char c = text_[at_++];
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // Continuation bytes of UTF-8 add no column.
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (!continues) {
      ++column_;
    }
    return c;
  }

  Span here() const { return {source_, line_, column_}; }

  void begin_word() {
    if (has_word_) return;
    has_word_ = true;
    begin_ = here();
  }

  void add_character() {
    begin_word();
    word_ += next();
  }

  /// Reads a backslash: it removes a following line end (LF or CRLF) and quotes any other character.
  void escaped() {
    if (text_.compare(at_, 2, "\\\n") == 0 || text_.compare(at_, 3, "\\\r\n") == 0) {
      while (next() != '\n') {
      }
      return;
    }
    begin_word();
    next();
    if (at_ < text_.size()) word_ += next();
  }

  void single_quoted() {
    begin_word();
    const Span begin = here();
    next();
    while (at_ < text_.size() && text_[at_] != '\'') word_ += next();
    close(begin, "'");
  }

  /// Reads a text in double quotes as part of the current word. A backslash quotes only `"`, `\`, `$`, a backtick and
  /// a line end, as in POSIX shells; any other backslash stays. Expansions stay unexpanded. `quoted_` records the
  /// quotes for `assign`.
  void double_quoted() {
    begin_word();
    const Span begin = here();
    next();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string_view::npos) {
        next();
        if (text_[at_] == '\n') {
          next();
          continue;
        }
      }
      word_ += next();
    }
    quoted_ = true;
    close(begin, "\"");
  }

  void close(const Span& begin, const char* quote) {
    if (at_ == text_.size()) return fail(begin, fmt::format("this {} is never closed", quote));
    next();
  }

  /// Reads `${…}`, `$(…)` or a text in backticks as part of the current word, without expanding it. `depth` counts
  /// open brackets of the same kind, so inner expansions are included. A missing end is an error.
  void expansion() {
    begin_word();
    const Span begin = here();
    const char opens = text_[at_] == '`' ? '`' : text_[at_ + 1], closes = opens == '{' ? '}' : opens == '(' ? ')' : '`';
    word_ += next();
    if (opens != '`') word_ += next();
    for (std::size_t depth = 1; at_ < text_.size();) {
      const char c = text_[at_];
      depth += c == opens && opens != '`' ? 1 : 0;
      depth -= c == closes ? 1 : 0;
      word_ += next();
      if (depth == 0) return;
    }
    fail(begin, opens == '`' ? "this backtick is never closed" : fmt::format("the `{}` of this is missing", closes));
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') next();
  }

  void end_line() {
    next();
    end_word();
    if (!in_list_) end_command();
  }

  bool begins_list() const { return has_word_ && word_.ends_with('=') && !assigned_name(word_.size() - 1).empty(); }

  /// Returns the name in `NAME=` or `NAME+=` at a position of `=`; empty if the text is no name.
  std::string assigned_name(std::size_t equals) const {
    const std::size_t size = equals > 0 && word_[equals - 1] == '+' ? equals - 1 : equals;
    return is_name(std::string_view(word_).substr(0, size)) ? word_.substr(0, size) : "";
  }

  void begin_list() {
    in_list_ = true;
    list_begin_ = here();
    list_name_ = assigned_name(word_.size() - 1);
    out_.lists[list_name_].clear();
    ++out_.assigned[list_name_];
    drop_word();
    next();
  }

  void end_list() {
    end_word();
    next();
    in_list_ = false;
  }

  /// Skips a redirection such as `> FILE` or `2>&1`, and the text of a here-document.
  void redirection() {
    if (is_number(word_)) drop_word();
    end_word();
    const bool document = text_.compare(at_, 2, "<<") == 0 && text_.compare(at_, 3, "<<<") != 0;
    while (at_ < text_.size() && std::string_view("<>&-").find(text_[at_]) != std::string_view::npos) next();
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) next();
    std::string target;
    while (at_ < text_.size() && std::string_view(" \t\r\n;|&").find(text_[at_]) == std::string_view::npos) target += next();
    if (document) skip_document(target);
  }

  /// Skips the lines of a here-document up to the line `end`, after its quotes are removed. Blanks and tabs in front
  /// of this line are permitted.
  void skip_document(std::string end) {
    end.erase(std::remove_if(end.begin(), end.end(), [](char c) { return c == '"' || c == '\''; }), end.end());
    skip_line();
    while (at_ < text_.size()) {
      next();
      const std::size_t begin = at_;
      skip_line();
      std::string_view line(text_.data() + begin, at_ - begin);
      while (!line.empty() && (line.front() == '\t' || line.front() == ' ')) line.remove_prefix(1);
      if (line == end) return;
    }
  }

  void drop_word() {
    word_.clear();
    has_word_ = quoted_ = false;
    open_ = 0;
  }

  /// Ends the current word, if any, and stores it: in the open list, as an assignment, or as a word of the command.
  /// An assignment counts only in front of a command's first word. Keywords in the same place (`export`, `then`, …)
  /// are skipped, because an assignment or a command may follow. The number of words is limited to bound the memory
  /// for an unknown file.
  void end_word() {
    if (!has_word_) return;
    if (++words_ > kMostWords) return fail(begin_, fmt::format("more than {} words: this is no script that starts a training", kMostWords));
    Datum word = Datum::scalar(word_, false, begin_);
    const std::size_t equals = word_.find('=');
    const std::string assigns = equals != std::string::npos ? assigned_name(equals) : "";
    if (in_list_) {
      out_.lists[list_name_].push_back(std::move(word));
    } else if (command_.empty() && (word_ == "export" || word_ == "declare" || word_ == "local" || word_ == "readonly" || word_ == "env" || word_ == "then" ||
                                    word_ == "else" || word_ == "do")) {
      // A keyword before an assignment.
    } else if (command_.empty() && !assigns.empty()) {
      assign(assigns, word_.substr(equals + 1));
    } else {
      command_.push_back(std::move(word));
    }
    drop_word();
  }

  /// Counts an assignment `NAME=VALUE`. A quoted value of several words may be a list of arguments, so a second reader
  /// splits it into words and `quoted_lists` keeps them. The second reader knows no operators, and its own lists are
  /// dropped: lists do not contain lists.
  void assign(const std::string& name, std::string value) {
    out_.quoted_lists.erase(name);
    ++out_.assigned[name];
    if (!quoted_ || value.find_first_of(" \t\n") == std::string::npos) return;
    // Words of the value get the place of the assignment, because quotes and continued lines shift positions inside
    // the value.
    const auto inside = std::make_shared<const SourceFile>(source_->path, std::move(value));
    Diagnostics ignored;
    const std::optional<ShellScript> words = ShellReader(inside, false, ignored).read();
    if (!words) return;
    std::vector<Datum> all;
    for (const std::vector<Datum>& command : words->commands) {
      for (const Datum& word : command) all.push_back(Datum::scalar(word.text(), false, begin_));
    }
    out_.quoted_lists[name] = std::move(all);
  }

  void end_command() {
    if (!command_.empty()) out_.commands.push_back(std::move(command_));
    command_.clear();
  }

  void fail(const Span& at, std::string message) {
    diagnostics_.error(at, std::move(message));
    failed_ = true;
  }

  std::shared_ptr<const SourceFile> source_;
  const std::string& text_;
  const bool has_operators_;
  std::size_t at_ = 0, words_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
  int open_ = 0;  // Open round brackets in the current word.
  bool has_word_ = false, quoted_ = false, in_list_ = false, failed_ = false;
  std::string word_, list_name_;
  Span begin_, list_begin_;
  std::vector<Datum> command_;
  ShellScript out_;
  Diagnostics& diagnostics_;
};

}  // namespace

int ShellScript::times_assigned(std::string_view name) const {
  const auto found = assigned.find(name);
  return found != assigned.end() ? found->second : 0;
}

bool is_shell_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<ShellScript> read_shell(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  return ShellReader(source, true, diagnostics).read();
}

}  // namespace opledger
