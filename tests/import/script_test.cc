#include "import/script.h"

#include "import/shell_words.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

std::shared_ptr<const SourceFile> source_of(const std::string& text) { return std::make_shared<const SourceFile>("t.sh", text); }

/// Returns the words of every command, separated by `|`, one line each; the messages after an error.
std::string commands(const std::string& text) {
  Diagnostics diagnostics;
  const auto script = read_shell(source_of(text), diagnostics);
  if (!script) return messages(diagnostics);
  std::string out;
  for (const auto& command : script->commands) {
    for (const Datum& word : command) out += (out.empty() || out.back() == '\n' ? "" : "|") + word.text();
    out += "\n";
  }
  return out;
}

/// Returns the arguments of the script's main command in the same form.
std::string arguments_of(const std::string& text, const ScriptVariables& variables = {}, const CommandWords& known = {}) {
  Diagnostics diagnostics;
  const auto words = read_script(source_of(text), variables, diagnostics, nullptr, known);
  if (!words) return messages(diagnostics);
  std::string out;
  for (const Datum& word : *words) out += (out.empty() ? "" : "|") + word.text();
  return out;
}

}  // namespace

TEST_CASE("shell words: quotes, backslashes, comments and continued lines as a shell has them") {
  const std::pair<const char*, const char*> cases[] = {
      {"a b\tc", "a|b|c\n"},
      {"a 'b c' \"d e\"f", "a|b c|d ef\n"},
      {"a ''", "a|\n"},
      {"a\\ b", "a b\n"},
      {"a 'b\\'", "a|b\\\n"},
      {"a \"b\\\"c\\d\"", "a|b\"c\\d\n"},
      {"a \\\n  b", "a|b\n"},
      {"a \\\r\n  b\r\nc\r\n", "a|b\nc\n"},
      {"a \"b\\\nc\"", "a|bc\n"},
      {"a # b 'c\nd#e", "a\nd#e\n"},
      {"a; b && c | d & e", "a\nb\nc\nd\ne\n"},
      {"a > b 2>&1 c < d", "a|c\n"},
      {"a <<< b c", "a|c\n"},
      {"a <<EOF\n'never closed\nEOF\nb", "a\nb\n"},
      {"a <<-'EOF'\n\t\"x\n\tEOF\nb", "a\nb\n"},
      {"A=1 B='2 3' a", "a\n"},
      {"export A=1\na $A ${A:-'x y'} $(b \"c\") `d e`", "a|$A|${A:-'x y'}|$(b \"c\")|`d e`\n"},
      {"A=(1 2\n 3) b", "b\n"},
      {"a [1,2] ([0]*1+[1]*2) a*", "a|[1,2]|([0]*1+[1]*2)|a*\n"},
      {"ä ö", "ä|ö\n"},
      {"", ""},
      {"a 'b", "1:3: this ' is never closed\n"},
      {"a\nb \"c\nd", "2:3: this \" is never closed\n"},
      {"a $(b", "1:3: the `)` of this is missing\n"},
      {"a ${b", "1:3: the `}` of this is missing\n"},
      {"a `b", "1:3: this backtick is never closed\n"},
      {"A=(b\nc", "1:3: a list begins here, and its `)` is missing\n"},
  };
  for (const auto& [text, expected] : cases) CHECK_MESSAGE(commands(text) == expected, text);
}

TEST_CASE("shell words: places count characters, and lists are kept by name") {
  Diagnostics diagnostics;
  const auto script = read_shell(source_of("ä \\\n  bb \"c\"\nL=(--x 1\n --y)\nT=\"--z '2 3' a|b\"\n"), diagnostics);
  REQUIRE(script);
  REQUIRE(script->commands.size() == 1);
  CHECK(script->commands[0][1].span().line == 2);
  CHECK(script->commands[0][1].span().column == 3);
  CHECK(script->commands[0][2].span().column == 6);
  REQUIRE(script->lists.count("L") == 1);
  CHECK(script->lists.at("L").size() == 3);
  CHECK(script->lists.at("L")[2].span().line == 4);
  REQUIRE(script->quoted_lists.count("T") == 1);
  CHECK(script->quoted_lists.at("T")[1].text() == "2 3");
  CHECK(script->quoted_lists.at("T")[2].text() == "a|b");  // The character is part of a value, not a pipe.
}

TEST_CASE("scripts: the command with most arguments, without what names the program") {
  const std::pair<const char*, const char*> cases[] = {
      {"echo --x\ntorchrun --n 8 train.py --a 1 --b", "--n|8|--a|1|--b"},
      {"python3 -u train.py --a 1", "--a|1"},
      {"srun --n=4 /usr/bin/python3 -u train.py --a config.py", "--n=4|--a|config.py"},
      {"torchrun --n 8 -m torchtitan.train --a.b 1 model.c=2", "--n|8|--a.b|1|model.c=2"},
      {"python -m torch.distributed.launch --n 8 train.py --a", "--n|8|--a"},
      {"A=(--a 1\n --b)\nB=\"--c 2 \\\n --d\"\ntrain.py ${A[@]} \"${B}\" $C --e", "--a|1|--b|--c|2|--d|$C|--e"},
      {"A=(1 2)\ntrain.py --a ${A[@]}", "--a|${A[@]}"},
      {"train.py --a 1 \"$@\" ${@:2}", "--a|1"},  // The import also warns.
      {"A=(--a 1)\nif x; then A+=(--b); fi\ntrain.py --c 1 ${A[@]}",
       "3:16: `${A[@]}` refers to unknown arguments, because it is assigned in several places, and its value depends on what the script does: "
       "set them with `--set A='--a 1 --b'`\n"},
      {"train.py --c 1 $X", "1:16: `$X` refers to unknown arguments, because scripts are not run: set them with `--set X='--a 1 --b'`\n"},
      {"--a 1\n# of them\n--b 2\n--c", "--a|1|--b|2|--c"},
      {"echo hello", "1:1: no command here has arguments\n"},
      {"", "1:1: no command here has arguments\n"},
  };
  for (const auto& [text, expected] : cases) CHECK_MESSAGE(arguments_of(text) == expected, text);
  CHECK(arguments_of("t.py --a $N --b ${N}0 --c $NODES", {{"N", "4"}}) == "--a|4|--b|40|--c|$NODES");
  std::string many = "t.py --a";
  for (int i = 0; i < 4000; ++i) many += " 1";
  CHECK(arguments_of(many) == "1:6: a command of more than 4000 words\n");
}

TEST_CASE("scripts: the command that starts a framework needs no arguments, and no other command counts beside it") {
  const std::vector<std::string> started_by = {"serve it", "it.server"};
  const auto read = [&](const std::string& text) { return arguments_of(text, {}, {started_by}); };
  CHECK(read("serve it m") == "");
  CHECK(read("X=1 serve it m --a 1 &\ncurl h --b 1 --c 2 --d 3") == "--a|1");
  CHECK(read("python3 -m it.server --a 1\nbench --b 1 --c 2") == "--a|1");
  CHECK(read("serve now it\nbench --b 1 --c 2") == "--b|1|--c|2");
  CHECK(read("echo serve it --b 1 --c 2\nserve it --a 1") == "--a|1");
  CHECK(read("/opt/bin/serve it m --a 1\ncurl -X --b 1") == "--a|1");
  CHECK(read("docker run -p 80 image serve it m --a 1") == "--a|1");
  CHECK(read("serve m") == "1:1: no command here has arguments\n");
}

TEST_CASE("scripts: a program that is no file ends the values of a launcher's option") {
  const CommandWords known = {{"tune it"}, {"*_distributed"}};
  CHECK(arguments_of("tune it --ranks 4 full_distributed --config a.yaml b=2", {}, known) == "--ranks|4|--config|a.yaml|b=2");
  CHECK(arguments_of("tune it --ranks 4 full.py --list x_distributed", {}, known) == "--ranks|4|--list|x_distributed");
  CHECK(arguments_of("tune it --ranks 4 full_distributed --config a.yaml", {}, {{"tune it"}}) == "--ranks|4|full_distributed|--config|a.yaml");
}

TEST_CASE("scripts: arguments as a mapping, and as sections") {
  const auto words = [](const std::string& text) {
    Diagnostics diagnostics;
    return *read_script(source_of(text), {}, diagnostics);
  };
  const Datum flags = flags_of(words("--a 1 --b --c=2 3 -d -0.5 --a 7"), {});
  CHECK(flags.find("--a")->text() == "7");  // The last value counts.
  CHECK(flags.find("--b")->text() == "true");
  CHECK(flags.find("--c")->items().size() == 2);
  CHECK(flags.find("-d")->text() == "-0.5");
  Diagnostics diagnostics;
  const Datum sections = sections_of(words("--model.name x model.flavor=y +a.b-c=1"), {}, diagnostics);
  CHECK(sections.find("model")->find("name")->text() == "x");
  CHECK(sections.find("model")->find("flavor")->text() == "y");
  CHECK(sections.find("a")->find("b_c")->text() == "1");
  CHECK(messages(diagnostics) == "");
  sections_of(words("--a..b 1 --a.b.c.d.e.f.g.h.i 2"), {}, diagnostics);
  CHECK(diagnostics.errors() == 2);
}

TEST_CASE("scripts: what a shell would expand is found, and given variables are put in") {
  CHECK(expansion_in("a") == "");
  CHECK(expansion_in("a$") == "");
  CHECK(expansion_in("a$A/b") == "A");
  CHECK(expansion_in("${A_1:-x}") == "A_1");
  CHECK(expansion_in("$(rm -r x)") == "$(rm -r x)");
  CHECK(expansion_in("`rm`") == "`rm`");
  const Datum document = datum("a: $N\nb: [x, \"${N}\", {c: $M}]\nd: 1\n");
  const Datum settings = with_variables(document, {{"N", "8"}});
  CHECK(settings.find("a")->text() == "8");
  CHECK(settings.find("a")->span().line == 1);
  CHECK(settings.find("b")->items()[1].text() == "8");
  CHECK(settings.find("b")->items()[2].find("c")->text() == "$M");
}

}  // namespace opledger
