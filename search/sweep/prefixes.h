#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/space/assignment.h"
#include "search/sweep/partition_group.h"

/// What lies behind a prefix, a choice of values for the first levels of a plan: the values of the next one, which variants have them, and how many candidates
/// of each. All of it is worked out once for all prefixes that agree on what decides it.
namespace opledger {

/// Numbers choices of codes of a few levels.
class CodeKey {
 public:
  CodeKey() = default;
  /// `sizes`: by level, how many codes there are; 0: any.
  CodeKey(std::vector<std::size_t> levels, const std::vector<std::size_t>& sizes);

  const std::vector<std::size_t>& levels() const { return levels_; }
  /// Whether the number is the sum of the codes, each times its stride.
  bool direct() const { return direct_; }
  std::uint32_t stride(std::size_t i) const { return strides_[i]; }
  /// `path`: by level, its code.
  std::uint32_t number(const std::uint32_t* path);

 private:
  std::vector<std::size_t> levels_;
  std::vector<std::uint32_t> strides_;
  bool direct_ = true;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
};

class Prefixes {
 public:
  struct Choices {
    std::vector<std::uint32_t> codes;
    std::vector<double> values;
    std::vector<VariantSet> variants;  ///< Who has it, of those that have the prefix.
    std::vector<std::uint32_t> ranks;  ///< Where they are wanted: of each choice, by kind, where it stands in its domain, then those of what follows.
  };

  /// `assignment` is in the group's stretch.
  Prefixes(const Space& space, const PartitionGroup& group, Assignment& assignment, bool ranked);

  /// Siblings that have candidates, as far as what is fixed tells. Empty: an error.
  std::optional<VariantSet> begin(Diagnostics& diagnostics);
  /// Ranks of what follows before any level, by place in Plan::follow.
  const std::vector<std::uint32_t>& ranks(std::size_t variant) const { return ranks_[plan_.kinds().kind_of[variant]]; }

  CodeKey& choice_key(std::size_t level) { return choice_keys_[level]; }
  /// The values of a level's axis, if they were worked out. `number`: of its key.
  const Choices* known(std::size_t level, std::uint32_t number) const {
    const auto& known = choices_[level];
    return number < known.size() ? known[number].get() : nullptr;
  }
  /// The same, worked out. `number`: of its key; `path`: its codes. Null, with errors, if they can't be worked out.
  const Choices* choices(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics) {
    const Choices* const known = this->known(level, number);
    return known != nullptr ? known : compute_choices(level, number, path, diagnostics);
  }
  /// Candidates of a variant that has it behind a prefix that ends with a level; -1: all of them. `path` may be written to behind it.
  std::uint64_t subtree_size(int level, std::uint32_t* path, std::size_t variant, Diagnostics& diagnostics) {
    return subtree_sizes(level, path, diagnostics)[last_.kind_of[variant]];
  }

  /// What numbers prefixes that end with a level and have as many candidates behind them; how many, if that was counted.
  CodeKey& size_key(std::size_t level) { return size_keys_[level]; }
  const std::uint64_t* known_subtree_size(std::size_t level, std::uint32_t number, std::size_t variant) const {
    const auto& known = subtree_sizes_[level];
    return number < known.size() && !known[number].empty() ? known[number].data() + last_.kind_of[variant] : nullptr;
  }

  double value(std::size_t level, std::uint32_t code) const { return codes_[level].values[code]; }
  const std::vector<std::vector<double>>& all() const { return all_; }  ///< By level, where they are known: values by code.

 private:
  struct Codes {
    std::vector<double> values;
    bool known = false;  ///< They rise, and there are no others.
    std::unordered_map<double, std::uint32_t> index;
  };

  const Choices* compute_choices(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics);
  bool add_choices(std::size_t level, std::size_t kind, const std::uint32_t* path, Choices& out, Diagnostics& diagnostics);
  const std::uint64_t* subtree_sizes(int level, std::uint32_t* path, Diagnostics& diagnostics);
  Assigned assign_dependents(const std::vector<std::size_t>& axes, AxisSet& known, std::vector<std::uint32_t>& ranks, Diagnostics& diagnostics);
  std::uint32_t code_of(std::size_t level, double value);

  const Space& space_;
  const PartitionGroup& group_;
  const Plan& plan_;
  const std::vector<Variant>& variants_;
  Assignment& assignment_;
  const bool ranked_;
  const VariantKinds& last_;                       ///< Of the last level.
  std::vector<std::vector<std::uint32_t>> ranks_;  ///< By kind.
  std::vector<Codes> codes_;                       ///< By level.
  std::vector<std::vector<double>> all_;
  std::vector<CodeKey> choice_keys_;                                    ///< By level: of what decides its values.
  std::vector<std::vector<std::unique_ptr<Choices>>> choices_;          ///< By level and number.
  std::vector<CodeKey> size_keys_;                                      ///< By level: of what decides how many candidates are behind it.
  std::vector<std::vector<std::vector<std::uint64_t>>> subtree_sizes_;  ///< By level and number: by kind of the last level; none: not known.
  std::vector<std::uint64_t> root_sizes_, ones_;
};

}  // namespace opledger
