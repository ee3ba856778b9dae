#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// A SQLite file, as far as a search needs one. Of what fails, `problem` says why, in words.
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
    /// Whether there is a row. The last one is followed by false, and so is a failure: see `failed`. Then it may be bound and run again.
    bool step();
    bool failed() const { return failed_; }

    bool is_null(int column) const;
    double number(int column) const;
    std::int64_t integer(int column) const;
    std::string text(int column) const;  ///< Bytes too.
    bool is_text(int column) const;

   private:
    friend class Database;
    explicit Statement(Database& owner) : owner_(owner) {}
    Database& owner_;
    void* handle_ = nullptr;
    bool failed_ = false;
  };

  /// Null: see `problem`.
  std::unique_ptr<Statement> prepare(const std::string& statement);

 private:
  bool note(int code);

  void* handle_ = nullptr;
  std::string path_, problem_;
  bool write_ = false;
};

/// As a name in a statement.
std::string quoted_name(const std::string& name);

}  // namespace opledger
