#include <fmt/core.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/document_checks.h"

namespace opledger {
namespace {

/// Returns a path with a `/`. The library would look up a bare name on the search path, and validation checks the
/// file itself.
std::string file_name(const std::string& path) { return path.find('/') == std::string::npos ? "./" + path : path; }

}  // namespace

/// Runs `validate`: checks each file by its schema, then by the rules of its kind. All files are loaded first, because
/// a check may look at the others: a field may be a parameter of a model in the same command. Messages are collected by
/// file (`messages`) and reported in the order of the files. A file without errors gets a line in the text.
Outcome validate_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  static const Image kNone;  // The compiled-in library is left out: it was valid when the program was built, and the files may have changed.
  Library parsed(library.search_path(), kNone);
  Outcome outcome;
  std::vector<const Document*> documents;
  std::vector<Diagnostics> messages(options.arguments.size());
  for (std::size_t i = 0; i < messages.size(); ++i) documents.push_back(parsed.load(file_name(options.arguments[i]), {}, messages[i]));
  std::vector<const Document*> all = documents;
  std::erase(all, nullptr);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& path = options.arguments[i];
    if (documents[i] != nullptr) check_document(*documents[i], file_name(path), all, parsed, messages[i]);
    if (!messages[i].has_errors()) outcome.text += fmt::format("{}: {} `{}` is good\n", path, documents[i]->kind, visible(documents[i]->name));
    diagnostics.append(std::move(messages[i]));
  }
  return outcome;
}

}  // namespace opledger
