#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "search/store/checksum.h"

/// A SQLite file, as far as a search needs one; one thread at a time uses it. Of what fails, `problem` says why, in words.
namespace opledger {

class Database {
 public:
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// False: see `problem`. `write`: it is made if it isn't there.
  bool open(const std::string& path, bool write);
  /// Any number of statements without results.
  bool run(const std::string& statements);
  const std::string& problem() const { return problem_; }
  /// Whether the last problem was that the file is no database, or a broken one.
  bool corrupt() const { return corrupt_; }

  /// A statement that is run again and again. Only one that was prepared may be used.
  class Statement {
   public:
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int at, double value);
    void bind(int at, std::int64_t value);
    void bind(int at, std::string_view text);
    void bind_bytes(int at, std::string_view bytes);
    void bind_null(int at);
    /// What is bound from now on is summed, a row for each step; columns are bound in their order.
    void sum_into(Checksum& sum) { sum_ = &sum; }
    /// Whether there is a row. The last one is followed by false, and so is a failure: see `failed`. Then it may be bound and run again.
    bool step();
    bool broken() const { return failed_; }

    enum class Kind { null, integer, real, text, bytes };
    int columns() const;
    Kind kind(int column) const;
    bool is_null(int column) const;
    double number(int column) const;
    std::int64_t integer(int column) const;
    std::string text(int column) const;       ///< Bytes too.
    std::string_view view(int column) const;  ///< The same, until the next step.

   private:
    friend class Database;
    explicit Statement(Database& owner) : owner_(owner) {}
    Database& owner_;
    void* handle_ = nullptr;
    Checksum* sum_ = nullptr;
    bool failed_ = false;
  };

  /// Null: see `problem`.
  std::unique_ptr<Statement> prepare(const std::string& statement);

 private:
  bool note(int code);

  void* handle_ = nullptr;
  std::string path_, problem_;
  bool write_ = false, corrupt_ = false;
};

/// As a name in a statement.
std::string quoted_name(const std::string& name);

}  // namespace opledger
