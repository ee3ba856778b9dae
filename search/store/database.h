#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "search/store/checksum.h"

/// A SQLite file, as far as a search needs one. One thread at a time may use a database. Functions that fail return
/// false or null, and `problem` has the reason.
namespace opledger {

/// A connection to one SQLite file.
class Database {
 public:
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Opens the file; `write` creates it if necessary. Returns false on failure.
  bool open(const std::string& path, bool write);
  /// Runs any number of statements without results. Returns false on failure.
  bool run(const std::string& statements);
  /// Returns the text of the last failure.
  const std::string& problem() const { return problem_; }
  /// Returns whether the last failure was that the file is damaged or no SQLite database.
  bool corrupt() const { return corrupt_; }

  /// A prepared statement that is bound and run repeatedly.
  class Statement {
   public:
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Binds a value to the parameter `at`; positions count from 1. Texts and bytes are copied.
    void bind(int at, double value);
    void bind(int at, std::int64_t value);
    void bind(int at, std::string_view text);
    void bind_bytes(int at, std::string_view bytes);
    void bind_null(int at);
    /// Adds the values bound from now on to a checksum, one row for each step. Parameters must be bound in the order
    /// of columns.
    void sum_into(Checksum& sum) { sum_ = &sum; }
    /// Runs the statement up to its next row. Returns false after the last row and on failure (see `broken`); the
    /// statement may then be bound and run again.
    bool step();
    /// Returns whether the last run failed.
    bool broken() const { return failed_; }

    /// The type of a value, as SQLite stores it.
    enum class Kind { null, integer, real, text, bytes };
    /// Returns the number of columns of the results.
    int columns() const;
    /// The functions below read a column of the current row; columns count from 0. SQLite converts a value of another type.
    Kind kind(int column) const;
    bool is_null(int column) const;
    double number(int column) const;
    std::int64_t integer(int column) const;
    std::string text(int column) const;       ///< Returns a text or the bytes of a blob.
    std::string_view view(int column) const;  ///< Like `text`, valid until the next step.

   private:
    friend class Database;
    explicit Statement(Database& owner) : owner_(owner) {}
    Database& owner_;          ///< Receives the text of a failure.
    void* handle_ = nullptr;   ///< The SQLite statement, owned.
    Checksum* sum_ = nullptr;  ///< Checksum of bound values; null: none.
    bool failed_ = false;
  };

  /// Compiles a statement, which must not outlive the database. Returns null on failure.
  std::unique_ptr<Statement> prepare(const std::string& statement);

 private:
  /// Returns whether a SQLite status code means success; otherwise keeps the text of the failure.
  bool record_status(int code);

  void* handle_ = nullptr;  ///< The SQLite connection, owned.
  std::string path_, problem_;
  bool write_ = false, corrupt_ = false;
};

/// Returns a name in double quotes for use in a statement, with quotes in the name doubled.
std::string quoted_name(const std::string& name);

}  // namespace opledger
