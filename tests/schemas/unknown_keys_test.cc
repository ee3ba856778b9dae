#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/schema.h"
#include "tests/paths.h"

namespace opledger {
namespace {

constexpr const char* kFolders[] = {"accounting", "executions", "measurements", "models",  "ops",        "orders",
                                    "rules",      "searches",   "stacks",       "systems", "validations"};
constexpr const char* kUnknown = "unknown_zq";

/// A mapping of a document, and the schema that its contents choose.
struct Site {
  std::string path;  ///< Of keys: `[]` is any item of a list, `*` any name that the schema leaves to the author.
  const Datum* map = nullptr;
  bool closed = false;  ///< The schema lists all keys.
};

bool fits(const Schema& schema, const Datum& datum) {
  Diagnostics unheard;
  return check_schema(schema, datum, unheard);
}

const Schema* chosen(const Schema* schema, const Datum& datum) {
  while (schema != nullptr) {
    if (schema->reference != nullptr) {
      schema = schema->reference;
    } else if (schema->condition != nullptr) {
      schema = (fits(*schema->condition, datum) ? schema->consequence : schema->alternative).get();
    } else if (!schema->one_of.empty() || !schema->any_of.empty()) {
      const std::vector<Schema::Child>& choices = schema->one_of.empty() ? schema->any_of : schema->one_of;
      const auto found = std::find_if(choices.begin(), choices.end(), [&](const Schema::Child& c) { return fits(*c, datum); });
      schema = found == choices.end() ? nullptr : found->get();
    } else {
      return schema;
    }
  }
  return nullptr;
}

void collect(const Schema* schema, const Datum& datum, const std::string& path, std::vector<Site>& out) {
  schema = chosen(schema, datum);
  if (datum.is_map()) out.push_back({path, &datum, schema != nullptr && schema->additional != nullptr && schema->additional->never});
  for (const auto& [key, value] : datum.entries()) {
    const Schema* inner = nullptr;
    bool listed = false;
    if (schema != nullptr) {
      const auto property = schema->properties.find(key.text());
      listed = property != schema->properties.end();
      inner = listed ? property->second.get() : schema->additional.get();
    }
    collect(inner, value, path + "." + (listed ? key.text() : "*"), out);
  }
  for (const Datum& item : datum.items()) collect(schema == nullptr ? nullptr : schema->items.get(), item, path + "[]", out);
}

/// The document with one more key in the mapping `at`.
Datum with_key(const Datum& datum, const Datum* at, const Datum::Entry& added) {
  if (datum.is_list()) {
    std::vector<Datum> items;
    for (const Datum& item : datum.items()) items.push_back(with_key(item, at, added));
    return Datum::list(std::move(items), datum.span());
  }
  if (!datum.is_map()) return datum;
  std::vector<Datum::Entry> entries;
  for (const auto& entry : datum.entries()) entries.emplace_back(entry.first, with_key(entry.second, at, added));
  if (&datum == at) entries.push_back(added);
  return Datum::map(std::move(entries), datum.span());
}

/// Whether a message is about the key, stands at its place, and names at most six known keys.
bool told(const Diagnostics& diagnostics, const Span& at) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& d) {
    const std::size_t known = d.message.find("known keys: ");
    if (d.severity != Severity::error || d.span.line != at.line || d.span.column != at.column || known == std::string::npos) return false;
    const auto quotes = std::count(d.message.begin() + static_cast<std::ptrdiff_t>(known), d.message.end(), '`');
    return d.message.find(fmt::format("unknown key `{}`", kUnknown)) == 0 && quotes >= 2 && quotes <= 12;
  });
}

}  // namespace

TEST_CASE("an unknown key is refused in every mapping of shipped documents whose keys a schema lists") {
  std::set<std::pair<std::string, std::string>> closed, open;
  std::size_t documents = 0;
  for (const char* folder : kFolders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(source_folder()) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      Diagnostics diagnostics;
      const std::optional<Datum> root = parse_document(read_source(entry.path(), diagnostics), diagnostics);
      REQUIRE(root);
      const Datum* kind = root->find("kind");
      if (kind == nullptr) continue;
      ++documents;
      std::vector<Site> sites;
      collect(find_schema(kind->text()), *root, kind->text(), sites);
      for (const Site& site : sites) {
        if (!(site.closed ? closed : open).emplace(kind->text(), site.path).second || !site.closed) continue;
        CAPTURE(entry.path().string());
        CAPTURE(site.path);
        const Span at{site.map->span().file, site.map->span().line, site.map->span().column + 1};
        const Datum key = Datum::scalar(kUnknown, false, at), number = Datum::scalar("1", false, at);
        for (const Datum& value : {number, Datum::map({{Datum::scalar("inner", false, at), number}}, at)}) {
          Diagnostics refused;
          CHECK_FALSE(check_schema(kind->text(), with_key(*root, site.map, {key, value}), refused));
          CHECK_MESSAGE(told(refused, at), render(refused));
        }
      }
    }
  }
  MESSAGE(fmt::format("{} documents: {} paths of mappings with listed keys, {} of mappings with names of an author or of another document", documents,
                      closed.size(), open.size()));
  CHECK(documents > 300);
  CHECK(closed.size() > 50);
}

}  // namespace opledger
