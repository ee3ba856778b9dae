#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "report/cells.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

constexpr std::size_t kWidestName = 40;

// A command that tells why, if there is a text to tell it of.
std::string unreadable(const Diagnostics& messages) {
  const auto in_text = std::find_if(messages.all().begin(), messages.all().end(), [](const Diagnostic& message) { return message.span.known(); });
  return in_text == messages.all().end() ? "(it can't be read)" : fmt::format("(it can't be read: opledger validate {})", in_text->span.file->path);
}

// The first sentence of its `doc`.
std::string doc_of(const Document& document) {
  const Datum* doc = document.root.find("doc");
  if (doc == nullptr) return {};
  const std::string text(trim(doc->text()));
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string told(const std::string& name, const std::string& kind, Library& library) {
  Diagnostics messages;  // one bad document must not hide the others
  const Document* document = library.load(name, {kind}, messages);
  return document == nullptr ? unreadable(messages) : doc_of(*document);
}

void add_kind(const std::string& kind, const PageSize& page, Library& library, std::string& out) {
  const std::vector<std::string> names = library.names(kind);
  if (names.empty()) return;
  std::size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, std::min(width(name), kWidestName));
  out += fmt::format("{}{}\n", out.empty() ? "" : "\n", kind);
  for (const std::string& name : names) {
    std::string line = "  " + padded(name, widest, false) + "  " + told(name, kind, library);
    if (page.cut) line = shortened(line, page.columns);
    line.erase(line.find_last_not_of(' ') + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += line + "\n";
  }
}

}  // namespace

Outcome list_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  Outcome outcome;
  if (options.arguments.empty()) {
    for (const std::string& kind : kind_names()) add_kind(kind, options.page, library, outcome.text);
    return outcome;
  }
  const std::string& kind = options.arguments[0];
  if (find_kind(kind) == nullptr) {
    diagnostics.error({}, fmt::format("`{}` is no kind of document{}: there are {}", kind, suggestion(kind, kind_names()), join(kind_names(), ", ")));
    return {};
  }
  add_kind(kind, options.page, library, outcome.text);
  return outcome;
}

}  // namespace opledger
