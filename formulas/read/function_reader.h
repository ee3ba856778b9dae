#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"
#include "ops/definition.h"

namespace opledger {

/// Reader of `functions` in accountings. A document that extends others may redefine their functions with the same
/// number of arguments, case by case like names.
class FunctionReader {
 public:
  FunctionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// Declares a function before formulas are linked. `may_replace`: the document extends others.
  void declare(const Datum& key, const Datum& value, bool may_replace);

  /// Links the bodies of all declared functions and reports recursion. All names must be declared.
  void link();

 private:
  struct Pending {
    Function* function;
    std::vector<std::string> parameters;
    Definition body;
  };

  /// Returns the function to define. Reports an error and returns null if the document may not define it.
  Function* declared(const std::string& name, const std::vector<std::string>& parameters, const Span& span, bool may_replace);

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::vector<Pending> pending_;
};

}  // namespace opledger
