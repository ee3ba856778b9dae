#include "import/included_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "import/places.h"
#include "schemas/document.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

/// Reads the mapping in a named file. Returns nothing and reports errors, with advice, if the file has none.
std::optional<Datum> read_included(const Datum& name, const std::string& place, const Library& library, Diagnostics& diagnostics) {
  Diagnostics messages;
  const std::shared_ptr<const SourceFile> source = library.read_named(name, messages);
  std::optional<Datum> root = source != nullptr ? parse_document(source, messages) : std::nullopt;
  if (root && !messages.has_errors() && !root->is_map()) messages.error(root->span(), fmt::format("expected a mapping, found {}", root->describe()));
  const bool failed = !root || messages.has_errors();
  for (Diagnostic message : messages.all()) {
    message.note(name.span(), fmt::format("`{}` names this file; another one: `--set {}=FILE`", place, place));
    diagnostics.add(std::move(message));
  }
  return failed ? std::nullopt : root;
}

/// Returns a config with the content of a file at a place. Entries of the config have precedence.
Datum with_content(const Datum& config, const std::string& place, const Datum& content) {
  const Datum* const present = find_at(config, place);
  return with_value(config, place, present != nullptr && present->is_map() ? merged(content, *present) : content);
}

}  // namespace

bool include_files(Datum& config, const LaunchMapping& launch, const NamedFiles& named, const Library& library, Diagnostics& diagnostics) {
  // A file may name further files, so the places are visited until no new file appears; each place is read once. A
  // value without a suffix of documents is no file: it may be a word of the framework, or an inline mapping.
  const std::size_t errors = diagnostics.errors();
  std::vector<std::string> done;
  for (bool is_new = true; is_new;) {
    const std::size_t before = done.size();
    for (const auto& [place_name, target] : launch.included_files.entries()) {
      const std::string& place = place_name.text();
      const auto by_user = std::find_if(named.begin(), named.end(), [&](const auto& one) { return one.first == place; });
      const Datum* const stated = find_at(config, place);
      const Datum name = by_user != named.end() ? by_user->second : stated != nullptr ? *stated : Datum();
      if (contains(done, place) || !name.is_scalar() || (by_user == named.end() && !is_path(name.text()))) continue;
      done.push_back(place);
      const std::optional<Datum> included = read_included(name, place, library, diagnostics);
      if (!included) continue;
      config = without_value(config, place);
      config = target.is_null() ? merged(*included, config) : with_content(config, target.text(), *included);
    }
    is_new = done.size() > before;
  }
  return diagnostics.errors() == errors;
}

}  // namespace opledger
