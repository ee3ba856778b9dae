#include "play/layer_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "accounting/graph_engine.h"
#include "base/lists.h"

namespace opledger {
namespace {

/// Returns the word of an element in another set, such as the phase of a message; kNoWord if the element has none.
WordId word_of(const Elements& all, SetId set, std::size_t element) {
  const auto found = all.belongs.find(set);
  return found == all.belongs.end() ? kNoWord : found->second[element];
}

/// Returns whether two transfers are consecutive steps of one redistribution, which takes several collectives.
bool is_next_step(const Transfer& a, const Transfer& b) {
  return a.tensor && a.tensor == b.tensor && a.gradient == b.gradient && a.phase == b.phase && a.reader == b.reader && a.terms == b.terms;
}

constexpr double kMostNetworks = 1000, kMostRanks = 1e9;

constexpr Phase kPhases[] = {Phase::forward, Phase::recompute, Phase::agrad, Phase::wgrad};

}  // namespace

double PassWork::computing() const {
  double out = 0;
  for (const KernelWork& k : kernels) out += k.seconds;
  for (const MessageWork& m : messages) out += m.copying;
  return out;
}

/// Indexes the run: nodes by kernel, messages by segment, message nodes and the first transfer by message. The loop
/// over transfers runs backward, so that the first transfer of a message is written last and remains.
LayerWorkReader::LayerWorkReader(SectionFormulas& section, Evaluator& evaluator, const GraphRun& graph, Diagnostics& diagnostics)
    : section_(section), evaluator_(evaluator), graph_(graph), diagnostics_(diagnostics), index_(*graph.graph, *graph.annotations) {
  members_.resize(graph.graph->nodes.size());
  for (const NodeId n : graph.graph->nodes.ids()) members_[graph.annotations->kernels[n]].push_back(n);
  const Elements &messages = evaluator.elements(kMessageSet), &neighbours = evaluator.elements(kMessageNodeSet);
  messages_.resize(graph.graph->segments.size());
  orders_.resize(graph.graph->segments.size());
  message_nodes_.resize(messages.names.size());
  transfers_.resize(messages.names.size());
  for (std::size_t m = 0; m < messages.names.size(); ++m) {
    const WordId segment = word_of(messages, kSegmentSet, m);
    if (segment != kNoWord) messages_[SegmentId(segment)].push_back(static_cast<WordId>(m));
  }
  const Elements& transfers = evaluator.elements(kTransferSet);  // the annotations' transfers come first, in equal order
  for (std::size_t t = graph.annotations->transfers.size(); t-- > 0;)
    transfers_[static_cast<std::size_t>(word_of(transfers, kMessageSet, t))] = &graph.annotations->transfers[t];
  for (std::size_t n = 0; n < neighbours.names.size(); ++n) message_nodes_[static_cast<std::size_t>(word_of(neighbours, kMessageSet, n))].push_back(n);
}

Point LayerWorkReader::in_phase(Point at, Phase phase) const { return evaluator_.choose(at, kPhaseSet, static_cast<WordId>(phase)); }

/// Returns the kernels of a layer in the order of the liveness analysis. The weight gradients of a kernel follow the
/// gradients of its inputs.
const LayerWorkReader::KernelOrder& LayerWorkReader::order_of(SegmentId segment) {
  KernelOrder& out = orders_[segment];
  if (!out.empty()) return out;
  std::set<std::pair<Phase, NodeId>> seen;
  const auto add = [&](Phase phase, NodeId kernel) {
    if (seen.emplace(phase, kernel).second) out.emplace_back(phase, kernel);
  };
  for (const ProgramPoint& m : find_liveness(index_, segment).points) {
    if (m.at != ProgramPoint::At::during) continue;
    add(m.phase, m.kernel);
    if (m.phase == Phase::agrad) add(Phase::wgrad, m.kernel);
  }
  return out;
}

std::optional<std::vector<InterleavedPasses>> LayerWorkReader::read(SegmentId segment) {
  std::vector<InterleavedPasses> out;
  const Datum* passes = section_.find({"passes"});
  for (const Datum& pass : passes == nullptr ? std::vector<Datum>{} : passes->items()) {
    std::optional<InterleavedPasses> one = read_interleaved(segment, pass);
    if (!one) return std::nullopt;
    if (!one->empty()) out.push_back(std::move(*one));
  }
  return out;
}

/// Reads one entry of `passes`: one pass for each key with phases. An entry whose condition `when` is false is empty.
std::optional<InterleavedPasses> LayerWorkReader::read_interleaved(SegmentId segment, const Datum& pass) {
  InterleavedPasses out;
  const std::optional<bool> applies = pass.find("when") == nullptr ? std::optional(true) : section_.truth(*pass.find("when"));
  if (!applies) return std::nullopt;
  for (const char* key : kPhaseKeys) {
    if (!*applies || pass.find(key) == nullptr) continue;
    const auto phases = phases_of(*pass.find(key));
    std::optional<PassWork> one = phases ? read_pass(segment, *phases) : std::nullopt;
    if (!one) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

std::optional<std::vector<Phase>> LayerWorkReader::phases_of(const Datum& words) {
  std::vector<Phase> out;
  for (const Datum& word : words.all()) {
    const auto phase = std::find_if(std::begin(kPhases), std::end(kPhases), [&](Phase p) { return word.text() == to_string(p); });
    if (phase == std::end(kPhases)) {
      diagnostics_.error(word.span(), fmt::format("phases of a pass are forward, recompute, agrad and wgrad, not `{}`", word.text()));
      return std::nullopt;
    }
    out.push_back(*phase);
  }
  return out;
}

std::optional<PassWork> LayerWorkReader::read_pass(SegmentId segment, const std::vector<Phase>& phases) {
  PassWork out;
  out.phases = phases;
  if (!read_kernels(segment, out)) return std::nullopt;
  for (const WordId m : messages_[segment]) {
    const auto phase = static_cast<Phase>(word_of(evaluator_.elements(kMessageSet), kPhaseSet, static_cast<std::size_t>(m)));
    if (contains(out.phases, phase) && !read_message(m, out)) return std::nullopt;
  }
  if (!read_copies(segment, out)) return std::nullopt;
  return out;
}

bool LayerWorkReader::read_kernels(SegmentId segment, PassWork& out) {
  for (const auto& [phase, kernel] : order_of(segment)) {
    if (contains(out.phases, phase) && !read_kernel(phase, kernel, out)) return false;
  }
  find_waits(segment, out);
  return true;
}

bool LayerWorkReader::read_kernel(Phase phase, NodeId kernel, PassWork& out) {
  // A fused kernel takes the sum of its nodes' seconds, and may wait only if every node may.
  KernelWork work{phase, kernel, 0, true};
  for (const NodeId n : members_[kernel]) {
    const Point at = in_phase(evaluator_.choose(nowhere(), kNodeSet, n.number()), phase);
    const auto seconds = section_.seconds({"node", "time"}, at);
    const auto may_wait = section_.truth({"node", "may_wait"}, at);
    if (!seconds || !may_wait) return false;
    work.seconds += *seconds;
    work.may_wait = work.may_wait && *may_wait;
  }
  out.kernels.push_back(std::move(work));
  return true;
}

/// Fills `waits_for` of each kernel of a pass: the deferrable kernels (`may_wait`) whose results it reads. The
/// simulator runs other kernels in the order of the list, so only deferrable kernels need explicit dependencies. Data
/// flows along each edge of the graph from producer to reader in forward and recompute, and from reader to producer in
/// backward. Backward kernels also read the recomputed results of themselves and of their producers. Pairs in which a
/// kernel isn't part of the pass are skipped; `places` finds kernels of the pass. The cost is O(edges of the segment ·
/// log kernels).
void LayerWorkReader::find_waits(SegmentId segment, PassWork& out) const {
  std::map<std::pair<Phase, NodeId>, std::size_t> places;
  for (std::size_t i = 0; i < out.kernels.size(); ++i) places[{out.kernels[i].phase, out.kernels[i].kernel}] = i;
  const auto wait = [&](Phase phase, NodeId kernel, Phase for_phase, NodeId for_kernel) {
    const auto waiting = places.find({phase, kernel}), awaited = places.find({for_phase, for_kernel});
    if (waiting != places.end() && awaited != places.end() && awaited->second != waiting->second && out.kernels[awaited->second].may_wait)
      out.kernels[waiting->second].waits_for.push_back(awaited->second);
  };
  const auto& kernels = graph_.annotations->kernels;
  for (const NodeId n : graph_.graph->segments[segment].nodes()) {
    const NodeId reader = kernels[n];
    for (const Operand& in : graph_.graph->nodes[n].inputs) {
      const NodeId node = graph_.graph->tensors[in.tensor].producer;
      if (!node || graph_.graph->nodes[node].segment != segment || kernels[node] == reader) continue;
      const NodeId producer = kernels[node];
      wait(Phase::forward, reader, Phase::forward, producer);
      wait(Phase::recompute, reader, Phase::recompute, producer);
      for (const Phase gradient : {Phase::agrad, Phase::wgrad}) {
        wait(gradient, producer, Phase::agrad, reader);
        wait(gradient, reader, Phase::recompute, producer);
        wait(gradient, reader, Phase::recompute, reader);
      }
    }
  }
}

bool LayerWorkReader::read_message(WordId message, PassWork& out) {
  // Evaluates the formulas of one message and appends it to the messages of the pass. Returns false, after an error,
  // if a formula can't be evaluated. A message with a false condition `when` is dropped. The number of parts is
  // limited to kMaxParts, and at most all but one of the parts are local (`own`): at least one part must be sent. A
  // message that continues the redistribution of the message directly before it in the pass must wait for that one
  // (`after`).
  const Point at = evaluator_.choose(nowhere(), kMessageSet, message);
  const auto is_sent = section_.truth({"message", "when"}, at);
  if (!is_sent) return false;
  if (!*is_sent) return true;
  const auto seconds = section_.seconds({"message", "time"}, at), network = section_.amount({"message", "network"}, {}, kMostNetworks, at);
  const auto copying = section_.seconds({"message", "copying"}, at), slows = section_.amount({"message", "slows"}, {}, 1, at);
  const auto stops = section_.truth({"message", "stops"}, at), ahead = section_.truth({"message", "ahead"}, at);
  const auto parts = section_.amount({"message", "parts"}, {}, kMostRanks, at), own = section_.amount({"message", "own"}, {}, kMostRanks, at);
  if (!seconds || !network || !copying || !slows || !stops || !ahead || !parts || !own) return false;
  MessageWork work{message,
                   static_cast<Phase>(word_of(evaluator_.elements(kMessageSet), kPhaseSet, static_cast<std::size_t>(message))),
                   static_cast<std::uint32_t>(*network),
                   *seconds,
                   *copying,
                   *slows,
                   *stops,
                   *ahead,
                   1,
                   0,
                   {},
                   {},
                   {},
                   {}};
  work.parts = static_cast<std::uint32_t>(std::clamp(std::round(*parts), 1.0, static_cast<double>(kMaxParts)));
  work.own = static_cast<std::uint32_t>(std::min<double>(work.parts - 1, std::round(*own)));
  if (!read_message_nodes(message, at, out, work)) return false;
  if (!out.messages.empty() && is_next_step(*transfers_[static_cast<std::size_t>(out.messages.back().message)], *transfers_[static_cast<std::size_t>(message)]))
    work.after = out.messages.size() - 1;
  out.messages.push_back(std::move(work));
  return true;
}

/// Finds the kernels of the pass that produce and read a message, and among them the hosts that process it part by
/// part. `message_nodes_` lists the graph's nodes at both ends of each message. A tensor that backward sends a second
/// time was produced in forward, before the pass, or in recompute if the pass has that phase. Its producer is
/// therefore searched in recompute. Kernels outside of the pass are left out, so both lists may be empty. Returns
/// false, after an error, if a formula can't be evaluated.
bool LayerWorkReader::read_message_nodes(WordId message, const Point& at, PassWork& pass, MessageWork& out) {
  const Elements& all = evaluator_.elements(kMessageNodeSet);
  const Column& reads = all.fields.at("reads");
  for (const std::size_t n : message_nodes_[static_cast<std::size_t>(message)]) {
    const bool reader = reads[n].scalar.value != 0;
    const auto sent_in = static_cast<Phase>(word_of(all, kPhaseSet, n));
    const bool is_resent = !reader && !transfers_[static_cast<std::size_t>(message)]->gradient && (sent_in == Phase::agrad || sent_in == Phase::wgrad);
    const Phase phase = is_resent ? Phase::recompute : sent_in;
    const NodeId kernel = graph_.annotations->kernels[NodeId(word_of(all, kNodeSet, n))];
    const auto found = std::find_if(pass.kernels.begin(), pass.kernels.end(), [&](const KernelWork& k) { return k.phase == phase && k.kernel == kernel; });
    if (found == pass.kernels.end()) continue;
    const auto hosts = section_.truth({"message_node", "hosts"}, evaluator_.choose(at, kMessageNodeSet, static_cast<WordId>(n)));
    if (!hosts) return false;
    const auto place = static_cast<std::size_t>(found - pass.kernels.begin());
    std::vector<std::size_t>& list = reader ? out.readers : out.producers;
    if (!contains(list, place)) list.push_back(place);
    if (*hosts && !contains(out.hosts, place)) out.hosts.push_back(place);
  }
  return true;
}

bool LayerWorkReader::read_copies(SegmentId segment, PassWork& out) {
  if (section_.find({"copies"}) == nullptr) return true;
  for (const Phase phase : out.phases) {
    const Point at = in_phase(evaluator_.choose(nowhere(), kSegmentSet, segment.number()), phase);
    const auto in = section_.seconds({"copies", "in"}, at), leaves = section_.seconds({"copies", "out"}, at);
    if (!in || !leaves) return false;
    out.copied_in += *in;
    out.copied_out += *leaves;
    out.copied.push_back(*in + *leaves);
  }
  return true;
}

}  // namespace opledger
