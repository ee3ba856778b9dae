#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/tree.h"

/// Parts of existing documents by place (`execution/mesh/dp`). A mutated document may take over a part of the same
/// place.
namespace opledger::fuzz {

class Donors {
 public:
  /// Reads the documents in these folders, or these files.
  explicit Donors(const std::vector<std::string>& places);

  /// Returns the parts at a place; empty if no document has the place.
  const std::vector<const Tree*>& at(const std::string& place) const;

 private:
  void add(const Tree& tree, const std::string& place);

  std::vector<Tree> documents_;
  std::map<std::string, std::vector<const Tree*>> places_;
};

/// Returns the kind of a document, the beginning of its nodes' places.
std::string kind_of(const Tree& document);

/// Returns the place of a child. All items of a list have one place; so have all entries with names chosen by the
/// document.
std::string place_below(const std::string& place, const Tree& parent, const Tree& child);

/// Returns the parts of the shipped documents.
const Donors& shipped_donors();

}  // namespace opledger::fuzz
