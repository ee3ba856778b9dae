#pragma once
#include <string_view>
#include <vector>

#include "formulas/set.h"

/// Interface of an engine, which fills sets with elements: its sets, the values of its nodes, and the marks that rules
/// may set.
namespace opledger {

class Linker;
class Program;

/// A value that every node has regardless of its operator: `volume`, `input_bytes`.
struct NodeValueType {
  std::string_view name;
  FieldType type;
  std::string_view doc;
};

/// An engine's sets and callbacks, shared by all programs.
struct Engine {
  SetId sets;         ///< First set number after the engine's own sets, which precede all others in every program.
  SetId nodes;        ///< Set of nodes. Operators replace nodes while units are checked.
  SetId extents;      ///< Set that selects a node's value on one rank or in total.
  WordId extent = 0;  ///< Default word of `extents`.
  SetId axes;         ///< Set whose words are the axes of the mesh.
  std::vector<NodeValueType> node_values;
  void (*declare_sets)(Program& program) = nullptr;
  /// Declares the `marks` of a document.
  void (*declare_marks)(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics) = nullptr;

  /// Returns the node value of this name, or null.
  const NodeValueType* node_value(std::string_view name) const;
};

}  // namespace opledger
