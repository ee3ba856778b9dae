#include "formulas/read/set_reader.h"

#include <fmt/core.h>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/linker.h"

namespace opledger {
namespace {

/// Sets the texts of words of an engine set in published names. Returns false if the set has elements instead of words, or
/// if the entry is no mapping.
bool add_texts(Set& set, const Datum& value, Diagnostics& diagnostics) {
  if (set.elements || !value.is_map()) return false;
  for (const auto& [word, text] : value.entries()) {
    const auto known = set.index.find(word.text());
    if (known == set.index.end()) {
      diagnostics.error(word.span(), fmt::format("`{}` is no word of `{}`{}", word.text(), set.name, known_names(word.text(), "words", set.words)));
    } else {
      set.texts[known->second] = text.text();
    }
  }
  return true;
}

void add_word(Set& set, const std::string& word, const std::string& text) {
  if (!set.index.emplace(word, static_cast<WordId>(set.words.size())).second) return;
  set.words.push_back(word);
  set.texts.push_back(text);
}

/// Makes `set` a family. Its words are the names of all operators that extend the named one, directly or through
/// others, in the order of the operator library. Reports an unknown operator, and an operator without extensions.
/// Returns whether the set has words.
bool add_family(const Program& program, Set& set, const Datum& name, Diagnostics& diagnostics) {
  set.family = program.operators == nullptr ? nullptr : program.operators->find(name.text());
  if (set.family == nullptr) {
    diagnostics.error(name.span(),
                      fmt::format("unknown operator `{}`{}", name.text(),
                                  suggestion(name.text(), program.operators == nullptr ? std::vector<std::string>{} : program.operators->names())));
    return false;
  }
  for (const auto& [word, op] : program.operators->all()) {
    const std::vector<const Operator*> line = lineage(op);
    if (&op == set.family || !contains(line, set.family)) continue;
    add_word(set, word, word);
    set.operators.push_back(&op);
  }
  if (set.words.empty()) diagnostics.error(name.span(), fmt::format("no operator extends `{}`", name.text()));
  return !set.words.empty();
}

}  // namespace

void add_set(Program& program, const Datum& key, const Datum& value, Diagnostics& diagnostics) {
  // Adds an entry of the section `sets` to the program. A mapping for a word set of the engine changes only the texts
  // of its words in published names. Any other entry declares a new set, by the form of its value. The forms are
  // `{operators: NAME}` (a family), a formula (the positions of a list), a list of words, and a mapping from words to
  // texts. A known name is an error.
  if (const SetId known = program.find_set(key.text()); known && known < program.engine->sets) {
    if (add_texts(*program.sets[known], value, diagnostics)) return;
  }
  if (program.find_set(key.text())) {
    diagnostics.error(key.span(), fmt::format("set `{}` is declared twice", key.text()));
    return;
  }
  auto set = std::make_unique<Set>();
  set->name = key.text();
  set->span = key.span();
  if (const Datum* family = value.find("operators"); family != nullptr && value.entries().size() == 1) {
    if (!add_family(program, *set, *family, diagnostics)) return;
  } else if (value.is_scalar()) {
    set->positions = parse_expression(value.text(), value.span(), diagnostics);
  } else if (value.is_list()) {
    for (const Datum& word : value.items()) add_word(*set, word.text(), word.text());
  } else {
    for (const auto& [word, text] : value.entries()) add_word(*set, word.text(), text.text());
  }
  program.add(std::move(set));
}

}  // namespace opledger
