#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/document_checks.h"
#include "schemas/checker.h"
#include "schemas/kinds.h"
#include "schemas/schema.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/random_count.h"
#include "tests/support/shipped.h"

/// Adds an unknown key to every mapping of every shipped document, once for each kind of document and path of keys,
/// and gives every value a wrong shape, once for each path and shape. A document is written with many changes at once
/// and checked as `opledger validate` does. Changes without a message are checked again without the reported ones,
/// until no further change is reported: an error may hide later errors.
namespace opledger {
namespace {

namespace fs = std::filesystem;

/// A place in a document: a mapping that gets a further key, or a value that gets another shape.
struct Site {
  std::string path;  ///< Keys from the root. `[]` is any item of a list; `*` is any name that the author chooses.
  const Datum* at = nullptr;
  const Schema* schema = nullptr;  ///< Schema of the value; null if the schema does not describe it.
};

bool fits(const Schema& schema, const Datum& datum) {
  Diagnostics unread;
  return check_schema(schema, datum, unread);
}

/// Returns the schema of a value after references, conditions and alternatives; null if none is known.
const Schema* chosen(const Schema* schema, const Datum& datum) {
  while (schema != nullptr) {
    if (schema->reference != nullptr) {
      schema = schema->reference;
    } else if (schema->condition != nullptr) {
      schema = (fits(*schema->condition, datum) ? schema->consequence : schema->alternative).get();
    } else if (!schema->one_of.empty() || (!schema->any_of.empty() && schema->properties.empty())) {
      const std::vector<Schema::Child>& choices = schema->one_of.empty() ? schema->any_of : schema->one_of;
      const auto found = std::find_if(choices.begin(), choices.end(), [&](const Schema::Child& c) { return fits(*c, datum); });
      schema = found == choices.end() ? nullptr : found->get();
    } else {
      return schema;
    }
  }
  return nullptr;
}

/// Fields declared by an accounting have paths of their own.
bool has_declared_fields(const std::string& path) { return path == "system" || path == "execution" || path == "stack"; }

/// Returns whether a value is a record type, whose fields the author names.
bool is_record_type(const Datum& datum, const std::string& path) {
  constexpr const char* kForms[] = {"type", "list", "per", "steps", "points", "tuple"};
  const bool type = path.starts_with("accounting.documents.") && path.find(".default") == std::string::npos;
  return type && datum.is_map() && std::none_of(std::begin(kForms), std::end(kForms), [&](const char* form) { return datum.find(form) != nullptr; });
}

void collect(const Schema* schema, const Datum& datum, const std::string& path, std::vector<Site>& out) {
  out.push_back({is_record_type(datum, path) ? path + " fields" : path, &datum, schema});
  schema = chosen(schema, datum);
  for (const auto& [key, value] : datum.entries()) {
    const auto property = schema != nullptr ? schema->properties.find(key.text()) : decltype(schema->properties.end()){};
    const bool listed = schema != nullptr && property != schema->properties.end();
    const bool named = !listed && schema != nullptr && schema->additional != nullptr && !has_declared_fields(path);
    const Schema* const inner = listed ? property->second.get() : schema != nullptr ? schema->additional.get() : nullptr;
    collect(inner, value, path + "." + (named ? "*" : key.text()), out);
  }
  for (const Datum& item : datum.items()) collect(schema != nullptr ? schema->items.get() : nullptr, item, path + "[]", out);
}

/// Texts by place: a further entry of the mapping or, with `replaced`, a new value.
using Changes = std::map<const Datum*, std::string>;

/// Writes a document with one entry or item a line.
class Writer {
 public:
  Writer(const Changes& changes, bool replaced) : changes_(changes), replaced_(replaced) {}

  std::string text;

  void write(const Datum& datum) {
    const auto change = changes_.find(&datum);
    if (change != changes_.end() && replaced_) {
      text += change->second;
    } else if (datum.is_scalar()) {
      scalar(datum);
    } else if (datum.is_null()) {
      text += "null";
    } else if (datum.is_list()) {
      sequence(datum);
    } else {
      mapping(datum, change != changes_.end() ? change->second : "");
    }
  }

 private:
  void scalar(const Datum& datum) {
    if (!datum.quoted() && (datum.number() || datum.boolean())) {
      text += datum.text();
      return;
    }
    text += '"';
    for (const char c : datum.text()) text += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
    text += '"';
  }

  void sequence(const Datum& datum) {
    const char* before = "[\n";
    for (const Datum& item : datum.items()) {
      text += std::exchange(before, ",\n");
      write(item);
    }
    text += datum.items().empty() ? "[]" : "]";
  }

  void mapping(const Datum& datum, const std::string& added) {
    const char* before = "{\n";
    for (const auto& [key, value] : datum.entries()) {
      text += std::exchange(before, ",\n");
      scalar(Datum::scalar(key.text(), true, {}));
      text += ": ";
      write(value);
    }
    if (!added.empty()) text += std::exchange(before, ",\n") + added;
    text += before[0] == '{' ? "{}" : "}";
  }

  const Changes& changes_;
  bool replaced_;
};

struct Place {
  std::uint32_t line = 0, column = 0;
};

Place place_of(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word), line = text.rfind('\n', at);
  return {static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
          static_cast<std::uint32_t>(line == std::string::npos ? at + 1 : at - line)};
}

/// A copy of the library's documents; one document at a time is changed.
class Workshop {
 public:
  Workshop() : loaded_({folder_.path()}) {
    for (const DocumentKind& kind : kDocumentKinds) copy(std::string(kind.folder));
    for (const DocumentKind& kind : kDocumentKinds) {
      for (const std::string& name : loaded_.names(kind.name)) {
        Diagnostics diagnostics;
        const Document* const document = loaded_.load(name, {std::string(kind.name)}, diagnostics);
        REQUIRE_MESSAGE(document != nullptr, render(diagnostics));
        documents.push_back(document);
      }
    }
  }

  Diagnostics check(const Document& shipped, const std::string& text) {
    ++checks;
    const std::string before = text_of(shipped.path);
    write(shipped.path, text);
    Library library({folder_.path()});
    Diagnostics diagnostics;
    const Document* const document = library.load(shipped.path.string(), {}, diagnostics);
    if (document != nullptr) check_document(*document, shipped.path.string(), {}, library, diagnostics);
    write(shipped.path, before);
    return diagnostics;
  }

  std::vector<const Document*> documents;
  std::size_t checks = 0;

 private:
  void copy(const std::string& folder) {
    const fs::path from = fs::path(source_folder()) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      if (entry.path().extension() == ".yaml") folder_.write(folder + "/" + fs::relative(entry.path(), from).string(), text_of(entry.path()));
    }
  }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  TemporaryFolder folder_;
  Library loaded_;
};

/// A change at a site, with the word that identifies it in messages.
struct Change {
  Site site;
  std::string word, text;
  std::string outcome;  ///< First message of the last check; empty if the change was accepted.
};

/// Returns whether a message at the unknown key names it, with a suggestion or with at most six known names.
bool names_known(const Diagnostics& messages, const Place& at, const std::string& word) {
  return std::any_of(messages.all().begin(), messages.all().end(), [&](const Diagnostic& d) {
    if (d.severity != Severity::error || d.span.line != at.line || d.span.column != at.column) return false;
    if (d.message.find("`" + word + "`") == std::string::npos) return false;
    const std::size_t known = d.message.find("; known ");
    const auto names = known == std::string::npos ? 0 : std::count(d.message.begin() + static_cast<std::ptrdiff_t>(known), d.message.end(), '`') / 2;
    return d.message.find("did you mean") != std::string::npos || (names >= 1 && names <= 6);
  });
}

bool is_error_on_line(const Diagnostics& messages, const Place& at, const std::string&) {
  return std::any_of(messages.all().begin(), messages.all().end(),
                     [&](const Diagnostic& d) { return d.severity == Severity::error && d.span.line == at.line; });
}

std::string written(const Datum& root, const std::vector<Change>& changes, bool replaced) {
  Changes at;
  for (const Change& change : changes) at.emplace(change.site.at, change.text);
  Writer writer(at, replaced);
  writer.write(root);
  return writer.text;
}

/// Returns the changes that no message reports, even if each is checked alone.
template <class Reported>
std::vector<Change> unreported(Workshop& workshop, const Document& document, std::vector<Change> changes, bool replaced, const Reported& is_reported) {
  const auto check = [&](const std::vector<Change>& some) {
    const std::string text = written(document.root, some, replaced);
    const Diagnostics messages = workshop.check(document, text);
    std::vector<Change> left;
    for (const Change& change : some) {
      const bool there = text.find(change.word) != std::string::npos;  // False if another change replaces the enclosing value.
      const Place at = there ? place_of(text, change.word) : Place{};
      if (there && is_reported(messages, at, change.word)) continue;
      left.push_back(change);
      left.back().outcome = messages.all().empty() ? "" : messages.all().front().message;
    }
    return left;
  };
  for (std::size_t before = changes.size() + 1; !changes.empty() && changes.size() < before;) {
    before = changes.size();
    changes = check(changes);
  }
  std::vector<Change> out;
  for (const Change& change : changes) {
    for (Change& left : check({change})) out.push_back(std::move(left));
  }
  return out;
}

/// Returns the documents of a kind, the one with most paths first.
std::vector<std::pair<const Document*, std::vector<Site>>> with_sites(const Workshop& workshop, std::string_view kind) {
  std::vector<std::pair<const Document*, std::vector<Site>>> out;
  for (const Document* document : workshop.documents) {
    if (document->kind != kind) continue;
    collect(find_schema(kind), document->root, document->kind, out.emplace_back(document, std::vector<Site>{}).second);
  }
  const bool runs = kind == "validation";  // A validation computes its runs, so the smallest documents come first.
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& a, const auto& b) { return runs ? a.second.size() < b.second.size() : a.second.size() > b.second.size(); });
  return out;
}

/// A place with names chosen by the author, or with names of things outside the program.
struct Open {
  const char* path;  ///< Path; `...` matches any keys.
  const char* reason;
  bool is_error = false;  ///< Any further name is an error at its line.
};

bool matches(std::string_view pattern, std::string_view path) {
  const std::size_t rest = pattern.find("...");
  if (rest == std::string_view::npos) return pattern == path;
  return path.size() >= pattern.size() - 3 && path.starts_with(pattern.substr(0, rest)) && path.ends_with(pattern.substr(rest + 3));
}

constexpr Open kOpen[] = {
    {"ops.ops", "operators"},
    {"ops.ops.*.attributes", "attributes"},
    {"ops.ops.*.in", "ports"},
    {"ops.ops.*.out", "ports"},
    {"ops.ops.*.weights", "ports"},
    {"ops.ops.*.let", "definitions"},
    {"ops.ops.*.halo", "dimensions of models"},
    {"ops.ops.*.inner", "dimensions of models"},
    {"ops.ops.*.inner.*", "phases"},
    {"ops.ops.*.inner.*.*", "statistics"},
    {"ops.ops.*.moved", "dimensions of models"},
    {"ops.ops.*.carry", "dimensions of models"},
    {"ops.sets", "sets"},
    {"ops.sets.*", "words"},
    {"ops.quantities", "definitions"},
    {"ops.functions", "functions"},
    {"ops.let", "definitions"},
    {"order.let", "definitions"},
    {"order.items", "items"},
    {"blocks.parameters", "parameters"},
    {"blocks.dimensions", "dimensions"},
    {"blocks.grouped", "dimensions"},
    {"blocks.blocks", "blocks"},
    {"blocks.blocks.*.inputs", "tensors"},
    {"blocks.blocks.*.data", "tensors"},
    {"blocks.blocks.*.nodes[]...in.*", "a tensor and its renamed dimensions", true},
    {"blocks.blocks.*.nodes[]...in[]", "a tensor and its renamed dimensions", true},
    {"blocks.blocks.*.nodes[]...weights", "ports, which the graph of a model checks"},
    {"model.graph[].in.*", "a tensor and its renamed dimensions", true},
    {"import.fields.*.type.*.tuple", "parts of an entry"},
    {"import.rules.from_model", "fields of a model's config"},
    {"import.rules.from_model.*", "modules of a checkpoint"},
    {"import.rules.from_model.*.*", "fields of the mapping"},
    {"model.parameters", "parameters"},
    {"model.blocks", "blocks"},
    {"rules.options", "inputs"},
    {"rules.shard[]", "dimensions: some models lack some"},
    {"rules.nodes[].shard[]", "dimensions: some models lack some"},
    {"rules.uneven[]", "dimensions: some models lack some"},
    {"execution.mesh", "axes"},
    {"execution.mesh.*", "axes"},
    {"stack.rules[]", "a rule document and its condition", true},
    {"search.rules[]", "a rule document and its condition", true},
    {"search.mesh", "axes"},
    {"search.mesh.*", "axes"},
    {"search.mesh_orders", "orders"},
    {"search.inputs", "inputs"},
    {"search.metrics", "metrics"},
    {"search.metrics.*", "words of a set, of which all must be there: a wrong one is refused by the search, not by `validate`"},
    {"search.inputs.*", "fields of a type"},
    {"accounting.mesh", "axes"},
    {"accounting.sets", "sets"},
    {"accounting.inputs", "inputs"},
    {"accounting.documents", "roles of documents"},
    {"accounting.documents... fields", "fields of a type"},
    {"accounting.functions", "functions"},
    {"accounting.let", "definitions"},
    {"accounting.let[]", "definitions"},
    {"accounting.quantities", "definitions"},
    {"accounting.metrics", "metrics"},
    {"accounting.metrics.*.let", "definitions"},
    {"accounting.metrics.*.as", "words of a set, of which all must be there: a wrong one is refused at the metric"},
    {"accounting.constraints[].let", "definitions"},
    {"accounting.checks", "checks"},
    {"accounting.checks.*.let", "definitions"},
    {"accounting.compares.*.let", "definitions"},
    {"accounting.compares.*.model.let", "definitions"},
    {"accounting.compares.*.elements", "titles"},
    {"accounting.compares.*.elements.*.pairs", "titles"},
    {"accounting.compares.*.elements.*.quantities", "quantities of the other accounting, which has them by operator"},
    {"accounting.tables", "tables"},
    {"accounting.tables.*.columns", "titles"},
    {"accounting.reports.*[].metrics", "titles"},
    {"accounting.marks.node", "marks"},
    {"accounting.marks.message", "marks"},
    {"accounting.marks.weight", "marks"},
    {"accounting.marks.cached", "marks"},
    {"accounting.marks.saved", "marks"},
    {"accounting.cases", "sets of words"},
    {"accounting.cases.*", "words"},
    {"accounting.play.resident", "titles"},
    {"accounting.play.compared", "titles"},
    {"accounting.play.counted", "titles"},
    {"accounting.commands.explore", "titles"},
    {"accounting.commands.audit", "titles"},
    {"accounting.views", "views"},
    {"accounting.views.*[].series", "titles"},
    {"accounting.views.*[].parts", "titles"},
    {"accounting.find.stages.replaced", "inputs of a run"},
    {"accounting.peers", "groups of processors"},
    {"search.sets", "sets"},
    {"search.let", "definitions"},
    {"plan.options", "options"},
    {"plan.screen.set", "inputs of the searches, as in `plan.searches[].set`"},
    {"plan.searches[].set", "inputs of a space, which has them only with a model: a wrong one is refused by the plan, not by `validate`"},
    {"plan.cures[].set", "inputs of a space"},
    {"plan.variants.set", "inputs of a space"},
    {"plan.variants.otherwise.set", "inputs of a space"},
    {"plan.variants.words", "words of an option"},
    {"plan.completions", "formats of `export`"},
    {"plan.lines", "labels"},
    {"plan.lines.*[].largest", "titles"},
    {"validation.runs", "runs"},
    {"validation.tables", "tables"},
    {"validation.runs.*.execution.mesh...", "axes"},
    {"measurements.columns", "columns of a user's table"},
    {"measurements.columns.*.words", "words in a user's table"},
    {"measurements.seconds", "columns of a user's table"},
    {"measurements.where", "columns of a user's table: those that it lacks do not count"},
    {"import.separate_workers.set", "inputs of the accounting"},
    {"import.separate_workers.lists", "lists of a script"},
    {"import.separate_workers.values", "names in a script"},
    {"import.included_files", "files that another program's document names"},
    {"import.model_names", "names of models on a hub"},
    {"changes.changes", "changes"},
    {"changes.changes.*.set", "fields of an execution"},
    {"import.sets", "sets"},
    {"import.let", "definitions"},
    {"import.functions", "functions"},
    {"import.fields", "fields of another program's documents"},
    {"import.fields.*.words", "words in another program's documents"},
    {"import.fields.*.letters", "letters in another program's documents"},
    {"import.sections", "sections of another program's documents"},
    {"import.refused", "fields of another program's documents"},
    {"import.noted", "fields of another program's documents"},
    {"import.packed", "names in another program's checkpoints"},
    {"import.tensors", "names in another program's checkpoints"},
    {"import.rules.classes", "classes of another program"},
    {"import.model.parameters", "parameters"},
    {"import.model.graph[]...in.*", "a tensor and its renamed dimensions", true},
    {"import.writes.let", "definitions"},
    {"import.execution.*[].*...", "names inside a field of the execution that is written, such as axes: it is read when it is used"},
};

constexpr Open kFreeShapes[] = {
    {"execution.mesh.*...", "an axis may consist of others"},
    {"execution.cases.*.* scalar", "values of names that only some runs have"},
    {"execution.lora_rank scalar", "a parameter of some models, where it may be a formula by words"},
    {"execution.pretraining scalar", "a parameter of some models, where it may be a formula by words"},
    {"...send_gates scalar", "an option of a rule that the document does not list"},
    {"stack.uneven_time scalar", "an option of a rule that the document does not list"},
};

/// Returns the entry for a path and marks it as used; null if the path is closed.
template <std::size_t count>
const Open* find_open(const Open (&all)[count], std::string_view path, std::set<const Open*>& met) {
  const auto found = std::find_if(std::begin(all), std::end(all), [&](const Open& open) { return matches(open.path, path); });
  if (found == std::end(all)) return nullptr;
  met.insert(&*found);
  return &*found;
}

/// Returns whether documents of all kinds are changed. Otherwise only the kind that OPLEDGER_KIND names is, or stacks in builds with assertions.
bool checks_all_kinds() { return std::getenv("OPLEDGER_KIND") == nullptr && testing::one_of(10) == 1; }

bool is_selected(std::string_view kind) {
  const char* const only = std::getenv("OPLEDGER_KIND");
  return checks_all_kinds() || kind == (only != nullptr ? only : "stack");
}

template <std::size_t count>
void check_all_met(const Open (&all)[count], const std::set<const Open*>& met) {
  for (const Open& open : all) CHECK_MESSAGE(met.count(&open) == 1, "no document has this path: " << open.path);
}

/// Returns whether the schema allows a mapping instead of a list or scalar, or a scalar instead of a mapping.
bool takes_shape(const Schema* schema, const Datum& datum) {
  if (schema == nullptr) return true;
  const Datum name = Datum::scalar("unknown", false, {});
  return fits(*schema, datum.is_map() ? name : Datum::map({{name, Datum::scalar("1", false, {})}}, {}));
}

/// Returns an entry with an unknown name and the contents of the mapping's first entry, so that only the name is wrong. Contents of several kinds: a number.
std::string entry_like_first(const Datum& mapping, const std::string& word) {
  const auto& entries = mapping.entries();
  const auto same_kind = [&](const Datum::Entry& entry) { return entry.second.kind() == entries.front().second.kind(); };
  const Changes none;
  Writer writer(none, false);
  if (!entries.empty() && std::all_of(entries.begin(), entries.end(), same_kind)) writer.write(entries.front().second);
  return word + ": " + (writer.text.empty() ? "1" : writer.text);
}

}  // namespace

TEST_CASE("defect newcomer D21: an unknown key is refused in every mapping of every kind of document") {
  Workshop workshop;
  std::set<std::string> paths;
  std::set<const Open*> met;
  std::size_t number = 0, open_paths = 0;
  for (const DocumentKind& kind : kDocumentKinds) {
    if (!is_selected(kind.name)) continue;
    for (const auto& [document, sites] : with_sites(workshop, kind.name)) {
      std::vector<Change> closed, refused, open;
      for (const Site& site : sites) {
        if (!site.at->is_map() || !paths.insert(site.path).second) continue;
        const std::string word = fmt::format("unknown_{}_", number++);
        const Open* const entry = find_open(kOpen, site.path, met);
        std::vector<Change>& into = entry == nullptr ? closed : entry->is_error ? refused : open;
        into.push_back({site, word, entry_like_first(*site.at, word), ""});
      }
      open_paths += open.size();
      const std::string name = document->path.filename().string();
      for (const Change& left : unreported(workshop, *document, closed, false, names_known))
        FAIL_CHECK(left.site.path << " takes an unknown key, in " << name << ": " << left.outcome);
      for (const Change& left : unreported(workshop, *document, refused, false, is_error_on_line))
        FAIL_CHECK(left.site.path << " takes a further key, in " << name << ": " << left.outcome);
      if (open.empty()) continue;
      const std::string text = written(document->root, open, false);
      const Diagnostics messages = workshop.check(*document, text);
      for (const Change& change : open)
        CHECK_MESSAGE(!names_known(messages, place_of(text, change.word), change.word),
                      change.site.path << " refuses an unknown key: take it out of the table");
    }
  }
  if (checks_all_kinds()) check_all_met(kOpen, met);
  MESSAGE(fmt::format("{} kinds x {} paths: {} refuse an unknown key, {} have names of an author; {} checks of documents", std::size(kDocumentKinds),
                      paths.size(), paths.size() - open_paths, open_paths, workshop.checks));
  if (checks_all_kinds()) CHECK(paths.size() > 500);
}

TEST_CASE("defect newcomer D21: a value of a wrong shape is refused in every kind of document") {
  Workshop workshop;
  std::set<std::string> paths;
  std::set<const Open*> met;
  std::size_t number = 0, free_paths = 0;
  for (const DocumentKind& kind : kDocumentKinds) {
    if (!is_selected(kind.name)) continue;
    for (const auto& [document, sites] : with_sites(workshop, kind.name)) {
      std::vector<Change> changes;
      for (const Site& site : sites) {
        if (site.at->is_null() || site.path == kind.name) continue;
        const std::string shape = site.at->is_map() ? " mapping" : site.at->is_list() ? " list" : " scalar";
        if (!paths.insert(site.path + shape).second) continue;
        const std::string word = fmt::format("unknown_{}_", number++);
        const std::string text = site.at->is_map() ? word : "{" + word + ": 1}";
        const bool by_accounting = kind.name == "system" || kind.name == "execution" || kind.name == "stack";
        if ((!by_accounting && takes_shape(site.schema, *site.at)) || find_open(kFreeShapes, site.path + shape, met) != nullptr)
          ++free_paths;
        else
          changes.push_back({site, word, text, ""});
      }
      for (const Change& left : unreported(workshop, *document, changes, true, is_error_on_line))
        FAIL_CHECK(left.site.path << " takes " << left.text << ", in " << document->path.filename().string() << ": " << left.outcome);
    }
  }
  if (checks_all_kinds()) check_all_met(kFreeShapes, met);
  MESSAGE(fmt::format("{} kinds x {} paths and shapes: {} refuse a wrong shape; {} checks of documents", std::size(kDocumentKinds), paths.size(),
                      paths.size() - free_paths, workshop.checks));
}

}  // namespace opledger
