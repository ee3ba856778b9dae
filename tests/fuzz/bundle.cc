#include "tests/fuzz/bundle.h"

#include "schemas/document.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/tree.h"
#include "tests/paths.h"

namespace opledger::fuzz {

Library shipped_library() {
  static const Library kWarm = [] {
    Library library({source_folder()});
    Diagnostics ignored;
    for (const char* kind : {"ops", "blocks", "rules", "system", "import"}) {
      for (const std::string& name : library.names(kind)) library.load(name, {kind}, ignored);
    }
    for (const char* name : {"standard", "calculon", "cookbook_params", "cookbook_memory"}) {
      const Document* accounting = library.load(name, {"accounting"}, ignored);
      require(accounting != nullptr, "no accounting", name);
      library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, ignored);
    }
    library.load(kDefaultExecution, {"execution"}, ignored);
    return library;
  }();
  return kWarm;
}

Bundle::Bundle(const std::string& text) : library(shipped_library()) {
  std::size_t number = 0;
  for (const std::string& part : parts_of(text)) add(part, ++number);
  if (!requested.is_null()) apply_request();
}

void Bundle::add(const std::string& part, std::size_t number) {
  const std::string path = "/fuzz/" + std::to_string(number) + ".yaml";  // the folder has no other files
  std::optional<Datum> root = parse_document(std::make_shared<const SourceFile>(SourceFile{path, part}), diagnostics);
  if (!root || diagnostics.has_errors()) return;
  const Datum* kind = root->find("kind");
  const Datum* name = root->find("name");
  const std::string called = name != nullptr && !name->text().empty() ? name->text() : "document" + std::to_string(number);
  if (kind == nullptr && requested.is_null()) {
    requested = *root;
    return;
  }
  const Document* document = library.provide(called, path, *root, diagnostics);
  if (document == nullptr) return;
  kinds += document->kind + " ";
  if (document->kind == "model") request.model = called;
  if (document->kind == "execution") request.execution = called;
  if (document->kind == "system") request.system = called;
  if (document->kind == "search") request.space = called;
}

std::vector<std::string> Bundle::texts(const char* key) const {
  const Datum* value = requested.find(key);
  std::vector<std::string> out;
  if (value != nullptr && value->is_scalar()) out.push_back(value->text());
  for (const Datum& item : value != nullptr ? value->items() : std::vector<Datum>{}) out.push_back(item.text());
  return out;
}

std::string Bundle::text(const char* key) const {
  const std::vector<std::string> all = texts(key);
  return all.empty() ? "" : all[0];
}

void Bundle::apply_request() {
  const std::pair<const char*, std::string&> kNames[] = {
      {"model", request.model}, {"execution", request.execution}, {"system", request.system}, {"accounting", request.accounting}, {"space", request.space}};
  for (const auto& [key, into] : kNames) {
    if (requested.find(key) != nullptr) into = text(key);
  }
  const Datum* set = requested.find("set");
  for (const auto& [key, value] : set != nullptr ? set->entries() : std::vector<Datum::Entry>{}) request.overrides.emplace_back(key.text(), value.text());
}

void require_message(const Diagnostics& diagnostics, const std::string& text) {
  count("a message");
  require(diagnostics.has_errors(), "refused without a message", text);
  bool has_message = false;
  for (const Diagnostic& d : diagnostics.all()) has_message = has_message || (d.severity == Severity::error && !d.message.empty());
  require(has_message && !render(diagnostics).empty(), "no error has a message", text);
  if (std::getenv("OPLEDGER_FUZZ_TELL") != nullptr) std::fputs(render(diagnostics).c_str(), stderr);
  require(render(diagnostics).find("internal") == std::string::npos, "an internal error", render(diagnostics) + text);
}

}  // namespace opledger::fuzz
