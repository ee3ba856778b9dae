#include "accounting/graph_engine.h"

#include <cassert>

#include "accounting/declared_marks.h"
#include "formulas/program.h"

namespace opledger {
namespace {

constexpr Dimension kPlain{};
constexpr Dimension kBytes{{1, 0, 0, 0}};
constexpr FieldType kCount{Value::Kind::number, kPlain};
constexpr FieldType kSize{Value::Kind::number, kBytes};
constexpr FieldType kTruth{Value::Kind::truth, kPlain};
constexpr FieldType kText{Value::Kind::text, kPlain};

/// Adds an empty set to a program; the position must be `id`.
Set& add_set(Program& program, [[maybe_unused]] SetId id, const char* name) {
  auto set = std::make_unique<Set>();
  set->name = name;
  Set& out = program.add(std::move(set));
  assert(out.id == id);  // Sets are declared in the order of their numbers.
  return out;
}

/// Adds a set of fixed words.
void words(Program& program, SetId id, const char* name, std::vector<std::string> all) {
  Set& set = add_set(program, id, name);
  for (const std::string& word : all) set.index.emplace(word, static_cast<WordId>(set.index.size()));
  set.words = all;
  set.texts = std::move(all);
}

/// Adds a set whose elements a run fills: the sets of which each element is a member, and the fields of an element.
void elements(Program& program, SetId id, const char* name, std::vector<SetId> belongs_to, std::map<std::string, FieldType, std::less<>> fields) {
  Set& set = add_set(program, id, name);
  set.elements = true;
  set.belongs_to = std::move(belongs_to);
  set.fields = std::move(fields);
}

/// Declares the sets of words, and the sets of a graph's parts: axes, components, segments, kernels, nodes. Sets are
/// added in the order of their numbers (graph_engine.h). Each element declares the sets of which it is a member, and
/// its fields as counts, sizes in bytes, truths or texts. docs/accounting.md describes each field.
void declare_parts(Program& program) {
  words(program, kPhaseSet, "phase", {"forward", "recompute", "agrad", "wgrad", "optimizer"});
  words(program, kCadenceSet, "cadence", {"microbatch", "step"});
  words(program, kCollectiveSet, "collective", {"slice", "reduce_scatter", "all_to_all", "all_reduce", "all_gather", "point_to_point"});
  words(program, kExtentSet, "extent", {"rank", "whole"});
  // Formulas read sizes on one rank if they select no extent.
  program.sets.back()->default_word = kRank;
  elements(program, kAxisSet, "axis", {}, {{"name", kText}, {"degree", kCount}, {"stride", kCount}});
  elements(program, kComponentSet, "component", {}, {{"name", kText}});
  elements(program, kSegmentSet, "segment", {}, {{"name", kText}, {"layers", kCount}, {"repeated", kTruth}, {"handed", kCount}});
  program.sets.back()->restarts = true;
  elements(program, kKernelSet, "kernel", {kSegmentSet}, {{"name", kText}});
  elements(program, kNodeSet, "node", {kKernelSet, kSegmentSet, kComponentSet},
           {{"name", kText},
            {"label", kText},
            {"operator", kText},
            {"recomputed", kTruth},
            {"once", kTruth},
            {"leads", kTruth},
            {"has_agrad", kTruth},
            {"has_wgrad", kTruth},
            {"replicas", kCount},
            {"repeats", kCount},
            {"repeated_over", kText},
            {"unspoken", kText},
            {"weighted", kTruth},
            {"own", kTruth},
            {"lacks_gradient", kText}});
}

/// Declares the sets of communication, saved and cached tensors, weights, stages, and program points. Sets are added in
/// the order of their numbers (graph_engine.h). The arguments are the set's name, the sets of which each element is a
/// member, and the fields of an element; docs/accounting.md describes each field.
void declare_communication_and_memory(Program& program) {
  elements(program, kCommunicatorSet, "communicator", {},
           {{"name", kText}, {"ranks", kCount}, {"first", kCount}, {"last", kCount}, {"between_stages", kTruth}});
  elements(program, kCommunicatorAxisSet, "communicator_axis", {kCommunicatorSet, kAxisSet},
           {{"degree", kCount}, {"stride", kCount}, {"row", kCount}, {"row_stride", kCount}});
  elements(program, kTransferSet, "transfer",
           {kPhaseSet, kCadenceSet, kCollectiveSet, kMessageSet, kCommunicatorSet, kNodeSet, kKernelSet, kSegmentSet, kComponentSet},
           {{"name", kText},
            {"bytes", kSize},
            {"ranks", kCount},
            {"shape", kText},
            {"axes", kText},
            {"rule", kText},
            {"written", kText},
            {"between_stages", kTruth}});
  elements(program, kMessageSet, "message", {kPhaseSet, kCadenceSet, kCollectiveSet, kCommunicatorSet, kSegmentSet},
           {{"name", kText},
            {"bytes", kSize},
            {"ranks", kCount},
            {"span", kCount},
            {"copies", kCount},
            {"axes", kText},
            {"parts", kCount},
            {"shape", kText},
            {"between_stages", kTruth},
            {"shared", kTruth},
            {"weights", kTruth}});
  elements(program, kMessageNodeSet, "message_node",
           {kMessageSet, kNodeSet, kKernelSet, kPhaseSet, kCadenceSet, kCollectiveSet, kCommunicatorSet, kSegmentSet, kComponentSet}, {{"reads", kTruth}});
  elements(program, kSavedSet, "saved", {kNodeSet, kKernelSet, kSegmentSet, kComponentSet},
           {{"name", kText}, {"elements", kCount}, {"bytes", kSize}, {"recomputed", kTruth}, {"once", kTruth}, {"beside", kTruth}, {"shape", kText}});
  elements(program, kWeightSet, "weight", {kNodeSet, kKernelSet, kSegmentSet, kComponentSet},
           {{"name", kText},          {"elements", kCount},      {"whole", kCount},          {"stored", kCount},      {"kept", kCount},
            {"gradient", kCount},     {"optimizer", kCount},     {"rows", kCount},           {"columns", kCount},     {"matrices", kCount},
            {"local_rows", kCount},   {"local_columns", kCount}, {"local_matrices", kCount}, {"split_ranks", kCount}, {"split_span", kCount},
            {"spread_ranks", kCount}, {"spread_span", kCount},   {"dimensions", kCount},     {"shared", kTruth},      {"tied", kTruth},
            {"as_stored", kTruth},    {"rearranged", kCount},    {"trained", kTruth},        {"shape", kText}});
  elements(program, kStageSet, "stage", {}, {{"position", kCount}, {"last", kCount}, {"count", kCount}, {"name", kText}});
  elements(program, kStageLayersSet, "layer_group", {kStageSet, kSegmentSet}, {{"layers", kCount}, {"piece", kCount}});
  elements(program, kStageWeightsSet, "stage_weight", {kStageSet, kWeightSet, kNodeSet, kKernelSet, kSegmentSet, kComponentSet}, {{"layers", kCount}});
  elements(program, kSavedOnceSet, "saved_once", {kStageSet, kSavedSet, kNodeSet, kKernelSet, kSegmentSet, kComponentSet}, {});
  elements(program, kCommunicatorStagesSet, "communicator_stage", {kCommunicatorSet, kStageSet}, {});
  elements(program, kStageMessageSet, "stage_message", {kStageSet, kMessageSet, kPhaseSet, kCadenceSet, kCollectiveSet, kCommunicatorSet, kSegmentSet},
           {{"layers", kCount}});
  elements(program, kProgramPointSet, "program_point", {kPhaseSet, kSegmentSet}, {{"name", kText}});
  elements(program, kLiveTensorSet, "live_tensor", {kProgramPointSet, kPhaseSet, kSegmentSet, kNodeSet, kKernelSet, kComponentSet, kSavedSet, kMessageSet},
           {{"name", kText},
            {"bytes", kSize},
            {"kept", kTruth},
            {"arrived", kTruth},
            {"exchanging", kTruth},
            {"ranks", kCount},
            {"held", kTruth},
            {"scratch", kTruth},
            {"gradient", kTruth},
            {"of_weight", kTruth},
            {"begins", kTruth}});
  elements(program, kChunkEndSet, "chunk_end", {kStageSet}, {});
  elements(program, kFollowingLayersSet, "following_layers", {kChunkEndSet, kStageSet, kSegmentSet}, {{"layers", kCount}, {"behind", kTruth}});
  elements(program, kMatrixShapeSet, "matrix_shape", {kStageSet, kNodeSet, kKernelSet, kSegmentSet, kComponentSet},
           {{"rows", kCount}, {"columns", kCount}, {"first", kTruth}});
  elements(program, kCachedSet, "cached_tensor", {kNodeSet, kKernelSet, kSegmentSet, kComponentSet},
           {{"name", kText},
            {"elements", kCount},
            {"whole", kCount},
            {"length", kCount},
            {"reach", kCount},
            {"grows", kTruth},
            {"rolls", kTruth},
            {"width", kSize},
            {"shape", kText}});
  elements(program, kCacheReadsSet, "cache_read", {kCachedSet, kNodeSet, kKernelSet, kSegmentSet, kComponentSet}, {{"elements", kCount}});
  elements(program, kStageSegmentSet, "stage_segment", {kStageSet, kSegmentSet}, {});
}

/// Declares names from before a renaming, which documents may use for one release.
void declare_former_names(Program& program) {
  static const std::pair<const char*, SetId> kFormer[] = {
      {"share", kStageLayersSet},        {"copy", kStageWeightsSet},     {"kept_once", kSavedOnceSet}, {"member", kCommunicatorStagesSet},
      {"side", kCommunicatorAxisSet},    {"neighbour", kMessageNodeSet}, {"ending", kChunkEndSet},     {"from_ending", kFollowingLayersSet},
      {"recalled", kCacheReadsSet},      {"held", kCachedSet},           {"moment", kProgramPointSet}, {"alive", kLiveTensorSet},
      {"product_shape", kMatrixShapeSet}};
  for (const auto& [name, set] : kFormer) program.add_former_name(name, set);
}

void declare_sets(Program& program) {
  declare_parts(program);
  declare_communication_and_memory(program);
  declare_former_names(program);
}

}  // namespace

/// Returns the engine's description, built on the first call. It has the numbers of special sets, the values that every
/// node derives from its tensors, and the functions that declare sets and marks. GraphNodeValues (node_values.cc)
/// computes the node values by these names.
const Engine& graph_engine() {
  static const Engine kEngine = {kEngineSets,
                                 kNodeSet,
                                 kExtentSet,
                                 kRank,  // Default word of the set `extent`.
                                 kAxisSet,
                                 {
                                     {"volume", kCount, "product of the sizes of all the node's dimensions"},
                                     {"input_elements", kCount, "elements of the activations that it reads"},
                                     {"output_elements", kCount, "elements that it writes"},
                                     {"weight_elements", kCount, "elements of its weights"},
                                     {"input_bytes", kSize, "bytes of the activations that it reads"},
                                     {"output_bytes", kSize, "bytes that it writes"},
                                     {"weight_bytes", kSize, "bytes of its weights as they are computed with"},
                                     {"output_gradient_bytes", kSize, "bytes of the gradients of its outputs"},
                                     {"unread_bytes", kSize, "bytes of its outputs that no operator reads in forward"},
                                     {"input_gradient_bytes", kSize, "bytes of the gradients of its inputs"},
                                     {"weight_gradient_bytes", kSize, "bytes of the gradients of its weights"},
                                     {"agrad_read_bytes", kSize, "bytes that the gradients of its inputs read, without the gradients of its outputs"},
                                     {"wgrad_read_bytes", kSize, "bytes that the gradients of its weights read, without the gradients of its outputs"},
                                 },
                                 declare_sets,
                                 declare_marks};
  return kEngine;
}

}  // namespace opledger
