#include "import/script.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/lists.h"
#include "base/text.h"
#include "import/places.h"
#include "import/shell_words.h"

namespace opledger {
namespace {

constexpr const char* kMainList = "ARGS";  // List of the exported run; a script may start further servers with other lists.
constexpr std::size_t kMostArguments = 4'000;
constexpr std::size_t kMostListed = 1'000'000;  // Limit of words inserted from lists.

bool is_flag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' ? word.size() > 2 : std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

/// Returns the variable's name if a word consists of one reference: `$NAME`, `${NAME}`, `${NAME[@]}`, `${NAME[*]}`;
/// empty otherwise.
std::string reference(const std::string& word) {
  if (word.size() < 2 || word[0] != '$') return {};
  std::string name = word.substr(1);
  if (name.front() == '{' && name.back() == '}') name = name.substr(1, name.size() - 2);
  if (name.ends_with("[@]") || name.ends_with("[*]")) name.resize(name.size() - 3);
  return std::all_of(name.begin(), name.end(), is_shell_letter) ? name : "";
}

/// Returns whether a word passes the script's own arguments on.
bool is_script_arguments(const std::string& text) { return text == "$@" || text == "$*" || text.starts_with("${@") || text.starts_with("${*"); }

std::string with_variables(std::string text, const ScriptVariables& variables) {
  // Replaces every `$NAME` and `${NAME}` in a text by the value of the variable. Variables are taken in the order of
  // their names, `${NAME}` before `$NAME`. A reference inside an inserted value is therefore replaced only if its turn
  // is still to come; otherwise it stays.
  for (const auto& [name, value] : variables) {
    for (const std::string& reference_text : {"${" + name + "}", "$" + name}) {
      for (std::size_t at = text.find(reference_text); at != std::string::npos; at = text.find(reference_text, at + value.size())) {
        const std::size_t end = at + reference_text.size();
        const bool longer = reference_text[1] != '{' && end < text.size() && is_shell_letter(text[end]);
        if (longer) {
          at = end - value.size();  // `$GPUS_PER_NODE` does not refer to `$GPUS`.
        } else {
          text.replace(at, reference_text.size(), value);
        }
      }
    }
  }
  return text;
}

/// Finds the command that starts a training and replaces references to lists of arguments by their words. Nothing is
/// executed: a list counts only if the script assigns it once, so its content does not depend on control flow.
class CommandFinder {
 public:
  CommandFinder(const ShellScript& script, const ScriptVariables& variables, const CommandWords& known)
      : script_(script), variables_(variables), started_by_(known.started_by), programs_(known.programs) {}

  /// Returns whether a command contains one of the phrases `started_by`.
  bool has_starting_command() const {
    return std::any_of(script_.commands.begin(), script_.commands.end(), [&](const std::vector<Datum>& command) { return starts(command); });
  }

  struct Command {
    std::vector<Datum> words, unknown;  ///< Arguments, and words that expand to unknown arguments.
    std::optional<Span> rest;           ///< Place at which the script passes its own arguments on.
    Datum program = {};                 ///< Last file or module before the arguments; null without one.
  };

  /// Returns the arguments of the command with most flags; of several such commands, the first. In a script with lists
  /// such as PREFILL_ARGS beside ARGS, only commands that read ARGS count. Settings such as
  /// `a=1` count as flags. If every line begins with a flag, the file is a list of arguments, and all lines form one
  /// command. A command without flags has no arguments, and a script with only such commands gives an empty result. If a
  /// command contains one of the phrases `started_by`, commands without one do not count.
  Command longest() {
    const auto begins_with_flag = [](const std::vector<Datum>& command) { return is_flag(command.front().text()); };
    std::vector<Datum> joined;
    Command out, main;
    if (std::all_of(script_.commands.begin(), script_.commands.end(), begins_with_flag)) {
      for (const std::vector<Datum>& command : script_.commands) {
        for (const Datum& word : command) joined.push_back(word);
      }
      return arguments(joined);
    }
    const bool only_starting = has_starting_command();
    const bool only_beginning =
        std::any_of(script_.commands.begin(), script_.commands.end(), [&](const std::vector<Datum>& command) { return begins_with_phrase(command); });
    for (const std::vector<Datum>& command : script_.commands) {
      if (only_starting && !(only_beginning ? begins_with_phrase(command) : starts(command))) continue;
      ++starting_;
      const auto begin = command.begin() + (only_starting ? static_cast<std::ptrdiff_t>(start_of_arguments(command)) : 0);
      Command one = arguments({begin, command.end()});
      if (only_starting && one.program.is_null()) one.program = phrase_in(command);
      const bool reads_list = std::any_of(command.begin(), command.end(), [](const Datum& word) { return reference(word.text()) == kMainList; });
      if (reads_list && flags(one.words) > flags(main.words)) main = one;
      if (flags(one.words) > flags(out.words)) out = std::move(one);
    }
    // An export of separate workers has further lists, whose names end like the main one.
    const bool has_workers =
        std::any_of(script_.lists.begin(), script_.lists.end(), [](const auto& list) { return list.first.ends_with(std::string("_") + kMainList); });
    return has_workers && !main.words.empty() ? main : out;
  }

  bool lists_too_much() const { return listed_ > kMostListed; }
  /// Returns whether several commands start the framework.
  bool has_several() const { return has_starting_command() && starting_ > 1; }

 private:
  /// Returns the position after the first phrase of `started_by` in a command, 0 without one.
  std::size_t start_of_arguments(const std::vector<Datum>& command) const {
    for (const std::string& phrase : started_by_) {
      const std::vector<std::string> words = split(phrase, ' ');
      const auto found = std::search(command.begin(), command.end(), words.begin(), words.end(), is_word);
      if (found != command.end()) return static_cast<std::size_t>(found - command.begin()) + words.size();
    }
    return 0;
  }
  /// Returns the first phrase of `started_by` in a command as the name of its program; null without one.
  Datum phrase_in(const std::vector<Datum>& command) const {
    const std::size_t end = start_of_arguments(command);
    for (const std::string& phrase : started_by_) {
      const std::vector<std::string> words = split(phrase, ' ');
      if (end < words.size()) continue;
      const auto begin = command.begin() + static_cast<std::ptrdiff_t>(end - words.size());
      const bool is_equal = std::equal(words.begin(), words.end(), begin, [](const std::string& text, const Datum& word) { return is_word(word, text); });
      if (is_equal) return Datum::scalar(phrase, true, begin->span());
    }
    return Datum();
  }
  /// Returns whether a word of a command is `text`. A program may be written with its folder.
  static bool is_word(const Datum& word, const std::string& text) { return word.text() == text || word.text().ends_with("/" + text); }
  bool starts(const std::vector<Datum>& command) const { return start_of_arguments(command) > 0; }

  /// Returns whether a command begins with a phrase of `started_by`, after assignments, or names it as a module. Other
  /// commands may only mention the phrase.
  bool begins_with_phrase(const std::vector<Datum>& command) const {
    const auto is_assignment = [](const Datum& word) { return word.text().find('=') != std::string::npos; };
    const auto first = std::find_if_not(command.begin(), command.end(), is_assignment);
    const std::vector<Datum> rest(first, command.end());
    const std::size_t after = start_of_arguments(rest);
    for (const std::string& phrase : started_by_) {
      const std::size_t words = split(phrase, ' ').size();
      if (after == words || (after > words && rest[after - words - 1].text() == "-m")) return true;
    }
    return false;
  }

  static std::ptrdiff_t flags(const std::vector<Datum>& words) {
    return std::count_if(words.begin(), words.end(), [](const Datum& word) { return is_flag(word.text()) || word.text().find('=') != std::string::npos; });
  }

  /// Returns the arguments of one command in one pass over its words, after lists of the script are inserted. The
  /// program is the first `.py` file or word of a pattern of `programs`; a module is the word after `-m`. Words before
  /// the first flag or setting are dropped, and so are the program, the module and `-m`. Flags of a launcher stay, because
  /// some of them state degrees of parallelism. Words that expand to unknown arguments go to `unknown`; `rest` is the
  /// place at which the script passes its own arguments on, such as `$@`. Options of the interpreter (`python -u
  /// train.py`) are dropped: once the program appears, the collected words from the interpreter on are removed.
  Command arguments(const std::vector<Datum>& command) {
    Command all;
    std::vector<Datum>& out = all.words;
    bool begun = false, module = false, program = false;  // A flag or setting, a `-m` right before, a program was seen.
    std::size_t interpreter = std::string::npos;          // Position in `out` at which an interpreter's options begin.
    for (const Datum& word : with_lists(command)) {
      const std::string& text = word.text();
      const bool file = !program && is_program(text);
      const bool named = module || file;  // A launcher's module may come before the program.
      program = program || file;
      module = !program && !module && text == "-m";
      if (file || module) {
        out.resize(std::min(interpreter, out.size()), Datum());
        interpreter = std::string::npos;
      }
      if (named) all.program = Datum::scalar(text.substr(text.rfind('/') + 1), false, word.span());
      if (is_script_arguments(text)) all.rest = word.span();
      if (named || module || is_script_arguments(text)) continue;
      if (begun && expands_to_arguments(text, out)) {
        all.unknown.push_back(word);
        continue;
      }
      if (is_interpreter(text)) interpreter = std::min(interpreter, out.size());
      begun = begun || is_flag(text) || text.find('=') != std::string::npos;
      if (begun) out.push_back(Datum::scalar(with_variables(text, variables_), false, word.span()));
    }
    return all;
  }

  /// Returns whether a reference expands to whole arguments. A reference after a flag is the flag's value, unless it
  /// expands to several words.
  bool expands_to_arguments(const std::string& text, const std::vector<Datum>& before) const {
    const std::string name = reference(text);
    if (name.empty() && !text.starts_with("$(")) return false;
    const bool known = script_.lists.count(name) > 0 && script_.times_assigned(name) == 1;  // The list has values of one argument.
    const bool several = !known && (text.ends_with("[@]}") || text.ends_with("[*]}"));
    const bool awaits_value = !before.empty() && is_flag(before.back().text()) && before.back().text().find('=') == std::string::npos;
    return several || !awaits_value;
  }

  bool is_program(const std::string& text) const {
    return text.ends_with(".py") || std::any_of(programs_.begin(), programs_.end(), [&](const std::string& pattern) { return glob_match(pattern, text); });
  }

  static bool is_interpreter(const std::string& text) { return text.starts_with("python") || text.find("/python") != std::string::npos; }

  /// Returns the words of a command with the words of a list in place of each reference to the list. A variable that
  /// the user sets to several words is a list, too, and wins over the script's list of the same name. Beyond the
  /// limits, lists are left out to bound memory; `read_script` then reports a command with too many words or too many
  /// listed words.
  std::vector<Datum> with_lists(const std::vector<Datum>& command) {
    std::vector<Datum> out;
    for (const Datum& word : command) {
      const std::string name = reference(word.text());
      const std::vector<Datum>* list = list_of(name);
      const auto provided = name.empty() ? variables_.end() : variables_.find(name);
      if (provided != variables_.end() && provided->second.find(' ') != std::string::npos) {
        for (const std::string& part : split(provided->second, ' ')) {
          if (!part.empty()) out.push_back(Datum::scalar(part, false, word.span()));
        }
      } else if (list == nullptr) {
        out.push_back(word);
      } else if (out.size() <= kMostArguments && listed_ <= kMostListed) {
        out.insert(out.end(), list->begin(), list->end());
        listed_ += list->size();
      }
    }
    return out;
  }

  /// Returns the list of arguments in a variable; null without such a list. A variable that is assigned several times
  /// is no list, because its value depends on control flow. A list whose first word is no flag has values of one
  /// argument, and is no list of arguments.
  const std::vector<Datum>* list_of(const std::string& name) const {
    if (script_.times_assigned(name) != 1) return nullptr;
    for (const auto* lists : {&script_.lists, &script_.quoted_lists}) {
      const auto found = lists->find(name);
      if (found != lists->end() && !found->second.empty() && is_flag(found->second.front().text())) return &found->second;
    }
    return nullptr;
  }

  const ShellScript& script_;
  const ScriptVariables& variables_;
  const std::vector<std::string>&started_by_, &programs_;
  std::size_t listed_ = 0, starting_ = 0;  ///< Number of words from lists, and of compared commands.
};

/// Adds an argument as `true` without values, as a scalar with one value, and as a list with several. An earlier
/// argument of the same name is removed, because the last one counts.
void set_argument(std::vector<Datum::Entry>& entries, Datum name, std::vector<Datum> values) {
  Datum value = values.empty() ? Datum::scalar("true", false, name.span()) : values.size() == 1 ? values[0] : Datum::list(values, values[0].span());
  std::erase_if(entries, [&](const Datum::Entry& entry) { return entry.first.text() == name.text(); });
  entries.emplace_back(std::move(name), std::move(value));
}

/// Groups words by argument: the values of an argument extend to the next argument.
Datum group_by_argument(const std::vector<Datum>& words, const Span& whole, bool (*begins)(const std::string&)) {
  std::vector<Datum::Entry> entries;
  for (std::size_t i = 0; i < words.size();) {
    const Datum& word = words[i++];
    std::vector<Datum> values;
    const std::size_t equals = word.text().find('=');
    if (equals != std::string::npos) values.push_back(Datum::scalar(word.text().substr(equals + 1), false, word.span()));
    while (i < words.size() && !begins(words[i].text())) values.push_back(words[i++]);
    set_argument(entries, Datum::scalar(word.text().substr(0, equals), false, word.span()), std::move(values));
  }
  return Datum::map(std::move(entries), whole);
}

/// Reports references to unknown arguments. Returns whether there are none.
bool report_unknown_arguments(const std::vector<Datum>& words, const ShellScript& script, Diagnostics& diagnostics) {
  for (const Datum& word : words) {
    const std::string name = reference(word.text());
    const bool depends = script.times_assigned(name) > 1;
    diagnostics.error(word.span(),
                      fmt::format("`{}` refers to unknown arguments, because {}{}", visible(word.text()),
                                  depends ? "it is assigned in several places, and its value depends on what the script does" : "scripts are not run",
                                  name.empty() ? "" : fmt::format(": set them with `--set {}='--a 1 --b'`", name)));
  }
  return words.empty();
}

bool is_flag_or_setting(const std::string& word) { return is_flag(word) || word.find('=') != std::string::npos; }

}  // namespace

/// Splits the script into commands, then takes the command with most flags as the one that starts a training. Limits on
/// words bound the time of later steps, which are quadratic in the number of arguments. A reference to unknown
/// arguments is an error; an unknown value of a known argument is reported only if a field reads it. Arguments that the
/// script passes on are assumed to be empty.
std::optional<std::vector<Datum>> read_script(const std::shared_ptr<const SourceFile>& source, const ScriptVariables& variables, Diagnostics& diagnostics,
                                              Datum* program, const CommandWords& known) {
  const std::optional<ShellScript> script = read_shell(source, diagnostics);
  if (!script) return std::nullopt;
  CommandFinder finder(*script, variables, known);
  CommandFinder::Command command = finder.longest();
  std::vector<Datum>& words = command.words;
  if (words.empty() && !finder.has_starting_command()) {
    diagnostics.error({source, 1, 1}, "no command here has arguments");
  } else if (words.size() > kMostArguments) {
    diagnostics.error(words[0].span(), fmt::format("a command of more than {} words", kMostArguments));
  } else if (finder.lists_too_much()) {
    diagnostics.error(words[0].span(), fmt::format("lists of arguments are used so often that they give more than {} words", kMostListed));
  } else if (report_unknown_arguments(command.unknown, *script, diagnostics)) {
    if (program != nullptr) *program = command.program;
    if (finder.has_several()) {
      diagnostics.warning(words.empty() ? Span{source, 1, 1} : words[0].span(),
                          "several commands start the framework here, and the one with most arguments is read");
    }
    if (command.rest) diagnostics.warning(*command.rest, "the script passes its own arguments on; they are unknown and assumed to be empty");
    return std::move(words);
  }
  return std::nullopt;
}

Datum with_variables(const Datum& value, const ScriptVariables& variables) {
  if (value.is_list()) {
    std::vector<Datum> items;
    for (const Datum& item : value.items()) items.push_back(with_variables(item, variables));
    return Datum::list(std::move(items), value.span());
  }
  if (value.is_map()) {
    std::vector<Datum::Entry> entries;
    for (const auto& [key, inner] : value.entries()) entries.emplace_back(key, with_variables(inner, variables));
    return Datum::map(std::move(entries), value.span());
  }
  const std::string text = value.is_scalar() ? with_variables(value.text(), variables) : "";
  return value.is_scalar() && text != value.text() ? Datum::scalar(text, false, value.span()) : value;
}

Datum flags_of(const std::vector<Datum>& words, const Span& whole) { return group_by_argument(words, whole, is_flag); }

Datum sections_of(const std::vector<Datum>& words, const Span& whole, Diagnostics& diagnostics) {
  // Groups the words to settings first: a name, then its values up to the next name. A name loses its leading `-` and
  // `+`, gets `_` for each `-`, and is split at its dots to a path of nested mappings. A path with an empty part or
  // more than `kDeepest` parts is an error: `with_value` recurses once for each part.
  constexpr std::size_t kDeepest = 8;
  Datum out = Datum::map({}, whole);
  const Datum settings = group_by_argument(words, whole, is_flag_or_setting);
  for (const auto& [word, value] : settings.entries()) {
    std::string name = word.text();
    name.erase(0, name.find_first_not_of("-+"));
    std::replace(name.begin(), name.end(), '-', '_');
    const std::vector<std::string> path = split(name, '.');
    if (name.empty() || path.size() > kDeepest || contains(path, "")) {
      diagnostics.error(word.span(), fmt::format("`{}` is neither `SECTION.OPTION=VALUE` nor `--SECTION.OPTION VALUE`", visible(word.text())));
    } else {
      out = with_value(out, name, value);
    }
  }
  return out;
}

std::string expansion_in(const std::string& text) {
  const std::size_t tick = text.find('`');
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    const std::size_t begin = at + 1 + (at + 1 < text.size() && text[at + 1] == '{' ? 1 : 0);
    if (begin < text.size() && text[begin] == '(') return text.substr(at);
    std::size_t end = begin;
    while (end < text.size() && is_shell_letter(text[end])) ++end;
    if (end > begin) return text.substr(begin, end - begin);
  }
  return tick != std::string::npos ? text.substr(tick) : "";
}

}  // namespace opledger
