#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"
#include "ops/definition.h"

namespace opledger {

/// `functions` of accountings. One that extends others may define theirs anew, with as many arguments: word by word, as names are.
class FunctionReader {
 public:
  FunctionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// An entry, before any formula is linked. `may_replace`: its document extends others.
  void declare(const Datum& key, const Datum& value, bool may_replace);

  /// The formulas of all that are declared: every name must be by now.
  void link();

 private:
  struct Pending {
    Function* function;
    std::vector<std::string> parameters;
    Definition body;
  };

  /// Null, with an error: it is no function that this document may define.
  Function* declared(const std::string& name, const std::vector<std::string>& parameters, const Span& span, bool may_replace);

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::vector<Pending> pending_;
};

}  // namespace opledger
