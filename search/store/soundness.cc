#include "search/store/soundness.h"

#include <fmt/core.h>

namespace opledger {
namespace {

/// The tables of a store, and what orders their rows.
constexpr std::pair<const char*, const char*> kTables[] = {{"search", "name"}, {"axes", "position"},  {"metrics", "position"}, {"cells", "rowid"},
                                                           {"parts", "part"},  {"reasons", "reason"}, {"state", "rowid"},      {"candidates", "rowid"}};

const std::string kOtherTables = "its tables are not those that the search made";

/// Triggers too, which write what the search doesn't; indexes and views of the user's own change nothing.
std::string select_definitions() {
  std::string names = "'checks'";
  for (const auto& [table, _] : kTables) names += fmt::format(", '{}'", table);
  return fmt::format("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' OR name IN ({}) ORDER BY type, name", names);
}

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

/// What a PRAGMA says.
std::optional<std::string> fact(Database& database, const std::string& name) {
  const auto row = database.prepare("PRAGMA " + name);
  return row != nullptr && row->step() ? std::optional(row->text(0)) : std::nullopt;
}

std::string no_store(Database& database) {
  const std::optional<std::string> application = fact(database, "application_id"), version = fact(database, "user_version");
  if (!application || !version) return problem_of(database);
  if (*application != std::to_string(kStoreApplication)) return "is no store of a search";
  if (*version != std::to_string(kStoreVersion)) return fmt::format("is a store of version {}, this program knows version {}", *version, kStoreVersion);
  return {};
}

std::string differs(Database& database, const std::string& table) {
  const std::optional<Checksum> noted = noted_checksum(database, table);
  if (!noted && database.corrupt()) return problem_of(database);
  if (!noted) return damaged(table == kDefinitions ? kOtherTables : fmt::format("nothing says what table `{}` had", table));
  const std::optional<Checksum> now = checksum_of(database, table);
  if (!now) return problem_of(database);
  if (table != kDefinitions && now->rows() != noted->rows())
    return damaged(fmt::format("table `{}` has {} row{}, the search wrote {}", table, now->rows(), now->rows() == 1 ? "" : "s", noted->rows()));
  if (now->sum() == noted->sum()) return {};
  return damaged(table == kDefinitions ? kOtherTables : fmt::format("table `{}` was changed", table));
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

std::optional<Checksum> noted_checksum(Database& database, const std::string& table) {
  const auto row = database.prepare("SELECT rows, checksum FROM checks WHERE name = ?");
  if (row == nullptr) return std::nullopt;
  row->bind(1, std::string_view(table));
  if (!row->step()) return std::nullopt;
  return Checksum(static_cast<std::uint64_t>(row->integer(0)), static_cast<std::uint32_t>(row->integer(1)));
}

bool note_checksum(Database& database, const std::string& table, const Checksum& sum) {
  const auto row = database.prepare("INSERT OR REPLACE INTO checks VALUES (?, ?, ?)");
  if (row == nullptr) return false;
  row->bind(1, std::string_view(table));
  row->bind(2, static_cast<std::int64_t>(sum.rows()));
  row->bind(3, static_cast<std::int64_t>(sum.sum()));
  row->step();
  return !row->broken();
}

std::string unsound(Database& database) {
  if (std::string why = no_store(database); !why.empty()) return why;
  const std::optional<std::string> pages = fact(database, "integrity_check(1)");
  if (!pages) return problem_of(database);
  if (*pages != "ok") return damaged("SQLite finds pages that don't fit together");
  for (const std::string& table : checked_tables()) {
    if (std::string why = differs(database, table); !why.empty()) return why;
  }
  return {};
}

}  // namespace opledger
