#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/frame.h"

/// The definitions that apply to a name at a node or word of a run.
namespace opledger {

/// Chains of definitions, and the node values and operators that the engine provides. Chains are built on first use and kept until
/// nodes are set again.
class Definitions {
 public:
  /// `program` must outlive the object. In units mode operators replace nodes.
  Definitions(const Program& program, Evaluator::Mode mode) : program_(program), mode_(mode) {}

  /// Sets the function that computes values of nodes, and the own definitions of nodes.
  void set_nodes(NodeValues values, NodeFormulas formulas);
  /// Forgets the nodes of an earlier candidate. Must not be called during a query, unlike all other functions.
  void begin_candidate();

  /// Forgets all chains.
  void forget() { chains_.clear(); }

  /// Returns the chain of a quantity of operators at a word of its set. References stay valid until `begin_candidate`.
  const DefinitionChain& at_word(const Name& name, WordId word);
  /// Returns the chain of a quantity of nodes at a node; `place` is the node's position among the nodes of the run.
  const DefinitionChain& at_node(const Name& name, WordId node, WordId place);

  /// Returns a value of the node at a position, on one rank or in total (`extent`); nothing if the node has no such value.
  std::optional<Answer> node_value(WordId place, const std::string& name, WordId extent) const;
  const Operator* node_operator(WordId place) const { return nodes_.operators[static_cast<std::size_t>(place)]; }
  const NodeFormulas& nodes() const { return nodes_; }
  /// Returns the sets that a name or function depends on, including definitions of this run's nodes.
  template <class NameOrFunction>
  const Variance& variance(const NameOrFunction& of) const {
    if (nodes_.widened.empty()) return of.variance;
    const auto found = nodes_.widened.find(&of);
    return found == nodes_.widened.end() ? of.variance : found->second;
  }
  /// Returns, for each of `count` nodes, a hash of its operator and its own definitions. Nodes of equal name in two
  /// candidates are the same element only if the hashes agree. Empty if the number of set nodes is not `count`.
  std::vector<std::uint64_t> identities(std::size_t count) const;

 private:
  /// Appends the definitions of a name for an operator and the operators that it extends.
  static void add_definitions(const Name& name, const Operator& op, DefinitionChain& chain);
  /// Returns the chain of a name at an element or word; empty if it was not built yet.
  DefinitionChain& at(const Name& name, WordId element);

  const Program& program_;
  const Evaluator::Mode mode_;
  NodeValues node_values_;
  NodeFormulas nodes_;
  std::vector<std::vector<DefinitionChain*>> chains_;  ///< Chains by Name::id, then by node or word; null: not built yet.
  std::deque<DefinitionChain> storage_;                ///< Storage of all chains. Forgotten ones stay, because queries in progress may use them.
};

}  // namespace opledger
