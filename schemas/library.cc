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
#include "schemas/stated_name.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string known_kinds() {
  std::vector<std::string> names = kind_names();
  for (std::string& name : names) name = "`" + name + "`";
  return join(names, ", ");
}

// Returns the kind that a document states, empty without one. Reports an unknown kind.
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

// Returns the name of a document. On the search path, documents are found by file name, so a different `name` is an
// error there.
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

/// Reads, parses and validates a file. A text of the image was validated at build time, so its tree is taken from
/// there. Nothing, with errors, if a step fails.
std::optional<Document> read_document(const fs::path& path, const Finder& finder, const Image& image, Diagnostics& diagnostics, const Span& requested_at,
                                      NamedBy by) {
  const std::shared_ptr<SourceFile> source = read_unchecked(path, diagnostics, requested_at, kMaxDocumentBytes, by);
  if (!source) return std::nullopt;
  source->origin = finder.canonical(path).native();
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

// Returns the names under a key, one or a list; the schema has rejected other values.
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

// Returns the document if it is of one of the kinds; null, with an error, otherwise.
const Document* require_kind(const Document& document, std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics,
                             const Span& requested_at) {
  const bool takes_any = contains(kinds, kNoKind);
  if (document.kind.empty() && !takes_any) {
    diagnostics.error(document.root.span(), fmt::format("this document doesn't say its `kind`: {}", known_kinds()));
    return nullptr;
  }
  if (fits(document, kinds)) return &document;
  const Span kind_at = document.root.find("kind")->span();
  Diagnostic& error = diagnostics.error(requested_at.known() ? requested_at : kind_at,
                                        fmt::format("`{}` is a document of kind `{}`, and {} is wanted", name, document.kind, describe_kinds(kinds)));
  if (requested_at.known()) error.note(kind_at, "its kind is given here");
  return nullptr;
}

}  // namespace

Library::Library(std::vector<fs::path> search_path, const Image& image) : finder_(std::move(search_path)), image_(&image) {}

/// Returns the cached result of loading a file; loads it on the first request. The key of the cache is the canonical
/// path, so links to one file share an entry. A failed attempt is cached too, and its messages are reported again on
/// each request, to each caller's sink.
const Library::LoadedFile& Library::read(const fs::path& path, Diagnostics& diagnostics, const Span& requested_at, NamedBy by) {
  const std::string& key = finder_.canonical(path).native();
  auto found = loaded_.find(key);
  if (found == loaded_.end()) {
    LoadedFile loaded;
    loaded.document = read_document(path, finder_, *image_, loaded.messages, requested_at, by);
    parsed_ += loaded.document && loaded.document->shipped ? 0 : 1;
    found = loaded_.emplace(key, std::move(loaded)).first;
  }
  diagnostics.append(Diagnostics(found->second.messages));
  return found->second;
}

std::shared_ptr<const SourceFile> Library::read_named(const Datum& name, Diagnostics& diagnostics) const {
  const std::string from = origin_of(name.span());
  const Finder::Result found = finder_.find_file(name.text(), from);
  if (found.path) return read_source(*found.path, diagnostics, name.span(), kMaxDocumentBytes, from.empty() ? NamedBy::user : NamedBy::document);
  diagnostics.error(name.span(), found.error);
  return nullptr;
}

const Document* Library::provide(const std::string& name, const fs::path& path, Datum root, Diagnostics& diagnostics) {
  const std::optional<std::string> kind = read_kind(root, diagnostics);
  if (!kind || (!kind->empty() && !check_schema(*kind, root, diagnostics))) return nullptr;
  return &provided_.emplace(name, Document{*kind, name, path.parent_path() / (path.filename().string() + "#" + name), std::move(root)}).first->second;
}

bool Library::provides(const Document& document) const {
  return std::any_of(provided_.begin(), provided_.end(), [&](const auto& entry) { return &entry.second == &document; });
}

/// Finds and loads a document. Provided documents come first; a name in a document denotes one only if it is of a
/// requested kind. A file that is no document of a requested kind can hide the right one, such as a config next to the
/// requesting document or directly in a folder of the search path: the name is then searched without such places. Returns
/// nothing without a search if `diagnostics` is full: the command fails in any case, and a document may name many
/// thousands of others.
const Document* Library::load(std::string_view name, const std::vector<std::string>& kinds, Diagnostics& diagnostics, const Span& requested_at,
                              const fs::path& relative_to) {
  if (diagnostics.errors() >= kMaxDiagnostics) {
    diagnostics.error(requested_at, "not looked up: there are too many other errors");
    return nullptr;
  }
  const auto provided = provided_.find(name);
  if (provided != provided_.end() && (fits(provided->second, kinds) || relative_to.empty())) {
    return require_kind(provided->second, name, kinds, diagnostics, requested_at);
  }
  const Finder::Result found = finder_.find({std::string(name), kinds, relative_to});
  if (!found.path) {
    std::vector<fs::path> folders = finder_.search_path();
    folders.insert(folders.begin(), relative_to.empty() ? fs::path(".") : relative_to.parent_path());
    const fs::path other = is_path(std::string(name)) ? fs::path() : file_stating(name, kinds, folders);
    if (!other.empty() && other.stem() != name) {
      diagnostics.error(requested_at, fmt::format("there is no {} named `{}`: the file `{}` states this name, but the name of a document is that of its file: "
                                                  "write `{}`, or rename the file",
                                                  describe_kinds(kinds).substr(2), name, other.filename().string(), other.stem().string()));
      return nullptr;
    }
    Diagnostic& error = diagnostics.error(requested_at, found.error);
    if (!other.empty()) error.note({}, fmt::format("the file `{}` is outside of the search path: add its folder with `--path`", other.string()));
    if (!found.note.empty()) error.note({}, found.note);
    return nullptr;
  }
  if (!found.note.empty()) diagnostics.warning(requested_at, found.note);
  const NamedBy by = relative_to.empty() ? NamedBy::user : NamedBy::document;
  Diagnostics messages;
  const LoadedFile& loaded = read(*found.path, messages, requested_at, by);
  const bool is_of_kind = loaded.document && fits(*loaded.document, kinds);
  for (const bool outside_of_kinds : {true, false}) {
    if (is_of_kind || !loaded.document || is_path(std::string(name))) break;
    const Finder::Result further = finder_.find({std::string(name), kinds, relative_to, false, outside_of_kinds});
    Diagnostics ignored;
    const LoadedFile* const other = further.path ? &read(*further.path, ignored, requested_at, by) : nullptr;
    if (other == nullptr || !other->document || !fits(*other->document, kinds)) continue;
    diagnostics.append(std::move(ignored));
    return &*other->document;
  }
  diagnostics.append(std::move(messages));
  if (!loaded.document) return nullptr;
  return require_kind(*loaded.document, name, kinds, diagnostics, requested_at);
}

/// A depth-first traversal of document references, which yields a topological order. A document on the current chain
/// closes a cycle.
struct Library::Traversal {
  const std::vector<std::string>& keys;
  const std::vector<std::string>& kinds;
  Diagnostics& diagnostics;
  std::vector<const Document*> chain;   // Path from the root to the current document.
  std::vector<const Document*> result;  // Visited documents, each after its dependencies.
  bool is_full = false;                 // The limit of included documents is reached.
};

/// Visits the documents that a document names, then appends the document to `traversal.result`, unless it is there. The
/// traversal is depth first, so every document follows its dependencies (topological order). `traversal.chain` is the
/// path from the root to this document; a reference to a document on it closes a cycle, which is reported and not
/// followed. Documents that can't be loaded are reported by `load` and skipped. Documents are compared by their canonical
/// paths, as strings, because comparing the parts of `std::filesystem::path` is slow. More than kMaxIncludes documents
/// are an error, reported once.
void Library::visit(const Document& document, Traversal& traversal) {
  const auto is_it = [&](const Document* other) { return other == &document || other->path.native() == document.path.native(); };
  traversal.chain.push_back(&document);
  for (const std::string& key : traversal.keys) {
    for (const Datum* name : named_under(document.root, key)) {
      const Document* next = load(name->text(), traversal.kinds, traversal.diagnostics, name->span(), document.path);
      if (!next) continue;
      const auto same = [&](const Document* other) { return other->path.native() == next->path.native(); };
      const auto first = std::find_if(traversal.chain.begin(), traversal.chain.end(), same);
      if (first == traversal.chain.end()) {
        if (std::any_of(traversal.result.begin(), traversal.result.end(), same)) continue;
        if (traversal.chain.size() + traversal.result.size() > kMaxIncludes) {
          if (!std::exchange(traversal.is_full, true))
            traversal.diagnostics.error(name->span(), fmt::format("too many documents: one document includes at most {}", kMaxIncludes));
          break;
        }
        visit(*next, traversal);
        continue;
      }
      std::vector<std::string> circle;
      for (auto part = first; part != traversal.chain.end(); ++part) circle.push_back((*part)->path.filename().string());
      circle.push_back(next->path.filename().string());
      traversal.diagnostics.error(name->span(), "documents name each other in a circle: " + join(circle, " -> "));
    }
  }
  traversal.chain.pop_back();
  if (std::none_of(traversal.result.begin(), traversal.result.end(), is_it)) traversal.result.push_back(&document);
}

std::vector<const Document*> Library::closure(const Document& root, const std::vector<std::string>& keys, const std::vector<std::string>& kinds,
                                              Diagnostics& diagnostics) {
  Traversal traversal{keys, kinds, diagnostics, {}, {}, false};
  visit(root, traversal);
  return std::move(traversal.result);
}

}  // namespace opledger
