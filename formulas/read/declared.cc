#include "formulas/read/declared.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "formulas/formula_text.h"
#include "formulas/link/variance.h"

namespace opledger {
namespace {

/// Returns whether the set has a current word at every point.
bool has_word(const Set& set) { return set.binder != nullptr || set.default_word >= 0; }

/// Depth-first search for a path from a name to the formula that makes it depend on a set. Each name and function is
/// visited once, and formulas that do not depend on the set are pruned. The test for pruning walks the formula, so the
/// cost is the size of the formulas times their depth.
class DependencyPath {
 public:
  DependencyPath(const Program& program, SetId with) : set(with), program_(program) {}

  bool find(const Name& name) {
    if (!visited_.insert(&name).second) return false;
    if ((name.at_node && set == program_.engine->nodes) || name.of == set)
      return ends(name.span(), fmt::format("every {} has its own `{}`", program_.set(set).name, name.name));
    return any(name.defs) || std::any_of(name.by_op.begin(), name.by_op.end(), [&](const auto& defs) { return any(defs.second); });
  }

  const SetId set;
  std::vector<const Name*> names;    ///< Names on the path, outermost first.
  std::vector<std::string> through;  ///< Names and functions on the path in backquotes, for the message.
  const Def* from = nullptr;         ///< Definition at the start of the path.
  Span place;                        ///< Position of the formula at the end of the path.
  std::string reason;                ///< Reason why that formula depends on the set.
  bool visits = false;               ///< The formula is an aggregate that visits only elements of the current word.

 private:
  bool ends(const Span& at, std::string reason) {
    place = at;
    this->reason = std::move(reason);
    return true;
  }

  bool any(const std::vector<const Def*>& defs) {
    return std::any_of(defs.begin(), defs.end(), [&](const Def* def) {
      const Def* const before = from;
      if (from == nullptr) from = def;
      if (find(*def)) return true;
      from = before;
      return false;
    });
  }

  bool find(const Def& def) {
    if (def.set && find(def.set, def.span, fmt::format("`{}` is defined by the words of {}", def.name, program_.set(def.set).name))) return true;
    std::vector<const Formula*> formulas = {def.otherwise, def.when};
    for (const auto& [_, formula] : def.cases) formulas.push_back(formula);
    return std::any_of(formulas.begin(), formulas.end(), [&](const Formula* f) { return f != nullptr && find(*f); });
  }

  /// Searches the current word of a set, which the name that binds the set may compute.
  bool find(SetId read, const Span& at, std::string reason) {
    if (read == set) return ends(at, std::move(reason));
    const Name* const binder = program_.set(read).binder;
    return binder != nullptr && step(*binder);
  }

  bool step(const Name& name) {
    names.push_back(&name);
    through.push_back("`" + name.name + "`");
    if (find(name)) return true;
    names.pop_back();
    through.pop_back();
    return false;
  }

  bool find(const Function& function) {
    if (!visited_.insert(&function).second) return false;
    through.push_back("`" + function.name + "`");
    if (any(function.defs)) return true;
    through.pop_back();
    return false;
  }

  bool find(const Formula& f) {
    // Returns whether the search finds, inside a formula, the place that makes it depend on `set`, and stores place and
    // reason. A formula that does not vary with the set is pruned. A name or the current word of a set continues the
    // search in definitions. A value of a node ends it; so does an aggregate that visits the set, or elements belonging
    // to the set's current word. Any other formula passes the search on to its arguments, and a call to the function's
    // definitions.
    if ((varies(program_, f, {}) & bit(set)) == 0) return false;
    const std::string& word = program_.set(set).name;
    switch (f.kind) {
      case Formula::Kind::name:
        return step(*f.name);
      case Formula::Kind::set:
        return find(f.set, span_of(f), fmt::format("the current {} is read here", word));
      case Formula::Kind::node_value:
        return ends(span_of(f), fmt::format("`{}` is a value of the current node", f.text));
      case Formula::Kind::aggregate:
      case Formula::Kind::running: {
        const std::vector<SetId>& joined = program_.set(f.set).belongs_to;
        visits = contains(joined, set);
        if (visits || f.set == set)
          return ends(span_of(f), fmt::format("`over {}` visits only what belongs to the current {}", program_.set(f.set).name, word));
        break;
      }
      default:
        break;
    }
    const auto in = [&](const Formula* arg) { return find(*arg); };
    if (std::any_of(f.args.begin(), f.args.end(), in)) return true;
    return f.kind == Formula::Kind::function && find(*f.function);
  }

  const Program& program_;
  std::set<const void*> visited_;
};

/// The check of all declarations `for: SETS`.
class Declarations {
 public:
  Declarations(const Program& program, const std::vector<Declared>& all, Diagnostics& diagnostics) : program_(program), all_(all), diagnostics_(diagnostics) {}

  void check() {
    // Reports each name of `all_` that varies with more sets than declared. A violation is reported at its cause only:
    // a name whose path to the cause leads through another violation is skipped. Names in a cycle all lead through each
    // other; if all violations are skipped, the first is reported.
    const Declared* left_out = nullptr;
    bool reported = false;
    for (const Declared& declared : all_) {
      if (beyond(declared) == 0) continue;
      const DependencyPath path = this->path(declared);
      if (!leads_through_mistake(path)) {
        report(declared, path);
        reported = true;
      } else if (left_out == nullptr) {
        left_out = &declared;
      }
    }
    if (!reported && left_out != nullptr) report(*left_out, path(*left_out));
  }

 private:
  /// Returns the sets that a name varies with against its declaration.
  std::uint64_t beyond(const Declared& declared) const {
    std::uint64_t allowed = 0;
    for (const SetId set : program_.with_joined(declared.sets)) allowed |= bit(set);
    for (const auto& set : program_.sets) allowed |= has_word(*set) ? bit(set->id) : 0;
    return declared.name->variance.varies & ~allowed;
  }

  /// Returns the path that explains a violation, for one of the sets with which the name varies undeclared. The set is
  /// the one whose elements belong to the most other sets, such as nodes. Reading such an element implies its other
  /// sets, so this set is the likeliest cause.
  DependencyPath path(const Declared& declared) const {
    const std::uint64_t beyond = this->beyond(declared);
    SetId most;
    std::size_t joined = 0;
    for (const auto& set : program_.sets) {
      if ((beyond & bit(set->id)) == 0) continue;
      const std::size_t others = program_.with_joined({set->id}).size();
      if (others > joined) most = set->id;
      joined = std::max(joined, others);
    }
    DependencyPath out(program_, most);
    out.find(*declared.name);
    return out;
  }

  bool leads_through_mistake(const DependencyPath& path) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Declared& other) { return contains(path.names, other.name) && (beyond(other) & bit(path.set)) != 0; });
  }

  void report(const Declared& declared, const DependencyPath& path) {
    std::vector<std::string> sets;
    for (const SetId s : declared.sets) sets.push_back(program_.set(s).name);
    const std::string& name = program_.set(path.set).name;
    const std::string through = path.through.empty() ? std::string() : ", through " + join(path.through, " -> ");
    const std::string kept = path.visits && !sets.empty() ? fmt::format(", visit all `per {}`", join(sets, ", ")) : std::string();
    Diagnostic& d = diagnostics_.error(path.from != nullptr ? path.from->span : Span{},
                                       fmt::format("`{}` is declared `for: [{}]` and varies with {}{}: choose a {}, aggregate over it{}, or declare it",
                                                   declared.name->name, join(sets, ", "), name, through, name, kept));
    if (!path.reason.empty()) d.note(path.place, path.reason);
  }

  const Program& program_;
  const std::vector<Declared>& all_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_declared(const Program& program, const std::vector<Declared>& all, Diagnostics& diagnostics) { Declarations(program, all, diagnostics).check(); }

}  // namespace opledger
