#include "play/traced_pass.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/graph_engine.h"
#include "base/lists.h"

namespace opledger {
namespace {

using Positions = std::vector<std::uint32_t>;

void need(TraceNode& node, std::uint32_t position) {
  if (!contains(node.needs, position)) node.needs.push_back(position);
}

}  // namespace

/// Appends the nodes of consecutive layers. Computing is one chain of nodes. A message leaves after its last producer
/// and must arrive before its first reader; a kernel that hosts a message runs concurrently with it.
class PassTracer::Layers {
 public:
  Layers(PassTracer& tracer, TracedPass& out) : tracer_(tracer), out_(out) {}

  bool add(SegmentId segment, const PassWork& work) {
    work_ = &work;
    segment_ = tracer_.run_.graph().segments[segment].name;
    begins_.push_back(last_);
    place_messages();
    for (std::size_t k = 0; k <= work.kernels.size(); ++k) {
      if (!send(k)) return false;
      if (k < work.kernels.size()) compute(k);
    }
    return tracer_.good();
  }

  void finish() {
    if (last_) out_.ends.push_back(*last_);
    out_.ends.insert(out_.ends.end(), awaited_.begin(), awaited_.end());
  }

 private:
  static bool is_hosted(const MessageWork& m, std::size_t kernel) { return contains(m.hosts, kernel); }

  /// Fills `leaves_` and `arrives_` of the layer: the messages that leave, and the messages that must have arrived,
  /// before each kernel. One more entry after the last kernel is for the end of the layer. A message leaves after its
  /// last producer and must arrive before its first reader. A kernel that hosts a message processes it part by part:
  /// the message then leaves before its producer and arrives after its reader, so that both run concurrently. `cuts_`
  /// has the kernels at which a new node begins, because a message depends on a whole node.
  void place_messages() {
    leaves_.assign(work_->kernels.size() + 1, {});
    arrives_.assign(work_->kernels.size() + 1, {});
    cuts_.clear();
    for (std::size_t m = 0; m < work_->messages.size(); ++m) {
      const MessageWork& message = work_->messages[m];
      std::size_t leaves = 0;
      if (!message.producers.empty()) {
        const std::size_t producer = *std::max_element(message.producers.begin(), message.producers.end());
        leaves = is_hosted(message, producer) ? producer : producer + 1;
        cuts_.insert({producer, producer + 1});
      }
      leaves_[leaves].push_back(m);
      if (message.readers.empty()) continue;
      const std::size_t reader = *std::min_element(message.readers.begin(), message.readers.end());
      const std::size_t arrives = is_hosted(message, reader) ? reader + 1 : reader;
      arrives_[std::max(arrives, leaves)].push_back(m);
      cuts_.insert({reader, reader + 1});
    }
    nodes_.assign(work_->messages.size(), std::nullopt);
  }

  /// Appends a node after `previous`, or as a beginning of the pass.
  std::uint32_t push(TraceNode node, const std::optional<std::uint32_t>& previous) {
    const auto position = static_cast<std::uint32_t>(out_.nodes.size());
    if (previous)
      need(node, *previous);
    else
      out_.begins.push_back(position);
    out_.nodes.push_back(std::move(node));
    return position;
  }

  /// Appends the receive of a ring message: the previous rank of the ring sends an equal message. Only the end of the step
  /// waits for the send itself.
  std::uint32_t receive(std::uint32_t sent, const std::optional<std::uint32_t>& previous) {
    TraceNode node = out_.nodes[sent];
    node.kind = TraceNode::Kind::receive;
    node.needs.clear();
    out_.loose.push_back(sent);
    return push(std::move(node), previous);
  }

  /// Appends the messages that leave before a kernel, and adds to `awaited_` the messages that must have arrived, on
  /// which the next computing node will depend. A message follows the newest computing node (`last_`); a prefetch may
  /// follow an earlier one. A send in a ring is followed by its receive, and the receive delivers the data. A message
  /// that stops computing is awaited at once. A message without reader in the layer is awaited too; for a produced one
  /// with `ahead`, only the end of the step waits. Returns false after an error.
  bool send(std::size_t kernel) {
    for (const std::size_t m : leaves_[kernel]) {
      const MessageWork& message = work_->messages[m];
      const std::optional<TraceNode> node = tracer_.message(message.message, 1);
      if (!tracer_.good()) return false;
      if (!node) continue;
      // A prefetch of weights may begin with the previous layer.
      const bool is_prefetch = message.producers.empty() && message.ahead;
      const auto previous = is_prefetch ? begins_[begins_.size() - std::min<std::size_t>(2, begins_.size())] : last_;
      nodes_[m] = push(*node, previous);
      if (node->kind == TraceNode::Kind::send) nodes_[m] = receive(*nodes_[m], previous);
      if (message.after && nodes_[*message.after]) need(out_.nodes[*nodes_[m]], *nodes_[*message.after]);
      if (message.copying > 0) copying_ += message.copying;
      if (message.stops) awaited_.push_back(*nodes_[m]);
      if (message.stops || !message.readers.empty()) continue;
      (message.ahead && !message.producers.empty() ? out_.loose : awaited_).push_back(*nodes_[m]);
    }
    for (const std::size_t m : arrives_[kernel]) {
      if (nodes_[m]) awaited_.push_back(*nodes_[m]);
    }
    return true;
  }

  /// Adds a kernel to the chain of computing nodes. It extends the newest node, unless a message leaves or must arrive
  /// here, the layer begins, or every kernel has its own node (`operators_`). A new node needs the previous one and
  /// all messages in `awaited_`. Seconds of buffer copies since the last kernel are added to its own.
  void compute(std::size_t kernel) {
    const KernelWork& k = work_->kernels[kernel];
    const bool extends = open_ && !tracer_.operators_ && awaited_.empty() && cuts_.count(kernel) == 0 && kernel > 0 && leaves_[kernel].empty();
    if (!extends) {
      TraceNode node;
      node.name = tracer_.name(fmt::format("{} {} {}", to_string(k.phase), segment_, tracer_.label(k)));
      last_ = push(std::move(node), last_);
      for (const std::uint32_t message : awaited_) need(out_.nodes[*last_], message);
      awaited_.clear();
      open_ = true;
    }
    TraceNode& node = out_.nodes[*last_];
    const Cost cost = tracer_.cost_of(k);
    node.seconds += k.seconds + std::exchange(copying_, 0);
    node.operations += cost.operations;
    node.bytes += cost.bytes;
  }

  PassTracer& tracer_;
  TracedPass& out_;
  const PassWork* work_ = nullptr;
  std::string segment_;
  std::optional<std::uint32_t> last_;  ///< The last node of computing.
  bool open_ = false;
  double copying_ = 0;                                ///< Seconds of buffer copies since the last kernel.
  Positions awaited_;                                 ///< Messages that the next node of computing needs.
  std::vector<std::optional<std::uint32_t>> begins_;  ///< The last node of computing before each layer.
  // State of the current layer:
  std::vector<std::vector<std::size_t>> leaves_, arrives_;  ///< Messages by kernel.
  std::set<std::size_t> cuts_;                              ///< Kernels that begin a node.
  std::vector<std::optional<std::uint32_t>> nodes_;         ///< Node of each message.
};

PassTracer::PassTracer(Run& run, const std::map<WordId, std::int32_t>& groups, bool operators, StepTrace& into, Diagnostics& diagnostics)
    : run_(run), groups_(groups), operators_(operators), out_(into), diagnostics_(diagnostics) {
  const Datum* section = find_section(run, "streams");
  good_ = section != nullptr && section->find("node")->find("operations") != nullptr;
  if (!good_) {
    diagnostics.error({}, "traces need a section `streams` with `operations` of nodes in the accounting");
    return;
  }
  section_.emplace(*section, "streams", run.evaluator(), diagnostics);
  reader_.emplace(*section_, run.evaluator(), run.graph_run(), diagnostics);
}

std::uint32_t PassTracer::name(const std::string& text) {
  const auto [found, fresh] = names_.try_emplace(text, static_cast<std::uint32_t>(out_.names.size()));
  if (fresh) out_.names.push_back(text);
  return found->second;
}

const PassWork* PassTracer::work_of(SegmentId segment, const std::vector<Phase>& phases) {
  const auto known = work_by_pass_.find({segment, phases});
  if (known != work_by_pass_.end()) return &known->second;
  std::optional<PassWork> work = reader_->read_pass(segment, phases);
  good_ = good_ && work.has_value();
  return work ? &work_by_pass_.emplace(std::pair(segment, phases), std::move(*work)).first->second : nullptr;
}

PassTracer::Cost PassTracer::cost_of(const KernelWork& kernel) {
  // Sums FLOPs and moved bytes over the nodes of a kernel, which the accounting states for each node and phase. Sums
  // are memoized, because all layers of a segment run the same kernels. `kernels` has the first node of each node's
  // kernel, so the first call for a kernel searches all nodes of the segment. An error makes `good_` false.
  const auto [known, fresh] = costs_.try_emplace({kernel.phase, kernel.kernel});
  if (!fresh) return known->second;
  const auto& kernels = run_.annotations().kernels;
  for (const NodeId n : run_.graph().segments[run_.graph().nodes[kernel.kernel].segment].nodes()) {
    if (kernels[n] != kernel.kernel) continue;
    const Evaluator& evaluator = run_.evaluator();
    const Point at = evaluator.choose(evaluator.choose(nowhere(), kNodeSet, n.number()), kPhaseSet, static_cast<WordId>(kernel.phase));
    const auto operations = section_->number({"node", "operations"}, at), bytes = section_->number({"node", "moved"}, at);
    good_ = good_ && operations && bytes;
    if (!good_) return {};
    known->second.operations += *operations;
    known->second.bytes += *bytes;
  }
  return known->second;
}

std::string PassTracer::label(const KernelWork& kernel) {
  const auto text = section_->text({"names", "node"}, run_.evaluator().choose(nowhere(), kNodeSet, kernel.kernel.number()));
  good_ = good_ && text.has_value();
  return text.value_or("");
}

std::optional<TraceNode> PassTracer::message(WordId message, double layers) {
  // Builds the node of one message from the set of messages, whose elements have a communicator, a collective, a phase
  // and bytes; the accounting's formulas give its seconds and name. Slices and messages within a single rank need no
  // network: they have no node. `layers` sends of the message are one node with their summed time and bytes.
  const Elements& all = run_.evaluator().elements(kMessageSet);
  const auto m = static_cast<std::size_t>(message);
  const auto word = [&](SetId set) { return all.belongs.at(set)[m]; };
  const auto group = groups_.find(word(kCommunicatorSet));
  const auto kind = static_cast<Collective>(word(kCollectiveSet));
  if (kind == Collective::slice || group == groups_.end() || all.fields.at("ranks")[m].scalar.value <= 1) return std::nullopt;
  const Point at = run_.evaluator().choose(nowhere(), kMessageSet, message);
  const auto seconds = section_->seconds({"message", "time"}, at);
  const auto text = section_->text({"names", "message"}, at);
  good_ = good_ && seconds && text;
  if (!good_) return std::nullopt;
  TraceNode out;
  out.kind = kind == Collective::point_to_point ? TraceNode::Kind::send : TraceNode::Kind::collective;
  out.collective = kind;
  out.name = name(fmt::format("{} {}", to_string(static_cast<Phase>(word(kPhaseSet))), *text));
  out.seconds = *seconds * layers;
  out.bytes = all.fields.at("bytes")[m].scalar.value * layers;
  out.group = group->second;
  return out;
}

const TracedPass* PassTracer::of(const StageClass::Part& part, const WorkPass& pass) {
  // Returns the trace nodes of one pass through all layers of a chunk: cached, or by appending layer after layer. The
  // key is the address of the part, which outlives the tracer, and the phases. Any failure ends the whole trace, so
  // the incomplete entry is never used.
  const auto [known, fresh] = passes_.try_emplace({&part, pass.phases});
  if (!fresh) return &known->second;
  Layers layers(*this, known->second);
  for (const SegmentId s : layers_of(run_.graph(), part, pass)) {
    const PassWork* work = work_of(s, pass.phases);
    if (work == nullptr || !layers.add(s, *work)) return nullptr;
    if (known->second.nodes.size() <= kMaxTraceNodes) continue;
    diagnostics_.error({}, fmt::format("a pass has more than {} nodes", kMaxTraceNodes));
    return nullptr;
  }
  layers.finish();
  return &known->second;
}

}  // namespace opledger
