#pragma once
#include <optional>
#include <string>
#include <vector>

#include "schemas/datum.h"

/// A document that is being changed: what a `Datum` holds, without places, open to changes. It knows nothing of what the document means.
namespace opledger::fuzz {

struct Tree {
  Datum::Kind kind = Datum::Kind::null;
  bool quoted = false;
  std::string key;   ///< Of an entry of a mapping.
  std::string text;  ///< Of a scalar.
  std::vector<Tree> children;

  const Tree* find(const std::string& name) const;
};

Tree tree_of(const Datum& datum);

/// Empty if it is no document.
std::optional<Tree> read_tree(const std::string& text);

/// YAML: an entry of the outermost mapping a line, and an item of a list in it.
std::string written(const Tree& tree);

/// Documents in one text, a line `---` between them: what fuzz targets get.
std::vector<std::string> parts_of(const std::string& text);
std::string joined(const std::vector<std::string>& parts);

}  // namespace opledger::fuzz
