#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/order.h"

/// The work of one step of a pipeline, as every stage does it. The model is cut into pieces; each microbatch has a forward, input gradients and weight gradients on each
/// of them.
namespace opledger {

struct Action {
  Work work = Work::forward;
  std::uint32_t piece = 0, microbatch = 0;
  friend auto operator<=>(const Action&, const Action&) = default;
};

/// What a stage does at once: it begins when all is there that it needs, and all that it makes is there at its end.
struct Batch {
  std::vector<Action> actions;
  bool together = false;  ///< Of several items, so that one may hide behind another.
};

/// `3F0`, `0B2` (input and weight gradients), `(2F0;5B1)OVERLAP_F_B`: piece, work, microbatch, as files of actions have them.
std::string written(const Action& action);
std::string written(const Batch& batch);

/// What a step consists of.
struct StepSize {
  std::size_t stages = 0, pieces = 0;
  std::uint32_t microbatches = 0;
};

/// The batches of each stage one after another, made as they are asked for: a step of a million microbatches takes no more memory than one of ten.
class Order {
 public:
  virtual ~Order() = default;
  virtual StepSize size() const = 0;
  /// Which stage has this piece for this microbatch; empty: none.
  virtual std::optional<std::size_t> stage_of(std::size_t piece, std::uint32_t microbatch) const = 0;
  /// All that it has for any microbatch, rising.
  virtual std::vector<std::size_t> pieces_of(std::size_t stage) const = 0;
  /// A stage's next batch. False: it has done all, or, with an error, it can't be told.
  virtual bool next(std::size_t stage, Batch& out, Diagnostics& diagnostics) = 0;
};

}  // namespace opledger
