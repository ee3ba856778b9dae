#pragma once
#include <optional>

#include "formulas/program.h"
#include "formulas/read/program_sources.h"

/// Entry point of the formula language: documents to a linked program.
namespace opledger {

/// Links a program from documents and values; engine and operators must outlive the program. Reports errors and returns
/// nothing if a document is invalid, a name is unknown, or declarations contradict each other. Returns nothing, too, if
/// `diagnostics` had an error before. Units are checked separately, by `check_units` (check.h); an Evaluator
/// (evaluate/evaluator.h) then computes values.
std::optional<Program> link_program(const ProgramSources& sources, Diagnostics& diagnostics);

}  // namespace opledger
