#pragma once
#include <cstdint>

#include "accounting/linker.h"

/// Reads what an accounting has besides names: constraints, tables, reports.
namespace opledger {

class SectionReader {
 public:
  SectionReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// After all names are declared. A table or report of a later document replaces the one of its name; constraints add up.
  void read(const Document& document);

 private:
  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  std::int32_t constraints_ = 0;
};

}  // namespace opledger
