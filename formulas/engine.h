#pragma once
#include <string_view>
#include <vector>

#include "formulas/set.h"

/// Interface of an engine, which fills sets with elements: its sets, the values of its nodes, and the marks that rules
/// may set. Linking a program reads the engine; during a run its values come from the callbacks of `set_nodes`
/// (evaluate/evaluator.h).
namespace opledger {

class Linker;
class Program;

/// A value that every node has regardless of its operator: `volume`, `input_bytes`.
struct NodeValueType {
  std::string_view name;
  FieldType type;        ///< Kind and unit of the value.
  std::string_view doc;  ///< Description for readers.
};

/// An engine's sets and callbacks, shared by all programs.
struct Engine {
  SetId sets;                              ///< First set number after the engine's own sets, which precede all others in every program.
  SetId nodes;                             ///< Set of nodes. Operators replace nodes while units are checked.
  SetId extents;                           ///< Set that selects a node's value on one rank or in total.
  WordId extent = 0;                       ///< Default word of `extents`.
  SetId axes;                              ///< Set whose words are the axes of the mesh.
  std::vector<NodeValueType> node_values;  ///< Values that formulas may read of every node.
  /// Adds the engine's sets to an empty program, in the order of their numbers.
  void (*declare_sets)(Program& program) = nullptr;
  /// Reads the section `marks` of a document into Program::marks. Reports errors.
  void (*declare_marks)(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics) = nullptr;

  /// Returns the node value of this name, or null.
  const NodeValueType* node_value(std::string_view name) const;
};

}  // namespace opledger
