#include "tests/cli/page.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::string_view kFence = "```", kPrompt = "$ ", kProgram = "opledger ";

bool begins(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

std::string indented_out(const std::string& line) { return line.substr(std::min(line.find_first_not_of(' '), line.size())); }

/// Returns the name of a document with a key `name`: `my-run`.
std::string document_name(const Lines& block) {
  const auto value = [&](const std::string& key) {
    const auto line = std::find_if(block.begin(), block.end(), [&](const std::string& l) { return begins(l, key); });
    return line == block.end() ? std::string() : std::string(trim(line->substr(key.size(), line->find(" #") - key.size())));
  };
  return value("kind: ").empty() ? std::string() : value("name: ");
}

/// Returns the file name at the end of a line of text: `tiny.yaml`.
std::string announced_name(const std::string& line) {
  static const std::regex kAnnounced("`([^` ]+\\.[a-z]+)`:$");
  std::smatch match;
  return std::regex_search(line, match, kAnnounced) ? match[1].str() : std::string();
}

int stated_status(const std::string& command) {
  static const std::regex kStated("# exit status ([0-9]+)");
  std::smatch match;
  return std::regex_search(command, match, kStated) ? std::stoi(match[1]) : 0;
}

class Reader {
 public:
  explicit Reader(const std::string& markdown) { page_.lines = lines_of(markdown); }

  Page read() {
    for (at_ = 0; at_ < page_.lines.size(); ++at_) {
      const std::string line = indented_out(page_.lines[at_]);
      if (begins(line, kFence)) {
        read_block(line.substr(kFence.size()));
      } else {
        read_text(line);
        if (!line.empty()) last_text_ = line;
      }
    }
    return std::move(page_);
  }

 private:
  /// Reads the block that begins at the current fence; `at_` ends at the closing fence.
  void read_block(const std::string& language) {
    const std::size_t begin = ++at_;
    while (at_ < page_.lines.size() && !begins(indented_out(page_.lines[at_]), kFence)) ++at_;
    const Lines block(page_.lines.begin() + static_cast<std::ptrdiff_t>(begin), page_.lines.begin() + static_cast<std::ptrdiff_t>(at_));
    const std::string announced = announced_name(last_text_), document = document_name(block);
    last_text_.clear();
    if (language.empty()) {
      read_commands(block, begin);
    } else if (!announced.empty() || !document.empty()) {
      page_.items.push_back(ShownFile{announced.empty() ? document + ".yaml" : announced, join(block, "\n") + "\n"});
    } else if (language == "yaml" || language == "json") {
      page_.items.push_back(Excerpt{join(block, "\n") + "\n", begin});
    }
  }

  void read_commands(const Lines& block, std::size_t begin) {
    const bool prompted = std::any_of(block.begin(), block.end(), [](const std::string& line) { return begins(line, kPrompt); });
    ShownCommand* step = nullptr;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (begins(block[i], prompted ? kPrompt : kProgram)) {
        std::string command = block[i].substr(prompted ? kPrompt.size() : 0);
        while (command.back() == '\\' && i + 1 < block.size()) command += "\n" + block[++i];
        const std::size_t below = begin + i + 1;
        step = &std::get<ShownCommand>(page_.items.emplace_back(ShownCommand{command, below, below, stated_status(command)}));
      } else if (prompted && step != nullptr) {
        step->end = begin + i + 1;
        if (step->status == 0 && block[i].find(": error: ") != std::string::npos) step->status = 2;
      }
    }
  }

  void read_text(const std::string& line) {
    static const std::regex kCommand("`(opledger [^ `]+ [^`]+)`");
    for (std::sregex_iterator match(line.begin(), line.end(), kCommand), end; match != end; ++match) {
      const std::string command = (*match)[1];
      if (command.find("…") == std::string::npos) page_.items.push_back(ShownCommand{command, at_, at_, 0});
    }
  }

  Page page_;
  std::size_t at_ = 0;
  std::string last_text_;
};

}  // namespace

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Page read_page(const std::string& markdown) { return Reader(markdown).read(); }

}  // namespace opledger
