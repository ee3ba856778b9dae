#include "cli/completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "questions/catalogue.h"

namespace opledger {
namespace {

/// What an argument or the value of an option is, by the word that help calls it by: documents of kinds, or what a catalogue lists.
struct Meaning {
  std::string_view word;
  std::vector<std::string> kinds;
  std::string catalogue = {};
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> kMeanings = {{"MODEL", {"model"}},
                                                 {"EXECUTION", {"execution"}},
                                                 {"SYSTEM", {"system"}},
                                                 {"STACK", {"stack"}},
                                                 {"SPACE", {"search"}},
                                                 {"VALIDATION", {"validation"}},
                                                 {"DOCUMENT", {"model", "execution", "system", "accounting"}},
                                                 {"--accounting", {"accounting"}},
                                                 {"--style", {"accounting"}},
                                                 {"--with", {"accounting"}},
                                                 {"--model", {"model"}},
                                                 {"--system", {"system"}},
                                                 {"NAME", {}, "metrics"},
                                                 {"--metrics", {}, "metrics"},
                                                 {"--set", {}, "inputs"},
                                                 {"--against", {}, "inputs"},
                                                 {"--vary", {}, "inputs"}};
  return kMeanings;
}

class Completer {
 public:
  Completer(const std::vector<std::string>& words, Library& library, bool& files) : words_(words), library_(library), files_(files) {}

  std::vector<Completion> all() {
    if (words_.size() <= 1) {
      for (const Command& command : commands()) add(std::string(command.name), command.doc);
      return std::move(out_);
    }
    const Command* command = find_command(words_[0]);
    if (command == nullptr) return {};
    const OptionSpec* before = valued_option(*command, words_[words_.size() - 2]);
    if (before != nullptr)
      add_values(*command, *before);
    else if (last().starts_with("-"))
      add_options(*command);
    else
      add_argument(*command);
    return std::move(out_);
  }

 private:
  std::string last() const { return words_.empty() ? "" : words_.back(); }

  void add(const std::string& word, std::string_view doc) {
    if (word.starts_with(last())) out_.push_back({word, std::string(doc)});
  }

  /// An option that wants the next word.
  static const OptionSpec* valued_option(const Command& command, const std::string& word) {
    for (const OptionSpec& option : kOptions) {
      if (command.takes(option.group) && !option.value.empty() && (option.name == word || (!option.letter.empty() && option.letter == word))) return &option;
    }
    return nullptr;
  }

  void add_options(const Command& command) {
    for (const OptionSpec& option : kOptions) {
      if (command.takes(option.group)) add(std::string(option.name), option.doc);
    }
  }

  void add_values(const Command& command, const OptionSpec& option) {
    if (option.name == "--format") {
      for (const std::string& format : command.formats) add(format, "");
      return;
    }
    const std::vector<std::string> choices =
        option.value.find('|') != std::string_view::npos ? split(std::string(option.value), '|') : std::vector<std::string>{};
    for (const std::string& word : choices) add(word, "");
    if (!choices.empty()) return;
    if (!add_meaning(option.name, option.value == "KEY=VALUE" ? "=" : "")) files_ = option.value == "FILE" || option.value == "FOLDER";
  }

  /// Words of the command line that are no options, nor their values.
  std::size_t arguments_before(const Command& command) const {
    std::size_t out = 0;
    for (std::size_t i = 1; i + 1 < words_.size(); ++i) {
      const bool is_value = valued_option(command, words_[i - 1]) != nullptr && i > 1;
      if (!words_[i].starts_with("-") && !is_value) ++out;
    }
    return out;
  }

  void add_argument(const Command& command) {
    const std::size_t at = arguments_before(command);
    const std::vector<Argument>& arguments = command.arguments;
    if (arguments.empty() || (at >= arguments.size() && !arguments.back().several)) return;
    files_ = true;  // documents have paths, too
    for (const std::string& word : split(std::string(arguments[std::min(at, arguments.size() - 1)].name), '|')) add_meaning(word, "");
  }

  /// False: the word means nothing that is known.
  bool add_meaning(std::string_view word, const std::string& behind) {
    const auto found = std::find_if(meanings().begin(), meanings().end(), [&](const Meaning& m) { return m.word == word; });
    if (found == meanings().end()) return false;
    for (const std::string& kind : found->kinds) {
      for (const std::string& name : library_.names(kind)) add(name, kind);
    }
    if (found->catalogue.empty()) return true;
    Diagnostics unheard;
    const auto rows = catalogue(found->catalogue, "", library_, unheard);
    for (const Catalogue::Row& row : rows ? rows->rows : std::vector<Catalogue::Row>{}) add(row.name + behind, row.doc);
    return true;
  }

  const std::vector<std::string>& words_;
  Library& library_;
  bool& files_;
  std::vector<Completion> out_;
};

}  // namespace

std::vector<Completion> completions(const std::vector<std::string>& words, Library& library, bool& files) {
  files = false;
  return Completer(words, library, files).all();
}

}  // namespace opledger
