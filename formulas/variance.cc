#include "formulas/variance.h"

#include <algorithm>
#include <optional>

namespace opledger {
namespace {

/// (sets on which a value may depend, sets without which it can't be evaluated)
struct Reach {
  std::uint64_t varies = 0, needs = 0;
  void add(const Reach& other) {
    varies |= other.varies;
    needs |= other.needs;
  }
  friend bool operator==(const Reach&, const Reach&) = default;
};

Reach reach(const Variance& v) { return {v.varies, v.needs}; }

/// Reaches grow until none does any more: of the names that are looked at, from what is known of all others.
class VarianceFinder {
 public:
  explicit VarianceFinder(const Program& program, const Widened& widened) : program_(program), widened_(widened) {}

  void look_at(const Formulas& all) {
    for (const auto& n : all.names) {
      names_.emplace_back(n.get(), nullptr);
      if (known_.size() <= n->id) known_.resize(n->id + 1);
      known_[n->id] = reach(n->variance);
    }
    for (const auto& f : all.functions) functions_.emplace(f.get(), reach(f->variance));
  }

  void find(const FurtherDefinitions& further) {
    for (auto& [name, definitions] : names_) {
      if (const auto found = further.find(name); found != further.end()) definitions = &found->second;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [function, known] : functions_) changed = grow(known, of_function(*function)) || changed;
      for (const auto& [name, definitions] : names_) changed = grow(*known_[name->id], of_name(*name, definitions)) || changed;
    }
  }

  Reach now(const Name& name) const { return *known_[name.id]; }
  Reach now(const Function& function) const { return functions_.at(&function); }

  Variance variance(const Reach& r) const {
    Variance out{r.varies, r.needs, {}};
    for (const SetId s : program_.sets.ids()) {
      if ((r.varies & bit(s)) != 0) out.key.push_back(s);
    }
    return out;
  }

  Reach of(const Formula& f) const {
    switch (f.kind) {
      case Formula::Kind::name:
        return of_known(*f.name);
      case Formula::Kind::set:
        return of_set(f.set);
      case Formula::Kind::node_value:
        return {bit(program_.engine->nodes) | bit(program_.engine->extents), bit(program_.engine->nodes)};
      case Formula::Kind::aggregate:
      case Formula::Kind::running:
        return of_aggregate(f);
      case Formula::Kind::at: {
        Reach r = of(*f.args[0]);
        for (const auto& [set, _] : f.bindings) {
          if (!set) return {};
          r.varies &= ~bit(set);
          r.needs &= ~bit(set);
        }
        return r;
      }
      default: {
        Reach r;
        for (const Formula* arg : f.args) r.add(of(*arg));
        if (f.kind == Formula::Kind::function) r.add(of_known(*f.function));
        return r;
      }
    }
  }

  Reach of_definition(const Def& def) const {
    Reach r;
    if (def.set) r.add(of_set(def.set));
    for (const auto& [_, f] : def.cases) {
      if (f != nullptr) r.add(of(*f));
    }
    if (def.otherwise != nullptr) r.add(of(*def.otherwise));
    if (def.when != nullptr) r.add(of(*def.when));
    return r;
  }

 private:
  static bool grow(Reach& known, const Reach& to) { return known == to ? false : (known = to, true); }

  Reach of_known(const Name& name) const {
    if (name.id < known_.size() && known_[name.id]) return *known_[name.id];
    const auto wider = widened_.find(&name);
    return reach(wider != widened_.end() ? wider->second : name.variance);
  }

  Reach of_known(const Function& function) const {
    if (const auto found = functions_.find(&function); found != functions_.end()) return found->second;
    const auto wider = widened_.find(&function);
    return reach(wider != widened_.end() ? wider->second : function.variance);
  }

  Reach of_set(SetId id) const {
    const Set& set = program_.set(id);
    Reach r{bit(id), 0};
    if (set.binder != nullptr)
      r.add(of_known(*set.binder));
    else if (set.default_word < 0)
      r.needs |= bit(id);
    return r;
  }

  Reach of_function(const Function& f) const {
    Reach r;
    for (const Def* d : f.defs) r.add(of_definition(*d));
    return r;
  }

  Reach of_name(const Name& n, const std::vector<const Def*>* further) const {
    Reach r = *known_[n.id];
    if (n.at_node) r.add({bit(program_.engine->nodes), bit(program_.engine->nodes)});
    if (n.of) r.add(of_set(n.of));
    for (const Def* d : n.defs) r.add(of_definition(*d));
    for (const Def* d : further != nullptr ? *further : std::vector<const Def*>{}) r.add(of_definition(*d));
    for (const auto& [_, defs] : n.by_op) {
      for (const Def* d : defs) r.add(of_definition(*d));
    }
    return r;
  }

  Reach of_aggregate(const Formula& f) const {
    Reach r;
    for (const Formula* arg : f.args) r.add(of(*arg));
    const Set& set = program_.set(f.set);
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

  const Program& program_;
  const Widened& widened_;
  std::vector<std::pair<const Name*, const std::vector<const Def*>*>> names_;
  std::unordered_map<const Function*, Reach> functions_;
  std::vector<std::optional<Reach>> known_;  ///< By Name::id.
};

void settle(const Program& program, Formulas& all) {
  const Widened none;
  VarianceFinder finder(program, none);
  finder.look_at(all);
  finder.find({});
  for (const auto& n : all.names) n->variance = finder.variance(finder.now(*n));
  for (const auto& f : all.functions) f->variance = finder.variance(finder.now(*f));
}

}  // namespace

std::uint64_t varies(const Program& program, const Formula& formula, const Widened& widened) { return VarianceFinder(program, widened).of(formula).varies; }

void find_variance(Program& program) { settle(program, program); }
void find_variance(const Program& program, Formulas& added) { settle(program, added); }

Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further) {
  Widened out;
  const Widened none;
  VarianceFinder finder(program, none);
  const auto wider = [&](const Name& name, const Def& def) {
    const Reach r = finder.of_definition(def);
    return (r.varies & ~name.variance.varies) != 0 || (r.needs & ~name.variance.needs) != 0;
  };
  const bool any = std::any_of(further.begin(), further.end(), [&](const auto& of) {
    return std::any_of(of.second.begin(), of.second.end(), [&](const Def* def) { return wider(*of.first, *def); });
  });
  if (!any) return out;
  finder.look_at(program);
  finder.look_at(added);
  finder.find(further);
  const auto keep = [&](const auto& what) {
    if (!(finder.now(what) == reach(what.variance))) out.emplace(&what, finder.variance(finder.now(what)));
  };
  for (const Formulas* all : {static_cast<const Formulas*>(&program), &added}) {
    for (const auto& n : all->names) keep(*n);
    for (const auto& f : all->functions) keep(*f);
  }
  return out;
}

}  // namespace opledger
