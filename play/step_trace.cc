#include "play/step_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "accounting/graph_engine.h"
#include "base/lists.h"
#include "play/traced_pass.h"

namespace opledger {
namespace {

using Kind = TraceNode::Kind;
using Positions = std::vector<std::uint32_t>;

constexpr std::uint32_t kRingTags = 1u << 30;  // first tag of messages in rings, above the tags of sends between stages

/// Builds the trace from a simulated timeline: its batches in order, each expanded to the passes of its layers, and
/// its messages between stages. Nodes of a stage are appended in order; positions serve as identifiers. The cost is
/// linear in the number of nodes.
class Tracer {
 public:
  Tracer(Run& run, const TraceOptions& options, Diagnostics& diagnostics) : run_(run), options_(options), diagnostics_(diagnostics) {}

  std::optional<StepTrace> trace() {
    // Simulates the step as a timeline, whose processes are replaced by one for each rank. A second StepSimulation
    // gives access to chunks and classes of stages; it is not simulated. `groups_` numbers the groups of ranks by
    // communicator. Each stage is then expanded on its own. The trace ends before the waiting of all ranks, which has
    // no nodes.
    auto simulated = timeline(run_, {options_.microbatches, TimelineOptions::Ranks::stages, false}, diagnostics_);
    if (simulated) simulated->processes.clear();
    step_ = simulated && add_ranks(run_, *simulated, diagnostics_) ? StepSimulation::prepare(run_.evaluator(), run_, run_.graph_run(), true, diagnostics_)
                                                                   : nullptr;
    auto ranks = step_ != nullptr ? communicating_ranks(run_, diagnostics_) : std::nullopt;
    if (!ranks) return std::nullopt;
    timeline_ = &*simulated;
    out_.groups = std::move(ranks->axes);
    for (std::size_t g = 0; g < out_.groups.size(); ++g) {
      for (const WordId communicator : out_.groups[g].communicators) groups_[communicator] = static_cast<std::int32_t>(g);
    }
    for (const TimelineProcess& p : simulated->processes) out_.ranks.push_back({p.stage, p.place});
    passes_.emplace(run_, groups_, options_.operators, out_, diagnostics_);
    if (!passes_->good() || !read_sizes() || !find_sends()) return std::nullopt;
    out_.end = simulated->end - simulated->waits;
    out_.stages.resize(simulated->stages.size());
    for (std::size_t k = 0; k < out_.stages.size(); ++k) {
      if (!add_stage(k)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  /// The position of a stage in its trace.
  struct State {
    /// `ready`: nodes that the next pass needs. `loose`: messages for which only the end of the step waits.
    Positions ready, loose;
    std::map<std::int32_t, std::uint32_t> last;   ///< Last collective of each group, because collectives of a group must begin in one order on all ranks.
    std::map<std::int32_t, std::uint32_t> rings;  ///< Number of messages so far in each ring.
    Positions before_last_work;                   ///< `ready` at the beginning of the last batch.
  };

  /// Evaluates the bytes of messages between stages (`sent_`: activations, gradients) and the seconds of computing at
  /// the end of the step (`computed_`, by class of stages). Returns false, with an error, if the accounting lacks the
  /// formulas or one can't be evaluated.
  bool read_sizes() {
    const Datum* section = play_section(run_);
    SectionFormulas formulas(*section, "play", run_.evaluator(), diagnostics_);
    if (formulas.find({"computed"}) == nullptr || formulas.find({"sent"}) == nullptr) {
      diagnostics_.error(section->span(), "traces need `computed` and `sent` in the accounting's section `play`");
      return false;
    }
    const auto forward = formulas.number({"sent", "forward"}), input = formulas.number({"sent", "input"});
    if (!forward || !input) return false;
    sent_[0] = *forward, sent_[1] = *input;
    for (std::size_t c = 0; c < step_->classes().size(); ++c) {
      const auto computed = formulas.number({"computed"}, run_.evaluator().choose(nowhere(), kStageSet, static_cast<WordId>(c)));
      if (!computed) return false;
      computed_.push_back(*computed);
    }
    return true;
  }

  /// Indexes messages between stages by both actions. The position of a message is its tag on both ends.
  bool find_sends() {
    for (std::size_t m = 0; m < timeline_->messages.size(); ++m) {
      const TimelineMessage& message = timeline_->messages[m];
      leaving_[message.action].push_back(m);
      arriving_[message.needed_by].push_back(m);
    }
    if (timeline_->messages.size() < kRingTags) return true;
    diagnostics_.error({}, "sends between stages are too many to be numbered");
    return false;
  }

  /// Returns the send or receive node of a message between stages.
  TraceNode between_stages(Kind kind, std::size_t m) {
    const TimelineMessage& message = timeline_->messages[m];
    TraceNode out;
    out.kind = kind;
    out.bytes = sent_[message.action.work == Work::forward ? 0 : 1];
    out.seconds = message.arrives - message.leaves;
    out.stage = static_cast<std::int32_t>(kind == Kind::send ? message.to : message.from);
    out.tag = static_cast<std::uint32_t>(m);
    out.name = passes_->name(fmt::format("{} {}", kind == Kind::send ? "send" : "receive", message.action.work == Work::forward ? "activations" : "gradients"));
    return out;
  }

  /// Appends a node of stage `k` that needs the nodes `needs` in addition to its own, and returns its position. A
  /// collective also depends on the last collective of its group, because all ranks must begin collectives in the same
  /// order. A send in a ring gets the next tag of its ring; its receive directly follows and gets the same tag.
  std::uint32_t push(std::size_t k, TraceNode node, const Positions& needs, State& state) {
    std::vector<TraceNode>& nodes = out_.stages[k];
    const auto position = static_cast<std::uint32_t>(nodes.size());
    for (const std::uint32_t n : needs) {
      if (!contains(node.needs, n)) node.needs.push_back(n);
    }
    if (node.kind == Kind::collective) {
      const auto [last, first] = state.last.try_emplace(node.group, position);
      if (!first && !contains(node.needs, last->second)) node.needs.push_back(last->second);
      last->second = position;
    }
    if (node.group >= 0 && node.kind == Kind::send) node.tag = kRingTags + state.rings[node.group]++;
    if (node.group >= 0 && node.kind == Kind::receive) node.tag = kRingTags + state.rings[node.group] - 1;
    nodes.push_back(std::move(node));
    return position;
  }

  /// Appends the nodes of a stage, batch by batch, then the end of the step. Returns false, with errors, above the
  /// limit or if a formula can't be evaluated.
  bool add_stage(std::size_t k) {
    State state;
    for (const TimelineTask& work : timeline_->stages[k].tasks) {
      if (!work.batch.actions.empty() && !add_work(k, work.batch, state)) return false;
      if (out_.stages[k].size() * timeline_->stages.size() <= kMaxTraceNodes) continue;
      diagnostics_.error({}, fmt::format("a trace of {} stages would have more than {} nodes: write fewer microbatches with `--microbatches N`",
                                         timeline_->stages.size(), kMaxTraceNodes));
      return false;
    }
    return add_end(k, state);
  }

  /// Appends one batch of stage `k`: receives, the passes of its actions, then sends. Passes run one after the other,
  /// each between the messages that the stage shares over its layers. `state.ready` are the nodes that the next pass
  /// needs, so receives join it. Sends depend on the last pass, and nothing but the end of the step waits for them
  /// (`state.loose`).
  bool add_work(std::size_t k, const Batch& batch, State& state) {
    state.before_last_work = state.ready;
    for (const Action& action : batch.actions) {
      for (const std::size_t m : find(arriving_, action)) {
        if (timeline_->messages[m].to == k) state.ready.push_back(push(k, between_stages(Kind::receive, m), {}, state));
      }
    }
    for (const WorkPass& pass : passes_of(batch)) {
      if (!add_shared(k, pass, true, state) || !add_pass(k, pass, state) || !add_shared(k, pass, false, state)) return false;
    }
    for (const Action& action : batch.actions) {
      for (const std::size_t m : find(leaving_, action)) {
        if (timeline_->messages[m].from == k) state.loose.push_back(push(k, between_stages(Kind::send, m), state.ready, state));
      }
    }
    return true;
  }

  static const std::vector<std::size_t>& find(const std::map<Action, std::vector<std::size_t>>& all, const Action& action) {
    static const std::vector<std::size_t> kNone;
    const auto found = all.find(action);
    return found != all.end() ? found->second : kNone;
  }

  /// Appends the nodes of a pass to stage `k`. Passes are traced once and cached, with positions from 0, so each use
  /// shifts the positions by the number of nodes so far (`base`). Nodes that begin the pass depend on `ready`;
  /// `begins` lists them in ascending order, so one index follows the loop. Afterwards `ready` has the nodes that end
  /// the pass. Returns false, after an error, if the pass can't be traced.
  bool add_pass(std::size_t k, const WorkPass& pass, State& state) {
    const TracedPass* traced = passes_->of(step_->part(k, pass.stage_chunk), pass);
    if (traced == nullptr) return false;
    const auto base = static_cast<std::uint32_t>(out_.stages[k].size());
    std::size_t begin = 0;
    for (std::uint32_t n = 0; n < traced->nodes.size(); ++n) {
      TraceNode node = traced->nodes[n];
      for (std::uint32_t& need : node.needs) need += base;
      const bool begins = begin < traced->begins.size() && traced->begins[begin] == n;
      begin += begins ? 1 : 0;
      push(k, std::move(node), begins ? state.ready : Positions{}, state);
    }
    const auto moved = [&](const Positions& from, Positions& to) {
      for (const std::uint32_t n : from) to.push_back(n + base);
    };
    if (!traced->ends.empty()) state.ready.clear();
    moved(traced->ends, state.ready);
    moved(traced->loose, state.loose);
    return true;
  }

  /// Appends the messages that a stage sends once in a pass for all layers with a shared weight: gathers before the
  /// stage's first chunk, other messages after the chunk.
  bool add_shared(std::size_t k, const WorkPass& pass, bool before, State& state) {
    if (step_->part(k, pass.stage_chunk).chunk != step_->classes()[step_->class_of(k)].parts[0].chunk) return true;
    for (const auto& [message, layers] : stage_messages(k, Cadence::microbatch)) {
      const Elements& all = run_.evaluator().elements(kMessageSet);
      const auto m = static_cast<std::size_t>(message);
      const bool gathers = static_cast<Collective>(all.belongs.at(kCollectiveSet)[m]) == Collective::all_gather;
      if (!contains(pass.phases, static_cast<Phase>(all.belongs.at(kPhaseSet)[m])) || gathers != before) continue;
      const auto node = passes_->message(message, layers);
      if (!passes_->good()) return false;
      if (node) state.ready = {push(k, *node, state.ready, state)};
    }
    return true;
  }

  /// Returns how often a stage sends each message in this cadence, weighted by layers.
  std::map<WordId, double> stage_messages(std::size_t k, Cadence cadence) const {
    const Elements& all = run_.evaluator().elements(kStageMessageSet);
    std::map<WordId, double> out;
    for (std::size_t i = 0; i < all.names.size(); ++i) {
      if (static_cast<std::size_t>(all.belongs.at(kStageSet)[i]) != step_->class_of(k) || static_cast<Cadence>(all.belongs.at(kCadenceSet)[i]) != cadence)
        continue;
      const double layers = all.fields.at("layers")[i].scalar.value;
      if (layers > 0) out[all.belongs.at(kMessageSet)[i]] += layers;
    }
    return out;
  }

  /// Appends the end of the step on stage `k`: gradients are reduced, weights updated by one computing node, then
  /// gathered. The accounting has no order of these messages, only the seconds that they are exposed: the end of the
  /// step without its computing. If less than half of the messages' time is exposed, the reductions depend on the
  /// state before the last batch, so that they overlap with its backward. Otherwise they depend on the state after it.
  /// Returns false after an error.
  bool add_end(std::size_t k, State& state) {
    std::vector<TraceNode> reduced, gathered;
    double link = 0;
    for (const auto& [message, layers] : stage_messages(k, Cadence::step)) {
      const auto node = passes_->message(message, layers);
      if (!passes_->good()) return false;
      if (!node) continue;
      (node->collective == Collective::all_gather ? gathered : reduced).push_back(*node);
      link += node->seconds;
    }
    const double computed = computed_[step_->class_of(k)], exposed = step_->end(k) - computed;
    const Positions after = exposed < link / 2 ? state.before_last_work : state.ready;
    Positions needs = state.ready;
    needs.insert(needs.end(), state.loose.begin(), state.loose.end());
    for (TraceNode& node : reduced) needs.push_back(push(k, std::move(node), after, state));
    TraceNode update;
    update.name = passes_->name("optimizer");
    update.seconds = std::max(0.0, computed);
    const std::uint32_t last = push(k, std::move(update), needs, state);
    for (TraceNode& node : gathered) push(k, std::move(node), {last}, state);
    return true;
  }

  Run& run_;
  const TraceOptions& options_;
  Diagnostics& diagnostics_;
  StepTrace out_;
  const Timeline* timeline_ = nullptr;
  std::unique_ptr<StepSimulation> step_;
  std::map<WordId, std::int32_t> groups_;  ///< Number of the group of ranks for each communicator.
  std::optional<PassTracer> passes_;
  std::map<Action, std::vector<std::size_t>> leaving_, arriving_;  ///< Positions of the timeline's messages by producing and consuming action.
  double sent_[2] = {0, 0};
  std::vector<double> computed_;  ///< Seconds of computing at the end of the step, by class of stages.
};

}  // namespace

std::optional<StepTrace> step_trace(Run& run, const TraceOptions& options, Diagnostics& diagnostics) { return Tracer(run, options, diagnostics).trace(); }

}  // namespace opledger
