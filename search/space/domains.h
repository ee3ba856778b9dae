#pragma once
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "expr/guarded_program.h"
#include "search/space/space.h"

/// The values that the axes of a space may take, given those of the axes that they depend on.
namespace opledger {

/// For axes that have no value yet: one that divides nothing by zero.
double any_value(const SpaceAxis& axis);

class Domains {
 public:
  explicit Domains(Space& space) : space_(space), axes_(space.axes.size()) {}

  /// In the order written, each once. `values`: by axis; those that the axis reads must be known. Null, with errors, if a formula can't be evaluated
  /// or gives what is no value of the axis.
  const std::vector<double>* of(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Whether the values of a domain, one that `of` gave, rise.
  bool rising(std::size_t axis, const std::vector<double>& domain) const { return axes_[axis].rising.count(&domain) > 0; }

  /// Of the same, those that its `symmetry` leaves out, because each costs what the first one does. Null as above.
  const std::vector<double>* alike(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Whether the axis was asked for and never had a value.
  bool always_empty(std::size_t axis) const;

  /// Returns the values of all axes when the `where` of `axis` first refused all values of `axis`, the first of them included; null if it never did.
  const std::vector<double>* first_refused(std::size_t axis) const { return axes_[axis].refused.empty() ? nullptr : &axes_[axis].refused; }

 private:
  /// A domain's formulas on a tape, for values that agree on its guards.
  struct Compiled {
    Guards guards;
    Kernel bounds, where, symmetry;
  };
  struct HashValues {
    std::size_t operator()(const std::vector<double>& values) const;
  };
  struct Axis {
    std::vector<Compiled> compiled;
    std::unordered_map<std::vector<double>, std::vector<double>, HashValues> known, alike;  ///< By the values of the axes in `reads`.
    std::set<const std::vector<double>*> rising;                                            ///< Lists in `known` whose values rise.
    std::vector<std::size_t> reads;
    std::vector<double> refused;
    bool prepared = false;
  };

  const std::vector<double>& key(std::size_t axis, const std::vector<double>& values);
  const Compiled* find(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  std::optional<Compiled> compile(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  bool expand(const std::vector<DomainItem>& items, const std::vector<double>& bounds, std::size_t& next, std::size_t axis, std::vector<double>& out,
              Diagnostics& diagnostics);
  bool check(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) const;
  bool filter(std::size_t axis, const std::vector<double>& values, std::vector<double>& out, std::vector<double>& alike, Diagnostics& diagnostics);

  Space& space_;
  std::vector<Axis> axes_;
  std::vector<double> key_;  ///< Last result of `key`, kept to reuse its memory.
};

}  // namespace opledger
