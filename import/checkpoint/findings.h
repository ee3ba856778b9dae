#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// Thousands of tensors as the few lines that say the same of all of them.
namespace opledger {

/// Tensors with the same finding, whose names differ in numbers alone.
struct TensorFinding {
  std::string name;           ///< `{3-5,8}` for numbers that differ, `*` for many.
  std::string weights;        ///< Weights of the model that they hold or would hold.
  std::string is, should_be;  ///< The found shape and the expected one, if they differ.
  std::string why;            ///< Another reason, such as `a buffer`; empty: the shapes say it.
  std::size_t tensors = 0;
  std::uint64_t elements = 0;  ///< Elements of all these tensors; 0 if unknown.
};

class Findings {
 public:
  void add(const std::string& name, TensorFinding what, std::uint64_t elements = 0);
  std::vector<TensorFinding> take() const;  ///< In the order in which the first of each was added.
  std::size_t tensors() const { return tensors_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> position_;
  std::vector<TensorFinding> all_;
  std::vector<std::vector<std::string>> parts_;                ///< Of each the parts of its first name …
  std::vector<std::vector<std::set<std::uint64_t>>> numbers_;  ///< … and of those that are numbers, all that were met.
  std::size_t tensors_ = 0;
};

}  // namespace opledger
