#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/expansion.h"

/// Resolution of tensor names to their producers, over a whole segment and independent of the order of nodes.
namespace opledger {

/// One renaming edge on the path from a tensor to its reader.
struct Layer {
  const InputSpec* edge = nullptr;
  const Scope* scope = nullptr;          ///< Scope in which the edge is written.
  const TensorSpec* declared = nullptr;  ///< The block input that the edge feeds; null for a node.
  const Scope* inner = nullptr;          ///< Scope of that block.
};

struct Source {
  PendingId node;             ///< A node of Expansion::nodes; or
  std::int32_t input = -1;    ///< an input of the segment, counting activations, then data.
  std::size_t port = 0;       ///< Position among the node's outputs.
  std::vector<Layer> layers;  ///< Edges from the tensor to the reader.
};

class Resolver {
 public:
  Resolver(Expansion& expansion, Diagnostics& diagnostics) : expansion_(expansion), diagnostics_(diagnostics) {}

  /// Returns the sources of a node's inputs in the order of its operator's ports; nothing, with errors, if one is
  /// missing or unknown.
  std::optional<std::vector<Source>> inputs(const PendingNode& node);

  /// Returns the output of a segment or block. A block without output yields a source without node and input. Returns
  /// nothing after errors.
  std::optional<Source> output(const Scope& scope);

 private:
  std::optional<Source> name(const Scope& scope, const std::string& text, const Span& span);
  std::optional<Source> block_input(const Scope& scope, std::size_t index);
  std::optional<Source> child(const Scope& scope, const std::vector<std::string>& path, const std::string& text, const Span& span);
  std::optional<Source> node_port(PendingId node, const std::vector<std::string>& rest, const Span& span);
  std::nullopt_t unknown(const Scope& scope, const std::string& text, const Span& span);
  bool check_block_inputs(const Scope& scope);

  Expansion& expansion_;
  Diagnostics& diagnostics_;
  std::size_t depth_ = 0;  ///< Depth of recursion: blocks that pass on their inputs can form a cycle.
};

/// The ports of a node or block, and the names of both in messages.
struct Ports {
  std::string reader;  ///< Name in messages: "node `q`".
  std::string callee;  ///< Name in messages: "`linear`", "block `gated_mlp`".
  std::vector<std::string> names;
};

/// Matches inputs, given by port or by position, to ports; an absent input is null. Reports unknown, repeated, surplus
/// and missing ports.
std::optional<std::vector<const InputSpec*>> match_inputs(const std::vector<InputSpec>& inputs, const Ports& ports, const Span& span, Diagnostics& diagnostics);

}  // namespace opledger
