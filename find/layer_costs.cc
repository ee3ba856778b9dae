#include "find/layer_costs.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "accounting/layouts.h"
#include "accounting/pipeline.h"

namespace opledger {
namespace {

/// Returns sums of the first 0, 1, 2 … numbers.
std::vector<double> prefix_sums(const std::vector<double>& numbers) {
  std::vector<double> out = {0};
  for (const double number : numbers) out.push_back(out.back() + number);
  return out;
}

/// Returns the formula `stages: KEY` of the section, evaluated at each stage of a pipeline with these classes; empty, with
/// errors, on failure.
std::vector<Value> at_each_stage(SectionFormulas& formulas, const char* key, const StageClasses& classes, Evaluator& evaluator) {
  std::vector<Value> out;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Point at = evaluator.choose(nowhere(), kStageSet, evaluator.element_at(kStageSet, static_cast<WordId>(c)));
    const std::optional<Value> value = formulas.value({"stages", key}, at);
    if (!value) return {};
    for (const long long position : classes[c].positions) {
      out.resize(std::max(out.size(), static_cast<std::size_t>(position) + 1));
      out[static_cast<std::size_t>(position)] = *value;
    }
  }
  return out;
}

/// A reader of the section `find` of one run. It evaluates costs by segment, and spreads them over the layers in the
/// order in which the engine assigns layers to stages.
class CostReader {
 public:
  CostReader(Run& run, const Datum& section, Diagnostics& diagnostics)
      : run_(run), evaluator_(run.evaluator()), section_(section), formulas_(section, "find", run.evaluator(), diagnostics), diagnostics_(diagnostics) {}

  std::optional<LayerCosts> read() {
    if (!read_sizes() || !read_segments() || !spread_costs() || !read_memory()) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool fail(std::string message) { return diagnostics_.error({}, std::move(message)), false; }

  bool read_sizes() {
    const std::optional<long long> stages = formulas_.whole({"stages", "stages"}), chunks = formulas_.whole({"stages", "chunks"});
    if (!stages || !chunks) return false;
    if (*stages == 1) return fail("the run has one pipeline stage, so there is nothing to divide: give more ranks to the mesh axis that shards `layer`");
    out_.stages = *stages, out_.chunks = *chunks;
    out_.input = formulas_.find({"stages", *chunks > 1 ? "layers_of_chunks" : "layers"})->text();
    const Datum* const replaced = formulas_.find({"stages", "replaced"});
    for (const auto& [input, value] : replaced != nullptr ? replaced->entries() : std::vector<Datum::Entry>{}) {
      const std::optional<Value> now = run_.value(input.text(), diagnostics_), then = formulas_.value(value);
      if (!now || !then) return false;
      if (now->scalar.value != then->scalar.value) out_.replaced.emplace_back(input.text(), value.text());
    }
    return true;
  }

  /// Evaluates the costs of one layer of each segment, and the order of layers.
  bool read_segments() {
    layers_ = segment_layers(evaluator_);
    for (const SegmentId s : layers_.ids()) {
      const Point at = evaluator_.choose(nowhere(), kSegmentSet, evaluator_.element_at(kSegmentSet, static_cast<WordId>(s.index())));
      const auto seconds = formulas_.seconds({"stages", "seconds"}, at);
      const auto resident = formulas_.number({"stages", "resident"}, at), saved = formulas_.number({"stages", "saved"}, at);
      if (!seconds || !resident || !saved) return false;
      segments_.push_back({*seconds, *resident, *saved});
      if (run_.graph_run().repeats[s] != nullptr) total_ += static_cast<long long>(layers_[s].value);
    }
    if (total_ > kMostLayers) return fail(fmt::format("the model has {} layers, and {} is the limit", total_, kMostLayers));
    if (total_ == 0) return fail("no block of the model is repeated, so there are no layers to divide");
    Inquiry inquiry(evaluator_);
    const std::optional<StageClasses> single = Layouts::single_layers(inquiry, run_.graph_run(), layers_);
    const std::optional<Pipeline> given = read_pipeline(inquiry, total_, out_.stages, section_.span());
    const std::optional<Layouts> layouts = Layouts::read(inquiry, run_.graph_run(), layers_);
    diagnostics_.append(std::move(inquiry.messages()));
    if (!single || !given || !layouts) return false;
    order_ = *single, classes_ = layouts->sample();
    out_.given = given->chunk_layers;
    return true;
  }

  /// Spreads the costs of segments over the layers. Segments before the first and after the last repeated one belong to
  /// the ends of the pipeline, whatever its division.
  bool spread_costs() {
    const std::size_t n = static_cast<std::size_t>(total_);
    out_.seconds.assign(n, 0), out_.resident.assign(n, 0), out_.saved.assign(n, 0);
    SegmentId first_repeated = layers_.next(), last_repeated(0);
    for (const SegmentId s : layers_.ids()) {
      if (run_.graph_run().repeats[s] == nullptr) continue;
      if (first_repeated == layers_.next()) first_repeated = s;
      last_repeated = s;
    }
    for (const SegmentId s : layers_.ids()) {
      if (s < first_repeated) out_.first += segments_[s].seconds;
      if (last_repeated < s) out_.last += segments_[s].seconds;
      if (s < first_repeated || last_repeated < s) continue;
      for (const StageClass& one : order_) {
        const double layers = one.layers(s.index());
        for (const long long position : one.positions) {
          const std::size_t at = static_cast<std::size_t>(position);
          out_.seconds[at] += layers * segments_[s].seconds;
          out_.resident[at] += layers * segments_[s].resident;
          out_.saved[at] += layers * segments_[s].saved;
        }
      }
    }
    return true;
  }

  /// Reads the memory of each stage in the run. With several chunks on a stage, only whole runs decide about memory.
  bool read_memory() {
    const auto capacity = formulas_.number({"stages", "capacity"});
    if (!capacity) return false;
    out_.capacity = *capacity;
    if (out_.chunks > 1) return true;
    for (const Value& bytes : at_each_stage(formulas_, "memory", classes_, evaluator_)) out_.memory.push_back(bytes.scalar.value);
    for (const Value& count : at_each_stage(formulas_, "in_flight", classes_, evaluator_)) out_.in_flight.push_back(count.scalar.value);
    const std::size_t stages = static_cast<std::size_t>(out_.stages);
    return out_.memory.size() == stages && out_.in_flight.size() == stages;
  }

  struct SegmentCosts {
    double seconds = 0, resident = 0, saved = 0;
  };

  Run& run_;
  Evaluator& evaluator_;
  const Datum& section_;
  SectionFormulas formulas_;
  Diagnostics& diagnostics_;
  LayerCosts out_;
  IdVector<SegmentId, Scalar> layers_;  ///< Number of layers of each segment.
  IdVector<SegmentId, SegmentCosts> segments_;
  long long total_ = 0;   ///< Number of layers to divide.
  StageClasses order_;    ///< Classes of stages with one layer each: the order of layers.
  StageClasses classes_;  ///< Classes of the run's own stages.
};

}  // namespace

/// The memory of a stage with other layers is its memory in the run, without its own layers, plus that of the others.
PartitionProblem LayerCosts::problem(bool bounded) const {
  PartitionProblem out{seconds, std::vector<double>(given.size(), 0)};
  out.extra.front() += first, out.extra.back() += last;
  if (!bounded || memory.empty()) return out;
  std::vector<std::size_t> begins = {0};
  for (const long long layers : given) begins.push_back(begins.back() + static_cast<std::size_t>(layers));
  out.may_hold = [this, begins, resident_before = prefix_sums(resident), saved_before = prefix_sums(saved)](std::size_t stage, std::size_t begin,
                                                                                                            std::size_t end) {
    const auto bytes = [&](std::size_t from, std::size_t to) {
      return resident_before[to] - resident_before[from] + in_flight[stage] * (saved_before[to] - saved_before[from]);
    };
    return memory[stage] - bytes(begins[stage], begins[stage + 1]) + bytes(begin, end) <= capacity;
  };
  return out;
}

std::optional<LayerCosts> read_layer_costs(Run& run, Diagnostics& diagnostics) {
  const Datum* const section = find_section(run, "find");
  if (section == nullptr || section->find("stages") == nullptr) {
    diagnostics.error({}, fmt::format("the accounting `{}` has no section `find` with `stages`, so it does not say what a layer costs", run.accounting()));
    return std::nullopt;
  }
  if (!run.has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` needs no graph, so the run has no layers to divide", run.accounting()));
    return std::nullopt;
  }
  return CostReader(run, *section, diagnostics).read();
}

IdVector<SegmentId, Scalar> segment_layers(Evaluator& evaluator) {
  IdVector<SegmentId, Scalar> out;
  for (const Value& layers : evaluator.elements(kSegmentSet).fields.at("layers").all()) out.push_back(layers.scalar);
  return out;
}

std::vector<Value> stage_paces(Run& run, Diagnostics& diagnostics) {
  const Datum* const section = find_section(run, "find");
  Inquiry inquiry(run.evaluator());
  const std::optional<Layouts> layouts = Layouts::read(inquiry, run.graph_run(), segment_layers(run.evaluator()));
  diagnostics.append(std::move(inquiry.messages()));
  if (section == nullptr || !layouts) return {};
  SectionFormulas formulas(*section, "find", run.evaluator(), diagnostics);
  return at_each_stage(formulas, "pace", layouts->sample(), run.evaluator());
}

}  // namespace opledger
