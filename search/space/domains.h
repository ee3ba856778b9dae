#pragma once
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "expr/guarded_program.h"
#include "search/space/space.h"

/// The values that the axes of a space may take, as functions of the values of the axes that their formulas read.
namespace opledger {

/// Returns a placeholder for an axis without a value: 0 for words and truths, else 1 to avoid divisions by zero.
double any_value(const SpaceAxis& axis);

/// A cache of the domains of a space. Formulas are traced onto a tape, which is reused while its guards hold.
class Domains {
 public:
  explicit Domains(Space& space) : space_(space), axes_(space.axes.size()) {}

  /// Returns the values of `axis` that `where` and `symmetry` keep, in the order written, without duplicates. `values`:
  /// by axis; the axes that the domain reads must be set. The result stays valid as long as this object. Returns null,
  /// with errors, if a formula can't be evaluated, yields a value that the input doesn't allow, or yields more than a
  /// million values.
  const std::vector<double>* of(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Returns whether a domain that `of` returned is in ascending order.
  bool rising(std::size_t axis, const std::vector<double>& domain) const { return axes_[axis].rising.count(&domain) > 0; }

  /// Returns the values that `symmetry` drops, because each costs as much as the first value that `where` keeps, which
  /// stays in the domain. Null as for `of`.
  const std::vector<double>* symmetric_values(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Returns whether `of` was called for the axis and every domain was empty.
  bool always_empty(std::size_t axis) const;

  /// Returns the values of all axes at the first time that `where` refused every value of `axis`, with the first
  /// refused value of `axis`; null if no such time.
  const std::vector<double>* first_refused(std::size_t axis) const { return axes_[axis].refused.empty() ? nullptr : &axes_[axis].refused; }

 private:
  /// The formulas of a domain as kernels, valid for values that satisfy the guards.
  struct CompiledDomain {
    Guards guards;                   ///< Conditions under which the kernels are valid.
    Kernel bounds, where, symmetry;  ///< Numbers of the domain items; conditions, without a result if the axis has none.
  };
  /// A hash of values by bits; -0 and 0 are equal.
  struct HashValues {
    std::size_t operator()(const std::vector<double>& values) const;
  };
  /// The compiled forms and cached domains of one axis.
  struct Axis {
    std::vector<CompiledDomain> compiled;  ///< One entry for each path through the branches of the formulas so far.
    /// Domains, and values dropped by symmetry, by the values of the axes in `reads`.
    std::unordered_map<std::vector<double>, std::vector<double>, HashValues> known, symmetric;
    std::set<const std::vector<double>*> rising;  ///< Domains in `known` that are in ascending order.
    std::vector<std::size_t> reads;               ///< Axes that the domain reads, ascending; set if `prepared`.
    std::vector<double> refused;                  ///< Values of all axes for `first_refused`; empty if none.
    bool prepared = false;                        ///< True once `reads` is set.
  };

  /// Returns the values of the axes that the domain of `axis` reads; valid until the next call.
  const std::vector<double>& key(std::size_t axis, const std::vector<double>& values);
  /// Returns the compiled formulas whose guards hold for `values`, compiled if missing. Null, with errors, if a formula
  /// fails.
  const CompiledDomain* find(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  /// Traces the formulas of an axis at the sample `values` and compiles them. Returns nothing, with errors, if a
  /// formula fails.
  std::optional<CompiledDomain> compile(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  /// Appends the values of items to `out`. `bounds`: one number for each formula, from position `next` on. Returns
  /// false, with errors, if a bound is not whole or a range is too long.
  bool expand(const std::vector<DomainItem>& items, const std::vector<double>& bounds, std::size_t& next, std::size_t axis, std::vector<double>& out,
              Diagnostics& diagnostics);
  /// Returns whether the type of the axis's input allows all `values`; reports the first wrong value.
  bool check(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) const;
  /// Removes values from `out` that `where` refuses, and moves symmetric values to `symmetric`. Returns false, with
  /// errors, if a condition fails.
  bool filter(std::size_t axis, const std::vector<double>& values, std::vector<double>& out, std::vector<double>& symmetric, Diagnostics& diagnostics);

  Space& space_;
  std::vector<Axis> axes_;
  std::vector<double> key_;  ///< Last result of `key`; a member to reuse its memory.
};

}  // namespace opledger
