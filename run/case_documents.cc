#include "run/case_documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/lists.h"
#include "base/text.h"
#include "run/document_fields.h"

namespace opledger {
namespace {

constexpr const char *kModelRole = "model", *kSystemRole = "system";

/// Collects the documents that words of cases name, in order of increasing precedence: accounting, execution, command
/// line, table. A later entry for the same word and role replaces an earlier entry. Documents are loaded after all
/// entries are known, so that replaced entries are never read.
class CaseDocumentLoader {
 public:
  CaseDocumentLoader(const RunRequest& request, const RunDocuments& documents, Library& library, Diagnostics& diagnostics)
      : request_(request), documents_(documents), library_(library), diagnostics_(diagnostics), roles_{kModelRole} {
    if (declared_fields(documents.counting, kSystemRole) != nullptr) roles_.emplace_back(kSystemRole);
  }

  /// Collects the documents that words of cases name (`draft: {model: NAME}`), then loads them. An empty name removes
  /// an entry. `roles_` lists the keys that name documents, `words_` the words of all sets of cases; other keys are
  /// values and are skipped. Sources come in order of increasing precedence: accounting, execution, command line,
  /// table. `add` replaces an earlier entry of the same word and role, so replaced documents are never read. An
  /// execution without a kind, or one replaced by translated inputs, has no cases. Returns nothing, with errors, if a
  /// document can't be read.
  std::optional<std::vector<NamedDocument>> load() {
    find_words();
    for (const Document* document : documents_.counting) {
      const Datum* const sets = document->kind == "accounting" ? document->root.find("cases") : nullptr;
      for (const auto& [_, words] : sets != nullptr ? sets->entries() : std::vector<Datum::Entry>{}) add_all(words, document);
    }
    const Document& execution = *documents_.execution;
    const Datum* const cases = execution.kind.empty() || request_.translated_inputs ? nullptr : execution.root.find("cases");
    if (cases != nullptr) add_all(*cases, &execution);
    for (const auto& [key, value] : request_.overrides) add(key, Datum::scalar(value, false, place_of_setting(key, value)));
    for (const FieldAssignment& field : request_.fields) add(field.name, field.value);
    const std::size_t errors = diagnostics_.errors();
    std::vector<NamedDocument> out;
    for (CaseEntry& entry : entries_) {
      if (read(entry)) out.push_back(std::move(entry.named));
    }
    return diagnostics_.errors() == errors ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  /// One entry of a word for a role.
  struct CaseEntry {
    NamedDocument named;
    Datum value;
    const Document* naming = nullptr;  ///< Document of the entry; null for the command line or a table.
  };

  /// Collects the words of all sets of cases of the accounting.
  void find_words() {
    for (const Document* document : documents_.counting) {
      const Datum* const sets = document->kind == "accounting" ? document->root.find("cases") : nullptr;
      for (const auto& [_, words] : sets != nullptr ? sets->entries() : std::vector<Datum::Entry>{}) {
        for (const auto& [word, __] : words.entries()) words_.insert(word.text());
      }
    }
  }

  /// Adds the entries of all words; `naming` is their document.
  void add_all(const Datum& words, const Document* naming) {
    for (const auto& [word, values] : words.entries()) {
      for (const auto& [name, value] : values.entries()) add(word.text(), name.text(), value, naming);
    }
  }

  /// Adds a setting `WORD.ROLE` of the command line or a table.
  void add(const std::string& key, const Datum& value) {
    const std::size_t dot = key.find('.');
    if (dot != std::string::npos) add(key.substr(0, dot), key.substr(dot + 1), value, nullptr);
  }

  /// Adds an entry if the word exists and the name is a role; it replaces an earlier entry.
  void add(const std::string& word, const std::string& name, const Datum& value, const Document* naming) {
    if (!contains(roles_, name) || !words_.contains(word)) return;
    std::erase_if(entries_, [&](const CaseEntry& other) { return other.named.word == word && other.named.role == name; });
    entries_.push_back({{word, name, value.text(), nullptr, value.span()}, value, naming});
  }

  /// Loads the document of an entry. Returns false if the entry is empty or, with errors, if the document can't be
  /// read.
  bool read(CaseEntry& entry) {
    NamedDocument& named = entry.named;
    if (!entry.value.is_scalar()) {
      diagnostics_.error(named.span, fmt::format("`{}` of `{}` names a document, found {}", named.role, named.word, entry.value.describe()));
      return false;
    }
    if (named.name.empty()) return false;
    const std::vector<std::string> kinds = named.role == kSystemRole ? std::vector<std::string>{kSystemRole, kNoKind} : std::vector<std::string>{kModelRole};
    named.document = library_.load(entry.value, kinds, diagnostics_, entry.naming != nullptr ? entry.naming->path : std::filesystem::path());
    return named.document != nullptr && check_role(*named.document, named.role.c_str(), documents_.counting, documents_.accounting_name, diagnostics_);
  }

  const RunRequest& request_;
  const RunDocuments& documents_;
  Library& library_;
  Diagnostics& diagnostics_;
  std::vector<std::string> roles_;
  std::set<std::string> words_;
  std::vector<CaseEntry> entries_;
};

}  // namespace

std::optional<std::vector<NamedDocument>> load_case_documents(const RunRequest& request, const RunDocuments& documents, Library& library,
                                                              Diagnostics& diagnostics) {
  return CaseDocumentLoader(request, documents, library, diagnostics).load();
}

}  // namespace opledger
