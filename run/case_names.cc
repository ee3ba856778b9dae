#include "run/case_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {
namespace {

struct Section {
  const char *kind, *key;
};
constexpr Section kSections[] = {{"model", "parameters"}, {"blocks", "parameters"}, {"rules", "options"},  {"ops", "inputs"},
                                 {"execution", "mesh"},   {"search", "mesh"},       {"accounting", "mesh"}};

constexpr const char* kCaseKeys[] = {"doc", "like", "together", "model"};

/// Whether the mapping has the key, or one of its mappings has: an axis of a mesh may consist of named parts.
bool has_key(const Datum& mapping, const std::string& key) {
  if (mapping.find(key) != nullptr) return true;
  return std::any_of(mapping.entries().begin(), mapping.entries().end(), [&](const Datum::Entry& entry) { return entry.second.find(key) != nullptr; });
}

/// Whether a document on the search path has a parameter, option, input or axis of this name.
bool means_elsewhere(const std::string& name, Library& library) {
  return std::any_of(std::begin(kSections), std::end(kSections), [&](const Section& section) {
    Library others(library.search_path());  // a library of its own, which leaves the run's bound on documents alone
    const std::vector<std::string> documents = others.names(section.kind);
    return std::any_of(documents.begin(), documents.end(), [&](const std::string& document) {
      Diagnostics unread;  // reported where the document is used
      const Document* const found = others.load(document, {section.kind}, unread);
      const Datum* const mapping = found != nullptr ? found->root.find(section.key) : nullptr;
      return mapping != nullptr && has_key(*mapping, name);
    });
  });
}

/// Whether the run has the name: an input, a field of a document, or a parameter of a model that it counts.
bool is_known(const std::string& name, const Program& program) {
  if (std::find(std::begin(kCaseKeys), std::end(kCaseKeys), name) != std::end(kCaseKeys)) return true;
  const Name* const global = program.find(name);
  if (global != nullptr && global->input) return true;
  const Name* const document = program.find(name.substr(0, name.find_first_of(".[")));
  if (document != nullptr && document->input && document->constant == nullptr) return true;  // nobody says what fields it has
  return std::any_of(program.models.begin(), program.models.end(), [&](const CaseModel& model) { return model.scope->names.contains(name); });
}

std::vector<std::string> known_names(const Program& program) {
  std::vector<std::string> out(std::begin(kCaseKeys), std::end(kCaseKeys));
  for (const auto& [input, _] : program.inputs) out.push_back(input->name);
  for (const CaseModel& model : program.models) {
    for (const auto& [name, _] : model.scope->names) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

bool check_case_names(const std::vector<const Document*>& accounting, const Program& program, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  for (const Document* document : accounting) {
    const Datum* const cases = document->kind == "accounting" && !document->shipped ? document->root.find("cases") : nullptr;
    for (const auto& [_, words] : cases != nullptr ? cases->entries() : std::vector<Datum::Entry>{}) {
      for (const auto& [word, values] : words.entries()) {
        for (const auto& [name, value] : values.entries()) {
          if (is_known(name.text(), program) || means_elsewhere(name.text(), library)) continue;
          diagnostics.error(name.span(), fmt::format("`{}`: there is no `{}` that could have another value{}", word.text(), name.text(),
                                                     suggestion(name.text(), known_names(program))));
        }
      }
    }
  }
  return diagnostics.errors() == errors;
}

}  // namespace opledger
