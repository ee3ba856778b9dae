// Any bytes as a document: parsed, rendered, and checked against every schema. Nothing may crash, hang or leave its limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/limits.h"
#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/kinds.h"

namespace {

using opledger::Datum;

std::size_t height(const Datum& datum) {
  std::size_t result = 0;
  for (const Datum& item : datum.items()) result = std::max(result, height(item));
  for (const Datum::Entry& entry : datum.entries()) result = std::max(result, height(entry.second));
  return result + (datum.is_list() || datum.is_map() ? 1 : 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<const opledger::SourceFile>(opledger::SourceFile{"fuzz.yaml", std::move(text)});
  const std::optional<Datum> root = opledger::parse_document(source, diagnostics);
  if (!root && !diagnostics.has_errors()) std::abort();  // A refusal needs a message.
  if (root && height(*root) > opledger::kMaxDocumentDepth) std::abort();
  if (root) {
    for (const opledger::DocumentKind& kind : opledger::kDocumentKinds) {
      Datum document = *root;  // Checking replaces former keys, and each kind has its own.
      opledger::check_schema(kind.name, document, diagnostics);
    }
  }
  render(diagnostics);
  return 0;
}
