#include "formulas/evaluate/means.h"

#include <unordered_set>
#include <vector>

namespace opledger {
namespace {

/// A depth-first search from a formula through names and functions for an input that is an average. Each name and
/// function is visited once.
class MeanFinder {
 public:
  explicit MeanFinder(const Replacements& replacements) : replacements_(replacements) {}

  bool reads(const Formula& formula) {
    add(&formula);
    while (!open_.empty() && !found_) {
      const Formula* const f = open_.back();
      open_.pop_back();
      for (const Formula* arg : f->args) add(arg);
      if (f->kind == Formula::Kind::name) look_at(*f->name);
      if (f->kind == Formula::Kind::function && visited_.insert(f->function).second) add(f->function->defs);
    }
    return found_;
  }

 private:
  void look_at(const Name& used) {
    const auto other = replacements_.find(&used);
    const Name& name = other == replacements_.end() ? used : *other->second;
    if (!visited_.insert(&name).second) return;
    found_ = found_ || name.type.mean;
    add(name.defs);
    for (const auto& [_, defs] : name.by_op) add(defs);
  }

  void add(const Formula* formula) {
    if (formula != nullptr) open_.push_back(formula);
  }

  void add(const std::vector<const Def*>& defs) {
    for (const Def* def : defs) {
      for (const auto& [_, formula] : def->cases) add(formula);
      add(def->otherwise);
      add(def->when);
    }
  }

  const Replacements& replacements_;
  bool found_ = false;
  std::vector<const Formula*> open_;
  std::unordered_set<const void*> visited_;
};

}  // namespace

bool reads_mean(const Formula& formula, const Replacements& replacements) { return MeanFinder(replacements).reads(formula); }

}  // namespace opledger
