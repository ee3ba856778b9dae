#include "cli/option_parser.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace opledger {
namespace {

/// Returns the arguments and every option with a value other than its default; the messages after an error.
std::string parsed_as(const std::string& line) {
  std::vector<std::string> words = split(line, ' ');
  const Command* command = find_command(words[0]);
  REQUIRE(command != nullptr);
  words.erase(words.begin());
  Diagnostics diagnostics;
  const std::optional<Options> options = parse_options(*command, words, diagnostics);
  if (!options) return render(diagnostics);
  std::string text = join(options->arguments, " ");
  for (const auto& [key, value] : options->overrides) text += " | " + key + "=" + value;
  for (const std::string& part : {options->format, options->output, options->accounting, join(options->path, ":")}) text += part.empty() ? "" : " | " + part;
  if (options->depth != 3 || options->terms != 4) text += " | " + std::to_string(options->depth) + " " + std::to_string(options->terms);
  return text + (options->help ? " | help" : "");
}

}  // namespace

TEST_CASE("options may stand anywhere") {
  const std::pair<const char*, const char*> cases[] = {
      {"eval m e s", "m e s | text"},
      {"eval --set a=1 m e --set b=x=2 s", "m e s | a=1 | b=x=2 | text"},
      {"eval m e s --set=a=[1,2] --set a=2", "m e s | a=[1,2] | a=2 | text"},
      {"eval m --format json e -o f s --accounting x", "m e s | json | f | x"},
      {"eval m e s --format=csv --output=f.gz", "m e s | csv | f.gz"},
      {"params m --path a --path b", "m | text | a:b"},
      {"params m --format csv --format json", "m | json"},
      {"explain m e memory", "m e memory | text"},
      {"explain m e s eval --depth 1 --terms 0", "m e s eval | text | 1 0"},
      {"explain m e [a]*", "m e [a]* | text"},
      {"explain m e -- -x", "m e -x | text"},
      {"validate a b c d", "a b c d"},
      {"validate - a", "- a"},
      {"list", " | text"},
      {"eval --help", " | help"},
      {"eval a b c d e -h", "a b c d e | help"},
  };
  for (const auto& [line, expected] : cases) {
    CAPTURE(line);
    CHECK(parsed_as(line) == expected);
  }
}

TEST_CASE("mistakes on the command line") {
  const std::pair<const char*, const char*> cases[] = {
      {"eval m", "error: `eval` needs MODEL EXECUTION SYSTEM: EXECUTION and SYSTEM are missing\n"},
      {"params", "error: `params` needs MODEL [EXECUTION] [SYSTEM]: MODEL is missing\n"},
      {"params a b c d e", "error: `params` takes MODEL [EXECUTION] [SYSTEM]: leave out `d`\n"},
      {"eval m e s --fromat json", "error: unknown option `--fromat` (did you mean `--format`?)\n"},
      {"list -q", "error: unknown option `-q`: `list` takes --format, --full, --output, --path, --color, --help\n"},
      {"list --set a=1", "error: unknown option `--set`: `list` takes --format, --full, --output, --path, --color, --help\n"},
      {"eval m e s --zooming=1 --quack",
       "error: unknown option `--zooming`: `eval` takes --set, --accounting, --layers, --table, --measured, --by, --model, --system, --format, --full, --only, "
       "--output, "
       "--path, --color, --help\n"
       "error: unknown option `--quack`: `eval` takes --set, --accounting, --layers, --table, --measured, --by, --model, --system, --format, --full, --only, "
       "--output, "
       "--path, --color, --help\n"},
      {"eval m e s --set", "error: `--set` needs a value: KEY=VALUE\n"},
      {"eval m e s -o", "error: `--output` needs a value: FILE\n"},
      {"eval m e s --set tp", "error: `--set`: expected KEY=VALUE, found `tp`\n"},
      {"eval m e s --set =1", "error: `--set`: expected KEY=VALUE, found `=1`\n"},
      {"eval m e s --set a=", "error: `--set`: expected KEY=VALUE, found `a=`\n"},
      {"eval m e s --format jsn", "error: `eval` can't write format `jsn` (did you mean `json`?): it writes text, json, csv, markdown\n"},
      {"graph m --format csv", "error: `graph` can't write format `csv`: it writes text, json, dot, svg\n"},
      {"explain m e x --depth two", "error: `--depth`: expected a whole number, found `two`\n"},
      {"explain m e x --terms -1", "error: `--terms`: expected a whole number, found `-1`\n"},
      {"explain m e x --depth 99999999999", "error: `--depth`: expected a whole number, found `99999999999`\n"},
  };
  for (const auto& [line, expected] : cases) {
    CAPTURE(line);
    CHECK(parsed_as(line) == expected);
  }
}

}  // namespace opledger
