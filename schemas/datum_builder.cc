#include "schemas/datum_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace opledger {

void DatumBuilder::stop(const Span& at, std::string message) {
  diagnostics_.error(at, std::move(message));
  throw Stop{};
}

void DatumBuilder::begin_document(const Span& at, bool marked) {
  if (begun_ && marked) stop(at, "a file holds one document, and a second one begins here");
  if (begun_) stop(at, "this does not continue the value before it: check the indentation");
  begun_ = true;
}

void DatumBuilder::count(std::size_t values, const Span& at) {
  if (values > kMaxDocumentValues - values_) stop(at, fmt::format("too many values: a document has at most {} of them, aliases expanded", kMaxDocumentValues));
  values_ += values;
}

void DatumBuilder::add_null(const Span& at, Anchor anchor) {
  count(1, at);
  // The parser emits an empty value at the position of a key that is alone on its line.
  const Datum* key = !open_.empty() && open_.back().key ? &*open_.back().key : nullptr;
  if (key && key->span().line == at.line && key->span().column == at.column) diagnostics_.error(at, "a `: ` is missing after this key");
  add({Datum::null(at)}, anchor);
}

void DatumBuilder::add_scalar(std::string text, bool quoted, const Span& at, Anchor anchor) {
  count(1, at);
  add({Datum::scalar(std::move(text), quoted, at)}, anchor);
}

void DatumBuilder::add_alias(const Span& at, Anchor anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) stop(at, "this alias refers to a value that contains it");
  count(found->second.count, at);
  if (open_.size() + found->second.height > kMaxDocumentDepth) stop(at, fmt::format("nested too deep: at most {} lists and mappings", kMaxDocumentDepth));
  add(found->second, 0);
}

void DatumBuilder::open(Datum::Kind kind, const Span& at, Anchor anchor) {
  count(1, at);
  if (open_.size() == kMaxDocumentDepth) stop(at, fmt::format("nested too deep: at most {} lists and mappings", kMaxDocumentDepth));
  OpenValue opened;
  opened.kind = kind;
  opened.at = at;
  opened.anchor = anchor;
  open_.push_back(std::move(opened));
}

void DatumBuilder::close() {
  OpenValue done = std::move(open_.back());
  open_.pop_back();
  Datum datum = done.kind == Datum::Kind::list ? Datum::list(std::move(done.items), done.at) : Datum::map(std::move(done.entries), done.at);
  add({std::move(datum), done.count, done.height}, done.anchor);
}

void DatumBuilder::add(Value value, Anchor anchor) {
  if (anchor != 0) anchors_[anchor] = value;
  if (open_.empty()) {
    root_ = std::move(value.datum);
    return;
  }
  OpenValue& parent = open_.back();
  parent.count += value.count;
  parent.height = std::max(parent.height, value.height + 1);
  if (parent.kind == Datum::Kind::list) {
    parent.items.push_back(std::move(value.datum));
  } else {
    add_to_map(parent, std::move(value.datum));
  }
}

void DatumBuilder::add_to_map(OpenValue& map, Datum datum) {
  if (!map.key) {
    map.discard = !accept_key(map, datum);
    map.key = std::move(datum);
    return;
  }
  if (!map.discard) map.entries.emplace_back(std::move(*map.key), std::move(datum));
  map.key.reset();
}

bool DatumBuilder::accept_key(OpenValue& map, const Datum& key) {
  if (!key.is_scalar()) {
    diagnostics_.error(key.span(), fmt::format("a key must be text, and this is {}", key.describe()));
    return false;
  }
  if (key.text() == "<<" && !key.quoted()) {
    diagnostics_.error(key.span(), "merge keys (`<<`) are not understood: write the keys out");
    return false;
  }
  if (map.keys.insert(key.text()).second) return true;
  Diagnostic& error = diagnostics_.error(key.span(), fmt::format("key `{}` is here twice", key.text()));
  const auto first = std::find_if(map.entries.begin(), map.entries.end(), [&](const Datum::Entry& entry) { return entry.first.text() == key.text(); });
  if (first != map.entries.end()) error.note(first->first.span(), "first here");
  return false;
}

}  // namespace opledger
