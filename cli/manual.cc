#include "cli/manual.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/code_point.h"
#include "base/text.h"
#include "cli/help.h"

namespace opledger {
namespace {

/// Escapes text for `mdoc`: backslashes and hyphens are escaped, and characters beyond ASCII become their Unicode
/// names, such as `\[u2026]`. A leading dot or apostrophe, and a word that is a macro's name, keep their meaning;
/// `prose` and `word` escape these. The text is read by code points; invalid bytes stay as they are.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point(text.substr(i));
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else if (point.valid && point.code > 0x7e)
      out += fmt::format("\\[u{:04X}]", point.code);
    else
      out += text.substr(i, point.bytes);
    i += point.bytes;
  }
  return out;
}

/// Returns escaped text with one sentence a line, and text between `backticks` in bold. `plain` escapes each part. A
/// blank after a period becomes a line end if a capital follows, so abbreviations stay on a line. A leading dot or
/// apostrophe would begin a request of the language, so an empty escape precedes it, as it does an empty text.
std::string prose(std::string_view text) {
  std::string out;
  bool bold = false;
  std::string_view rest = text;
  for (;;) {
    const std::size_t tick = rest.find('`');
    out += plain(rest.substr(0, tick));
    if (tick == std::string_view::npos) break;
    bold = !bold;
    out += bold ? "\\fB" : "\\fR";
    rest.remove_prefix(tick + 1);
  }
  if (bold) out += "\\fR";
  for (std::size_t end = 0; (end = out.find(". ", end)) != std::string::npos; ++end) {
    if (end + 2 < out.size() && out[end + 2] >= 'A' && out[end + 2] <= 'Z') out[end + 1] = '\n';
  }
  return (out.empty() || out[0] == '.' || out[0] == '\'' ? "\\&" : "") + out;
}

/// Returns text as an argument of a macro; the escape prevents its reading as a macro name.
std::string word(std::string_view text) { return "\\&" + plain(text); }

std::string head(const std::string& title, const std::string& name, std::string_view doc) {
  std::string nd(doc);
  if (nd.size() > 1 && nd[0] >= 'A' && nd[0] <= 'Z' && !(nd[1] >= 'A' && nd[1] <= 'Z')) nd[0] = static_cast<char>(nd[0] - 'A' + 'a');
  return fmt::format(".Dd {}\n.Dt {} 1\n.Os\n.Sh NAME\n.Nm {}\n.Nd {}\n.Sh SYNOPSIS\n", OPLEDGER_DATE, title, name, prose(nd));
}

std::string item(const std::string& label, const std::string& text) { return fmt::format(".It {}\n{}\n", label, prose(text)); }

std::string list(const std::string& items) { return items.empty() ? "" : ".Bl -tag -width Ds\n" + items + ".El\n"; }

std::string section(const std::string& title, const std::string& text) { return text.empty() ? "" : ".Sh " + title + "\n" + text; }

std::string exit_status() {
  return section("EXIT STATUS", list(item("0", "Done.") + item("1", "Done, but the run is infeasible, or a check failed.") + item("2", "Bad input or usage.") +
                                     item("130", "Interrupted: results are incomplete.")));
}

std::string examples(std::string_view name) {
  std::string lines;
  for (const std::string& line : split(help_examples(name), '\n')) {
    if (!line.empty()) lines += prose(line) + "\n";
  }
  return lines.empty() ? "" : section("EXAMPLES", ".Bd -literal -offset indent\n" + lines + ".Ed\n");
}

std::string synopsis(const Command& command) {
  std::string out = fmt::format(".Nm opledger {}\n", command.name);
  for (const Argument& argument : command.arguments)
    out += fmt::format(".{} {}{}\n", argument.is_required ? "Ar" : "Op Ar", word(argument.name), argument.is_repeatable ? " ..." : "");
  return out + ".Op Ar options\n";
}

std::string label(const OptionSpec& option) {
  const std::string value = option.value.empty() ? "" : " Ar " + word(option.value);
  const std::string letter = option.letter.empty() ? "" : fmt::format("Fl {}{} , ", option.letter.substr(1), value);
  return fmt::format("{}Fl {}{}", letter, plain(option.name.substr(1)), value);
}

std::string option_items(const Command& command) {
  std::string out;
  for (const OptionSpec& option : kOptions) {
    if (command.accepts(option.group)) out += item(label(option), option_doc(command, option));
  }
  return out;
}

std::string environment() {
  return section("ENVIRONMENT", list(item("Ev OPLEDGER_PATH", "Folders of documents, with colons between them: searched before all others.") +
                                     item("Ev NO_COLOR", "If it is set and not empty, nothing is colored, unless `--color` says so.") +
                                     item("Ev XDG_CONFIG_HOME", "The folder above that of your own documents, if it is not `~/.config`.")));
}

std::string files() {
  return section("FILES", list(item("Pa ~/.config/opledger", "Documents of your own.") +
                               item("Pa ../share/opledger", "From the folder of the program: the documents that come with it, and their schemas.") +
                               item("Pa ../share/doc/opledger", "Pages about models, sharding, accounting, searches and more.") +
                               item("Pa .opledger/opledger.schema.json", "In a folder above a document: the schema that editors check it with.")));
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string see_also() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back("opledger-" + std::string(command.name));
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) out += fmt::format(".Xr {} 1{}\n", name, name == names.back() ? "" : " ,");
  return section("SEE ALSO", out);
}

}  // namespace

/// Returns the page of the whole program in the sections that manual pages have: name, synopsis, description, commands,
/// environment, files, exit status, examples, see also. The commands come from the command table, so a new command
/// appears without a change here.
std::string manual_overview() {
  std::string all;
  for (const Command& command : commands()) all += item(fmt::format("Ic {}", command.name), std::string(command.doc));
  return head("OPLEDGER", "opledger", "what training and inference of a language model cost on a cluster") +
         ".Nm\n.Ar COMMAND\n.Op Ar arguments\n.Op Ar options\n.Nm\n.Fl \\-version\n" +
         section(
             "DESCRIPTION",
             prose(
                 "Computes parameters, FLOPs, memory, communication and time of a language model on a cluster, operator by operator. It reads YAML documents: "
                 "the model as a graph of operators, how the graph is split over processors, the machine, and the formulas that count.") +
                 "\n" +
                 prose("Documents are given by name (`opledger list` shows them) or by path (`./my-model.yaml`). Each command has a page of its own, "
                       "`opledger-COMMAND`, and "
                       "explains itself: `opledger COMMAND --help`.") +
                 "\n") +
         section("COMMANDS", list(all)) + environment() + files() + exit_status() + examples("opledger") + see_also();
}

std::string manual_of(const Command& command) {
  const std::string name(command.name);
  std::string arguments;
  for (const Argument& argument : command.arguments) arguments += item("Ar " + word(argument.name), std::string(argument.doc));
  return head("OPLEDGER-" + upper(name), "opledger-" + name, command.doc) + synopsis(command) +
         section("DESCRIPTION", prose(std::string(command.doc) + ".") + "\n" + list(arguments)) + section("OPTIONS", list(option_items(command))) +
         exit_status() + examples(command.name) + section("SEE ALSO", ".Xr opledger 1\n");
}

}  // namespace opledger
