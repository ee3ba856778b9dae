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

/// A cache of the domains of a space. Formulas are traced once onto a tape and reused while the tape's guards hold.
class Domains {
 public:
  explicit Domains(Space& space) : space_(space), axes_(space.axes.size()) {}

  /// Returns the values of `axis` in the order written, without duplicates. `values`: by axis; the axes that the
  /// domain reads must be set. Returns null, with errors, if a formula can't be evaluated or yields a value that the
  /// input doesn't allow.
  const std::vector<double>* of(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Returns whether a domain that `of` returned is in ascending order.
  bool rising(std::size_t axis, const std::vector<double>& domain) const { return axes_[axis].rising.count(&domain) > 0; }

  /// Returns the values that `symmetry` drops, because each costs as much as the first value. Null as for `of`.
  const std::vector<double>* symmetric_values(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);

  /// Returns whether `of` was called for the axis and every domain was empty.
  bool always_empty(std::size_t axis) const;

  /// Returns the values of all axes at the first time that `where` refused every value of `axis`, with the first
  /// refused value of `axis`; null if no such time.
  const std::vector<double>* first_refused(std::size_t axis) const { return axes_[axis].refused.empty() ? nullptr : &axes_[axis].refused; }

 private:
  /// The formulas of a domain as kernels, valid for values that satisfy the guards.
  struct CompiledDomain {
    Guards guards;
    Kernel bounds, where, symmetry;
  };
  /// A hash of values by bits; -0 and 0 are equal.
  struct HashValues {
    std::size_t operator()(const std::vector<double>& values) const;
  };
  /// The compiled forms and cached domains of one axis.
  struct Axis {
    std::vector<CompiledDomain> compiled;
    /// Domains, and values dropped by symmetry, by the values of the axes in `reads`.
    std::unordered_map<std::vector<double>, std::vector<double>, HashValues> known, symmetric;
    std::set<const std::vector<double>*> rising;  ///< Domains in `known` that are in ascending order.
    std::vector<std::size_t> reads;
    std::vector<double> refused;
    bool prepared = false;
  };

  const std::vector<double>& key(std::size_t axis, const std::vector<double>& values);
  const CompiledDomain* find(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  std::optional<CompiledDomain> compile(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics);
  bool expand(const std::vector<DomainItem>& items, const std::vector<double>& bounds, std::size_t& next, std::size_t axis, std::vector<double>& out,
              Diagnostics& diagnostics);
  bool check(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) const;
  bool filter(std::size_t axis, const std::vector<double>& values, std::vector<double>& out, std::vector<double>& symmetric, Diagnostics& diagnostics);

  Space& space_;
  std::vector<Axis> axes_;
  std::vector<double> key_;  ///< Last result of `key`; a member to reuse its memory.
};

}  // namespace opledger
