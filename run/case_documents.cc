#include "run/case_documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "run/document_fields.h"
#include "run/sources.h"

namespace opledger {
namespace {

constexpr const char *kModelRole = "model", *kSystemRole = "system";

class CaseDocumentLoader {
 public:
  CaseDocumentLoader(const RunRequest& request, const RunDocuments& documents, Library& library, Diagnostics& diagnostics)
      : request_(request), documents_(documents), library_(library), diagnostics_(diagnostics), roles_{kModelRole} {
    if (declared_fields(documents.counting, kSystemRole) != nullptr) roles_.emplace_back(kSystemRole);
  }

  std::optional<std::vector<NamedDocument>> load() {
    find_words();
    for (const Document* document : documents_.counting) {
      const Datum* const sets = document->kind == "accounting" ? document->root.find("cases") : nullptr;
      for (const auto& [_, words] : sets != nullptr ? sets->entries() : std::vector<Datum::Entry>{}) say_all(words, document);
    }
    const Document& execution = *documents_.execution;
    const Datum* const said = execution.kind.empty() || request_.taken ? nullptr : execution.root.find("cases");
    if (said != nullptr) say_all(*said, &execution);
    for (const auto& [key, value] : request_.overrides) say(key, Datum::scalar(value, false, place_of_setting(key, value)));
    for (const Given& field : request_.fields) say(field.name, field.value);
    const std::size_t errors = diagnostics_.errors();
    std::vector<NamedDocument> out;
    for (Said& one : said_) {
      if (read(one)) out.push_back(std::move(one.named));
    }
    return diagnostics_.errors() == errors ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  struct Said {
    NamedDocument named;
    Datum value;
    const Document* naming = nullptr;  ///< Null: the command line, or a table.
  };

  void find_words() {
    for (const Document* document : documents_.counting) {
      const Datum* const sets = document->kind == "accounting" ? document->root.find("cases") : nullptr;
      for (const auto& [_, words] : sets != nullptr ? sets->entries() : std::vector<Datum::Entry>{}) {
        for (const auto& [word, __] : words.entries()) words_.insert(word.text());
      }
    }
  }

  void say_all(const Datum& words, const Document* naming) {
    for (const auto& [word, values] : words.entries()) {
      for (const auto& [name, value] : values.entries()) say(word.text(), name.text(), value, naming);
    }
  }

  void say(const std::string& key, const Datum& value) {
    const std::size_t dot = key.find('.');
    if (dot != std::string::npos) say(key.substr(0, dot), key.substr(dot + 1), value, nullptr);
  }

  void say(const std::string& word, const std::string& name, const Datum& value, const Document* naming) {
    if (!contains(roles_, name) || !words_.contains(word)) return;
    std::erase_if(said_, [&](const Said& other) { return other.named.word == word && other.named.role == name; });
    said_.push_back({{word, name, value.text(), nullptr, value.span()}, value, naming});
  }

  /// False: it names none, or, with errors, one that can't be read.
  bool read(Said& said) {
    NamedDocument& named = said.named;
    if (!said.value.is_scalar()) {
      diagnostics_.error(named.span, fmt::format("`{}` of `{}` names a document, found {}", named.role, named.word, said.value.describe()));
      return false;
    }
    if (named.name.empty()) return false;
    const std::vector<std::string> kinds = named.role == kSystemRole ? std::vector<std::string>{kSystemRole, kNoKind} : std::vector<std::string>{kModelRole};
    named.document = library_.load(named.name, kinds, diagnostics_, named.span, said.naming != nullptr ? said.naming->path : std::filesystem::path());
    return named.document != nullptr && check_role(*named.document, named.role.c_str(), documents_.counting, documents_.accounting_name, diagnostics_);
  }

  const RunRequest& request_;
  const RunDocuments& documents_;
  Library& library_;
  Diagnostics& diagnostics_;
  std::vector<std::string> roles_;
  std::set<std::string> words_;
  std::vector<Said> said_;
};

}  // namespace

std::optional<std::vector<NamedDocument>> load_case_documents(const RunRequest& request, const RunDocuments& documents, Library& library,
                                                              Diagnostics& diagnostics) {
  return CaseDocumentLoader(request, documents, library, diagnostics).load();
}

}  // namespace opledger
