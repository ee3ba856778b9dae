#pragma once
#include <memory>
#include <string>
#include <vector>

#include "run/run.h"

/// What a fuzz target gets: documents in one text, which a run names as if they were files. The one without a kind says what is asked for.
namespace opledger::fuzz {

/// The library that is shipped, its documents read once for all inputs.
Library shipped_library();

class Bundle {
 public:
  /// Documents are found by the names that they give themselves. What is wrong is in `diagnostics`.
  explicit Bundle(const std::string& text);

  Library library;
  Diagnostics diagnostics;
  Datum asked;         ///< The document without a kind: `{model: NAME, system: NAME, set: {KEY: VALUE}}`. Null: there is none.
  std::string kinds;   ///< Those of the others, each followed by a blank.
  RunRequest request;  ///< Documents that aren't asked for by name: the last of its kind.

  bool has(const std::string& kind) const { return (" " + kinds).find(" " + kind + " ") != std::string::npos; }
  /// A field of `asked` that is a text or a list of such.
  std::vector<std::string> texts(const char* key) const;
  std::string text(const char* key) const;

 private:
  void add(const std::string& part, std::size_t number);
  void ask();
};

/// Ends the program if there is no message although something failed, or one can't be rendered.
void require_message(const Diagnostics& diagnostics, const std::string& text);

}  // namespace opledger::fuzz
