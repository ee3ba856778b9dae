#pragma once
#include <memory>
#include <string>
#include <vector>

#include "run/run.h"

/// The input of a fuzz target: documents in one text, which a run names as if they were files. A document without a
/// kind is the request.
namespace opledger::fuzz {

/// Returns the shipped library; its documents are read once for all inputs.
Library shipped_library();

class Bundle {
 public:
  /// Reads the documents of a text. A run finds them by their keys `name`. Errors are in `diagnostics`.
  explicit Bundle(const std::string& text);

  Library library;
  Diagnostics diagnostics;
  Datum requested;     ///< The document without a kind: `{model: NAME, system: NAME, set: {KEY: VALUE}}`. Null: the text has none.
  std::string kinds;   ///< Kinds of all other documents, each followed by a blank.
  RunRequest request;  ///< The requested documents. A kind without a requested name has the last document of the kind.

  bool has(const std::string& kind) const { return (" " + kinds).find(" " + kind + " ") != std::string::npos; }
  /// Returns a field of `requested` as a list; a single text is a list of one.
  std::vector<std::string> texts(const char* key) const;
  std::string text(const char* key) const;

 private:
  void add(const std::string& part, std::size_t number);
  void apply_request();
};

/// Ends the program if `diagnostics` has no error with a text, or if the errors can't be rendered.
void require_message(const Diagnostics& diagnostics, const std::string& text);

}  // namespace opledger::fuzz
