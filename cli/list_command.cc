#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "report/cells.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

constexpr std::size_t kPageWidth = 100;
constexpr std::size_t kWidestName = 40;

std::string doc_of(const std::string& name, const std::string& kind, Library& library) {
  Diagnostics unreadable;  // one bad document must not hide the others
  const Document* document = library.load(name, {kind}, unreadable);
  if (document == nullptr) return fmt::format("(it can't be read: opledger validate {})", name);
  const Datum* doc = document->root.find("doc");
  if (doc == nullptr) return {};
  const std::string text(trim(doc->text()));
  const std::size_t end = text.find(". ");  // of its first sentence
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

void add_kind(const std::string& kind, Library& library, std::string& out) {
  const std::vector<std::string> names = library.names(kind);
  if (names.empty()) return;
  std::size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, std::min(width(name), kWidestName));
  out += fmt::format("{}{}\n", out.empty() ? "" : "\n", kind);
  for (const std::string& name : names) {
    std::string line = "  " + padded(name, widest, false) + "  " + shortened(doc_of(name, kind, library), kPageWidth - widest - 4);
    line.erase(line.find_last_not_of(' ') + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += line + "\n";
  }
}

}  // namespace

Outcome list_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  Outcome outcome;
  if (options.arguments.empty()) {
    for (const std::string& kind : kind_names()) add_kind(kind, library, outcome.text);
    return outcome;
  }
  const std::string& kind = options.arguments[0];
  if (find_kind(kind) == nullptr) {
    diagnostics.error({}, fmt::format("`{}` is no kind of document{}: there are {}", kind, suggestion(kind, kind_names()), join(kind_names(), ", ")));
    return {};
  }
  add_kind(kind, library, outcome.text);
  return outcome;
}

}  // namespace opledger
