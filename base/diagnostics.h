#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

/// Messages about the user's input. Functions that read input take a `Diagnostics&`, report every mistake, and return
/// an optional or partial result. Contents of documents never cause exceptions.
namespace opledger {

enum class Severity { error, warning, note };

/// A message with a position.
struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string message;            ///< One sentence without a full stop; names in `backticks`.
  std::vector<Diagnostic> notes;  ///< Related positions, for example "first defined here".

  void note(const Span& at, std::string text) { notes.push_back({Severity::note, at, std::move(text), {}}); }
};

/// A sink for messages with a limit, kMaxDiagnostics.
class Diagnostics {
 public:
  Diagnostic& error(const Span& span, std::string message);
  Diagnostic& warning(const Span& span, std::string message);
  Diagnostic& add(Diagnostic message);

  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }    ///< Number of errors, including repeated ones; a caller detects failure by its growth.
  std::size_t dropped() const { return dropped_; }  ///< Number of messages beyond the limit.
  const std::vector<Diagnostic>& all() const { return all_; }
  const Diagnostic* first_error() const;  ///< Null without errors.
  /// Adds the messages and counts of another sink.
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
std::string render(const Diagnostics& diagnostics);

}  // namespace opledger
