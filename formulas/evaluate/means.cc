#include <unordered_set>
#include <vector>

#include "formulas/evaluate/walk.h"

/// What follows from averages: found from formulas, whatever their values.
namespace opledger {
namespace {

class MeanFinder {
 public:
  explicit MeanFinder(const std::unordered_map<const Name*, const Name*>& in_place) : in_place_(in_place) {}

  bool reads(const Formula& formula) {
    add(&formula);
    while (!open_.empty() && !found_) {
      const Formula* const f = open_.back();
      open_.pop_back();
      for (const Formula* arg : f->args) add(arg);
      if (f->kind == Formula::Kind::name) look_at(*f->name);
      if (f->kind == Formula::Kind::function && met_.insert(f->function).second) add(f->function->defs);
    }
    return found_;
  }

 private:
  void look_at(const Name& asked) {
    const auto other = in_place_.find(&asked);
    const Name& name = other == in_place_.end() ? asked : *other->second;
    if (!met_.insert(&name).second) return;
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

  const std::unordered_map<const Name*, const Name*>& in_place_;
  bool found_ = false;
  std::vector<const Formula*> open_;
  std::unordered_set<const void*> met_;
};

}  // namespace

bool Walk::reads_mean(const Formula& formula) const { return MeanFinder(case_values_).reads(formula); }

}  // namespace opledger
