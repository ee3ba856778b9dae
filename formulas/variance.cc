#include "formulas/variance.h"

#include <algorithm>
#include <vector>

namespace opledger {
namespace {

/// (sets on which a value may depend, sets without which it can't be evaluated)
struct Reach {
  std::uint64_t varies = 0, needs = 0;
  void add(const Reach& other) {
    varies |= other.varies;
    needs |= other.needs;
  }
};

Reach of(const Program& program, const Formula& f);

Reach of_set(const Program& program, SetId id) {
  const Set& set = program.set(id);
  Reach r{bit(id), 0};
  if (set.binder != nullptr)
    r.add({set.binder->varies, set.binder->needs});
  else if (set.default_word < 0)
    r.needs |= bit(id);
  return r;
}

Reach of_def(const Program& program, const Def& def) {
  Reach r;
  if (def.set >= 0) r.add(of_set(program, def.set));
  for (const auto& [_, f] : def.cases) {
    if (f != nullptr) r.add(of(program, *f));
  }
  if (def.otherwise != nullptr) r.add(of(program, *def.otherwise));
  if (def.when != nullptr) r.add(of(program, *def.when));
  return r;
}

Reach of_aggregate(const Program& program, const Formula& f) {
  Reach r;
  for (const Formula* arg : f.args) r.add(of(program, *arg));
  const Set& set = program.set(f.set);
  std::uint64_t chosen = bit(f.set), joined = 0;
  for (const SetId s : set.belongs_to) joined |= bit(s);
  if (f.kind == Formula::Kind::running) {
    r.varies |= chosen | joined;
    r.needs |= chosen;
    return r;
  }
  r.varies = (r.varies & ~chosen) | joined;  // what is visited depends on what else was chosen, but needs none of it
  r.needs &= ~(chosen | joined);
  return r;
}

Reach of(const Program& program, const Formula& f) {
  switch (f.kind) {
    case Formula::Kind::name:
      return {f.name->varies, f.name->needs};
    case Formula::Kind::set:
      return of_set(program, f.set);
    case Formula::Kind::node_value:
      return {bit(program.engine->nodes) | bit(program.engine->extents), bit(program.engine->nodes)};
    case Formula::Kind::aggregate:
    case Formula::Kind::running:
      return of_aggregate(program, f);
    case Formula::Kind::at: {
      Reach r = of(program, *f.args[0]);
      for (const auto& [set, _] : f.bindings) {
        if (set < 0) return {};
        r.varies &= ~bit(set);
        r.needs &= ~bit(set);
      }
      return r;
    }
    default: {
      Reach r;
      for (const Formula* arg : f.args) r.add(of(program, *arg));
      if (f.kind == Formula::Kind::function) r.add({f.function->varies, f.function->needs});
      return r;
    }
  }
}

}  // namespace

std::uint64_t varies(const Program& program, const Formula& formula) { return of(program, formula).varies; }

bool widens(const Program& program, const Name& name, const Def& def) {
  const Reach r = of_def(program, def);
  return (r.varies & ~name.varies) != 0 || (r.needs & ~name.needs) != 0;
}

void find_variance(Program& program) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& f : program.functions) {
      Reach r;
      for (const Def* d : f->defs) r.add(of_def(program, *d));
      if (r.varies != f->varies || r.needs != f->needs) changed = true;
      f->varies = r.varies;
      f->needs = r.needs;
    }
    for (const auto& n : program.names) {
      Reach r{n->varies, n->needs};
      if (n->at_node) r.add({bit(program.engine->nodes), bit(program.engine->nodes)});
      if (n->of >= 0) r.add(of_set(program, n->of));
      for (const Def* d : n->defs) r.add(of_def(program, *d));
      for (const Def* d : n->by_node) r.add(of_def(program, *d));
      for (const auto& [_, defs] : n->by_op) {
        for (const Def* d : defs) r.add(of_def(program, *d));
      }
      if (r.varies != n->varies || r.needs != n->needs) changed = true;
      n->varies = r.varies;
      n->needs = r.needs;
    }
  }
  for (const auto& n : program.names) {
    n->key.clear();
    for (std::size_t s = 0; s < program.sets.size(); ++s) {
      if ((n->varies >> s & 1u) != 0) n->key.push_back(static_cast<SetId>(s));
    }
  }
}

}  // namespace opledger
