#pragma once
#include <string_view>
#include <vector>

#include "formulas/set.h"

/// What fills sets with elements brings to every program: its sets, the values that each of its nodes has by itself, and what rules may say of elements.
namespace opledger {

class Linker;
class Program;

/// A value that every node has, whatever its operator: `volume`, `input_bytes`, …
struct NodeValueType {
  std::string_view name;
  FieldType type;
  std::string_view doc;
};

struct Engine {
  SetId sets;         ///< The first that it does not declare: its own are the first of every program.
  SetId nodes;        ///< The set whose elements have quantities; while units are checked operators stand for them.
  SetId extents;      ///< What chooses between the values that a node has on one rank and as a whole.
  WordId extent = 0;  ///< Where nothing chooses.
  SetId axes;         ///< The set whose words are the axes that an execution names.
  std::vector<NodeValueType> node_values;
  void (*declare_sets)(Program& program) = nullptr;
  /// What a document declares of elements (`marks`).
  void (*declare_marks)(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics) = nullptr;

  const NodeValueType* node_value(std::string_view name) const;
};

}  // namespace opledger
