#include "search/store/integrity.h"

#include <fmt/core.h>

namespace opledger {
namespace {

/// The tables of a store, and the column that orders their rows.
constexpr std::pair<const char*, const char*> kTables[] = {{"search", "name"}, {"axes", "position"},  {"metrics", "position"}, {"cells", "rowid"},
                                                           {"parts", "part"},  {"reasons", "reason"}, {"state", "rowid"},      {"candidates", "rowid"}};

const std::string kChangedTables = "its tables are not as the search created them";

/// Returns the query for the definitions to check. Triggers are included, because a foreign trigger could write rows.
/// Indexes and views of the user are allowed: the content stays the same.
std::string select_definitions() {
  std::string names = "'checks'";
  for (const auto& [table, _] : kTables) names += fmt::format(", '{}'", table);
  return fmt::format("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' OR name IN ({}) ORDER BY type, name", names);
}

/// Returns the query for the rows of a table in a fixed order; empty for an unknown table.
std::string select(const std::string& table) {
  if (table == kDefinitions) return select_definitions();
  for (const auto& [name, order] : kTables) {
    if (table == name) return fmt::format("SELECT * FROM {} ORDER BY {}", name, order);
  }
  return {};
}

void add(Checksum& sum, const Database::Statement& row, int column) {
  using Kind = Database::Statement::Kind;
  switch (row.kind(column)) {
    case Kind::null:
      return sum.add_null();
    case Kind::integer:
      return sum.add(row.integer(column));
    case Kind::real:
      return sum.add(row.number(column));
    case Kind::text:
      return sum.add_text(row.view(column));
    case Kind::bytes:
      return sum.add_bytes(row.view(column));
  }
}

std::string damaged(const std::string& why) { return "is damaged: " + why; }

/// Returns the value of a PRAGMA.
std::optional<std::string> pragma(Database& database, const std::string& name) {
  const auto row = database.prepare("PRAGMA " + name);
  return row != nullptr && row->step() ? std::optional(row->text(0)) : std::nullopt;
}

/// Checks application id and version before anything else is read.
std::string format_problem(Database& database) {
  const std::optional<std::string> application = pragma(database, "application_id"), version = pragma(database, "user_version");
  if (!application || !version) return problem_of(database);
  if (*application != std::to_string(kStoreApplication)) return "is no store of a search";
  if (*version != std::to_string(kStoreVersion)) return fmt::format("is a store of version {}, this program knows version {}", *version, kStoreVersion);
  return {};
}

/// Compares a table with its row in `checks`: first the number of rows, for a more useful message, then the checksum.
std::string table_problem(Database& database, const std::string& table) {
  const std::optional<Checksum> stored = stored_checksum(database, table);
  if (!stored && database.corrupt()) return problem_of(database);
  if (!stored) return damaged(table == kDefinitions ? kChangedTables : fmt::format("the checksum of table `{}` is missing", table));
  const std::optional<Checksum> now = checksum_of(database, table);
  if (!now) return problem_of(database);
  if (table != kDefinitions && now->rows() != stored->rows())
    return damaged(fmt::format("table `{}` has {} row{}, the search wrote {}", table, now->rows(), now->rows() == 1 ? "" : "s", stored->rows()));
  if (now->sum() == stored->sum()) return {};
  return damaged(table == kDefinitions ? kChangedTables : fmt::format("table `{}` was changed", table));
}

}  // namespace

const char* const kCreateChecks = "CREATE TABLE checks (name TEXT PRIMARY KEY, rows INTEGER, checksum INTEGER) WITHOUT ROWID;";

std::string problem_of(const Database& database) {
  return (database.corrupt() ? "is damaged, or no store of a search: " : "can't be read: ") + database.problem();
}

std::vector<std::string> checked_tables() {
  std::vector<std::string> out = {kDefinitions};
  for (const auto& [table, _] : kTables) out.emplace_back(table);
  return out;
}

std::optional<Checksum> checksum_of(Database& database, const std::string& table) {
  const auto rows = database.prepare(select(table));
  if (rows == nullptr) return std::nullopt;
  Checksum out;
  const int columns = rows->columns();
  while (rows->step()) {
    for (int column = 0; column < columns; ++column) add(out, *rows, column);
    out.end_row();
  }
  return rows->broken() ? std::nullopt : std::optional(out);
}

std::optional<Checksum> stored_checksum(Database& database, const std::string& table) {
  const auto row = database.prepare("SELECT rows, checksum FROM checks WHERE name = ?");
  if (row == nullptr) return std::nullopt;
  row->bind(1, std::string_view(table));
  if (!row->step()) return std::nullopt;
  return Checksum(static_cast<std::uint64_t>(row->integer(0)), static_cast<std::uint32_t>(row->integer(1)));
}

bool store_checksum(Database& database, const std::string& table, const Checksum& sum) {
  const auto row = database.prepare("INSERT OR REPLACE INTO checks VALUES (?, ?, ?)");
  if (row == nullptr) return false;
  row->bind(1, std::string_view(table));
  row->bind(2, static_cast<std::int64_t>(sum.rows()));
  row->bind(3, static_cast<std::int64_t>(sum.sum()));
  row->step();
  return !row->broken();
}

std::string integrity_problem(Database& database) {
  // Checks from cheap to expensive: format, pages of the file by SQLite itself, then the checksum of every table.
  if (std::string why = format_problem(database); !why.empty()) return why;
  const std::optional<std::string> pages = pragma(database, "integrity_check(1)");
  if (!pages) return problem_of(database);
  if (*pages != "ok") return damaged("SQLite finds pages that don't fit together");
  for (const std::string& table : checked_tables()) {
    if (std::string why = table_problem(database, table); !why.empty()) return why;
  }
  return {};
}

}  // namespace opledger
