#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/link/linker.h"

/// Published names of metrics and columns. A template `block_<phase>_flops` stands for one name for each word of
/// `phase`, written with the word's text.
namespace opledger {

/// A published name and the words that it spells.
struct Spelling {
  std::string name;
  std::vector<std::pair<SetId, WordId>> at;
};

/// Returns all spellings of a template in the order of the sets' words; `at` has words chosen beforehand. Reports an
/// error and returns nothing if a set is unknown, has elements, or the template has more than 10,000 spellings.
std::vector<Spelling> spell(const Program& program, const std::string& text, std::vector<std::pair<SetId, WordId>> at, const Span& span,
                            Diagnostics& diagnostics);

/// Returns the declared unit of a metric; empty if none is declared.
std::string declared_unit(const Name& metric);

/// Fills Program::published from the `as` of metrics. Reports an error if two metrics, or a metric and another name,
/// have the same published name.
void publish(Program& program, Linker& linker, Diagnostics& diagnostics);

}  // namespace opledger
