#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

/// Messages about the user's input. Functions that read input take a `Diagnostics&`, report every mistake that they find, and
/// return an optional or a partial result: nothing throws because of what a document says.
namespace opledger {

enum class Severity { error, warning, note };

struct Diagnostic {
  Severity severity = Severity::error;
  Span span;
  std::string message;            ///< One sentence without a full stop; names in `backticks`.
  std::vector<Diagnostic> notes;  ///< Places that explain it, e.g. "first defined here".

  void note(const Span& at, std::string text) { notes.push_back({Severity::note, at, std::move(text), {}}); }
};

class Diagnostics {
 public:
  Diagnostic& error(const Span& span, std::string message);
  Diagnostic& warning(const Span& span, std::string message);
  Diagnostic& add(Diagnostic message);

  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }    ///< With repeated ones: whether it has grown says whether something failed.
  std::size_t dropped() const { return dropped_; }  ///< Messages beyond the limit, counted only.
  const std::vector<Diagnostic>& all() const { return all_; }
  const Diagnostic* first_error() const;  ///< Null: there is none.
  void append(Diagnostics&& other);

 private:
  std::vector<Diagnostic> all_;  ///< Equal messages at one place are kept once; see kMaxDiagnostics in base/limits.h.
  std::size_t errors_ = 0;
  std::size_t dropped_ = 0;
  Diagnostic overflow_;  ///< Swallows what exceeds the limit.
};

/// `FILE:LINE:COLUMN: error: message`, the offending line, and a caret below the column; then the notes, indented. Ends in a newline.
std::string render(const Diagnostic& diagnostic);
std::string render(const Diagnostics& diagnostics);

}  // namespace opledger
