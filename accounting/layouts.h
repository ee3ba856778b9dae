#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/graph_elements.h"
#include "accounting/piece_tapes.h"
#include "accounting/stages.h"
#include "base/function_ref.h"

/// How the layers of a graph lie on the stages of its pipeline. On a tape that is structure, unless it is known which values the inputs can have: then all
/// layouts are made to look alike (as many classes of stages) and are one, whose numbers, and what there is at all, are looked up in tables.
namespace opledger {

using StageClasses = std::vector<StageClass>;

/// Layouts made to have as many classes and parts, each in its place in a list; null: is of another group.
using LayoutGroup = std::shared_ptr<const std::vector<std::shared_ptr<const StageClasses>>>;

class HeldLayers;

/// What is known beforehand of all candidates that tapes are recorded for, and what was worked out for them.
struct Candidates {
  std::map<const Name*, std::vector<double>> values;  ///< Of inputs, rising: all that each can have; of an input that is not here: not known.
  std::vector<const Name*> deciding;                  ///< Inputs that layouts were found to depend on.
  std::map<std::vector<double>, std::shared_ptr<const StageClasses>> layouts;                   ///< By all that decides one; null: layers can't lie so.
  std::map<std::vector<std::shared_ptr<const StageClasses>>, std::vector<LayoutGroup>> groups;  ///< Of lists of them, those that look alike.
  PieceTapes pieces;
  std::vector<std::shared_ptr<HeldLayers>> held;  ///< Of those that are recorded on one tape.
};

class Layouts {
 public:
  /// Empty, with errors, if the layers can't be dealt out.
  static std::optional<Layouts> read(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers);

  bool one_stage() const { return one_stage_; }  ///< It holds all layers, however many.
  const LayoutGroup& group() const { return all_; }
  const Scalar& index() const { return index_; }
  bool looked_up() const { return tape_ != nullptr; }  ///< Of several that look alike.
  /// Of a class of stages; where layouts are looked up its place among them.
  std::string name(std::size_t stage) const;
  const StageClasses& sample() const { return *(*all_)[sample_]; }  ///< Those of the candidate at hand.
  bool ever(FunctionRef<bool(const StageClasses&)> holds) const;    ///< In some layout that looks like it.
  void each(FunctionRef<void(const StageClasses&)> visit) const;    ///< All that look like it.
  Scalar number(FunctionRef<double(const StageClasses&)> of) const;
  Scalar whether(FunctionRef<bool(const StageClasses&)> holds) const;
  /// A text that is the sample's: whoever asks for it depends on the layout.
  Value text(Value of_sample) const;

 private:
  class Reader;

  Tape* tape_ = nullptr;
  LayoutGroup all_;  ///< By `index`; null: none that looks like it.
  std::size_t sample_ = 0;
  Scalar index_;
  bool one_stage_ = false;
};

}  // namespace opledger
