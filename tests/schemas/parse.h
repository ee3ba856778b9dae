#pragma once
#include <memory>
#include <string>
#include <utility>

#include "schemas/document.h"

/// For tests: text to a document that is known to be good YAML.
namespace opledger {

inline Datum parsed(std::string text, const std::string& path = "f.yaml") {
  Diagnostics diagnostics;
  return parse_document(std::make_shared<const SourceFile>(SourceFile{path, std::move(text)}), diagnostics).value();
}

}  // namespace opledger
