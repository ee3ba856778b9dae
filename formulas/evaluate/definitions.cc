#include "formulas/evaluate/definitions.h"

#include <bit>
#include <iterator>
#include <utility>

#include "formulas/link/linker.h"

namespace opledger {

void Definitions::set_nodes(NodeValues values, NodeFormulas formulas) {
  node_values_ = std::move(values);
  nodes_ = std::move(formulas);
  forget();
}

void Definitions::begin_candidate() {
  node_values_ = nullptr;
  nodes_.widened.clear();
  chains_.clear();
  storage_.clear();
}

/// Appends the definitions of an operator: its own first, then inherited ones.
void Definitions::add_definitions(const Name& name, const Operator& op, DefinitionChain& chain) {
  if (name.by_op.empty()) return;
  for (const Operator* o : lineage(op)) {
    if (const auto found = name.by_op.find(o); found != name.by_op.end()) chain.insert(chain.end(), found->second.begin(), found->second.end());
  }
}

DefinitionChain& Definitions::at(const Name& name, WordId element) {
  if (chains_.size() <= name.id) chains_.resize(name.id + 1);
  auto& all = chains_[name.id];
  if (all.size() <= static_cast<std::size_t>(element)) all.resize(static_cast<std::size_t>(element) + 1);
  DefinitionChain*& chain = all[static_cast<std::size_t>(element)];
  return chain != nullptr ? *chain : *(chain = &storage_.emplace_back());
}

const DefinitionChain& Definitions::at_word(const Name& name, WordId word) {
  DefinitionChain& chain = at(name, word);
  if (!chain.empty()) return chain;
  add_definitions(name, *program_.set(name.of).operators[static_cast<std::size_t>(word)], chain);
  chain.insert(chain.end(), name.defs.begin(), name.defs.end());
  return chain;
}

const DefinitionChain& Definitions::at_node(const Name& name, WordId node, WordId place) {
  // Returns the node's own definitions first, then those of its operator and of the operators that it extends, then
  // general ones. Units mode has operators in place of nodes.
  DefinitionChain& chain = at(name, node);
  if (!chain.empty()) return chain;
  if (mode_ == Evaluator::Mode::units) {
    if (program_.operators != nullptr && !program_.operators->all().empty())
      add_definitions(name, std::next(program_.operators->all().begin(), node)->second, chain);
  } else {
    const auto& own = nodes_.quantities[static_cast<std::size_t>(place)];
    if (const auto found = own.find(name.name); found != own.end()) chain.push_back(found->second);
    if (const Operator* const op = node_operator(place)) add_definitions(name, *op, chain);
  }
  chain.insert(chain.end(), name.defs.begin(), name.defs.end());
  return chain;
}

std::optional<Answer> Definitions::node_value(WordId place, const std::string& name, WordId extent) const {
  if (!node_values_) return std::nullopt;
  return node_values_(place, name, extent);
}

std::vector<std::uint64_t> Definitions::identities(std::size_t count) const {
  std::vector<std::uint64_t> out;
  if (nodes_.operators.size() != count) return out;
  for (std::size_t n = 0; n < count; ++n) {
    std::uint64_t all = std::bit_cast<std::uintptr_t>(nodes_.operators[n]);
    for (const auto& [_, def] : nodes_.quantities[n]) all = all * 0xBF58476D1CE4E5B9u + std::bit_cast<std::uintptr_t>(def);
    out.push_back(all);
  }
  return out;
}

}  // namespace opledger
