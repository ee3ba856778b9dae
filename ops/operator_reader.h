#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ops/operator.h"

/// Reading of the `ops` section of one document. Parents are read before their children regardless of document order,
/// and children inherit missing declarations.
namespace opledger {

/// Reads the operators of one section into a map, which may have operators of earlier documents. Errors go to the
/// diagnostics; operators with errors may be in the map.
class OperatorReader {
 public:
  using Operators = std::map<std::string, Operator, std::less<>>;

  OperatorReader(const Datum& section, Operators& operators, Diagnostics& diagnostics) : section_(section), operators_(operators), diagnostics_(diagnostics) {}

  /// Reads every operator of the section.
  void read();

 private:
  const Operator* load(const Datum& name, const Datum& value);              ///< Reads an operator, after its parents, unless it is read already.
  const Operator* parent(const Datum& name);                                ///< Returns the parent of this name, or null.
  void inherit(const Datum& value, Operator& op);                           ///< Copies the declarations of all parents.
  void entry(const Datum& key, const Datum& value, Operator& op);           ///< Reads one key of an operator.
  bool text_entry(const Datum& key, const Datum& value, Operator& op);      ///< Reads a key with a text or truth; false for another key.
  bool relation_entry(const Datum& key, const Datum& value, Operator& op);  ///< Reads a key about ports or dimensions; false for another key.

  const Datum& section_;
  Operators& operators_;
  Diagnostics& diagnostics_;
  std::vector<std::string> open_;              ///< Operators whose reading is in progress, for cycle detection.
  std::set<std::string, std::less<>> failed_;  ///< Operators that are no mappings; their error is reported once.
};

/// Readers of single sections of an operator, named by the keys of documents (`in`, `width`, `attributes`, `inner`, …).
/// `section` is the key's value. Each reports its own errors; a malformed entry is skipped, or added without its
/// formula. `read_ports` returns the ports; the others write to `op`: attributes merge with inherited ones by name,
/// widths are set on ports of `op`, and other sections replace inherited ones.
std::vector<Port> read_ports(const Datum& section, Diagnostics& diagnostics);
void read_widths(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_attributes(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_inner(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_halo(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_carry(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_matrices(const Datum& section, Diagnostics& diagnostics, Operator& op);

/// Returns the names in a value, one or a list. Items that are no names are reported and skipped.
std::vector<std::string> read_names(const Datum& value, Diagnostics& diagnostics);
/// Returns the entries `key: [names…]` of a mapping, in order; an empty list, with an error, for other values.
std::vector<std::pair<std::string, std::vector<std::string>>> read_name_lists(const Datum& section, Diagnostics& diagnostics);
/// Returns whether a section is a mapping. Reports an error if the section is neither a mapping nor empty.
bool expect_map(const Datum& section, const char* section_name, Diagnostics& diagnostics);

/// Checks an operator after its sections and inherited ones are merged: names of ports and attributes are unique,
/// shapes are possible, and sections such as `gradients` refer to existing ports. `value` is the operator as written,
/// for positions.
void check_operator(const Operator& op, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
