#include "tests/fuzz/tree.h"

#include "schemas/document.h"
#include "schemas/yaml_text.h"

namespace opledger::fuzz {
namespace {

constexpr const char* kBetween = "---\n";

Datum datum_of(const Tree& tree) {
  if (tree.kind == Datum::Kind::null) return Datum::null({});
  if (tree.kind == Datum::Kind::scalar) return Datum::scalar(tree.text, tree.quoted, {});
  if (tree.kind == Datum::Kind::list) {
    std::vector<Datum> items;
    for (const Tree& child : tree.children) items.push_back(datum_of(child));
    return Datum::list(std::move(items), {});
  }
  std::vector<Datum::Entry> entries;
  for (const Tree& child : tree.children) entries.emplace_back(Datum::scalar(child.key, false, {}), datum_of(child));
  return Datum::map(std::move(entries), {});
}

std::string flow(const Tree& tree) { return yaml_flow(datum_of(tree)); }

}  // namespace

const Tree* Tree::find(const std::string& name) const {
  for (const Tree& child : children) {
    if (kind == Datum::Kind::map && child.key == name) return &child;
  }
  return nullptr;
}

Tree tree_of(const Datum& datum) {
  Tree out;
  out.kind = datum.kind();
  out.quoted = datum.quoted();
  out.text = datum.text();
  for (const Datum& item : datum.items()) out.children.push_back(tree_of(item));
  for (const auto& [key, value] : datum.entries()) {
    out.children.push_back(tree_of(value));
    out.children.back().key = key.text();
  }
  return out;
}

std::optional<Tree> read_tree(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<Datum> root = parse_document(std::make_shared<const SourceFile>(SourceFile{"fuzz.yaml", text}), diagnostics);
  return root && !diagnostics.has_errors() ? std::optional(tree_of(*root)) : std::nullopt;
}

std::string written(const Tree& tree) {
  if (tree.kind != Datum::Kind::map || tree.children.empty()) return flow(tree) + "\n";
  std::string out;
  for (const Tree& child : tree.children) {
    out += yaml_text(child.key) + ":";
    const bool lines = child.kind == Datum::Kind::list && child.children.size() > 1 && child.children[0].kind != Datum::Kind::scalar;
    if (!lines) out += " " + flow(child);
    out += "\n";
    for (const Tree& item : lines ? child.children : std::vector<Tree>{}) out += "  - " + flow(item) + "\n";
  }
  return out;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> out(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line == kBetween)
      out.emplace_back();
    else
      out.back() += line;
    at = end;
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (&part == parts.data() ? "" : kBetween) + part;
  return out;
}

}  // namespace opledger::fuzz
