#include "cli/option_parser.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include "base/text.h"
#include "cli/colors.h"

namespace opledger {
namespace {

/// The values of each option as text. This file checks values itself, because the messages of CLI11 suggest no
/// alternatives.
using Words = std::map<std::string_view, std::vector<std::string>>;

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : kOptions) {
    if (command.accepts(option.group)) names.emplace_back(option.name);
  }
  return names;
}

/// Returns the name and the letter of an option for CLI11. A command whose documents define options has `--output` only
/// as `-o`, because documents may define an option `--output`.
std::string spellings(const Command& command, const OptionSpec& option) {
  if (option.letter.empty()) return std::string(option.name);
  if (command.has_document_options && option.name == "--output") return std::string(option.letter);
  return std::string(option.name) + "," + std::string(option.letter);
}

void unknown_option(const Command& command, const std::string& word, Diagnostics& diagnostics) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> names = option_names(command);
  const std::string meant = suggestion(name, names);
  diagnostics.error({}, fmt::format("unknown option `{}`{}", name, meant.empty() ? fmt::format(": `{}` takes {}", command.name, join(names, ", ")) : meant));
}

// Sorts the words that CLI11 does not know: an option is an error unless a document may define it, any other word an
// argument.
bool classify_words(const Command& command, const std::vector<std::string>& rest, Options& options, Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string& word : rest) {
    if (word.size() > 1 && word[0] == '-' && !command.has_document_options) {
      unknown_option(command, word, diagnostics);
      good = false;
    } else {
      options.arguments.push_back(word);
    }
  }
  return good;
}

// Replaces former names of options, each with a warning.
void rename_former_options(std::vector<std::string>& arguments, Diagnostics& diagnostics) {
  for (std::string& word : arguments) {
    for (const FormerOption& option : kFormerOptions) {
      if (word != option.former) continue;
      diagnostics.warning({}, fmt::format("option `{}` is now called `{}`; the old name will be removed", option.former, option.present));
      word = option.present;
    }
  }
}

/// Splits the words of a command line into values by option, which are texts. CLI11 knows the options that the command
/// accepts; flags are stored in `options` directly. CLI11 keeps words that it does not know: an unknown option is an
/// error, any other word is an argument. Words after `--` are arguments even if they begin with `-`. Returns nothing,
/// with errors, for unknown options and missing values.
std::optional<Words> read_words(const Command& command, std::vector<std::string> arguments, Options& options, Diagnostics& diagnostics) {
  Words words;
  // Every word after `--` is an argument.
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> plain(mark == arguments.end() ? mark : mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  rename_former_options(arguments, diagnostics);

  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  for (const OptionSpec& option : kOptions) {
    if (!command.accepts(option.group)) continue;
    const std::string names = spellings(command, option);
    if (const auto* flag = std::get_if<bool Options::*>(&option.field))
      app.add_flag(names, options.**flag);
    else if (std::holds_alternative<std::optional<std::string> Options::*>(option.field))
      app.add_option(names, words[option.name])->expected(0, 1);
    else
      app.add_option(names, words[option.name])->allow_extra_args(std::holds_alternative<Files Options::*>(option.field));
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 reads the words from the end of the vector.
  try {
    app.parse(arguments);
  } catch (const CLI::ArgumentMismatch& mistake) {
    for (const OptionSpec& option : kOptions) {
      if (std::string(mistake.what()).rfind(std::string(option.name) + ":", 0) != 0) continue;
      diagnostics.error({}, fmt::format("`{}` needs a value: {}", option.name, option.value));
    }
    if (!diagnostics.has_errors()) diagnostics.error({}, mistake.what());
    return std::nullopt;
  } catch (const CLI::Error& mistake) {
    diagnostics.error({}, mistake.what());
    return std::nullopt;
  }
  if (!classify_words(command, app.remaining(), options, diagnostics)) return std::nullopt;
  options.arguments.insert(options.arguments.end(), plain.begin(), plain.end());
  return words;
}

/// Reports missing and superfluous arguments. With `may_omit`, arguments that an accounting may not need are optional.
/// Given arguments count as the first required ones.
void check_arguments(const Command& command, const std::vector<std::string>& arguments, bool may_omit, Diagnostics& diagnostics) {
  const std::vector<Argument>& expected = command.arguments;
  const bool any_number = !expected.empty() && expected.back().is_repeatable;
  std::vector<std::string> missing;
  for (const Argument& argument : expected) {
    if (argument.is_required && !(may_omit && argument.omittable_with_accounting)) missing.emplace_back(argument.name);
  }
  missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(std::min(arguments.size(), missing.size())));
  if (!missing.empty()) {
    diagnostics.error(
        {}, fmt::format("`{0}` needs {1}: {2} {3} missing", command.name, usage(command), join(missing, " and "), missing.size() == 1 ? "is" : "are"));
  } else if (arguments.size() > expected.size() && !any_number) {
    diagnostics.error({}, fmt::format("`{}` takes {}: leave out `{}`", command.name, usage(command), arguments[expected.size()]));
  }
}

void read(std::string_view, const std::vector<std::string>&, bool&, Diagnostics&) {}  // CLI11 sets flags itself.

void read(std::string_view option, const std::vector<std::string>& values, int& count, Diagnostics& diagnostics) {
  const std::string& text = values.back();
  if (text.empty()) return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    diagnostics.error({}, fmt::format("`{}`: expected a whole number, found `{}`", option, text));
  }
}

void read(std::string_view, const std::vector<std::string>& values, std::string& text, Diagnostics&) { text = values.back(); }

void read(std::string_view option, const std::vector<std::string>& values, std::optional<std::string>& text, Diagnostics& diagnostics) {
  text = values.back();
  // CLI11 takes an unknown option for the value.
  if (text->starts_with('-')) diagnostics.error({}, fmt::format("unknown option `{}` after `{}`", *text, option));
}

void read(std::string_view, const std::vector<std::string>& values, std::vector<std::string>& texts, Diagnostics&) { texts = values; }

void read(std::string_view, const std::vector<std::string>& values, Files& files, Diagnostics&) { files.assign(values.begin(), values.end()); }

void read(std::string_view option, const std::vector<std::string>& values, Names& names, Diagnostics& diagnostics) {
  for (const std::string& text : values) {
    for (const std::string& name : split(text, ',')) {
      if (!trim(name).empty()) names.emplace_back(trim(name));
    }
  }
  if (names.empty()) diagnostics.error({}, fmt::format("`{}`: expected names separated by commas, found `{}`", option, values.back()));
}

void read(std::string_view option, const std::vector<std::string>& values, Pairs& pairs, Diagnostics& diagnostics) {
  for (const std::string& text : values) {
    const std::size_t equals = text.find('=');
    const std::string key(trim(text.substr(0, equals)));
    if (equals == std::string::npos || key.empty() || trim(text.substr(equals + 1)).empty()) {
      diagnostics.error({}, fmt::format("`{}`: expected KEY=VALUE, found `{}`", option, text));
    } else {
      pairs.emplace_back(key, trim(text.substr(equals + 1)));
    }
  }
}

void check_format(const Command& command, const std::string& format, Diagnostics& diagnostics) {
  if (!contains(command.formats, format) && !command.formats.empty()) {
    diagnostics.error({}, fmt::format("`{}` can't write format `{}`{}: it writes {}", command.name, format, suggestion(format, command.formats),
                                      join(command.formats, ", ")));
  }
}

void check_color(const std::string& requested, Diagnostics& diagnostics) {
  const std::vector<std::string> words(std::begin(kColorWords), std::end(kColorWords));
  if (!requested.empty() && !contains(words, requested))
    diagnostics.error({}, fmt::format("`--color` is {}, not `{}`{}", join(words, ", "), requested, suggestion(requested, words)));
}

void check_style(const Command& command, const Options& options, Diagnostics& diagnostics) {
  if (command.accepts(OptionGroup::style) && options.style.empty())
    diagnostics.error({}, fmt::format("`{}` needs `--style NAME`: an accounting that has a report of the name `report`", command.name));
  if (!options.style.empty() && !options.accounting.empty() && options.style != options.accounting)
    diagnostics.error({}, "`--style` names the accounting: `--accounting` can't name another one");
}

/// Returns the default format. A table of runs is written as CSV; a table of errors is text unless it goes to a file.
std::string usual_format(const Command& command, const Options& options) {
  const bool errors = !options.measured.empty() && options.output.empty();
  if (!options.table.empty() && !errors) return "csv";
  return command.formats.empty() ? "" : command.formats[0];
}

}  // namespace

std::string usage(const Command& command) {
  std::string text;
  for (const Argument& argument : command.arguments) {
    const std::string name = std::string(argument.name) + (argument.is_repeatable ? "…" : "");
    text += (text.empty() ? "" : " ") + (argument.is_required ? name : "[" + name + "]");
  }
  return text;
}

/// Parses a command line in three steps: words are split by option, values are converted by the type of their field,
/// and arguments and choices are checked. The option table decides both the field and its type, so no option is named
/// here, except for those with rules of their own. Help needs no valid arguments. Mistakes in values (`mistakes`) are
/// reported after mistakes in arguments, which are usually their cause. Some options (`may_omit`) supply documents, so
/// arguments may be missing.
std::optional<Options> parse_options(const Command& command, std::vector<std::string> arguments, Diagnostics& diagnostics) {
  Options options;
  const std::optional<Words> words = read_words(command, std::move(arguments), options, diagnostics);
  if (!words) return std::nullopt;
  if (options.help) return options;
  Diagnostics mistakes;
  for (const OptionSpec& option : kOptions) {
    const auto texts = words->find(option.name);
    if (!command.accepts(option.group) || texts == words->end() || texts->second.empty()) continue;
    const bool is_file = option.value.find("FILE") != std::string_view::npos || option.value.find("FOLDER") != std::string_view::npos;
    if (is_file && contains(texts->second, std::string())) mistakes.error({}, fmt::format("`{}`: the name of the file is empty", option.name));
    std::visit([&](auto field) { read(option.name, texts->second, options.*field, mistakes); }, option.field);
  }
  // A table names its own documents, a checkpoint needs only a model, and some accountings read no document.
  const bool may_omit = !options.table.empty() || !options.checkpoint.empty() || !options.accounting.empty() || command.accepts(OptionGroup::style);
  if (!command.has_document_options) check_arguments(command, options.arguments, may_omit, diagnostics);
  check_style(command, options, diagnostics);
  const auto format = words->find("--format");
  if (format == words->end() || format->second.empty()) options.format = usual_format(command, options);
  check_format(command, options.format, mistakes);
  check_color(options.color, mistakes);
  diagnostics.append(std::move(mistakes));
  if (diagnostics.has_errors()) return std::nullopt;
  return options;
}

}  // namespace opledger
