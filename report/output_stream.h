#pragma once
#include <memory>
#include <string>
#include <string_view>

/// A file that is written bit by bit: beside its place until it is whole, compressed if its name ends in `.gz`. One that is not finished leaves nothing.
namespace opledger {

class OutputStream {
 public:
  OutputStream();
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  /// Empty or `-`: standard output. Of this and the others: empty, or what went wrong, as of `write_file`.
  std::string open(const std::string& path);
  std::string write(std::string_view text);
  /// Of an incomplete one, the name gets `.partial` at its end, and what was there before stays.
  std::string finish(bool complete);
  /// Whether something went wrong because nobody reads standard output any more.
  bool reader_gone() const;

 private:
  struct State;
  std::string flush(bool last);
  std::string fail(const std::string& why);

  std::unique_ptr<State> state_;
};

}  // namespace opledger
