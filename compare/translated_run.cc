#include "compare/translated_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "compare/input_translation.h"
#include "run/document_fields.h"

namespace opledger {
namespace {

Documents closure_of(const std::string& accounting, Library& library, Diagnostics& diagnostics) {
  const Document* document = library.load(accounting, {"accounting"}, diagnostics);
  return document == nullptr ? Documents{} : library.closure(*document, {"uses", "extends"}, {"accounting", "ops"}, diagnostics);
}

/// Returns a hint listing systems with fields `for` the accounting, if it reads fields that ordinary systems lack.
std::string systems_for(const Documents& documents, const LinkedRun& run, Library& library) {
  if (declared_fields(documents, "system") == nullptr || run.system_document() == nullptr || fields_for(*run.system_document(), documents) != nullptr)
    return {};
  std::vector<std::string> known;
  for (const std::string& name : library.names("system")) {
    Diagnostics ignored;
    const Document* system = library.load(name, {"system"}, ignored);
    if (system != nullptr && fields_for(*system, documents) != nullptr) known.push_back("`" + name + "`");
  }
  return known.empty() ? "" : fmt::format("the system has no fields `for` it; {} have", join(known, ", "));
}

}  // namespace

/// Visits every accounting of the library. An accounting translates the run if its sections `compares` for the run's
/// accounting have both inputs and metrics. It must also have reports, alone or from accountings that it uses, and
/// must not be the run's accounting. `sources` collects every accounting for which some section has inputs. The
/// search needs only documents: no run is translated.
Translations find_translations(const LinkedRun& run, Library& library) {
  Translations out;
  for (const std::string& name : library.names("accounting")) {
    Diagnostics messages;
    const Documents documents = closure_of(name, library, messages);
    if (messages.has_errors()) {
      out.unreadable.emplace_back(name, "it can't be read: " + first_error(messages));
      continue;
    }
    for (const Document* document : documents) {
      const Datum* compares = document->root.find("compares");
      for (const auto& [other, section] : compares == nullptr ? std::vector<Datum::Entry>{} : compares->entries()) {
        if (section.find("inputs") != nullptr) out.sources.insert(other.text());
      }
    }
    const bool has_reports = std::any_of(documents.begin(), documents.end(), [](const Document* d) { return d->root.find("reports") != nullptr; });
    const std::vector<const Datum*> sections = translation_sections(documents, run.documents());
    const bool has_metrics = std::any_of(sections.begin(), sections.end(), [](const Datum* datum) { return datum->find("metrics") != nullptr; });
    if (has_reports && has_metrics && documents.back() != run.accounting_document() && has_inputs(sections)) out.names.push_back(name);
  }
  return out;
}

bool can_translate(const std::string& accounting, const LinkedRun& run, Library& library, Diagnostics& diagnostics) {
  return has_inputs(translation_sections(closure_of(accounting, library, diagnostics), run.documents()));
}

std::unique_ptr<TranslatedRun> translate_run(Run& run, const std::string& accounting, Library& library,
                                             const std::vector<std::pair<std::string, std::string>>& changes) {
  // Settings of the run belong to its own accounting. If the target accounting has formulas for its inputs, the
  // settings are therefore replaced by the translated inputs. A missing system section of the target is the most
  // likely failure and gets its own hint; otherwise the first error is the reason.
  auto out = std::make_unique<TranslatedRun>();
  out->accounting = accounting;
  const Documents documents = closure_of(accounting, library, out->messages);
  if (documents.empty() || out->messages.has_errors()) return out->why = first_error(out->messages), std::move(out);
  RunRequest request = run.request();
  request.accounting = accounting;
  const std::vector<const Datum*> sections = translation_sections(documents, run.documents());
  if (has_inputs(sections)) {
    request.overrides.clear();
    request.fields.clear();
    request.translated_inputs.emplace();
    if (!translate(run, sections, false, *request.translated_inputs, out->why)) return out;
  }
  request.overrides.insert(request.overrides.end(), changes.begin(), changes.end());
  out->run = Run::prepare(request, library, out->messages);
  if (out->run != nullptr) return out;
  out->why = systems_for(documents, run, library);
  if (out->why.empty()) out->why = first_error(out->messages);
  return out;
}

const Comparison* comparison_with(const LinkedRun& declaring, const LinkedRun& other) {
  const std::vector<const Document*>& documents = other.documents();
  for (auto document = documents.rbegin(); document != documents.rend(); ++document) {
    const auto found = declaring.program().compares.find((*document)->name);
    if ((*document)->kind == "accounting" && found != declaring.program().compares.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace opledger
