#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"
#include "ops/definition.h"

/// Reading of functions in two steps: `declare` for each function, then `link` once.
namespace opledger {

/// Reader of `functions` in accountings. A document that extends others may redefine their functions with the same
/// number of arguments, case by case like names.
class FunctionReader {
 public:
  /// Reads into `program`; errors go to `diagnostics`.
  FunctionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// Declares the function `key`, such as `share(part, whole)`, with the body `value`. `may_replace`: the document
  /// extends others. Reports an error for a malformed signature or body, a body with `let`, or a name in use.
  void declare(const Datum& key, const Datum& value, bool may_replace);

  /// Links the bodies of all declared functions and reports recursion. All names must be declared.
  void link();

 private:
  /// A definition of a function that is not yet linked.
  struct Pending {
    Function* function;
    std::vector<std::string> parameters;  ///< Names of the arguments in this definition.
    Definition body;
  };

  /// Returns the function to define. Reports an error and returns null if the document may not define it.
  Function* declared(const std::string& name, const std::vector<std::string>& parameters, const Span& span, bool may_replace);

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::vector<Pending> pending_;  ///< Definitions to link, in order.
};

}  // namespace opledger
