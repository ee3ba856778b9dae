#include "cli/completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "questions/catalogue.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

/// Completes the last word from the command table and the option table. The word before the last one decides: after
/// an option with a value its values are offered, otherwise options or the next argument.
class Completer {
 public:
  Completer(const std::vector<std::string>& words, Library& library, bool& files) : words_(words), library_(library), files_(files) {}

  /// Returns the completions of the last word of a command line; `words_` begins with the command. A single word is
  /// completed to a command. After an option with a value, its values are offered; after other words, options if the
  /// last word begins with `-`, and else the next argument. `add` keeps only words that begin with the last word. An
  /// unknown command has no completions.
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

  /// Returns the option whose value is the next word; null if the word is no such option.
  static const OptionSpec* valued_option(const Command& command, const std::string& word) {
    for (const OptionSpec& option : kOptions) {
      if (command.accepts(option.group) && !option.value.empty() && (option.name == word || (!option.letter.empty() && option.letter == word))) return &option;
    }
    return nullptr;
  }

  void add_options(const Command& command) {
    for (const OptionSpec& option : kOptions) {
      if (command.accepts(option.group)) add(std::string(option.name), option.doc);
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
    if (option.completions.empty())
      files_ = option.value == "FILE" || option.value == "FOLDER";
    else
      add_named(option.completions, option.value == "KEY=VALUE" ? "=" : "");
  }

  /// Returns the number of complete words that are arguments, not options or values of options.
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
    if (arguments.empty() || (at >= arguments.size() && !arguments.back().is_repeatable)) return;
    files_ = true;  // Documents may be given by path.
    add_named(arguments[std::min(at, arguments.size() - 1)].completions, "");
  }

  std::vector<std::string> words_of(const std::string& kind) const {
    if (kind == "kinds") return kind_names();
    if (kind == "catalogues") return catalogue_names();
    if (kind == "commands") return names_of(commands());
    return kind == "shells" ? std::vector<std::string>{"bash", "zsh", "fish"} : library_.names(kind);
  }

  /// Adds the completions that `of` lists: kinds of documents, catalogues or words of `words_of`. Names of a catalogue
  /// get the suffix.
  void add_named(std::string_view of, const std::string& suffix) {
    for (const std::string& kind : split(of, ' ')) {
      for (const std::string& name : words_of(kind)) add(name, kind);
      if (!is_catalogue(kind)) continue;
      Diagnostics ignored;
      const auto found = catalogue(kind, "", library_, ignored);
      for (const Catalogue::Row& row : found ? found->rows : std::vector<Catalogue::Row>{}) add(row.name + suffix, row.doc);
    }
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
