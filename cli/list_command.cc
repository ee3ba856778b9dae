#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "cli/command.h"
#include "questions/catalogue.h"
#include "report/cells.h"
#include "report/writers.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

constexpr std::size_t kWidestName = 40;
constexpr std::pair<std::string_view, std::string_view> kCalled[] = {{"space", "search"}, {"mapping", "import"}};  // Words of the pages for kinds.

// Returns a note for an unreadable document, with the command that shows its errors if its file is known.
std::string unreadable(const Diagnostics& messages) {
  const auto in_text = std::find_if(messages.all().begin(), messages.all().end(), [](const Diagnostic& message) { return message.span.known(); });
  return in_text == messages.all().end() ? "(it can't be read)" : fmt::format("(it can't be read: opledger validate {})", in_text->span.file->path);
}

std::string first_sentence(const std::string& doc) {
  const std::string text(trim(doc));
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string doc_of(const Document& document) {
  const Datum* doc = document.root.find("doc");
  return doc == nullptr ? "" : first_sentence(doc->text());
}

std::string description_of(const std::string& name, const std::string& kind, Library& library) {
  Diagnostics messages;  // Shown instead of the description: one invalid document must not hide the others.
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
    std::string line = "  " + padded(name, widest, false) + "  " + description_of(name, kind, library);
    if (page.cut) line = shortened(line, page.columns);
    line.erase(line.find_last_not_of(' ') + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += line + "\n";
  }
}

/// A table of texts. Pages for people have the first sentence of each description, wrapped if `broken`; files have
/// one row a line.
class CatalogueReport {
 public:
  CatalogueReport(const Catalogue& catalogue, bool for_people, bool broken) : table_{"rows", catalogue.title, {catalogue.of}, {}} {
    table_.columns.insert(table_.columns.end(), catalogue.facts.begin(), catalogue.facts.end());
    table_.columns.emplace_back("doc");
    if (broken) table_.prose = {"doc"};
    for (const Catalogue::Row& row : catalogue.rows) {
      std::vector<Value>& cells = table_.rows.emplace_back();
      cells.push_back(text_value(row.name));
      for (const std::string& fact : row.facts) cells.push_back(fact.empty() ? Value{} : text_value(fact));
      cells.push_back(for_people ? text_value(docs_.emplace_back(first_sentence(row.doc))) : text_value(row.doc));
    }
  }
  Report report() const {
    Report out;
    out.tables = {table_};
    out.bare = true;
    return out;
  }

 private:
  ReportTable table_;
  std::deque<std::string> docs_;
};

/// Returns the documents of the kinds as a table.
Catalogue documents_of(const std::vector<std::string>& kinds, Library& library) {
  Catalogue out{"Documents", "name", {"kind"}, {}};
  for (const std::string& kind : kinds) {
    for (const std::string& name : library.names(kind)) out.rows.push_back({name, {kind}, description_of(name, kind, library)});
  }
  return out;
}

Outcome catalogue_outcome(const Catalogue& catalogue, const Options& options) {
  const Format format = find_format(options.format).value_or(Format::text);
  std::string text = write(CatalogueReport(catalogue, is_for_people(format), options.page.cut).report(), format, options.page);
  text.erase(0, text.find_first_not_of('\n'));  // Removes the empty line before the title.
  return {std::move(text), {}};
}

}  // namespace

/// Runs `list`. The first word is a kind of document, whose names are listed, or a catalogue, whose entries are listed
/// from a document. Without a word, all documents are listed by kind. As text, each kind is a paragraph with
/// descriptions; other formats give one table. An unreadable document is listed with a note, because one invalid
/// document must not hide the others.
Outcome list_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  std::string word = options.arguments.empty() ? "" : options.arguments[0];
  const std::string document = options.arguments.size() > 1 ? options.arguments[1] : "";
  if (is_catalogue(word)) {
    const std::optional<Catalogue> found = catalogue(word, document, library, diagnostics);
    return found ? catalogue_outcome(*found, options) : Outcome{};
  }
  for (const auto& [called, kind] : kCalled) {
    if (word == called) word = kind;
  }
  std::vector<std::string> known = kind_names();
  if (!word.empty() && find_kind(word) == nullptr) {
    const std::vector<std::string> more = catalogue_names();
    known.insert(known.end(), more.begin(), more.end());
    diagnostics.error(
        {}, fmt::format("`{}` is neither a kind of document nor a kind of content{}: there are {}", word, suggestion(word, known), join(known, ", ")));
    return {};
  }
  if (!document.empty()) {
    diagnostics.error({}, fmt::format("`list {}` lists documents: leave out `{}`", word, document));
    return {};
  }
  if (!word.empty()) known = {word};
  if (options.format != "text") return catalogue_outcome(documents_of(known, library), options);
  Outcome outcome;
  for (const std::string& kind : known) add_kind(kind, options.page, library, outcome.text);
  return outcome;
}

}  // namespace opledger
