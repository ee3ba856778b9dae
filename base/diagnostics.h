#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

/// Messages about the user's input. Functions that read input take a `Diagnostics&`, report every mistake, and return
/// an optional or partial result. Contents of documents never cause exceptions. `render` formats messages for a
/// terminal.
namespace opledger {

/// The kinds of messages. An error makes a command fail; a note explains another message.
enum class Severity { error, warning, note };

/// A message with a position.
struct Diagnostic {
  Severity severity = Severity::error;
  Span span;                      ///< Position of the mistake; unknown if it has none.
  std::string message;            ///< One sentence without a full stop; names in `backticks`.
  std::vector<Diagnostic> notes;  ///< Related positions, for example "first defined here".

  /// Adds a note.
  void note(const Span& at, std::string text) { notes.push_back({Severity::note, at, std::move(text), {}}); }
};

/// A sink for messages, in order of report. At most kMaxDiagnostics messages are stored; further ones are counted.
class Diagnostics {
 public:
  /// Adds a message and returns it until the next call, so that the caller can add notes. A repeated message, or one
  /// beyond the limit, is not stored; the result is then a scratch copy.
  Diagnostic& error(const Span& span, std::string message);
  Diagnostic& warning(const Span& span, std::string message);
  Diagnostic& add(Diagnostic message);

  bool has_errors() const { return errors_ > 0; }              ///< True after an error.
  std::size_t errors() const { return errors_; }               ///< Number of errors, including repeated ones; a caller detects failure by its growth.
  std::size_t dropped() const { return dropped_; }             ///< Number of messages beyond the limit.
  const std::vector<Diagnostic>& all() const { return all_; }  ///< Stored messages.
  const Diagnostic* first_error() const;                       ///< Null without errors.
  /// Moves the messages and counts of another sink here; the other sink is empty afterwards.
  void append(Diagnostics&& other);

 private:
  std::vector<Diagnostic> all_;  ///< Equal messages at one position are stored once.
  std::size_t errors_ = 0;
  std::size_t dropped_ = 0;
  Diagnostic overflow_;  ///< Scratch space for messages that are not stored.
};

/// Returns `FILE:LINE:COLUMN: error: message`, the source line and a caret below the column, then the indented notes.
/// Ends in a newline.
std::string render(const Diagnostic& diagnostic);
/// Renders all messages, and the number of messages that were not stored.
std::string render(const Diagnostics& diagnostics);

}  // namespace opledger
