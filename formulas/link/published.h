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
  std::string name;                          ///< Name with every `<set>` replaced by the text of a word.
  std::vector<std::pair<SetId, WordId>> at;  ///< Words at which the metric is evaluated.
};

/// Returns all spellings of the template `text` in the order of the sets' words; `at` has words chosen beforehand,
/// which every spelling includes. Reports an error at `span` and returns an empty list if a set is unknown or no set of
/// words, or if the template has more than 10,000 spellings.
std::vector<Spelling> spell(const Program& program, const std::string& text, std::vector<std::pair<SetId, WordId>> at, const Span& span,
                            Diagnostics& diagnostics);

/// Returns the unit of a metric as its newest definition with a `unit` declares it; empty if none is declared.
std::string declared_unit(const Name& metric);

/// Returns whether two labels are equal, apart from blanks that stand for underscores.
bool same_label(std::string_view a, std::string_view b);

/// Returns the metric with this label in a report, or null. Labels need not be unique: the first match counts, with
/// reports in alphabetical order.
const Published* find_labeled(const Program& program, std::string_view label);

/// Fills Program::published from the `as` of metrics, in the order of Program::metrics. Reports an error if a published
/// name occurs twice or is the name of something else. Definitions must be linked.
void publish(Program& program, Linker& linker, Diagnostics& diagnostics);

}  // namespace opledger
