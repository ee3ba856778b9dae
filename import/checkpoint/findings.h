#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// Groups thousands of tensors into a few lines with the same finding.
namespace opledger {

/// Tensors with the same finding, whose names differ only in numbers.
struct TensorFinding {
  std::string name;                         ///< Name with `{3-5,8}` for the numbers, or `*` for more than four ranges.
  std::string weights;                      ///< Weights of the model that the tensors store or should store.
  std::string found_shape, expected_shape;  ///< The found shape and the expected one, if the two differ.
  std::string reason;                       ///< Another reason, such as `a buffer`; empty if the shapes are the reason.
  std::size_t tensors = 0;                  ///< Number of tensors.
  std::uint64_t elements = 0;               ///< Elements of all tensors of the finding; 0 if unknown.
};

/// Collects findings one tensor at a time and returns one entry for each group.
class Findings {
 public:
  /// Adds a tensor. `take` sets the name of `finding`; its `tensors` and `elements` must be 0.
  void add(const std::string& name, TensorFinding finding, std::uint64_t elements = 0);
  std::vector<TensorFinding> take() const;  ///< Returns the findings in the order of their first tensors.
  /// Returns the number of tensors added so far.
  std::size_t tensors() const { return tensors_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;  ///< Name without numbers, weights, shapes, reason.
  std::map<Key, std::size_t> position_;                                                     ///< Index of each finding in `all_`, `parts_` and `numbers_`.
  std::vector<TensorFinding> all_;                                                          ///< Findings in the order of their first tensors, without names.
  std::vector<std::vector<std::string>> parts_;                                             ///< Parts of the first name of each finding.
  std::vector<std::vector<std::set<std::uint64_t>>> numbers_;                               ///< Numbers found at each part of the name; empty sets for words.
  std::size_t tensors_ = 0;
};

}  // namespace opledger
