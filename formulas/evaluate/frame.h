#pragma once
#include <cstddef>
#include <vector>

#include "formulas/formula.h"

namespace opledger {

/// The definitions of one name, newest first; each replaces the next one.
using DefinitionChain = std::vector<const Def*>;

/// Context of a formula: its definition in a chain of definitions, newest first, and the arguments of its function.
struct Frame {
  const DefinitionChain* chain = nullptr;      ///< Definitions; null outside definitions.
  std::size_t index = 0;                       ///< Position of the definition; `inherited` continues after it.
  const std::vector<Value>* locals = nullptr;  ///< Arguments; null outside functions.
};

}  // namespace opledger
