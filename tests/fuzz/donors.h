#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/tree.h"

/// Pieces of documents that are there, by where they stand in theirs (`execution/mesh/dp`): what a mutated document may take over.
namespace opledger::fuzz {

class Donors {
 public:
  /// The documents below these folders, or these files.
  explicit Donors(const std::vector<std::string>& places);

  /// What stands there in some document; empty if nothing does.
  const std::vector<const Tree*>& at(const std::string& place) const;

 private:
  void add(const Tree& tree, const std::string& place);

  std::vector<Tree> documents_;
  std::map<std::string, std::vector<const Tree*>> places_;
};

/// A document's kind, as the places of its nodes begin.
std::string kind_of(const Tree& document);

/// A node's place below that of its parent: items of a list are all alike, and so are entries of which names are free.
std::string place_below(const std::string& place, const Tree& parent, const Tree& child);

/// The documents that are shipped.
const Donors& shipped_donors();

}  // namespace opledger::fuzz
