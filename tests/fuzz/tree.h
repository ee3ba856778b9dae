#pragma once
#include <optional>
#include <string>
#include <vector>

#include "schemas/datum.h"

/// A mutable document: the content of a `Datum` without positions. No key has a meaning here.
namespace opledger::fuzz {

struct Tree {
  Datum::Kind kind = Datum::Kind::null;
  bool quoted = false;
  std::string key;   ///< Key of a mapping's entry.
  std::string text;  ///< Text of a scalar.
  std::vector<Tree> children;

  const Tree* find(const std::string& name) const;
};

Tree tree_of(const Datum& datum);

/// Parses a text; empty if it is no document.
std::optional<Tree> read_tree(const std::string& text);

/// Writes YAML: one line for each entry of the outermost mapping, and for each item of a list in it.
std::string written(const Tree& tree);

/// Splits and joins documents in one text, separated by lines `---`: the form of fuzz inputs.
std::vector<std::string> parts_of(const std::string& text);
std::string joined(const std::vector<std::string>& parts);

}  // namespace opledger::fuzz
