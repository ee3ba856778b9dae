#include "play/step_simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "play/orders.h"
#include "play/simulated_inputs.h"
#include "play/simulator/unrolled_order.h"
#include "run/section_formulas.h"

namespace opledger {
namespace {

constexpr std::size_t kShownChunks = 16;  // chunks listed in a message
constexpr const char* kWorkNames[] = {"forward", "input", "weight"};

}  // namespace

const Datum* play_section(const LinkedRun& run) { return find_section(run, "play"); }

/// Evaluates the section `play` stage class by stage class, and checks the order against the accounting's layout.
class StepSimulation::Reader {
 public:
  Reader(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph, bool pictured, Diagnostics& diagnostics)
      : evaluator_(evaluator), run_(run), graph_(graph), pictured_(pictured), diagnostics_(diagnostics) {}

  std::unique_ptr<StepSimulation> read() {
    // Evaluates the section in the order of dependencies: the number of stages, the order, the classes of stages, then
    // the times of each class. `out->span_` is the position for errors: the section until `read_order` finds the order.
    // `waits` is evaluated only for a timeline (`pictured_`), because nothing else shows it. Returns null after an
    // error.
    const Datum* section = play_section(run_);
    if (section == nullptr) return fail({}, "the accounting has no section `play`, so the step can't be simulated");
    section_.emplace(*section, "play", evaluator_, diagnostics_);
    std::unique_ptr<StepSimulation> out(new StepSimulation());
    out->span_ = section->span();
    const auto stages = section_->whole({"stages"});
    if (!stages || !read_order(*out, *stages)) return nullptr;
    const std::optional<double> overlap_factor = section_->number({"concurrent_share"});
    order_at_ = out->span_;
    if (!overlap_factor || !read_classes(*out) || !read_times(*out)) return nullptr;
    out->overlap_factor_ = *overlap_factor;
    const bool has_waits = pictured_ && section_->find({"waits"}) != nullptr;
    const auto waits = has_waits ? section_->seconds({"waits"}) : std::optional(0.0);
    if (!waits) return nullptr;
    out->waits_ = *waits;
    return out;
  }

 private:
  std::nullptr_t fail(const Span& span, std::string message) {
    diagnostics_.error(span, std::move(message));
    return nullptr;
  }

  bool read_order(StepSimulation& out, long long stages) {
    // Reads the sizes of the step and the order of its schedule. The schedule is a word that names an operator, whose
    // `order` states the order or its document. An order is either unrolled from phases or listed in a file of actions.
    // `fixed` guards the schedule on a tape of several candidates, because the order holds for this schedule only.
    const auto microbatches = section_->whole({"microbatches"}), chunks = section_->whole({"chunks"});
    const std::optional<Value> schedule = section_->value({"schedule"});
    if (!microbatches || !chunks || !schedule) return false;
    section_->fixed(schedule->scalar);
    const Operator* op = schedule->kind == Value::Kind::word ? evaluator_.program().operators->find(*schedule->text) : nullptr;
    if (op == nullptr || !op->order)
      return fail(op != nullptr ? op->span : section_->datum().span(),
                  fmt::format("the schedule {} has no `order`, so the step can't be simulated", op != nullptr ? op->name : "")),
             false;
    out.schedule_ = op->name;
    out.stated_ = load_order(*op->order, run_.library(), diagnostics_);
    if (out.stated_ == nullptr) return false;
    out.span_ = out.stated_->span;
    out.order_ = out.stated_->actions.empty() ? UnrolledOrder::unroll(*out.stated_, stages, *microbatches, *chunks, evaluator_, diagnostics_)
                                              : load_actions(*out.stated_, stages, *microbatches, run_.library(), diagnostics_);
    return out.order_ != nullptr;
  }

  bool read_classes(StepSimulation& out) {
    // Fills the classes of stages, and the class of each stage. Stages with equal layers form a class and share all
    // times. The classes must have as many stages as the order. During a search, a trace may serve the candidates of
    // several layouts (assignments of layers to stages), but a simulated step holds for one layout. Any text of the
    // layout is a value that depends on the layout's number, so `fixed` on such a text guards the trace by this
    // number. Absent classes only pad layouts to equal length and have no stages.
    IdVector<SegmentId, Scalar> layers;
    for (const Value& v : evaluator_.elements(kSegmentSet).fields.at("layers").all()) layers.push_back(v.scalar);
    Inquiry inquiry(evaluator_);
    const std::optional<Layouts> layouts = Layouts::read(inquiry, graph_, layers);
    diagnostics_.append(std::move(inquiry.messages()));
    if (!layouts) return false;
    section_->fixed(layouts->text(number_value(integer(0))).scalar);
    out.classes_ = layouts->sample();
    const std::size_t stages = out.order_->size().stages;
    const std::size_t placed = std::accumulate(out.classes_.begin(), out.classes_.end(), std::size_t{0},
                                               [](std::size_t n, const StageClass& c) { return n + static_cast<std::size_t>(c.count()); });
    if (placed != stages) {
      fail(section_->datum().span(), fmt::format("`stages` of `play` is {}, and the pipeline has {}", stages, placed));
      return false;
    }
    out.class_of_.assign(stages, 0);
    for (std::size_t c = 0; c < out.classes_.size(); ++c) {
      if (out.classes_[c].absent) continue;
      for (const long long k : out.classes_[c].positions) out.class_of_[static_cast<std::size_t>(k)] = c;
    }
    return true;
  }

  /// Computes the seconds of each part of a class's stages. The accounting states seconds of a whole stage; they are
  /// divided among the parts in proportion to the seconds of their layers, or equally if all are 0. With several copies
  /// of the model a microbatch passes only one copy, hence a part takes `copies` times its share.
  bool read_class(const StageClass& stage, std::size_t c, std::size_t copies, std::vector<std::array<double, kWorkKinds>>& parts,
                  std::array<double, kWorkKinds>& hop) {
    const Point at = evaluator_.choose(nowhere(), kStageSet, static_cast<WordId>(c));
    parts.assign(stage.parts.size(), {});
    for (std::size_t w = 0; w < kWorkKinds; ++w) {
      const auto whole_stage = section_->number({"work", kWorkNames[w]}, at);
      const auto hop_seconds = w == kWorkKinds - 1 ? std::optional(0.0) : section_->number({"hop", kWorkNames[w]}, at);
      if (!whole_stage || !hop_seconds) return false;
      hop[w] = *hop_seconds;
      std::vector<double> seconds(stage.parts.size(), 0);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t s = 0; s < stage.parts[p].layers.size(); ++s) {
          if (stage.parts[p].layers[s] == 0) continue;
          const auto layer = section_->number({"layer", kWorkNames[w]}, evaluator_.choose(nowhere(), kSegmentSet, static_cast<WordId>(s)));
          if (!layer) return false;
          seconds[p] += stage.parts[p].layers[s] * *layer;
        }
      }
      const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
      for (std::size_t p = 0; p < parts.size(); ++p)
        parts[p][w] = *whole_stage * static_cast<double>(copies) * (all > 0 ? seconds[p] / all : 1 / static_cast<double>(parts.size()));
    }
    return true;
  }

  bool read_times(StepSimulation& out) {
    // Copies the times of each class to its stages, by the chunks that the order assigns. The chunks of a stage, in
    // ascending order, correspond to the parts of its class. The number of copies of the model is the number of parts
    // on all stages divided by the number of chunks; it is 2 for bidirectional schedules.
    const StepSize size = out.order_->size();
    const std::size_t parts_in_all = std::accumulate(out.classes_.begin(), out.classes_.end(), std::size_t{0}, [](std::size_t n, const StageClass& c) {
      return n + c.parts.size() * static_cast<std::size_t>(c.count());
    });
    const std::size_t copies = std::max<std::size_t>(1, parts_in_all / size.stage_chunks);
    out.stages_.resize(size.stages);
    for (std::size_t c = 0; c < out.classes_.size(); ++c) {
      const StageClass& stage = out.classes_[c];
      if (stage.absent) continue;
      std::vector<std::array<double, kWorkKinds>> parts;
      std::array<double, kWorkKinds> hop{};
      if (!read_class(stage, c, copies, parts, hop)) return false;
      for (const long long position : stage.positions) {
        const auto k = static_cast<std::size_t>(position);
        const std::vector<std::size_t> stage_chunks = out.order_->stage_chunks_of(k);
        if (!layouts_agree(stage, position, stage_chunks)) return false;
        StageTimes& times = out.stages_[k];
        for (std::size_t p = 0; p < parts.size(); ++p) {
          times.stage_chunks[stage_chunks[p]] = parts[p];
          times.parts[stage_chunks[p]] = p;
        }
        times.hop = hop;
        if (pictured_ && !read_pictured(stage, c, stage_chunks, times)) return false;
      }
    }
    return true;
  }

  /// Evaluates the values that only timelines show: the seconds at the end of the step, the bytes resident on a stage,
  /// and the bytes saved for a microbatch by each chunk, as a sum over its layers. `c`: number of the stage's class.
  /// Optional formulas of the section count as 0. Returns false, with errors, if a formula can't be evaluated.
  bool read_pictured(const StageClass& stage, std::size_t c, const std::vector<std::size_t>& stage_chunks, StageTimes& out) {
    const Point at = evaluator_.choose(nowhere(), kStageSet, static_cast<WordId>(c));
    const auto end = section_->find({"end"}) == nullptr ? std::optional(0.0) : section_->number({"end"}, at);
    if (!end || !read_resident(at, out)) return false;
    out.end = *end;
    for (std::size_t p = 0; p < stage_chunks.size(); ++p) {
      double& saved_bytes = out.saved_bytes[stage_chunks[p]];
      for (std::size_t s = 0; s < stage.parts[p].layers.size(); ++s) {
        if (stage.parts[p].layers[s] == 0 || section_->find({"saved"}) == nullptr) continue;
        const auto layer = section_->number({"saved"}, evaluator_.choose(nowhere(), kSegmentSet, static_cast<WordId>(s)));
        if (!layer) return false;
        saved_bytes += stage.parts[p].layers[s] * *layer;
      }
    }
    return true;
  }

  /// Reads the bytes that stay on a stage for the whole step, from one formula or from a formula for each label. An
  /// accounting without the key states none. Returns false, with an error, if a formula can't be evaluated.
  bool read_resident(const Point& at, StageTimes& out) {
    const Datum* resident = section_->find({"resident"});
    if (resident == nullptr) return true;
    if (resident->is_scalar()) {
      const auto bytes = section_->number({"resident"}, at);
      if (bytes) out.resident.emplace_back("standing", *bytes);
      return bytes.has_value();
    }
    for (const auto& [label, _] : resident->entries()) {
      const auto bytes = section_->number({"resident", label.text()}, at);
      if (!bytes) return false;
      out.resident.emplace_back(label.text(), *bytes);
    }
    return true;
  }

  /// Checks that the accounting and the order place equally many chunks on a stage, and on the first stage of a class
  /// the same chunks. Returns false, with an error, otherwise.
  bool layouts_agree(const StageClass& stage, long long position, const std::vector<std::size_t>& stage_chunks) {
    std::vector<std::size_t> own;
    for (const StageClass::Part& part : stage.parts) own.push_back(part.chunk);
    if (own.size() == stage_chunks.size() && (position != stage.first() || own == stage_chunks)) return true;
    const auto list = [](const std::vector<std::size_t>& all) {
      std::vector<std::string> out;
      for (std::size_t i = 0; i < std::min(all.size(), kShownChunks); ++i) out.push_back(std::to_string(all[i]));
      return join(out, ", ") + (all.size() > kShownChunks ? ", …" : "");
    };
    fail(order_at_, fmt::format("stage {} has chunks {} of the model, and in the order of the schedule chunks {}", position, list(own), list(stage_chunks)));
    return false;
  }

  Evaluator& evaluator_;
  const LinkedRun& run_;
  const GraphRun& graph_;
  const bool pictured_;
  Diagnostics& diagnostics_;
  std::optional<SectionFormulas> section_;
  Span order_at_;
};

std::unique_ptr<StepSimulation> StepSimulation::prepare(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph, bool pictured,
                                                        Diagnostics& diagnostics) {
  return Reader(evaluator, run, graph, pictured, diagnostics).read();
}

std::optional<SimulatedStep> StepSimulation::simulate(Diagnostics& diagnostics, const SimulationObserver& watcher) {
  SimulationTimes times;
  times.work = [&](std::size_t stage, std::size_t stage_chunk, Work work) {
    return stages_[stage].stage_chunks.find(stage_chunk)->second[static_cast<std::size_t>(work)];
  };
  times.hop = [&](std::size_t from, std::size_t, Work work) { return stages_[from].hop[static_cast<std::size_t>(work)]; };
  times.overlap_factor = overlap_factor_;
  return opledger::simulate(*order_, times, span_, diagnostics, watcher);
}

namespace {

/// The results of the step as inputs: its seconds, and microbatches in flight by stage and by chunk.
class SimulatedStepInputs final : public SimulatedInputs {
 public:
  SimulatedStepInputs(const LinkedRun& run, const GraphRun& graph) : run_(run), graph_(graph) {}

 private:
  void simulate(Evaluator& evaluator, Diagnostics& messages) override {
    const auto step = StepSimulation::prepare(evaluator, run_, graph_, false, messages);
    const auto simulated = step != nullptr ? step->simulate(messages) : std::nullopt;
    if (simulated) set_values(*simulated, *step);
  }

  /// A step that can't be simulated has no time of peak memory, which is no error for formulas.
  bool is_absent(const std::string& result) const override { return result == kFullFrom; }

  void set_values(const SimulatedStep& simulated, const StepSimulation& step) {
    // Fills `values_` with the results. The step has its seconds. Each stage has the seconds until its peak of
    // microbatches in flight, and their number divided by its chunks. Each chunk has its number in flight. The
    // accounting has one number in flight for each class of equal stages, so every stage of a class gets the maximum
    // over the class.
    const std::size_t stages = step.size().stages;
    values_["step"] = number_value(real(simulated.step), parse_unit("s")->dimension);
    std::vector<double> full_from;
    for (const SimulatedStage& stage : simulated.stages) full_from.push_back(stage.full_from);
    values_[kFullFrom] = list(full_from, parse_unit("s")->dimension);
    std::vector<double> of_class(step.classes().size(), 0), most(stages), of_chunk(step.size().stage_chunks, 0);
    for (std::size_t k = 0; k < stages; ++k) {
      double& in_class = of_class[step.class_of(k)];
      const auto parts = static_cast<double>(step.classes()[step.class_of(k)].parts.size());
      in_class = std::max(in_class, static_cast<double>(simulated.stages[k].in_flight) / parts);
      for (const auto& [stage_chunk, n] : simulated.stages[k].in_flight_of_chunk)
        of_chunk[stage_chunk] = std::max(of_chunk[stage_chunk], static_cast<double>(n));
    }
    for (std::size_t k = 0; k < stages; ++k) most[k] = of_class[step.class_of(k)];
    values_["in_flight"] = list(most);
    values_["in_flight_of_chunk"] = list(of_chunk);
  }

  Value list(const std::vector<double>& numbers, const Dimension& unit = {}) {
    auto record = std::make_shared<Record>();
    for (const double n : numbers) record->fields.emplace_back("", number_value(real(n), unit));
    lists_.push_back(record);
    Value out;
    out.kind = Value::Kind::list;
    out.record = record.get();
    return out;
  }

  static constexpr const char* kFullFrom = "full_from";

  const LinkedRun& run_;
  const GraphRun& graph_;
  std::vector<std::shared_ptr<const Record>> lists_;
};

}  // namespace

std::optional<ValueSource> describe_simulated_step(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) {
  Diagnostics ignored;
  const auto step = StepSimulation::prepare(evaluator, run, graph, false, ignored);
  if (step == nullptr) return std::nullopt;
  const StepSize size = step->size();
  return ValueSource{fmt::format("the order of {}, simulated: {} stages, {} chunks of the model, {} microbatches (`opledger timeline` shows it)",
                                 step->schedule(), size.stages, size.stage_chunks, size.microbatches),
                     step->span()};
}

void provide_simulated_step(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) {
  const Datum* section = play_section(run);
  const Datum* gives = section != nullptr ? section->find("gives") : nullptr;
  if (gives != nullptr) provide_inputs(*gives, std::make_shared<SimulatedStepInputs>(run, graph), "the simulated step", evaluator, run);
}

}  // namespace opledger
