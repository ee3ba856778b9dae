#include "search/identity.h"

#include <fmt/core.h>

#include <set>

#include "run/linked_run.h"

namespace opledger {
namespace {

/// A digest by FNV-1a, 64 bits (Fowler, Noll, Vo: the FNV hash, IETF draft-eastlake-fnv). Each text and each list ends
/// with a separator, so that concatenations differ.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text);
    step(1);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  void step(unsigned char c) { value_ = (value_ ^ c) * 0x100000001b3u; }

  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Returns the texts of documents that decide the results of a search: space, accounting, execution, model, systems,
/// stacks, rules, and the documents of cases. Texts are sorted, so a digest over them depends neither on paths nor on
/// the order of loading. A document with several uses counts once. Null pointers are skipped, because a run may lack a
/// model or an execution. Documents without a source file are skipped as well: they have no text.
std::multiset<std::string> texts_of(const LinkedRun& run) {
  std::vector<const Document*> documents = run.documents();
  for (const auto& [_, system] : run.request().systems) documents.push_back(system);
  for (const Document* d : {run.model_document(), run.space_document(), run.execution_document(), run.system_document()}) documents.push_back(d);
  if (run.has_model()) {
    const std::vector<const Document*>& of_model = run.graph_sources().model->documents;
    documents.insert(documents.end(), of_model.begin(), of_model.end());
  }
  for (const NamedDocument& named : run.case_documents()) documents.push_back(named.document);
  for (const Model* other : run.other_models()) documents.insert(documents.end(), other->documents.begin(), other->documents.end());
  documents.insert(documents.end(), run.stack_documents().begin(), run.stack_documents().end());
  documents.insert(documents.end(), run.rule_documents().begin(), run.rule_documents().end());
  const std::set<const Document*> once(documents.begin(), documents.end());
  std::multiset<std::string> out;
  for (const Document* d : once) {
    if (d != nullptr && d->root.span().known()) out.insert(d->root.span().file->text);
  }
  return out;
}

}  // namespace

std::string identity_of(const Space& space, const SearchRequest& request) {
  Digest digest;
  digest.add(OPLEDGER_VERSION);
  for (const std::string& text : texts_of(*space.run)) digest.add(text);
  for (const auto& [key, value] : request.run.overrides) digest.add({key, value});
  digest.add(request.run.accounting);
  digest.add(request.where);
  digest.add(request.stop);
  digest.add(request.pareto);
  digest.add(request.metrics);
  digest.add(request.sweep.sums);
  digest.add(std::to_string(request.sweep.top));
  return digest.text();
}

}  // namespace opledger
