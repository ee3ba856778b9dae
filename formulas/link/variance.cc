#include "formulas/link/variance.h"

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
  Reach without(std::uint64_t varied, std::uint64_t needed) const { return {varies & ~varied, needs & ~needed}; }
  friend Reach operator&(const Reach& a, const Reach& b) { return {a.varies & b.varies, a.needs & b.needs}; }
  friend bool operator==(const Reach&, const Reach&) = default;
};

constexpr Reach kAll{~std::uint64_t{0}, ~std::uint64_t{0}};

Reach reach(const Variance& v) { return {v.varies, v.needs}; }

/// What a formula's reach consists of: sets, and as much of what it names as shows through what stands around that.
struct Parts {
  struct Named {
    const Reach* reach;
    Reach shows;
  };
  Reach own;
  std::vector<Named> named;

  Reach sum() const {
    Reach r = own;
    for (const Named& n : named) r.add(*n.reach & n.shows);
    return r;
  }
};

/// Reaches grow until none does any more: of the names that are looked at, from what is known of all others.
class VarianceFinder {
 public:
  explicit VarianceFinder(const Program& program, const Widened& widened) : program_(program), widened_(widened) {}

  void look_at(const Formulas& all) {
    for (const auto& n : all.names) {
      names_.push_back(n.get());
      if (known_.size() <= n->id) known_.resize(n->id + 1);
      known_[n->id] = reach(n->variance);
    }
    for (const auto& f : all.functions) functions_.emplace(f.get(), reach(f->variance));
  }

  /// Formulas are read once, however often reaches grow.
  void find(const FurtherDefinitions& further) {
    std::vector<std::pair<Reach*, Parts>> all;
    for (auto& [function, known] : functions_) all.emplace_back(&known, of_function(*function));
    for (const Name* name : names_) {
      const auto found = further.find(name);
      all.emplace_back(&*known_[name->id], of_name(*name, found != further.end() ? &found->second : nullptr));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [known, parts] : all) changed = grow(*known, parts.sum()) || changed;
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

  Parts of(const Formula& f) const {
    Parts parts;
    add(f, kAll, parts);
    return parts;
  }

  Parts of(const Def& def) const {
    Parts parts;
    add(def, parts);
    return parts;
  }

 private:
  static bool grow(Reach& known, const Reach& by) {
    Reach more = known;
    more.add(by);
    return more == known ? false : (known = more, true);
  }

  Parts of_function(const Function& f) const {
    Parts parts;
    for (const Def* d : f.defs) add(*d, parts);
    return parts;
  }

  Parts of_name(const Name& n, const std::vector<const Def*>* further) const {
    Parts parts;
    if (n.at_node) parts.own.add({bit(program_.engine->nodes), bit(program_.engine->nodes)});
    if (n.of) add_set(n.of, kAll, parts);
    for (const Def* d : n.defs) add(*d, parts);
    if (further != nullptr) {
      for (const Def* d : *further) add(*d, parts);
    }
    for (const auto& [_, defs] : n.by_op) {
      for (const Def* d : defs) add(*d, parts);
    }
    return parts;
  }

  void add(const Def& def, Parts& to) const {
    if (def.set) add_set(def.set, kAll, to);
    for (const auto& [_, f] : def.cases) {
      if (f != nullptr) add(*f, kAll, to);
    }
    if (def.otherwise != nullptr) add(*def.otherwise, kAll, to);
    if (def.when != nullptr) add(*def.when, kAll, to);
  }

  /// Of the formula's reach what shows.
  void add(const Formula& f, const Reach& shows, Parts& to) const {
    switch (f.kind) {
      case Formula::Kind::name:
        return add_known(*f.name, shows, to);
      case Formula::Kind::set:
        return add_set(f.set, shows, to);
      case Formula::Kind::node_value:
        return to.own.add(Reach{bit(program_.engine->nodes) | bit(program_.engine->extents), bit(program_.engine->nodes)} & shows);
      case Formula::Kind::aggregate:
      case Formula::Kind::running:
        return add_aggregate(f, shows, to);
      case Formula::Kind::at: {
        Reach left = shows;
        for (const auto& [set, _] : *f.bindings) {
          if (!set) return;
          left = left.without(bit(set), bit(set));
        }
        return add(*f.args[0], left, to);
      }
      default:
        for (const Formula* arg : f.args) add(*arg, shows, to);
        if (f.kind == Formula::Kind::function) add_known(*f.function, shows, to);
    }
  }

  void add_known(const Name& name, const Reach& shows, Parts& to) const {
    if (name.id < known_.size() && known_[name.id]) return to.named.push_back({&*known_[name.id], shows});
    add_other(name, shows, to);
  }

  void add_known(const Function& function, const Reach& shows, Parts& to) const {
    if (const auto found = functions_.find(&function); found != functions_.end()) return to.named.push_back({&found->second, shows});
    add_other(function, shows, to);
  }

  /// What is not looked at.
  template <class T>
  void add_other(const T& what, const Reach& shows, Parts& to) const {
    const auto wider = widened_.find(&what);
    to.own.add(reach(wider != widened_.end() ? wider->second : what.variance) & shows);
  }

  void add_set(SetId id, const Reach& shows, Parts& to) const {
    const Set& set = program_.set(id);
    to.own.add(Reach{bit(id), set.binder == nullptr && set.default_word < 0 ? bit(id) : 0} & shows);
    if (set.binder != nullptr) add_known(*set.binder, shows, to);
  }

  void add_aggregate(const Formula& f, const Reach& shows, Parts& to) const {
    const Set& set = program_.set(f.set);
    const std::uint64_t chosen = bit(f.set);
    std::uint64_t joined = 0;
    for (const SetId s : set.belongs_to) joined |= bit(s);
    const bool running = f.kind == Formula::Kind::running;
    // what is visited depends on what else was chosen, but needs none of it
    const Reach left = running ? shows : shows.without(chosen, chosen | joined);
    for (const Formula* arg : f.args) add(*arg, left, to);
    to.own.add(Reach{running ? chosen | joined : joined, running ? chosen : 0} & shows);
  }

  const Program& program_;
  const Widened& widened_;
  std::vector<const Name*> names_;
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

std::uint64_t varies(const Program& program, const Formula& formula, const Widened& widened) {
  return VarianceFinder(program, widened).of(formula).sum().varies;
}

void find_variance(Program& program) { settle(program, program); }
void find_variance(const Program& program, Formulas& added) { settle(program, added); }

Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further) {
  Widened out;
  const Widened none;
  VarianceFinder finder(program, none);
  const auto wider = [&](const Name& name, const Def& def) {
    const Reach r = finder.of(def).sum();
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
