#include "search/store/store.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "search/store/value_pairs.h"

namespace opledger {
namespace {

constexpr std::uint64_t kRowsAtOnce = 1 << 16;                          // candidates after which a transaction is committed
constexpr const char* kWaitForReaders = "PRAGMA busy_timeout = 60000";  // a commit waits for concurrent readers

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::vector<std::string> store_columns(const CandidateColumns& columns) {
  std::vector<std::string> out;
  std::set<std::string> used = {"part"};
  for (const auto* names : {&columns.axes(), &columns.metrics()}) {
    for (std::string name : *names) {
      while (!used.insert(lower(name)).second) name += '_';
      out.push_back(std::move(name));
    }
  }
  return out;
}

void bind(Database::Statement& statement, int at, const Value& value) {
  if (value.kind == Value::Kind::truth)
    statement.bind(at, std::string_view(value.scalar.value != 0 ? "true" : "false"));
  else if (value.text != nullptr)
    statement.bind(at, std::string_view(*value.text));
  else if (!value.is_number())
    statement.bind_null(at);
  else if (value.scalar.exact && std::abs(value.scalar.value) < 9e15)
    statement.bind(at, static_cast<std::int64_t>(value.scalar.value));
  else
    statement.bind(at, value.scalar.value);
}

bool Store::fail(Diagnostics& diagnostics) {
  if (database_->corrupt()) return refuse(problem_of(*database_), diagnostics);
  diagnostics.error({}, fmt::format("can't write `{}`: {}", path_, database_->problem()));
  return false;
}

bool Store::refuse(const std::string& why, Diagnostics& diagnostics) const {
  diagnostics.error({}, fmt::format("`{}` {}", path_, why));
  return false;
}

bool Store::open(const Description& description, Space& space, const CandidateColumns& columns, Tally& before, Diagnostics& diagnostics) {
  // Opens a store for writing, and leaves a transaction open for the first ranges. A new or empty file gets its tables
  // and checksums in a transaction of its own. An existing store is continued only on request (`resume`); it is
  // verified before anything is written, and `before` receives its results. Then two statements are prepared: `row_`
  // inserts a candidate, `part_` a candidate range. Both add each row to a checksum as the row is bound, so checksums
  // need no second pass.
  path_ = description.path;
  columns_ = &columns;
  axes_ = space.axes.size();
  std::error_code error;
  const bool exists = std::filesystem::exists(path_, error);
  if (std::filesystem::is_directory(path_, error)) return refuse("is a folder", diagnostics);
  if (exists && !std::filesystem::is_regular_file(path_, error)) return refuse("is no regular file: it can't hold a store", diagnostics);
  const bool continues = exists && std::filesystem::file_size(path_, error) > 0;
  if (continues && !description.resume) return refuse("already exists: `--resume` continues its search; another name begins a new one", diagnostics);
  database_ = std::make_unique<Database>();
  if (!database_->open(path_, true) || !begin()) return fail(diagnostics);
  if (!(continues ? read(description, before, diagnostics) : create(description, space, diagnostics))) return false;
  std::string marks = "?";
  for (std::size_t c = 0; c < columns.axes().size() + columns.metrics().size(); ++c) marks += ", ?";
  row_ = database_->prepare("INSERT INTO candidates VALUES (" + marks + ")");
  part_ = database_->prepare("INSERT INTO parts VALUES (?, ?, ?)");
  if (row_ == nullptr || part_ == nullptr || !database_->run(kWaitForReaders)) return fail(diagnostics);
  row_->sum_into(row_sum_);
  part_->sum_into(part_sum_);
  return true;
}

bool Store::create(const Description& description, Space& space, Diagnostics& diagnostics) {
  return (create_tables(description) && write_cells(space, diagnostics) && update_checks(checked_tables()) && database_->run("COMMIT") && begin()) ||
         fail(diagnostics);
}

bool Store::begin() { return database_->run("BEGIN IMMEDIATE"); }

/// Creates the tables of a new store and writes the rows that are known from the start. `search` has facts: documents,
/// identity, objective, state of completion. `axes` and `metrics` describe the columns; their own column `column` has
/// the name in `candidates`, which may differ from the name of the axis or metric. Columns of axes and metrics in
/// `candidates` have no types, so SQLite keeps each value as it was bound. `state` starts with no ranges and an empty
/// tally. Returns false on failure; the database has the problem.
bool Store::create_tables(const Description& description) {
  const std::vector<std::string> names = store_columns(*columns_);
  std::string candidates;
  for (const std::string& name : names) candidates += ", " + quoted_name(name);
  if (!database_->run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};"
                                  "CREATE TABLE search (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                                  "CREATE TABLE axes (position INTEGER PRIMARY KEY, name TEXT, \"column\" TEXT, unit TEXT);"
                                  "CREATE TABLE metrics (position INTEGER PRIMARY KEY, name TEXT, \"column\" TEXT, unit TEXT, doc TEXT);"
                                  "CREATE TABLE cells (outer_axis TEXT, inner_axis TEXT, outer_value, inner_value);"
                                  "CREATE TABLE candidates (part INTEGER{});"
                                  "CREATE TABLE parts (part INTEGER PRIMARY KEY, candidates INTEGER, feasible INTEGER);"
                                  "CREATE TABLE reasons (reason TEXT PRIMARY KEY, candidates INTEGER) WITHOUT ROWID;"
                                  "CREATE TABLE state (parts INTEGER, found BLOB);{}",
                                  kStoreApplication, kStoreVersion, candidates, kCreateChecks)))
    return false;
  const auto fact = database_->prepare("INSERT INTO search VALUES (?, ?)");
  std::vector<std::pair<std::string, std::string>> facts = description.facts;
  facts.insert(facts.end(), {{"identity", description.identity},
                             {"complete", "false"},
                             {"objective", description.objective},
                             {"best", description.maximize ? "largest" : "smallest"},
                             {"version", OPLEDGER_VERSION}});
  for (const auto& [name, value] : facts) {
    fact->bind(1, std::string_view(name));
    fact->bind(2, std::string_view(value));
    fact->step();
    if (fact->broken()) return false;
  }
  const auto axis = database_->prepare("INSERT INTO axes VALUES (?, ?, ?, ?)"), metric = database_->prepare("INSERT INTO metrics VALUES (?, ?, ?, ?, ?)");
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::size_t m = c - columns_->axes().size();
    const bool is_axis = c < columns_->axes().size();
    Database::Statement& out = is_axis ? *axis : *metric;
    out.bind(1, static_cast<std::int64_t>(is_axis ? c : m));
    out.bind(2, std::string_view(is_axis ? columns_->axes()[c] : columns_->metrics()[m]));
    out.bind(3, std::string_view(names[c]));
    out.bind(4, std::string_view(is_axis ? columns_->axis_unit(c) : columns_->metric_unit(m)));
    if (!is_axis) out.bind(5, std::string_view(columns_->docs()[m]));
    out.step();
    if (out.broken()) return false;
  }
  return database_->run("INSERT INTO state VALUES (0, x'')");
}

/// Writes the pairs of values of every two axes into table `cells`, the outer axis first. A map can then show
/// infeasible pairs, which have no rows in `candidates`. Values are written as in the rows: words as texts, numbers in
/// base units. The table stays empty if there are too many pairs (`ValuePairs`). Returns false if a row can't be
/// written.
bool Store::write_cells(Space& space, Diagnostics& diagnostics) {
  const auto cell = database_->prepare("INSERT INTO cells VALUES (?, ?, ?, ?)");
  if (cell == nullptr) return false;
  const Program& program = space.run->program();
  for (const auto& [axes, values] : ValuePairs(space, diagnostics).take()) {
    const Name& outer = *space.axes[axes.first].input;
    const Name& inner = *space.axes[axes.second].input;
    for (const auto& [first, second] : values) {
      cell->bind(1, std::string_view(outer.name));
      cell->bind(2, std::string_view(inner.name));
      bind(*cell, 3, input_value(program, outer.type, first));
      bind(*cell, 4, input_value(program, inner.type, second));
      cell->step();
      if (cell->broken()) return false;
    }
  }
  return true;
}

/// Restores the state of a store that is continued. The checks go from general to particular: integrity of the file,
/// identity of the search, readable state. `ranges_` becomes the number of ranges written; `before` receives the tally
/// (counts, sums, best candidates) of these ranges. The checksums of `candidates` and `parts` continue from their
/// stored values, because further rows are added to them. Returns false, with an error, if a check fails.
bool Store::read(const Description& description, Tally& before, Diagnostics& diagnostics) {
  if (const std::string why = integrity_problem(*database_); !why.empty()) return refuse(why, diagnostics);
  const auto value = [&](const char* name) {
    const auto fact = database_->prepare(fmt::format("SELECT value FROM search WHERE name = '{}'", name));
    return fact != nullptr && fact->step() ? std::optional(fact->text(0)) : std::nullopt;
  };
  const std::optional<std::string> identity = value("identity"), complete = value("complete");
  if (!identity || !complete) return refuse("is damaged", diagnostics);
  if (*identity != description.identity)
    return refuse("holds a different search: other documents, settings, metrics or another version of the program", diagnostics);
  complete_ = *complete == "true";
  const auto state = database_->prepare("SELECT parts, found FROM state");
  if (state == nullptr || !state->step() || state->integer(0) < 0) return refuse("is damaged", diagnostics);
  ranges_ = static_cast<std::uint64_t>(state->integer(0));
  if (ranges_ > 0 && !unpack(state->text(1), axes_, before)) return refuse("is damaged", diagnostics);
  const std::optional<Checksum> rows = stored_checksum(*database_, "candidates"), parts = stored_checksum(*database_, "parts");
  if (!rows || !parts) return refuse("is damaged", diagnostics);
  row_sum_ = *rows;
  part_sum_ = *parts;
  return true;
}

bool Store::add(const RangeResult& found, Diagnostics& diagnostics) {
  // Writes the result of the next candidate range: a row of `parts` with its counts, and a row of `candidates` for each
  // feasible candidate. The state of a continued search (number of ranges, packed tally, reasons) and the checksums are
  // written only before a commit. A crash before the commit rolls the rows back, so rows and state always agree. The
  // transaction is committed once kRowsAtOnce evaluated candidates have accumulated, and the next transaction begins.
  part_->bind(1, static_cast<std::int64_t>(found.range.number));
  part_->bind(2, static_cast<std::int64_t>(found.tally.candidates));
  part_->bind(3, static_cast<std::int64_t>(found.tally.feasible));
  part_->step();
  if (part_->broken() || !write_rows(found)) return fail(diagnostics);
  ranges_ = found.range.number + 1;
  found_ = packed(found.total);
  reasons_ = found.total.infeasible;
  waiting_ += found.tally.candidates;
  if (waiting_ < kRowsAtOnce) return true;
  waiting_ = 0;
  return (write_state() && database_->run("COMMIT") && begin()) || fail(diagnostics);
}

bool Store::write_rows(const RangeResult& found) {
  const std::size_t axes = columns_->axes().size();
  for (std::size_t row = 0; row < found.rows.count; ++row) {
    row_->bind(1, static_cast<std::int64_t>(found.range.number));
    for (std::size_t a = 0; a < axes; ++a) bind(*row_, static_cast<int>(a + 2), columns_->axis(a, found.rows.values_of(row)));
    for (std::size_t m = 0; m < found.rows.metrics; ++m) bind(*row_, static_cast<int>(axes + m + 2), columns_->metric(m, found.rows.costs_of(row)[m]));
    row_->step();
    if (row_->broken()) return false;
  }
  return true;
}

/// Writes the state from which a search continues: the number of ranges, the packed tally of all ranges (`found_`), and
/// the number of refused candidates for each reason. Then the checksums of all tables that changed are updated. Small
/// tables are read again; `candidates` and `parts` have running checksums. Returns false on failure; the database has
/// the problem.
bool Store::write_state() {
  if (found_.empty()) return true;  // no range was added since the store was opened
  const auto state = database_->prepare("UPDATE state SET parts = ?, found = ?");
  const auto reason = database_->prepare("INSERT OR REPLACE INTO reasons VALUES (?, ?)");
  if (state == nullptr || reason == nullptr) return false;
  state->bind(1, static_cast<std::int64_t>(ranges_));
  state->bind_bytes(2, found_);
  state->step();
  for (const auto& [text, count] : reasons_) {
    reason->bind(1, std::string_view(text));
    reason->bind(2, static_cast<std::int64_t>(count));
    reason->step();
    if (reason->broken()) return false;
  }
  return !state->broken() && update_checks({"state", "reasons"}) && store_checksum(*database_, "candidates", row_sum_) &&
         store_checksum(*database_, "parts", part_sum_);
}

/// Recomputes the checksums of small tables by reading the tables again.
bool Store::update_checks(const std::vector<std::string>& tables) {
  return std::all_of(tables.begin(), tables.end(), [&](const std::string& table) {
    const std::optional<Checksum> sum = checksum_of(*database_, table);
    return sum && store_checksum(*database_, table, *sum);
  });
}

bool Store::finish(bool complete, Diagnostics& diagnostics) {
  complete_ = complete_ || complete;
  const bool marked = !complete_ || (database_->run("UPDATE search SET value = 'true' WHERE name = 'complete'") && update_checks({"search"}));
  return (marked && write_state() && database_->run("COMMIT")) || fail(diagnostics);
}

}  // namespace opledger
