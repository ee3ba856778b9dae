#include "schemas/library.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/lists.h"
#include "base/text.h"
#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string known_kinds() {
  std::vector<std::string> names = kind_names();
  for (std::string& name : names) name = "`" + name + "`";
  return join(names, ", ");
}

// The kind that a document gives itself, empty if it gives none, or an error.
std::optional<std::string> read_kind(const Datum& root, Diagnostics& diagnostics) {
  if (!root.is_map()) {
    diagnostics.error(root.span(), fmt::format("a document is a mapping, and this is {}", root.describe()));
    return std::nullopt;
  }
  const Datum* kind = root.find("kind");
  if (!kind) return "";
  if (!kind->is_scalar() || !find_kind(kind->text())) {
    const std::string shown = kind->is_scalar() ? "`" + kind->text() + "`" : kind->describe();
    diagnostics.error(kind->span(), fmt::format("{} is no kind of document{}: {}", shown, suggestion(kind->text(), kind_names()), known_kinds()));
    return std::nullopt;
  }
  return kind->text();
}

// A document of a library is found by its file's name, so it must not call itself otherwise.
std::string read_name(const Datum& root, const fs::path& path, bool on_search_path, Diagnostics& diagnostics) {
  std::string stem = path.stem().string();
  const Datum* name = root.find("name");
  if (!name || !name->is_scalar() || name->text() == stem) return stem;
  std::string message = fmt::format("the name `{}` differs from the file's, `{}`", name->text(), stem);
  if (on_search_path) {
    diagnostics.error(name->span(), std::move(message));
  } else {
    diagnostics.warning(name->span(), std::move(message));
  }
  return name->text();
}

std::optional<Document> read_document(const fs::path& path, const Finder& finder, const Image& image, Diagnostics& diagnostics, const Span& asked_for_at) {
  const std::shared_ptr<SourceFile> source = read_unchecked(path, diagnostics, asked_for_at);
  if (!source) return std::nullopt;
  std::optional<Datum> root = image.find(source);
  const bool shipped = root.has_value();
  if (!shipped) root = parse_document(source, diagnostics);
  if (!root) return std::nullopt;
  const std::optional<std::string> kind = read_kind(*root, diagnostics);
  if (!kind) return std::nullopt;
  std::string name = read_name(*root, path, finder.on_search_path(path), diagnostics);
  if (!kind->empty() && !shipped) check_schema(*kind, *root, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return Document{*kind, std::move(name), finder.canonical(path), std::move(*root), shipped};
}

// The names under a key: one or a list. The schema has refused anything else.
std::vector<const Datum*> named_under(const Datum& root, const std::string& key) {
  std::vector<const Datum*> result;
  const Datum* value = root.find(key);
  if (!value) return result;
  if (value->is_scalar()) result.push_back(value);
  for (const Datum& item : value->items()) {
    if (item.is_scalar()) result.push_back(&item);
  }
  return result;
}

bool fits(const Document& document, const std::vector<std::string>& kinds) { return kinds.empty() || contains(kinds, document.kind); }

// The document if it is of one of the kinds. Null, with an error, otherwise.
const Document* as_wanted(const Document& document, std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics,
                          const Span& asked_for_at) {
  const bool takes_any = contains(kinds, kNoKind);
  if (document.kind.empty() && !takes_any) {
    diagnostics.error(document.root.span(), fmt::format("this document doesn't say its `kind`: {}", known_kinds()));
    return nullptr;
  }
  if (fits(document, kinds)) return &document;
  const Span kind_at = document.root.find("kind")->span();
  Diagnostic& error = diagnostics.error(asked_for_at.known() ? asked_for_at : kind_at,
                                        fmt::format("`{}` is a document of kind `{}`, and {} is wanted", name, document.kind, wanted(kinds)));
  if (asked_for_at.known()) error.note(kind_at, "its kind is given here");
  return nullptr;
}

}  // namespace

Library::Library(std::vector<fs::path> search_path, const Image& image) : finder_(std::move(search_path)), image_(&image) {}

const Library::Loaded* Library::read(const fs::path& path, Diagnostics& diagnostics, const Span& asked_for_at) {
  const std::string& key = finder_.canonical(path).native();
  auto found = loaded_.find(key);
  if (found == loaded_.end()) {
    if (loaded_.size() >= kMaxIncludes) {
      diagnostics.error(asked_for_at, fmt::format("too many documents: one command loads at most {}", kMaxIncludes));
      return nullptr;
    }
    Loaded loaded;
    loaded.document = read_document(path, finder_, *image_, loaded.messages, asked_for_at);
    parsed_ += loaded.document && loaded.document->shipped ? 0 : 1;
    found = loaded_.emplace(key, std::move(loaded)).first;
  }
  diagnostics.append(Diagnostics(found->second.messages));
  return &found->second;
}

const Document* Library::provide(const std::string& name, const fs::path& path, Datum root, Diagnostics& diagnostics) {
  const std::optional<std::string> kind = read_kind(root, diagnostics);
  if (!kind || (!kind->empty() && !check_schema(*kind, root, diagnostics))) return nullptr;
  return &provided_.emplace(name, Document{*kind, name, path.parent_path() / (path.filename().string() + "#" + name), std::move(root)}).first->second;
}

const Document* Library::load(std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics, const Span& asked_for_at,
                              const fs::path& relative_to) {
  const auto provided = provided_.find(name);
  if (provided != provided_.end() && (fits(provided->second, kinds) || relative_to.empty())) {
    return as_wanted(provided->second, name, kinds, diagnostics, asked_for_at);
  }
  const Finder::Result found = finder_.find({std::string(name), kinds, relative_to});
  if (!found.path) {
    Diagnostic& error = diagnostics.error(asked_for_at, found.error);
    if (!found.note.empty()) error.note({}, found.note);
    return nullptr;
  }
  if (!found.note.empty()) diagnostics.warning(asked_for_at, found.note);
  const Loaded* loaded = read(*found.path, diagnostics, asked_for_at);
  if (!loaded || !loaded->document) return nullptr;
  if (!fits(*loaded->document, kinds) && !relative_to.empty()) {  // beside the document: a model may be called like the blocks that it uses
    const Finder::Result further = finder_.find({std::string(name), kinds, {}});
    const Loaded* other = further.path ? read(*further.path, diagnostics, asked_for_at) : nullptr;
    if (other != nullptr && other->document && fits(*other->document, kinds)) return &*other->document;
  }
  return as_wanted(*loaded->document, name, kinds, diagnostics, asked_for_at);
}

/// A walk over the documents that documents name.
struct Library::Walk {
  const std::vector<std::string>& keys;
  const std::vector<std::string>& kinds;
  Diagnostics& diagnostics;
  std::vector<const Document*> chain;   // from the root to where the walk is
  std::vector<const Document*> result;  // those whose own documents are all in it
};

void Library::visit(const Document& document, Walk& walk) {
  const auto is_it = [&](const Document* other) { return other == &document || other->path == document.path; };
  walk.chain.push_back(&document);
  for (const std::string& key : walk.keys) {
    for (const Datum* name : named_under(document.root, key)) {
      const Document* next = load(name->text(), walk.kinds, walk.diagnostics, name->span(), document.path);
      if (!next) continue;
      const auto same = [&](const Document* other) { return other->path == next->path; };
      const auto first = std::find_if(walk.chain.begin(), walk.chain.end(), same);
      if (first == walk.chain.end()) {
        if (std::none_of(walk.result.begin(), walk.result.end(), same)) visit(*next, walk);
        continue;
      }
      std::vector<std::string> circle;
      for (auto part = first; part != walk.chain.end(); ++part) circle.push_back((*part)->path.filename().string());
      circle.push_back(next->path.filename().string());
      walk.diagnostics.error(name->span(), "documents name each other in a circle: " + join(circle, " -> "));
    }
  }
  walk.chain.pop_back();
  if (std::none_of(walk.result.begin(), walk.result.end(), is_it)) walk.result.push_back(&document);
}

std::vector<const Document*> Library::closure(const Document& root, const std::vector<std::string>& keys, const std::vector<std::string>& kinds,
                                              Diagnostics& diagnostics) {
  Walk walk{keys, kinds, diagnostics, {}, {}};
  visit(root, walk);
  return std::move(walk.result);
}

}  // namespace opledger
