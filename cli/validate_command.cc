#include <fmt/core.h>

#include "base/text.h"
#include "cli/checks.h"
#include "cli/command.h"

namespace opledger {

Outcome validate_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  static const Image kNone;  // that it was good when the program was built is no answer to whether it is
  Library parsed(library.search_path(), kNone);
  Outcome outcome;
  for (const std::string& path : options.arguments) {
    Diagnostics own;
    // A bare name would be looked for on the search path; what is validated is a file.
    const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
    const Document* document = parsed.load(name, {}, own);
    if (document != nullptr) check_document(*document, name, parsed, own);
    if (!own.has_errors()) outcome.text += fmt::format("{}: {} `{}` is good\n", path, document->kind, visible(document->name));
    diagnostics.append(std::move(own));
  }
  return outcome;
}

}  // namespace opledger
