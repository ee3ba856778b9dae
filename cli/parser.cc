#include "cli/parser.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "base/text.h"

namespace opledger {
namespace {

/// Everything as it was written: texts by option. Values are checked here and not by CLI11, whose messages name no alternatives.
struct Words {
  std::map<std::string_view, std::vector<std::string>> values;
  std::vector<std::string> arguments;
  std::map<std::string_view, bool> flags;
};

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : kOptions) {
    if (command.takes(option.group)) names.emplace_back(option.name);
  }
  return names;
}

void unknown_option(const Command& command, const std::string& word, Diagnostics& diagnostics) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> names = option_names(command);
  const std::string meant = suggestion(name, names);
  diagnostics.error({}, fmt::format("unknown option `{}`{}", name, meant.empty() ? fmt::format(": `{}` takes {}", command.name, join(names, ", ")) : meant));
}

// What CLI11 does not know is an argument or a mistake.
bool sort_out(const Command& command, const std::vector<std::string>& rest, Words& words, Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string& word : rest) {
    if (word.size() > 1 && word[0] == '-') {
      unknown_option(command, word, diagnostics);
      good = false;
    } else {
      words.arguments.push_back(word);
    }
  }
  return good;
}

std::optional<Words> read_words(const Command& command, std::vector<std::string> given, Diagnostics& diagnostics) {
  Words words;
  // Behind `--` there are only arguments.
  const auto mark = std::find(given.begin(), given.end(), "--");
  std::vector<std::string> plain(mark == given.end() ? mark : mark + 1, given.end());
  given.erase(mark, given.end());

  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  for (const OptionSpec& option : kOptions) {
    if (!command.takes(option.group)) continue;
    const std::string names = std::string(option.name) + (option.letter.empty() ? "" : "," + std::string(option.letter));
    if (option.value.empty())
      app.add_flag(names, words.flags[option.name]);
    else
      app.add_option(names, words.values[option.name])->allow_extra_args(false);
  }
  std::reverse(given.begin(), given.end());  // CLI11 takes them from the end
  try {
    app.parse(given);
  } catch (const CLI::ArgumentMismatch& mistake) {
    for (const OptionSpec& option : kOptions) {
      if (std::string(mistake.what()).rfind(std::string(option.name) + ":", 0) != 0) continue;
      diagnostics.error({}, fmt::format("`{}` wants {} behind it", option.name, option.value));
    }
    if (!diagnostics.has_errors()) diagnostics.error({}, mistake.what());
    return std::nullopt;
  } catch (const CLI::Error& mistake) {
    diagnostics.error({}, mistake.what());
    return std::nullopt;
  }
  if (!sort_out(command, app.remaining(), words, diagnostics)) return std::nullopt;
  words.arguments.insert(words.arguments.end(), plain.begin(), plain.end());
  return words;
}

void check_arguments(const Command& command, const std::vector<std::string>& given, bool may_lack, Diagnostics& diagnostics) {
  const std::vector<Argument>& wanted = command.arguments;
  const bool any_number = !wanted.empty() && wanted.back().several;
  std::vector<std::string> missing;
  for (const Argument& argument : wanted) {
    if (argument.required && !(may_lack && argument.dispensable)) missing.emplace_back(argument.name);
  }
  missing.erase(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(std::min(given.size(), missing.size())));
  if (!missing.empty()) {
    diagnostics.error(
        {}, fmt::format("`{0}` needs {1}: {2} {3} missing", command.name, usage(command), join(missing, " and "), missing.size() == 1 ? "is" : "are"));
  } else if (given.size() > wanted.size() && !any_number) {
    diagnostics.error({}, fmt::format("`{}` takes {}: `{}` is too much", command.name, usage(command), given[wanted.size()]));
  }
}

// The last value that was given, or what it is without one.
std::string last(const Words& words, std::string_view option, const std::string& otherwise = "") {
  const auto found = words.values.find(option);
  return found == words.values.end() || found->second.empty() ? otherwise : found->second.back();
}

bool is_set(const Words& words, std::string_view flag) {
  const auto found = words.flags.find(flag);
  return found != words.flags.end() && found->second;
}

int read_count(const Words& words, std::string_view option, int otherwise, Diagnostics& diagnostics) {
  const std::string text = last(words, option);
  if (text.empty()) return otherwise;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    diagnostics.error({}, fmt::format("`{}` wants a whole number, not `{}`", option, text));
  }
  return count;
}

void read_pairs(const Words& words, std::string_view option, std::vector<std::pair<std::string, std::string>>& out, Diagnostics& diagnostics) {
  const auto given = words.values.find(option);
  if (given == words.values.end()) return;
  for (const std::string& text : given->second) {
    const std::size_t equals = text.find('=');
    const std::string key(trim(text.substr(0, equals)));
    if (equals == std::string::npos || key.empty() || trim(text.substr(equals + 1)).empty()) {
      diagnostics.error({}, fmt::format("`{}` wants KEY=VALUE, not `{}`", option, text));
    } else {
      out.emplace_back(key, trim(text.substr(equals + 1)));
    }
  }
}

}  // namespace

std::string usage(const Command& command) {
  std::string text;
  for (const Argument& argument : command.arguments) {
    const std::string name = std::string(argument.name) + (argument.several ? "…" : "");
    text += (text.empty() ? "" : " ") + (argument.required ? name : "[" + name + "]");
  }
  return text;
}

namespace {

void check_format(const Command& command, const std::string& format, Diagnostics& diagnostics) {
  if (std::find(command.formats.begin(), command.formats.end(), format) == command.formats.end() && !command.formats.empty()) {
    diagnostics.error({}, fmt::format("`{}` can't write format `{}`{}: it writes {}", command.name, format, suggestion(format, command.formats),
                                      join(command.formats, ", ")));
  }
}

/// Options that take names with commas between them.
void read_names(const Words& words, Options& options, Diagnostics& diagnostics) {
  for (const auto& [option, names] : {std::pair{"--vary", &options.vary},
                                      {"--with", &options.with},
                                      {"--metrics", &options.metrics},
                                      {"--sums", &options.sums},
                                      {"--stop", &options.stop},
                                      {"--pareto", &options.pareto}}) {
    const auto given = words.values.find(option);
    if (given == words.values.end()) continue;
    for (const std::string& text : given->second) {
      for (const std::string& name : split(text, ',')) {
        if (!trim(name).empty()) names->emplace_back(trim(name));
      }
    }
    if (names->empty() && !given->second.empty())
      diagnostics.error({}, fmt::format("`{}` wants names with commas between them, not `{}`", option, given->second.back()));
  }
}

}  // namespace

std::optional<Options> parse_options(const Command& command, std::vector<std::string> given, Diagnostics& diagnostics) {
  const std::optional<Words> words = read_words(command, std::move(given), diagnostics);
  if (!words) return std::nullopt;
  Options options;
  options.help = words->flags.at("--help");
  if (options.help) return options;
  options.arguments = words->arguments;
  options.table = last(*words, "--table");
  options.only = last(*words, "--only");
  options.model = last(*words, "--model");
  options.system = last(*words, "--system");
  options.accounting = last(*words, "--accounting");
  options.style = last(*words, "--style");
  const bool may_lack = !options.table.empty() || !options.accounting.empty() || command.takes(OptionGroup::style);  // a table names its own
  check_arguments(command, options.arguments, may_lack, diagnostics);
  if (command.takes(OptionGroup::style) && options.style.empty())
    diagnostics.error({}, fmt::format("`{}` needs `--style NAME`: an accounting that has a report of the name `report`", command.name));
  if (!options.style.empty() && !options.accounting.empty() && options.style != options.accounting)
    diagnostics.error({}, "`--style` names the accounting: `--accounting` can't name another one");
  read_pairs(*words, "--set", options.overrides, diagnostics);
  read_pairs(*words, "--at", options.at, diagnostics);
  read_pairs(*words, "--against", options.against, diagnostics);
  read_pairs(*words, "--expect", options.expect, diagnostics);
  const std::string usual = command.formats.empty() ? "" : command.formats[0];
  options.format = last(*words, "--format", options.table.empty() ? usual : "csv");  // a table gives a table
  check_format(command, options.format, diagnostics);
  options.output = last(*words, "--output");
  options.depth = read_count(*words, "--depth", options.depth, diagnostics);
  options.layers = is_set(*words, "--layers");
  options.strict = is_set(*words, "--strict");
  options.groups = is_set(*words, "--groups");
  options.all = is_set(*words, "--all");
  options.refused = is_set(*words, "--refused");
  options.resume = is_set(*words, "--resume");
  options.tokens = last(*words, "--tokens");
  options.mfu = last(*words, "--mfu");
  options.price = last(*words, "--price");
  read_names(*words, options, diagnostics);
  options.top = read_count(*words, "--top", options.top, diagnostics);
  options.jobs = read_count(*words, "--jobs", options.jobs, diagnostics);
  options.x = last(*words, "--x");
  options.y = last(*words, "--y");
  options.value = last(*words, "--value");
  options.step = last(*words, "--step");
  options.most = last(*words, "--most");
  options.mapping = last(*words, "--mapping");
  options.write = last(*words, "--write");
  options.terms = read_count(*words, "--terms", options.terms, diagnostics);
  if (const auto where = words->values.find("--where"); where != words->values.end()) options.where = where->second;
  if (const auto path = words->values.find("--path"); path != words->values.end()) options.path = path->second;
  if (diagnostics.has_errors()) return std::nullopt;
  return options;
}

}  // namespace opledger
