#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ops/operator.h"

/// The `ops` section of one document to operators: parents first, whatever the order in the text; what an operator does not declare it takes over from them.
namespace opledger {

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
  std::vector<std::string> open_;  ///< Being read because of each other: what a cycle goes through.
  std::set<std::string, std::less<>> failed_;
};

/// Readers of single sections of an operator, each with its own errors.
std::vector<Port> read_ports(const Datum& section, Diagnostics& diagnostics);
void read_widths(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_attributes(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_inner(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_halo(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_carry(const Datum& section, Diagnostics& diagnostics, Operator& op);
void read_matrices(const Datum& section, Diagnostics& diagnostics, Operator& op);

/// One name or a list of names.
std::vector<std::string> read_names(const Datum& value, Diagnostics& diagnostics);
/// `key: [names…]` for every entry of a mapping.
std::vector<std::pair<std::string, std::vector<std::string>>> read_name_lists(const Datum& section, Diagnostics& diagnostics);
/// Reports a section that is no mapping.
bool expect_map(const Datum& section, const char* what, Diagnostics& diagnostics);

/// That gradients, widths and the rest speak of ports that the operator has. `value` is the operator as written.
void check_operator(const Operator& op, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
