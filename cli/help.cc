#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/option_parser.h"
#include "questions/catalogue.h"
#include "report/cells.h"

namespace opledger {
namespace {

constexpr std::size_t kIndent = 2;

using Row = std::pair<std::string, std::string>;

// Removes the beginning of `text` that fits into `columns` columns, cut at a blank, and returns it.
std::string take_line(std::string& text, std::size_t columns) {
  std::size_t end = text.size();
  if (end > columns) {
    end = text.rfind(' ', columns);
    if (end == std::string::npos) end = columns;
  }
  std::string line = text.substr(0, end);
  text.erase(0, std::min(text.size(), end + 1));
  return line;
}

void add_rows(const std::string& title, const std::vector<Row>& rows, std::string& out) {
  if (rows.empty()) return;
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, row.first.size());
  out += "\n" + title + "\n";
  for (const Row& row : rows) {
    std::string left = row.first, text = row.second;
    while (!text.empty() || !left.empty()) {
      out += fmt::format("{:{}}{:<{}}  {}\n", "", kIndent, left, widest, take_line(text, kPageWidth - kIndent - 2 - widest));
      left.clear();
    }
  }
}

std::vector<Row> option_rows(const Command& command) {
  std::vector<Row> rows;
  for (const OptionSpec& option : kOptions) {
    if (!command.accepts(option.group)) continue;
    const std::string letter = option.letter.empty() ? "    " : std::string(option.letter) + ", ";
    const bool is_folder = command.has_document_options && option.name == "--output";
    rows.emplace_back(is_folder ? "-o FOLDER" : fmt::format("{}{}{}{}", letter, option.name, option.value.empty() ? "" : " ", option.value),
                      option_doc(command, option));
  }
  return rows;
}

void add_examples(std::string_view name, std::string& out) {
  const std::string_view examples = help_examples(name);
  if (!examples.empty()) out += fmt::format("\nExamples\n{}", examples);
}

}  // namespace

std::string option_doc(const Command& command, const OptionSpec& option) {
  if (command.has_document_options && option.name == "--output") return "write the answer's files into this folder: execution, launch script, page, README";
  if (option.name != "--format") return std::string(option.doc);
  return fmt::format("{}: {} ({})", option.doc, join(command.formats, ", "), command.formats[0]);
}

std::string help_overview() {
  std::string out =
      "opledger computes what a language model costs on a cluster, and shows where each number comes from.\n"
      "\nUsage: opledger COMMAND ARGUMENTS… [OPTIONS]\n";
  std::vector<Row> rows;
  for (const Command& command : commands()) rows.emplace_back(command.name, command.doc);
  add_rows("Commands", rows, out);
  add_rows("Options", {{"-h, --help", "this help; `opledger COMMAND --help`: help for one command"}, {"--version", "the version"}}, out);
  add_rows(
      "Exit status",
      {{"0", "done"}, {"1", "done, but the run is infeasible, or a check failed"}, {"2", "bad input or usage"}, {"130", "interrupted: results are incomplete"}},
      out);
  add_examples("opledger", out);
  return out;
}

std::string help_of(const Command& command) {
  std::string out = fmt::format("{}\n\nUsage: opledger {} {} [OPTIONS]\n", command.doc, command.name, usage(command));
  std::vector<Row> rows;
  for (const Argument& argument : command.arguments) rows.emplace_back(argument.name, argument.doc);
  add_rows("Arguments", rows, out);
  add_rows("Options", option_rows(command), out);
  add_examples(command.name, out);
  return out;
}

std::string help_of_space(const std::string& space, Library& library, Diagnostics& diagnostics) {
  const Document* const document = library.load(space, {"search"}, diagnostics);
  if (document == nullptr) return {};
  std::vector<Row> rows;
  for (const Catalogue::Row& input : space_inputs(*document).rows) {
    const std::string form = input.facts[2].empty() ? input.facts[0] + ", required" : input.facts[0] + ", default " + input.facts[2];
    rows.emplace_back(input.name, fmt::format("{} ({})", input.doc, form));
  }
  std::string out;
  add_rows(fmt::format("Inputs of the space {} (--set NAME=VALUE), besides those of its accounting", document->name), rows, out);
  return out;
}

std::string help_of_plans(Library& library, Diagnostics& diagnostics) {
  std::string out;
  for (const std::string& name : library.names("plan")) {
    const Document* const plan = library.load(name, {"plan"}, diagnostics);
    if (plan == nullptr) continue;
    std::vector<Row> rows;
    for (const auto& [option, datum] : plan->root.find("options")->entries()) {
      const Datum *const usual = datum.find("default"), *const required = datum.find("required");
      const std::string form = usual != nullptr ? " (" + usual->text() + ")" : required != nullptr && required->boolean() == true ? " (required)" : "";
      rows.emplace_back("--" + option.text() + (datum.find("flag") != nullptr ? "" : " VALUE"), datum.find("doc")->text() + form);
    }
    const Datum* const is_default = plan->root.find("default");
    add_rows(fmt::format("Options of the plan {} ({})", name, is_default != nullptr && is_default->boolean() == true ? "the default" : "--" + name), rows, out);
  }
  return out;
}

}  // namespace opledger
