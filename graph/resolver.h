#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/expansion.h"

/// Names of tensors to what makes them, over a whole segment and in any order.
namespace opledger {

/// One renaming edge on the way from a tensor to its reader.
struct Layer {
  const InputSpec* edge = nullptr;
  const Scope* scope = nullptr;          ///< Where it is written.
  const TensorSpec* declared = nullptr;  ///< The input of a block that it feeds; null: a node's.
  const Scope* inner = nullptr;          ///< That block's scope.
};

struct Source {
  PendingId node;             ///< One of Expansion::nodes, or
  std::int32_t input = -1;    ///< an input of the segment: activations first, then data.
  std::size_t port = 0;       ///< Which output of the node.
  std::vector<Layer> layers;  ///< From the tensor to the reader.
};

class Resolver {
 public:
  Resolver(Expansion& expansion, Diagnostics& diagnostics) : expansion_(expansion), diagnostics_(diagnostics) {}

  /// The inputs of a node in the order of its operator's ports; null, with errors, if one is missing or unknown.
  std::optional<std::vector<Source>> inputs(const PendingNode& node);

  /// The output of a segment or block; a source without node and input where it has none. Null with an error.
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
  std::size_t depth_ = 0;  ///< Blocks that hand on their inputs may go round in circles.
};

/// Inputs by port or by position against what there is to feed. Each entry is null if it is not given. Reports ports that are unknown, given twice or too many.
struct Ports {
  std::string reader;  ///< For messages: "node `q`".
  std::string callee;  ///< "`linear`", "block `gated_mlp`"
  std::vector<std::string> names;
};
std::optional<std::vector<const InputSpec*>> match_inputs(const std::vector<InputSpec>& inputs, const Ports& ports, const Span& span, Diagnostics& diagnostics);

}  // namespace opledger
