#include "search/store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace opledger {
namespace {

sqlite3* handle_of(void* handle) { return static_cast<sqlite3*>(handle); }
sqlite3_stmt* statement_of(void* handle) { return static_cast<sqlite3_stmt*>(handle); }

/// Returns the system's reason for a file that can't be opened, such as `Permission denied`, because SQLite reports
/// none. Empty if access seems possible.
std::string why_closed(const std::string& path, bool write) {
  if (::access(path.c_str(), write ? R_OK | W_OK : R_OK) == 0) return {};
  if (errno == ENOENT && write) {
    const std::string folder = std::filesystem::path(path).parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return {};
  }
  return std::generic_category().message(errno);
}

}  // namespace

Database::Database() = default;

Database::~Database() { sqlite3_close_v2(handle_of(handle_)); }

bool Database::record_status(int code) {
  // Keeps the text of a failure. SQLite may quote raw bytes of a damaged file: bytes beyond ASCII are replaced,
  // because messages are UTF-8.
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return true;
  corrupt_ = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
  problem_ = handle_ != nullptr ? sqlite3_errmsg(handle_of(handle_)) : sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_BUSY) problem_ = "another search writes it";
  for (char& c : problem_) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  const std::string why = (code & 0xff) == SQLITE_CANTOPEN ? why_closed(path_, write_) : "";  // the upper bits are an extended code
  if (!why.empty()) problem_ += ": " + why;
  return false;
}

bool Database::open(const std::string& path, bool write) {
  path_ = path;
  write_ = write;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_ = handle;
  if (handle != nullptr) sqlite3_busy_timeout(handle, 2000);
  if (handle != nullptr) sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);  // an unknown name in double quotes is an error, not a text
  return record_status(code);
}

bool Database::run(const std::string& statements) { return record_status(sqlite3_exec(handle_of(handle_), statements.c_str(), nullptr, nullptr, nullptr)); }

std::unique_ptr<Database::Statement> Database::prepare(const std::string& statement) {
  std::unique_ptr<Statement> out(new Statement(*this));
  sqlite3_stmt* handle = nullptr;
  const bool good = record_status(sqlite3_prepare_v2(handle_of(handle_), statement.c_str(), -1, &handle, nullptr));
  out->handle_ = handle;
  return good ? std::move(out) : nullptr;
}

Database::Statement::~Statement() { sqlite3_finalize(statement_of(handle_)); }

void Database::Statement::bind(int at, double value) {
  sqlite3_bind_double(statement_of(handle_), at, value);
  if (sum_ != nullptr) sum_->add(value);
}

void Database::Statement::bind(int at, std::int64_t value) {
  sqlite3_bind_int64(statement_of(handle_), at, value);
  if (sum_ != nullptr) sum_->add(value);
}

void Database::Statement::bind(int at, std::string_view text) {
  sqlite3_bind_text(statement_of(handle_), at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  if (sum_ != nullptr) sum_->add_text(text);
}

void Database::Statement::bind_bytes(int at, std::string_view bytes) {
  sqlite3_bind_blob64(statement_of(handle_), at, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  if (sum_ != nullptr) sum_->add_bytes(bytes);
}

void Database::Statement::bind_null(int at) {
  sqlite3_bind_null(statement_of(handle_), at);
  if (sum_ != nullptr) sum_->add_null();
}

bool Database::Statement::step() {
  // A finished statement is reset at once, which releases its read lock.
  const int code = sqlite3_step(statement_of(handle_));
  if (code == SQLITE_ROW) return true;
  failed_ = !owner_.record_status(code);
  sqlite3_reset(statement_of(handle_));
  if (sum_ != nullptr) sum_->end_row();
  return false;
}

int Database::Statement::columns() const { return sqlite3_column_count(statement_of(handle_)); }

Database::Statement::Kind Database::Statement::kind(int column) const {
  switch (sqlite3_column_type(statement_of(handle_), column)) {
    case SQLITE_INTEGER:
      return Kind::integer;
    case SQLITE_FLOAT:
      return Kind::real;
    case SQLITE_TEXT:
      return Kind::text;
    case SQLITE_BLOB:
      return Kind::bytes;
    default:
      return Kind::null;
  }
}

bool Database::Statement::is_null(int column) const { return sqlite3_column_type(statement_of(handle_), column) == SQLITE_NULL; }
double Database::Statement::number(int column) const { return sqlite3_column_double(statement_of(handle_), column); }
std::int64_t Database::Statement::integer(int column) const { return sqlite3_column_int64(statement_of(handle_), column); }

std::string_view Database::Statement::view(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_of(handle_), column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_of(handle_), column)));
}

std::string Database::Statement::text(int column) const { return std::string(view(column)); }

std::string quoted_name(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace opledger
