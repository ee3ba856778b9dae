#include "questions/linked_accounting.h"

#include "base/text.h"
#include "formulas/read/reader.h"
#include "run/documents.h"

namespace opledger {

bool link_accounting(const std::string& name, Library& library, LinkedAccounting& out, Diagnostics& diagnostics) {
  const Document* document = nullptr;
  if (!name.empty()) {
    document = library.load(name, {"accounting"}, diagnostics);
  } else if (const Document* execution = library.load(kDefaultExecution, {"execution"}, diagnostics)) {
    document = accounting_of(*execution, library, diagnostics);
  }
  if (document == nullptr || !out.sources.add_accounting(*document, library, diagnostics)) return false;
  out.name = name.empty() ? document->name : name;
  out.program = link_program(out.sources.program, diagnostics);
  return out.program.has_value();
}

std::string flow(const Datum& datum) {
  std::vector<std::string> parts;
  if (datum.is_list()) {
    for (const Datum& item : datum.items()) parts.push_back(flow(item));
    return "[" + join(parts, ", ") + "]";
  }
  if (datum.is_map()) {
    for (const auto& [key, value] : datum.entries()) parts.push_back(key.text() + ": " + flow(value));
    return "{" + join(parts, ", ") + "}";
  }
  return datum.is_null() ? "null" : datum.text().empty() ? "''" : datum.text();
}

}  // namespace opledger
