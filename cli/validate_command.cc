#include <fmt/core.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/document_checks.h"

namespace opledger {
namespace {

/// A bare name would be looked for on the search path; what is validated is a file.
std::string file_name(const std::string& path) { return path.find('/') == std::string::npos ? "./" + path : path; }

}  // namespace

Outcome validate_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  static const Image kNone;  // that it was good when the program was built is no answer to whether it is
  Library parsed(library.search_path(), kNone);
  Outcome outcome;
  std::vector<const Document*> documents;
  std::vector<Diagnostics> said(options.arguments.size());
  for (std::size_t i = 0; i < said.size(); ++i) documents.push_back(parsed.load(file_name(options.arguments[i]), {}, said[i]));
  std::vector<const Document*> all = documents;
  std::erase(all, nullptr);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::string& path = options.arguments[i];
    if (documents[i] != nullptr) check_document(*documents[i], file_name(path), all, parsed, said[i]);
    if (!said[i].has_errors()) outcome.text += fmt::format("{}: {} `{}` is good\n", path, documents[i]->kind, visible(documents[i]->name));
    diagnostics.append(std::move(said[i]));
  }
  return outcome;
}

}  // namespace opledger
