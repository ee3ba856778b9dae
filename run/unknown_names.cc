#include "run/unknown_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "run/document_fields.h"
#include "run/documents.h"

namespace opledger {
namespace {

struct Section {
  const char *kind, *key;
};
constexpr Section kSections[] = {{"model", "parameters"}, {"blocks", "parameters"}, {"rules", "options"},   {"ops", "inputs"},
                                 {"execution", "mesh"},   {"search", "mesh"},       {"accounting", "mesh"}, {"accounting", "inputs"}};

constexpr const char* kCaseKeys[] = {"doc", "like", "together", "model"};

void add_keys(const Datum& mapping, std::set<std::string>& out) {
  for (const auto& [key, _] : mapping.entries()) out.insert(key.text());
}

/// Names of parameters, options, inputs and axes in all documents on the search path. The first lookup reads the
/// documents.
class NamesElsewhere {
 public:
  explicit NamesElsewhere(const Library& library) : library_(library) {}

  bool has(const std::string& name) {
    if (!names_) read();
    return names_->count(name) != 0;
  }

 private:
  void read() {
    names_.emplace();
    Library others(library_.search_path());  // A separate library, because documents loaded here must not count toward the limit of the run's library.
    for (const Section& section : kSections) {
      for (const std::string& document : others.names(section.kind)) {
        Diagnostics ignored;  // Errors are reported when the document is used.
        const Document* const found = others.load(document, {section.kind}, ignored);
        const Datum* const mapping = found != nullptr ? found->root.find(section.key) : nullptr;
        if (mapping == nullptr) continue;
        add_keys(*mapping, *names_);
        const bool has_parts = std::string_view(section.key) == "mesh";  // An axis may consist of named axes.
        for (const auto& [_, parts] : has_parts ? mapping->entries() : std::vector<Datum::Entry>{}) add_keys(parts, *names_);
      }
    }
  }

  const Library& library_;
  std::optional<std::set<std::string>> names_;
};

/// Returns whether the run has the name: an input, a field of a document, or a parameter of a counted model.
bool is_known(const std::string& name, const Program& program) {
  if (std::find(std::begin(kCaseKeys), std::end(kCaseKeys), name) != std::end(kCaseKeys)) return true;
  const Name* const global = program.find(name);
  if (global != nullptr && global->input) return true;
  const Name* const document = program.find(name.substr(0, name.find_first_of(".[")));
  if (document != nullptr && document->input && document->constant == nullptr) return true;  // no type declares the fields of the document
  return std::any_of(program.models.begin(), program.models.end(), [&](const CaseModel& model) { return model.scope->names.contains(name); });
}

std::vector<std::string> names_of_run(const Program& program) {
  std::vector<std::string> out;
  for (const auto& [input, _] : program.inputs) out.push_back(input->name);
  for (const CaseModel& model : program.models) {
    for (const auto& [name, _] : model.scope->names) out.push_back(name);
  }
  return out;
}

/// Reports unknown names among the values of one word of `cases`.
void check_word(const Datum& word, const Datum& values, const Program& program, NamesElsewhere& elsewhere, Diagnostics& diagnostics) {
  for (const auto& [name, _] : values.entries()) {
    if (is_known(name.text(), program) || elsewhere.has(name.text())) continue;
    std::vector<std::string> known = names_of_run(program);
    known.insert(known.end(), std::begin(kCaseKeys), std::end(kCaseKeys));
    diagnostics.error(name.span(), fmt::format("`{}`: there is no `{}` that could have another value{}", word.text(), name.text(),
                                               known_names(name.text(), "names", std::move(known))));
  }
}

/// Inputs of the accounting that a stack is written for.
std::set<std::string> inputs_for(const Document& stack, Library& library, Diagnostics& diagnostics) {
  std::set<std::string> out;
  const Document* const accounting = accounting_of(stack, library, diagnostics);
  if (accounting == nullptr) return out;
  for (const Document* document : library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics)) {
    if (const Datum* inputs = document->root.find("inputs")) add_keys(*inputs, out);
  }
  return out;
}

}  // namespace

/// Checks the names under each word of `cases` in accountings that did not come with the program. `check_word` reports
/// a name that neither the run nor any document on the search path declares.
bool check_case_names(const std::vector<const Document*>& accounting, const Program& program, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  NamesElsewhere elsewhere(library);
  for (const Document* document : accounting) {
    const Datum* const cases = document->kind == "accounting" && !document->shipped ? document->root.find("cases") : nullptr;
    for (const auto& [_, words] : cases != nullptr ? cases->entries() : std::vector<Datum::Entry>{}) {
      for (const auto& [word, values] : words.entries()) check_word(word, values, program, elsewhere, diagnostics);
    }
  }
  return diagnostics.errors() == errors;
}

/// Checks the fields of each stack that did not come with the program. Structural fields (`rules`, …) are known. Known,
/// too, are inputs of the accounting for which the stack is written (`declared`) and names of the run. Last come names
/// that any document on the search path declares (`elsewhere`). The last test reads all documents, hence it comes last.
/// The run may use another accounting than the stack is written for, so both count. Returns false if an error was
/// reported.
bool check_stack_fields(const std::vector<const Document*>& stacks, const Program& program, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  NamesElsewhere elsewhere(library);
  for (const Document* stack : stacks) {
    if (stack->shipped) continue;
    const std::set<std::string> declared = inputs_for(*stack, library, diagnostics);
    for (const auto& [key, _] : stack->root.entries()) {
      const std::string& name = key.text();
      if (structural_key(name) || declared.count(name) != 0 || is_known(name, program) || elsewhere.has(name)) continue;
      std::vector<std::string> known = names_of_run(program);
      known.insert(known.end(), declared.begin(), declared.end());
      diagnostics.error(key.span(), fmt::format("unknown field `{}`{}", name, known_names(name, "fields", std::move(known))));
    }
  }
  return diagnostics.errors() == errors;
}

/// Checks that each word under `cases` of a document belongs to a set of cases, and that each name under a word is
/// known.
bool check_cases(const Document& document, const Program& program, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  NamesElsewhere elsewhere(library);
  std::vector<std::string> words;
  for (const CaseSet& cases : program.cases) words.insert(words.end(), program.set(cases.set).words.begin(), program.set(cases.set).words.end());
  const Datum* const cases = document.root.find("cases");
  for (const auto& [word, values] : cases != nullptr ? cases->entries() : std::vector<Datum::Entry>{}) {
    if (contains(words, word.text()))
      check_word(word, values, program, elsewhere, diagnostics);
    else
      diagnostics.error(word.span(), fmt::format("no set of cases has the word `{}`{}", word.text(), known_names(word.text(), "words", words)));
  }
  return diagnostics.errors() == errors;
}

/// Checks that each name under `for` is an accounting of the run, or can be loaded; loading reports the error.
bool check_readers(const std::vector<const Document*>& documents, const std::vector<const Document*>& accounting, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  for (const Document* document : documents) {
    const Datum* const own = document != nullptr && !document->shipped ? document->root.find("for") : nullptr;
    for (const auto& [name, _] : own != nullptr ? own->entries() : std::vector<Datum::Entry>{}) {
      const auto is_it = [&, &name = name](const Document* other) { return other->name == name.text(); };
      if (std::none_of(accounting.begin(), accounting.end(), is_it)) library.load(name.text(), {"accounting"}, diagnostics, name.span(), document->path);
    }
  }
  return diagnostics.errors() == errors;
}

}  // namespace opledger
