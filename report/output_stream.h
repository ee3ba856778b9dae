#pragma once
#include <memory>
#include <string>
#include <string_view>

/// A file written part by part, compressed if its name ends in `.gz`: to a temporary file that is renamed at the end,
/// or directly to an existing pipe or device.
namespace opledger {

/// A stream to a file or to standard output: `open`, then `write` any number of times, then `finish`. Destruction
/// without `finish` removes the temporary file.
class OutputStream {
 public:
  OutputStream();
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  /// Opens `path`; an empty path or `-` is standard output. `open`, `write` and `finish` return an empty text, or the
  /// problem as a message (`write_file`, report/output.h).
  std::string open(const std::string& path);
  /// Appends `text` to a buffer, which is written when full; a failure may therefore be reported later.
  std::string write(std::string_view text);
  /// Writes the rest of the buffer and renames the temporary file to its path. If not `complete`, the file gets the
  /// suffix `.partial`, and an existing file stays.
  std::string finish(bool complete);
  /// Returns true if writing failed because the reader of standard output closed its end.
  bool reader_gone() const;

 private:
  struct State;
  /// Writes the buffer; `last` also ends a compressed file.
  std::string flush(bool last);
  /// Returns the message for a failure.
  std::string fail(const std::string& why);

  std::unique_ptr<State> state_;  ///< Null before `open`.
};

}  // namespace opledger
