#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ops/operator.h"

/// Reading of the `ops` section of one document. Parents are read before their children regardless of document order,
/// and children inherit missing declarations.
namespace opledger {

/// Reads the operators of one section into a map.
class OperatorReader {
 public:
  using Operators = std::map<std::string, Operator, std::less<>>;

  OperatorReader(const Datum& section, Operators& operators, Diagnostics& diagnostics) : section_(section), operators_(operators), diagnostics_(diagnostics) {}

  void read();

 private:
  const Operator* load(const Datum& name, const Datum& value);
  const Operator* parent(const Datum& name);
  void inherit(const Datum& value, Operator& op);
  void entry(const Datum& key, const Datum& value, Operator& op);
  bool text_entry(const Datum& key, const Datum& value, Operator& op);
  bool relation_entry(const Datum& key, const Datum& value, Operator& op);

  const Datum& section_;
  Operators& operators_;
  Diagnostics& diagnostics_;
  std::vector<std::string> open_;  ///< Operators whose reading is in progress, for cycle detection.
  std::set<std::string, std::less<>> failed_;
};

/// Readers of single sections of an operator. Each reports its own errors.
std::vector<Port> read_ports(const Datum& section, Diagnostics& diagnostics);
void read_widths(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_attributes(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_inner(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_halo(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_carry(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_matrices(const Datum& section, Diagnostics& diagnostics, Operator& op);

/// Returns the names in a value, one or a list.
std::vector<std::string> read_names(const Datum& value, Diagnostics& diagnostics);
/// Returns the entries `key: [names…]` of a mapping.
std::vector<std::pair<std::string, std::vector<std::string>>> read_name_lists(const Datum& section, Diagnostics& diagnostics);
/// Reports a section that is not a mapping and not empty.
bool expect_map(const Datum& section, const char* section_name, Diagnostics& diagnostics);

/// Checks that gradients, widths and other sections refer to existing ports. `value` is the operator as written, for
/// positions.
void check_operator(const Operator& op, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
