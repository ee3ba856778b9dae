#include "graph/expansion.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {

namespace {

bool names_tensor(const std::vector<TensorSpec>& tensors, const std::string& name) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const TensorSpec& tensor) { return tensor.name == name; });
}

}  // namespace

const std::string& Scope::dimension(const std::string& name) const {
  auto found = renamed.find(name);
  return found == renamed.end() ? name : found->second;
}

/// Evaluates the condition in this run; the caller substitutes the names of the block first.
bool Expander::holds(const ExprPtr& when) {
  if (!when) return true;
  std::optional<bool> result = holds_(when);
  if (!result) failed_ = true;
  return result.value_or(false);
}

bool Expander::count_node(const Span& span) {
  if (count_ < kMaxNodes) {
    ++count_;
    return true;
  }
  diagnostics_.error(span, fmt::format("the graph has more than {} nodes", kMaxNodes));
  failed_ = full_ = true;
  return false;
}

const Block* Expander::find(const std::string& name, const Span& span) {
  auto found = model_.blocks.find(name);
  if (found != model_.blocks.end()) return &found->second;
  diagnostics_.error(span, fmt::format("unknown block `{}`{}", name, suggestion(name, names_of(model_.blocks))));
  failed_ = true;
  return nullptr;
}

bool Expander::expand(Expansion& out) {
  const Block* block = find(out.spec->block, out.spec->block_span);
  if (!block) return false;
  Scope& scope = out.scopes.emplace_back();
  scope.block = block;
  scope.component = block->component;
  rename(out.spec->arguments, scope);
  open(out, scope);
  return !failed_;
}

/// Adds the constraints of a block in the model's names. Equal substitutions of one block give equal constraints, so
/// each is added once.
void Expander::require(const Scope& scope) {
  if (scope.block->constraints.empty() || !required_.emplace(scope.block, scope.renamed).second) return;
  for (Requirement requirement : scope.block->constraints) {
    requirement.require = substitute(requirement.require, scope.renamed);
    requirement.when = substitute(requirement.when, scope.renamed);
    for (Requirement::Part& part : requirement.message) part.value = substitute(part.value, scope.renamed);
    requirements_.push_back(std::move(requirement));
  }
}

/// Expands a block depth-first. A node whose `when` fails is absent; with `else`, readers of its name get another
/// tensor. Names are substituted on the way down, so formulas of inner blocks are in the model's names. The limit on
/// nodes bounds the total work, as blocks can nest exponentially.
void Expander::open(Expansion& out, Scope& scope) {
  require(scope);
  for (const NodeSpec& spec : scope.block->nodes) {
    if (full_) return;
    if (holds(substitute(spec.when, scope.renamed))) {
      add(out, scope, spec);
    } else if (!spec.otherwise.empty() && !is_repeated(scope, spec)) {
      scope.children[spec.name].absent = &spec;
      scope.last = &spec.name;
    }
  }
}

/// Reports a name that an input or an earlier node of the block already has.
bool Expander::is_repeated(const Scope& scope, const NodeSpec& spec) {
  if (!names_tensor(scope.block->inputs, spec.name) && !names_tensor(scope.block->data, spec.name) && scope.children.count(spec.name) == 0) return false;
  diagnostics_.error(spec.span, fmt::format("block `{}` has two tensors called `{}`", scope.block->name, spec.name));
  failed_ = true;
  return true;
}

void Expander::add(Expansion& out, Scope& scope, const NodeSpec& spec) {
  if (is_repeated(scope, spec) || !count_node(spec.span)) return;
  if (!spec.block.empty()) {
    add_block(out, scope, spec);
  } else {
    add_operator(out, scope, spec);
  }
}

/// Reports a block that contains itself, with the path, or a nesting beyond the limit, and then returns true. Walks
/// from the block of the node `spec` outward through the scopes in which it would be opened.
bool Expander::recursive(const Scope& scope, const NodeSpec& spec) {
  std::vector<std::string> path{spec.block};
  for (const Scope* outer = &scope; outer; outer = outer->parent) {
    path.push_back(outer->block->name);
    if (outer->block->name != spec.block) continue;
    std::reverse(path.begin(), path.end());
    diagnostics_.error(spec.target_span, fmt::format("cycle: {}", join(path, " -> ")));
    failed_ = true;
    return true;
  }
  if (path.size() <= kMaxBlockDepth) return false;
  diagnostics_.error(spec.target_span, fmt::format("more than {} blocks inside each other", kMaxBlockDepth));
  failed_ = true;
  return true;
}

/// Opens a nested block for a node: creates its scope, then expands the block recursively. The scope takes tags and
/// substitutions of names from the enclosing scope and adds those of the node. The component comes from the node, else
/// from the block, else from the enclosing scope. `scopes` is a deque, so the pointers to scopes stay valid.
void Expander::add_block(Expansion& out, Scope& scope, const NodeSpec& spec) {
  const Block* block = find(spec.block, spec.target_span);
  if (!block || recursive(scope, spec)) return;
  if (spec.out) {
    diagnostics_.error(spec.out_span, fmt::format("`{}` gives `out`, but block `{}` computes its own output", spec.name, block->name));
    failed_ = true;
  }
  Scope& inner = out.scopes.emplace_back();
  inner.parent = &scope;
  inner.block = block;
  inner.instance = &spec;
  inner.prefix = scope.prefix + spec.name + ".";
  inner.component = !spec.component.empty() ? spec.component : !block->component.empty() ? block->component : scope.component;
  inner.tags = scope.tags;
  inner.tags.insert(inner.tags.end(), spec.tags.begin(), spec.tags.end());
  inner.renamed = scope.renamed;
  rename(spec.arguments, inner);
  scope.children[spec.name].scope = &inner;
  scope.last = &spec.name;
  open(out, inner);
}

bool Expander::add_operator(Expansion& out, Scope& scope, const NodeSpec& spec) {
  scope.last = &spec.name;
  const Operator* op = operators_.find(spec.op);
  if (!op) {
    diagnostics_.error(spec.target_span, fmt::format("unknown operator `{}`{}", spec.op, suggestion(spec.op, operators_.names())));
    failed_ = true;
  }
  // A node of an unknown operator stays in its scope, so that no error is reported for its readers.
  scope.children[spec.name].node = out.nodes.add({&spec, op, &scope, scope.prefix + spec.name, {}});
  return op != nullptr;
}

/// Adds the substitutions that a node or segment makes for the block of `scope`, as `heads: vision_heads`.
/// `scope.renamed` begins with the substitutions of the enclosing block. A target that the enclosing block substitutes
/// is replaced by its own target, so every entry refers to a name of the model. `outer` is a copy, so that all
/// arguments are substituted at once and none affects another. Reports unknown names and targets that are no names.
void Expander::rename(const std::vector<std::pair<Datum, Datum>>& arguments, Scope& scope) {
  auto outer = scope.renamed;
  for (const auto& [key, value] : arguments) {
    if (!dimensions_.known(key.text())) {
      auto message = fmt::format("block `{}` has no dimension or parameter `{}`{}", scope.block->name, key.text(), dimensions_.suggest(key.text()));
      diagnostics_.error(key.span(), message);
    } else if (!value.is_scalar()) {
      diagnostics_.error(value.span(), fmt::format("`{}` of block `{}` must be the name of a dimension or parameter, found {}", key.text(), scope.block->name,
                                                   value.describe()));
    } else if (!dimensions_.known(value.text())) {
      diagnostics_.error(value.span(), fmt::format("unknown dimension `{}`{}", value.text(), dimensions_.suggest(value.text())));
    } else {
      auto further = outer.find(value.text());
      scope.renamed[key.text()] = further == outer.end() ? value.text() : further->second;
      rebound_.insert(key.text());
      continue;
    }
    failed_ = true;
  }
}

}  // namespace opledger
