#pragma once
#include <optional>
#include <string>
#include <vector>

#include "search/store/checksum.h"
#include "search/store/database.h"

/// Integrity of a store. Its table `checks` has the number of rows and the checksum of every other table and of the
/// tables' definitions. Writers keep `checks` up to date; readers verify it before use.
namespace opledger {

inline constexpr int kStoreApplication = 0x6f706c67;  // SQLite's application id: "oplg"
inline constexpr int kStoreVersion = 2;               // format of the tables; other versions are refused
/// Name of the row of `checks` for the definitions of tables.
inline constexpr const char* kDefinitions = "(definitions)";

/// The statement that creates `checks`.
extern const char* const kCreateChecks;

/// Returns the names of all rows of `checks`.
std::vector<std::string> checked_tables();

/// Computes the checksum of a table's current content. Returns nothing if the table can't be read; the database has
/// the problem.
std::optional<Checksum> checksum_of(Database& database, const std::string& table);
/// Returns the checksum in `checks`; nothing if the table has none or `checks` can't be read.
std::optional<Checksum> stored_checksum(Database& database, const std::string& table);
/// Writes a checksum into `checks`. Returns false on failure; the database has the problem.
bool store_checksum(Database& database, const std::string& table, const Checksum& sum);

/// Returns the last failure as the end of a sentence whose subject is the file.
std::string problem_of(const Database& database);
/// Returns why the file must not be read, as the end of a sentence such as `is damaged: …`; empty if the store is
/// intact. Call it inside the transaction that reads, so that no writer can change the file in between.
std::string integrity_problem(Database& database);

}  // namespace opledger
