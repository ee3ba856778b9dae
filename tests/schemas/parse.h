#pragma once
#include <memory>
#include <string>
#include <utility>

#include "schemas/document.h"

/// Parses text that is known to be valid YAML, for tests.
namespace opledger {

inline Datum parsed(std::string text, const std::string& path = "f.yaml") {
  Diagnostics diagnostics;
  return parse_document(std::make_shared<const SourceFile>(SourceFile{path, std::move(text)}), diagnostics).value();
}

}  // namespace opledger
