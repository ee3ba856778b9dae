#include "tests/structure/sources.h"
#include "tests/paths.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace opledger::structure {

const std::vector<std::string>& folders() {
  static const std::vector<std::string> kFolders = {"base",  "expr",     "schemas",    "ops",    "models",  "systems",   "executions", "graph",
                                                    "rules", "formulas", "accounting", "run",    "compare", "questions", "measured",   "play",
                                                    "find",  "import",   "search",     "report", "cli",     "python"};
  return kFolders;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find('/')); }

const std::vector<File>& cxx_files() {
  static const std::vector<File> kFiles = [] {
    namespace fs = std::filesystem;
    std::vector<File> files;
    for (const std::string& folder : folders()) {
      const fs::path root = fs::path(source_folder()) / folder;
      if (!fs::is_directory(root)) continue;
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        const fs::path& path = entry.path();
        if (path.extension() != ".h" && path.extension() != ".cc") continue;
        std::ifstream in(path, std::ios::binary);
        files.push_back({fs::relative(path, source_folder()).string(), std::string(std::istreambuf_iterator<char>(in), {})});
      }
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
    return files;
  }();
  return kFiles;
}

namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Piece> run() {
    while (at_ < text_.size()) step();
    flush(kind_);
    return std::move(pieces_);
  }

 private:
  bool here(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

  void flush(Kind next) {
    if (!current_.empty()) pieces_.push_back({kind_, line_, std::move(current_)});
    current_.clear();
    kind_ = next;
  }

  void take() {
    if (text_[at_] == '\n') {
      flush(kind_);
      ++line_;
    } else {
      current_ += text_[at_];
    }
    ++at_;
  }

  /// Everything up to the delimiter, which belongs to no piece.
  void until(std::string_view delimiter, bool escapes) {
    while (at_ < text_.size() && !here(delimiter)) {
      if (escapes && text_[at_] == '\\' && at_ + 1 < text_.size()) take();
      take();
    }
    at_ = std::min(at_ + delimiter.size(), text_.size());
  }

  void span(Kind kind, std::size_t opening, std::string_view delimiter, bool escapes) {
    flush(kind);
    at_ += opening;
    until(delimiter, escapes);
    flush(Kind::code);
  }

  void comment(std::string_view delimiter) {
    flush(Kind::comment);
    while (at_ < text_.size() && !here(delimiter)) {
      if (text_[at_] == '`') {
        flush(kind_ == Kind::comment ? Kind::quote : Kind::comment);
        ++at_;
      } else {
        take();
      }
    }
    flush(Kind::code);
  }

  void step() {
    const bool in_word = at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
    if (here("//")) return comment("\n");
    if (here("/*")) return comment("*/");
    if (here("R\"")) {
      const std::size_t open = text_.find('(', at_);
      const std::string delimiter = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
      return span(Kind::literal, open - at_ + 1, delimiter, false);
    }
    if (here("\"")) return span(Kind::literal, 1, "\"", true);
    if (here("'") && !in_word) return span(Kind::literal, 1, "'", true);
    take();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Kind kind_ = Kind::code;
  std::string current_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> pieces(std::string_view text) { return Splitter(text).run(); }

bool matches(const std::string& path, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return fnmatch(pattern.c_str(), path.c_str(), 0) == 0; });
}

}  // namespace opledger::structure
