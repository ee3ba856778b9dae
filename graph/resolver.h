#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/expansion.h"

/// Resolution of tensor names to their producers, over a whole segment and independent of the order of nodes. A name
/// may lead through inputs and outputs of nested blocks.
namespace opledger {

/// One edge, perhaps with renames, on the path from a tensor to its reader.
struct Layer {
  const InputSpec* edge = nullptr;       ///< The input of a node or block, with its renames.
  const Scope* scope = nullptr;          ///< Scope in which the edge is written.
  const TensorSpec* declared = nullptr;  ///< The block input that the edge feeds; null for a node.
  const Scope* inner = nullptr;          ///< Scope of that block.
};

/// The origin of an input: a node of the segment or an input of the segment, and the path from there.
struct Source {
  PendingId node;             ///< A node of Expansion::nodes; or
  std::int32_t input = -1;    ///< an input of the segment, counting activations, then data.
  std::size_t port = 0;       ///< Position among the node's outputs.
  std::vector<Layer> layers;  ///< Edges from the tensor to the reader.
};

/// Resolves the names of one segment.
class Resolver {
 public:
  /// The expansion and the diagnostics must outlive the resolver.
  Resolver(Expansion& expansion, Diagnostics& diagnostics) : expansion_(expansion), diagnostics_(diagnostics) {}

  /// Returns the sources of a node's inputs in the order of its operator's ports; nothing, with errors, if one is
  /// missing or unknown.
  std::optional<std::vector<Source>> inputs(const PendingNode& node);

  /// Returns the output of a segment or block. A block without output yields a source without node and input. Returns
  /// nothing after errors.
  std::optional<Source> output(const Scope& scope);

 private:
  // Functions report errors at `span` and then return nothing or false.
  std::optional<Source> name(const Scope& scope, const std::string& text, const Span& span);  ///< Resolves a name in a block.
  std::optional<Source> block_input(const Scope& scope, std::size_t index);                   ///< Resolves an input of a block, by position.
  /// Resolves a dotted path down through nested blocks, and a port of a node.
  std::optional<Source> child(const Scope& scope, const std::vector<std::string>& path, const std::string& text, const Span& span);
  std::optional<Source> node_port(PendingId node, const std::vector<std::string>& rest, const Span& span);
  std::nullopt_t unknown(const Scope& scope, const std::string& text, const Span& span);  ///< Reports an unknown tensor.
  bool check_block_inputs(const Scope& scope);                                            ///< Checks the inputs of all enclosing blocks.

  Expansion& expansion_;
  Diagnostics& diagnostics_;
  std::size_t depth_ = 0;  ///< Depth of recursion: blocks that pass on their inputs can form a cycle.
};

/// The ports of a node or block, and the names of both in messages.
struct Ports {
  std::string reader;              ///< Name in messages: "node `q`".
  std::string callee;              ///< Name in messages: "`linear`", "block `gated_mlp`".
  std::vector<std::string> names;  ///< Names of the ports in order.
};

/// Matches the written inputs of a node or block, given by port or by position, to its ports. Returns the input of each
/// port, in the order of the ports. Returns nothing, with errors, if a port is unknown or missing, or inputs are
/// surplus. A repeated port leaves another port missing. `span`: position of the node, for missing ports.
std::optional<std::vector<const InputSpec*>> match_inputs(const std::vector<InputSpec>& inputs, const Ports& ports, const Span& span, Diagnostics& diagnostics);

}  // namespace opledger
