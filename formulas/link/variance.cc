#include "formulas/link/variance.h"

#include <algorithm>
#include <optional>

namespace opledger {
namespace {

/// The free sets of a formula, as free variables of a term: `varies` may change its value, `needs` are required for
/// evaluation.
struct FreeSets {
  std::uint64_t varies = 0, needs = 0;
  void add(const FreeSets& other) {
    varies |= other.varies;
    needs |= other.needs;
  }
  FreeSets without(std::uint64_t varied, std::uint64_t needed) const { return {varies & ~varied, needs & ~needed}; }
  friend FreeSets operator&(const FreeSets& a, const FreeSets& b) { return {a.varies & b.varies, a.needs & b.needs}; }
  friend bool operator==(const FreeSets&, const FreeSets&) = default;
};

constexpr FreeSets kAll{~std::uint64_t{0}, ~std::uint64_t{0}};

FreeSets free_sets(const Variance& v) { return {v.varies, v.needs}; }

/// The free sets of a formula as a sum: its own, plus the free sets of names that it uses. Each name's sets are masked
/// by the sets that enclosing bindings leave free. The sum is cheap to recompute when the names' sets grow.
struct Parts {
  struct Named {
    const FreeSets* free_sets;
    FreeSets unbound;
  };
  FreeSets own;
  std::vector<Named> named;

  FreeSets sum() const {
    FreeSets r = own;
    for (const Named& n : named) r.add(*n.free_sets & n.unbound);
    return r;
  }
};

/// Fixed-point iteration over names and functions, which may be recursive through each other. Free sets only grow and
/// are bounded by all sets, so the iteration ends. Names outside the analyzed storage keep their known variance.
class VarianceFinder {
 public:
  explicit VarianceFinder(const Program& program, const Widened& widened) : program_(program), widened_(widened) {}

  void look_at(const Formulas& all) {
    for (const auto& n : all.names) {
      names_.push_back(n.get());
      if (known_.size() <= n->id) known_.resize(n->id + 1);
      known_[n->id] = free_sets(n->variance);
    }
    for (const auto& f : all.functions) functions_.emplace(f.get(), free_sets(f->variance));
  }

  /// Reads every formula once into Parts, then adds up the parts until no free set grows.
  void find(const FurtherDefinitions& further) {
    std::vector<std::pair<FreeSets*, Parts>> all;
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

  FreeSets now(const Name& name) const { return *known_[name.id]; }
  FreeSets now(const Function& function) const { return functions_.at(&function); }

  Variance variance(const FreeSets& r) const {
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
  static bool grow(FreeSets& known, const FreeSets& by) {
    FreeSets more = known;
    more.add(by);
    return more == known ? false : (known = more, true);
  }

  Parts of_function(const Function& f) const {
    Parts parts;
    for (const Def* d : f.defs) add(*d, parts);
    return parts;
  }

  Parts of_name(const Name& n, const std::vector<const Def*>* further) const {
    // A name depends on the sets of all its definitions, whichever of them applies, and on its node or family word.
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

  /// Adds the free sets of a formula to `to`: the sets whose current words its value depends on, or that it needs, as
  /// masks of bits. `unbound` has the sets that enclosing bindings leave free; only these are added. A name or function
  /// is stored with this mask instead of its sets, because the fixed-point iteration around still enlarges them.
  /// `WORD.(…)` and aggregates other than running sums bind sets, so their arguments see a smaller mask. `overall` (a
  /// binding without a set) binds all.
  void add(const Formula& f, const FreeSets& unbound, Parts& to) const {
    switch (f.kind) {
      case Formula::Kind::name:
        return add_known(*f.name, unbound, to);
      case Formula::Kind::set:
        return add_set(f.set, unbound, to);
      case Formula::Kind::node_value:
        return to.own.add(FreeSets{bit(program_.engine->nodes) | bit(program_.engine->extents), bit(program_.engine->nodes)} & unbound);
      case Formula::Kind::aggregate:
      case Formula::Kind::running:
        return add_aggregate(f, unbound, to);
      case Formula::Kind::at: {
        FreeSets left = unbound;
        for (const auto& [set, _] : *f.bindings) {
          if (!set) return;
          left = left.without(bit(set), bit(set));
        }
        return add(*f.args[0], left, to);
      }
      default:
        for (const Formula* arg : f.args) add(*arg, unbound, to);
        if (f.kind == Formula::Kind::function) add_known(*f.function, unbound, to);
    }
  }

  void add_known(const Name& name, const FreeSets& unbound, Parts& to) const {
    if (name.id < known_.size() && known_[name.id]) return to.named.push_back({&*known_[name.id], unbound});
    add_other(name, unbound, to);
  }

  void add_known(const Function& function, const FreeSets& unbound, Parts& to) const {
    if (const auto found = functions_.find(&function); found != functions_.end()) return to.named.push_back({&found->second, unbound});
    add_other(function, unbound, to);
  }

  /// Adds the known variance of a name or function outside the analyzed storage.
  template <class T>
  void add_other(const T& item, const FreeSets& unbound, Parts& to) const {
    const auto wider = widened_.find(&item);
    to.own.add(free_sets(wider != widened_.end() ? wider->second : item.variance) & unbound);
  }

  void add_set(SetId id, const FreeSets& unbound, Parts& to) const {
    const Set& set = program_.set(id);
    to.own.add(FreeSets{bit(id), set.binder == nullptr && set.default_word < 0 ? bit(id) : 0} & unbound);
    if (set.binder != nullptr) add_known(*set.binder, unbound, to);
  }

  void add_aggregate(const Formula& f, const FreeSets& unbound, Parts& to) const {
    // An aggregate binds its own set, so its terms do not depend on that set's current word. It depends on the words of
    // the sets that the elements belong to, because they select the visited elements. A running sum needs its current
    // element.
    const Set& set = program_.set(f.set);
    const std::uint64_t chosen = bit(f.set);
    std::uint64_t joined = 0;
    for (const SetId s : set.belongs_to) joined |= bit(s);
    const bool running = f.kind == Formula::Kind::running;
    // the visited elements depend on other chosen words but do not need them
    const FreeSets left = running ? unbound : unbound.without(chosen, chosen | joined);
    for (const Formula* arg : f.args) add(*arg, left, to);
    to.own.add(FreeSets{running ? chosen | joined : joined, running ? chosen : 0} & unbound);
  }

  const Program& program_;
  const Widened& widened_;
  std::vector<const Name*> names_;
  std::unordered_map<const Function*, FreeSets> functions_;
  std::vector<std::optional<FreeSets>> known_;  ///< Free sets by Name::id.
};

void solve(const Program& program, Formulas& all) {
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

void find_variance(Program& program) { solve(program, program); }
void find_variance(const Program& program, Formulas& added) { solve(program, added); }

Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further) {
  // Returns the variances (sets on which a value depends) that grow because nodes have definitions of their own,
  // `further`. Most of these definitions use no further sets, so a test of each definition comes first and usually
  // returns an empty result. Otherwise the fixed point over all names and functions is computed anew with the further
  // definitions, and the differences are returned.
  Widened out;
  const Widened none;
  VarianceFinder finder(program, none);
  const auto wider = [&](const Name& name, const Def& def) {
    const FreeSets r = finder.of(def).sum();
    return (r.varies & ~name.variance.varies) != 0 || (r.needs & ~name.variance.needs) != 0;
  };
  const bool any = std::any_of(further.begin(), further.end(), [&](const auto& of) {
    return std::any_of(of.second.begin(), of.second.end(), [&](const Def* def) { return wider(*of.first, *def); });
  });
  if (!any) return out;
  finder.look_at(program);
  finder.look_at(added);
  finder.find(further);
  const auto keep = [&](const auto& item) {
    if (!(finder.now(item) == free_sets(item.variance))) out.emplace(&item, finder.variance(finder.now(item)));
  };
  for (const Formulas* all : {static_cast<const Formulas*>(&program), &added}) {
    for (const auto& n : all->names) keep(*n);
    for (const auto& f : all->functions) keep(*f);
  }
  return out;
}

}  // namespace opledger
