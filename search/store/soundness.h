#pragma once
#include <optional>
#include <string>
#include <vector>

#include "search/store/checksum.h"
#include "search/store/database.h"

/// Whether a store is as a search left it. Its table `checks` has a row for each other one (and for their definitions): how many rows it has, and their
/// checksum. Those who write keep it up; those who read ask before they believe anything.
namespace opledger {

inline constexpr int kStoreApplication = 0x6f706c67;  // "oplg"
inline constexpr int kStoreVersion = 2;
/// The row of what tables are like.
inline constexpr const char* kDefinitions = "(definitions)";

/// The statement that makes `checks`.
extern const char* const kCreateChecks;

/// Names of all that is checked.
std::vector<std::string> checked_tables();

/// Of what the table has now; empty, and the database has a problem, if it can't be read.
std::optional<Checksum> checksum_of(Database& database, const std::string& table);
/// What `checks` says of it; empty: nothing.
std::optional<Checksum> noted_checksum(Database& database, const std::string& table);
/// False: the database has a problem.
bool note_checksum(Database& database, const std::string& table, const Checksum& sum);

/// Why it can't be read, as the end of a sentence, after something failed.
std::string problem_of(const Database& database);
/// Why the file is not to be read, as the end of a sentence: `is damaged: …`, `is no store of a search`. Empty: all is as it was left. Asked within a
/// transaction, so that nobody writes meanwhile.
std::string unsound(Database& database);

}  // namespace opledger
