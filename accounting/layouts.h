#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounting/chunk_tapes.h"
#include "accounting/graph_elements.h"
#include "accounting/stages.h"
#include "base/function_ref.h"

/// The assignment of layers to the stages of a pipeline, for one candidate or for all candidates of a sweep.
/// `Layouts::read` makes it; the functions that fill sets then ask for numbers, conditions and texts of a stage. A
/// layout is control flow, not a number, so a tape is normally specialized to the layout of its sample. If the number
/// of stages is a symbol and all values of the inputs are known, similar layouts are padded to equal numbers of stage
/// classes. Then one tape serves all of them: numbers and conditions are looked up in tables by layout.
namespace opledger {

/// The layout of one candidate: classes of stages with equal content, in the order of their first stages.
using StageClasses = std::vector<StageClass>;

/// Layouts padded to the same number of classes and parts, by position in the list of all layouts; null: the layout is
/// impossible, has a single stage, or belongs to another group.
using LayoutGroup = std::shared_ptr<const std::vector<std::shared_ptr<const StageClasses>>>;

class ResidentLayers;

/// Facts about all candidates of a sweep, and results that the candidates share.
struct Candidates {
  std::map<const Name*, std::vector<double>> values;  ///< Values that each input can have, ascending; inputs without an entry are unknown.
  std::vector<const Name*> deciding;                  ///< Inputs on which layouts were found to depend.
  std::map<std::vector<double>, std::shared_ptr<const StageClasses>> layouts;  ///< Keyed by all values that decide a layout; null: the split is impossible.
  std::map<std::vector<std::shared_ptr<const StageClasses>>, std::vector<LayoutGroup>> groups;  ///< Groups of equal shape, by the list of all layouts.
  ChunkTapes chunks;                                                                            ///< Recordings of the accounting's functions of chunks.
  std::vector<std::shared_ptr<ResidentLayers>> resident;                                        ///< Tables of the candidates that one tape records.
};

/// The layout of one run, or the group of layouts that a tape serves. A function argument below computes its result
/// from the classes of one layout, for the layouts of the group.
class Layouts {
 public:
  /// Reads the layout, or all layouts, of a run. Returns nothing, with errors, if the layers can't be split.
  static std::optional<Layouts> read(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers);
  /// Returns the classes of a pipeline in which each stage has one repeated layer, and so the order of the layers. A
  /// segment that is not repeated accompanies a neighboring layer. Nothing, with errors, if a number can't be computed.
  static std::optional<StageClasses> single_layers(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers);

  bool one_stage() const { return one_stage_; }          ///< One stage holds all layers, even if their number is a symbol.
  const LayoutGroup& group() const { return all_; }      ///< The layouts by layout number; a single layout has number 0.
  const Scalar& index() const { return index_; }         ///< The candidate's layout number; constant 0 for a single layout.
  bool has_several() const { return tape_ != nullptr; }  ///< Numbers come from tables by layout number.
  /// Returns the positions of a class of stages as text, or `class N` if several layouts are looked up.
  std::string name(std::size_t stage) const;
  const StageClasses& sample() const { return *(*all_)[sample_]; }  ///< Classes of the current candidate.
  bool any(FunctionRef<bool(const StageClasses&)> holds) const;     ///< Returns whether at least one layout of the group satisfies `holds`.
  void each(FunctionRef<void(const StageClasses&)> visit) const;    ///< Visits every layout of the group.
  /// Returns a value of the layout: a constant, or a look-up by layout number.
  Scalar number(FunctionRef<double(const StageClasses&)> of) const;
  /// Returns a condition of the layout as a truth: a constant if all layouts of the group agree, else a look-up.
  Scalar condition(FunctionRef<bool(const StageClasses&)> holds) const;
  /// Marks a text as valid for the sample's layout only, so that its readers depend on the layout number.
  Value text(Value of_sample) const;

 private:
  class Reader;

  Tape* tape_ = nullptr;    ///< Tape of the look-ups; null for a single layout.
  LayoutGroup all_;         ///< Layouts by `index_`; entries may be null (LayoutGroup).
  std::size_t sample_ = 0;  ///< Layout number of the sample.
  Scalar index_;
  bool one_stage_ = false;
};

}  // namespace opledger
