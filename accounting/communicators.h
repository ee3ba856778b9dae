#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accounting/element_table.h"
#include "accounting/sizes.h"

/// Who talks to whom: the groups of ranks that collectives run over, each once, and the axes of the mesh that span them (a communicator's sides). Which
/// networks a communicator crosses follows from the degrees and strides of its sides; that is left to formulas, since only an accounting knows networks.
namespace opledger {

class Communicators {
 public:
  Communicators(const Mesh& mesh, Sizes& sizes) : mesh_(mesh), sizes_(sizes) {}

  /// Position of the transfer's communicator in the set; a new one is added. Ranks of pipeline stages that pass on or share something are one of their own.
  WordId find(const Transfer& transfer);

  /// Fills both sets. `text` keeps a string for as long as the elements are used.
  void fill(Evaluator& evaluator, const std::function<Value(std::string)>& text);

 private:
  WordId axis_word(AxisId axis) const;

  const Mesh& mesh_;
  Sizes& sizes_;
  std::map<std::pair<AxisList, bool>, WordId> index_;
  std::vector<std::pair<AxisList, bool>> all_;
};

}  // namespace opledger
