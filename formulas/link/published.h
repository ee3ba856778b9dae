#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"

/// Names under which metrics and columns are published: `block_<phase>_flops` is one for each word of `phase`, written with the word's text.
namespace opledger {

struct Spelling {
  std::string name;
  std::vector<std::pair<SetId, WordId>> at;
};

/// All spellings of a template, in the order of the sets' words; `at`: words that are chosen already. Reports a set that does not exist or is none of words.
std::vector<Spelling> spell(const Program& program, const std::string& text, std::vector<std::pair<SetId, WordId>> at, const Span& span,
                            Diagnostics& diagnostics);

/// The unit that a metric declares; empty: none.
std::string declared_unit(const Name& metric);

/// Fills Program::published from the metrics' `as`. A name that something else has is an error.
void publish(Program& program, Linker& linker, Diagnostics& diagnostics);

}  // namespace opledger
