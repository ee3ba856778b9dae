#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/space/assignment.h"
#include "search/sweep/partition_group.h"

/// The tree of prefixes of a partition group. A prefix is a choice of values for the first levels of a plan. Its
/// children, and the number of candidates in its subtree, are memoized by the few levels that decide them. Values are
/// represented by codes: small numbers, by level. A path has one code per level.
namespace opledger {

/// A numbering of the value combinations of a few levels, for use as an index. Values are represented by their codes.
class CodeKey {
 public:
  CodeKey() = default;
  /// `sizes`: number of codes of each level; 0 if unbounded.
  CodeKey(std::vector<std::size_t> levels, const std::vector<std::size_t>& sizes);

  /// Returns the levels whose codes decide a number.
  const std::vector<std::size_t>& levels() const { return levels_; }
  /// Returns whether a number is the sum of codes times strides, as in a dense array; else numbers come from a map.
  bool direct() const { return direct_; }
  /// Returns the stride of the i-th level, for a direct key.
  std::uint32_t stride(std::size_t i) const { return strides_[i]; }
  /// Returns the number of a combination; unless `direct`, a new combination gets the next number. `path`: one code per
  /// level.
  std::uint32_t number(const std::uint32_t* path);

 private:
  std::vector<std::size_t> levels_;                            ///< Levels of the key, ascending.
  std::vector<std::uint32_t> strides_;                         ///< Stride of each level in a direct number.
  bool direct_ = true;                                         ///< Numbers are sums of codes times strides.
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;  ///< Numbers of combinations so far, if numbers are not direct.
};

/// The tree of one share of a group. All results are exact and memoized; each thread has its own tree.
class Prefixes {
 public:
  /// The children of a prefix.
  struct Choices {
    std::vector<std::uint32_t> codes;  ///< Code of each value.
    std::vector<double> values;        ///< Values of the level's axis, in the order of the domain.
    std::vector<VariantSet> variants;  ///< Variants with the value.
    std::vector<std::uint32_t> ranks;  ///< Positions in domains of the value and of the dependents, by value and kind; empty without `ranked`.
  };

  /// `assignment`: must have entered the range and region of the group. `ranked`: also find ranks, to sort rows.
  Prefixes(const Space& space, const PartitionGroup& group, Assignment& assignment, bool ranked);

  /// Returns the variants that may have candidates, judged by fixed axes. Returns nothing, with errors, if a domain can't
  /// be evaluated.
  std::optional<VariantSet> begin(Diagnostics& diagnostics);
  /// Returns the ranks of the dependents before any level, in the order of Plan::dependents.
  const std::vector<std::uint32_t>& ranks(std::size_t variant) const { return ranks_[plan_.kinds().kind_of[variant]]; }

  /// Returns the numbering of prefixes by the levels that decide the values of `level`.
  CodeKey& choice_key(std::size_t level) { return choice_keys_[level]; }
  /// Returns the memoized choices of a level, or null. `number`: a number of `choice_key(level)`.
  const Choices* known(std::size_t level, std::uint32_t number) const {
    const auto& known = choices_[level];
    return number < known.size() ? known[number].get() : nullptr;
  }
  /// Returns the choices of a level. `path`: codes of the levels in the key. Null, with errors, if a domain can't be
  /// evaluated.
  const Choices* choices(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics) {
    const Choices* const known = this->known(level, number);
    return known != nullptr ? known : compute_choices(level, number, path, diagnostics);
  }
  /// Returns the number of candidates of a variant in the subtree of a prefix; the variant must have the prefix. `level`:
  /// last level of the prefix, -1 for the root. `path`: codes; deeper entries are overwritten.
  std::uint64_t subtree_size(int level, std::uint32_t* path, std::size_t variant, Diagnostics& diagnostics) {
    return subtree_sizes(level, path, diagnostics)[last_.kind_of[variant]];
  }

  /// Returns the numbering of prefixes of a level by the levels that decide their subtree size.
  CodeKey& size_key(std::size_t level) { return size_keys_[level]; }
  /// Returns the memoized subtree size of a variant, or null. `number`: a number of `size_key(level)`.
  const std::uint64_t* known_subtree_size(std::size_t level, std::uint32_t number, std::size_t variant) const {
    const auto& known = subtree_sizes_[level];
    return number < known.size() && !known[number].empty() ? known[number].data() + last_.kind_of[variant] : nullptr;
  }

  /// Returns the value of a code.
  double value(std::size_t level, std::uint32_t code) const { return codes_[level].values[code]; }
  const std::vector<std::vector<double>>& all() const { return all_; }  ///< Values of each level by code; empty if unknown.

 private:
  /// The codes of a level.
  struct Codes {
    std::vector<double> values;                       ///< Value of each code.
    bool known = false;                               ///< The values are all values of the axis, ascending.
    std::unordered_map<double, std::uint32_t> index;  ///< Code of each value so far, if the values are not `known`.
  };

  // Computation of missing memos. Results are null or false, with errors, if a domain can't be evaluated.

  /// Computes the choices of a level and adds the memo.
  const Choices* compute_choices(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics);
  /// Adds the choices of one kind of variants.
  bool add_choices(std::size_t level, std::size_t kind, const std::uint32_t* path, Choices& out, Diagnostics& diagnostics);
  /// Returns the subtree sizes of a prefix, one per kind of the last level; wrong sizes after an error.
  const std::uint64_t* subtree_sizes(int level, std::uint32_t* path, Diagnostics& diagnostics);
  /// Assigns axes with a single value, and appends the ranks of their values.
  AssignmentStatus assign_dependents(const std::vector<std::size_t>& axes, AxisSet& known, std::vector<std::uint32_t>& ranks, Diagnostics& diagnostics);
  /// Returns the code of a value; a new value gets the next code.
  std::uint32_t code_of(std::size_t level, double value);

  const Space& space_;
  const PartitionGroup& group_;
  const Plan& plan_;
  const std::vector<Variant>& variants_;
  Assignment& assignment_;
  const bool ranked_;                                                   ///< Ranks are found, to sort rows.
  const VariantKinds& last_;                                            ///< Kinds of the last level.
  std::vector<std::vector<std::uint32_t>> ranks_;                       ///< Ranks of the dependents before any level, for each kind.
  std::vector<Codes> codes_;                                            ///< One entry per level.
  std::vector<std::vector<double>> all_;                                ///< Values of each level by code; empty if unknown.
  std::vector<CodeKey> choice_keys_;                                    ///< Numbering by the levels that decide the values, for each level.
  std::vector<std::vector<std::unique_ptr<Choices>>> choices_;          ///< Memo by level and number.
  std::vector<CodeKey> size_keys_;                                      ///< Numbering by the levels that decide the subtree size, for each level.
  std::vector<std::vector<std::vector<std::uint64_t>>> subtree_sizes_;  ///< Memo by level and number: one size per kind of the last level; empty if unknown.
  std::vector<std::uint64_t> root_sizes_, ones_;                        ///< Sizes of the root, and of a leaf, for each kind.
};

}  // namespace opledger
