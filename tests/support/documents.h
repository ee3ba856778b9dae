#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "schemas/document.h"
#include "schemas/library.h"

/// Documents in tests: text in, no files.
namespace opledger {

inline Datum datum(const std::string& text, const std::string& path = "t.yaml") {
  Diagnostics diagnostics;
  auto root = parse_document(std::make_shared<const SourceFile>(SourceFile{path, text}), diagnostics);
  REQUIRE_MESSAGE(root, render(diagnostics));
  return root ? *root : Datum();
}

inline Document document(const std::string& text, const std::string& path = "t.yaml") {
  Document result;
  result.root = datum(text, path);
  result.path = path;
  const Datum* kind = result.root.find("kind");
  const Datum* name = result.root.find("name");
  result.kind = kind ? kind->text() : "";
  result.name = name ? name->text() : "";
  return result;
}

/// Renders `LINE:COLUMN: message`, one line each; notes follow their message.
inline std::string messages(const Diagnostics& diagnostics) {
  std::string text;
  auto place = [](const Diagnostic& d) { return d.span.known() ? std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " : ""; };
  for (const Diagnostic& d : diagnostics.all()) {
    text += place(d) + d.message + "\n";
    for (const Diagnostic& note : d.notes) text += "  " + place(note) + note.message + "\n";
  }
  return text;
}

}  // namespace opledger
