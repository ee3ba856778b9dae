#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

/// Returns the bytes of one element of transfer `i`, from the first source that exists. The sources are a fixed width,
/// the transfer's own formula, the accounting's width of activations, gradients or weights.
Scalar transfer_width(FillContext& context, std::size_t i) {
  const Transfer& t = context.notes.transfers[i];
  if (t.fixed_width > 0) return integer(t.fixed_width);
  if (context.run.transfer_widths[i] != nullptr) return context.inquiry.ask(*context.run.transfer_widths[i]).scalar;
  if (!t.weight) return context.width({t.gradient ? "activation_gradient_width" : "activation_width"});
  return t.gradient ? context.width({"gradient_message_width"}) : context.width({"weight_message_width", "weight_width"});
}

/// Returns the bytes of transfer `i` on one rank: elements of the message times bytes of an element. For a halo
/// exchange, `dims` lacks the split dimension `from`; its factor is the margin, the entries per row that a reader
/// needs. The margin is at most the number of entries that the other ranks have.
Scalar transfer_bytes(FillContext& context, std::size_t i) {
  const Transfer& t = context.notes.transfers[i];
  Scalar n = context.sizes->multiply(context.sizes->elements(t.dims, t.message), transfer_width(context, i));
  if (t.times != 1) n = context.sizes->multiply(n, integer(t.times));
  if (context.run.margins[i] != nullptr) {
    Point p = context.at_node(t.reader);
    // `whole`: entries of the dimension; `own`: entries on this rank.
    const Scalar whole = context.sizes->size(t.from),
                 own = context.sizes->operate(context.sizes->is_mean(t.from) ? Op::divide : Op::floor_divide, whole, context.sizes->degrees(t.axes));
    const Scalar others = context.sizes->operate(Op::subtract, whole, own);  // A margin has no more entries than the neighbors hold.
    n = context.sizes->multiply(n, context.sizes->operate(Op::minimum, context.inquiry.ask(*context.run.margins[i], p).scalar, others));
  }
  return n;
}

/// A node at one end of a message.
struct MessageNode {
  NodeId node;
  bool reads;                   ///< The node reads the message; else it produces the data.
  Scalar exists = truth(true);  ///< Condition that the message serves this node.
};

/// Transfers that are sent in one operation.
struct Message {
  const Transfer* first = nullptr;                ///< The first transfer; the others have equal properties (MessageKey).
  Scalar bytes = integer(0), parts = integer(0);  ///< Bytes on one rank, and number of transfers.
  std::vector<MessageNode> nodes{};
  Scalar exists = truth(true);  ///< Condition for sending the message separately.

  MessageNode* find(NodeId node) {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [node](const MessageNode& other) { return other.node == node; });
    return found == nodes.end() ? nullptr : &*found;
  }
  void add_node(NodeId node, bool reads) {
    if (find(node) == nullptr) nodes.push_back({node, reads});
  }
};

/// Groups transfers into messages. Transfers of weights are sent together if they agree in segment, phase, cadence,
/// collective, communicator, marks and users, and in bringing weights or gradients. Every other transfer is a message
/// of its own. Communicators can coincide in some candidates only, so `join` adds conditions instead of merging rows.
/// Sums over messages are then correct in every candidate.
class MessageFiller {
 public:
  explicit MessageFiller(FillContext& context) : f_(context), communicators_(context.graph, context.notes.mesh, *context.sizes, *context.layouts) {}

  /// Fills the sets of communicators, messages, message nodes and transfers, in four steps. Each transfer gets its
  /// communicator, transfers are grouped into messages, messages whose communicators can coincide are merged, rows are
  /// written. Rows come last, because a merge still adds bytes and nodes to earlier messages.
  void fill() {
    for (const Transfer& t : f_.notes.transfers) communicator_of_.push_back(communicators_.find(t));
    for (WordId c = 0; c < static_cast<WordId>(communicators_.size()); ++c) ranks_.push_back(count_value(communicators_.ranks(c)));
    for (std::size_t i = 0; i < f_.notes.transfers.size(); ++i) add(f_.notes.transfers[i], transfer_bytes(f_, i));
    f_.message_of = message_of_;
    join();
    find_stage_messages();
    communicators_.fill(f_.evaluator(), [this](std::string name) { return f_.text(std::move(name)); });
    write_messages();
    write_message_nodes();
    write_transfers();
  }

 private:
  /// The properties in which transfers of one message agree.
  using MessageKey = std::tuple<SegmentId, Phase, Cadence, Collective, WordId, bool, std::map<std::string, std::string>, std::set<SegmentId>>;
  MessageKey key(const Transfer& t) const {
    std::map<std::string, std::string> marks;
    for (const MarkId id : t.marks) marks.emplace(f_.notes.marks[id].name, f_.notes.marks[id].value);
    return {t.segment, t.phase, t.cadence, t.kind, communicator(t), t.gradient, std::move(marks), users(t)};
  }

  /// Returns whether uses of one weight add up their gradients in backward and reduce them once.
  bool shared(const Transfer& t) const {
    return t.weight && t.gradient && t.phase == Phase::wgrad && t.cadence == Cadence::microbatch && t.sharing.size() > 1 && f_.single(t.weight);
  }

  /// Returns whether each stage sends the message once for all segments that use the weight: messages of a step, and
  /// shared reductions.
  bool by_stage(const Transfer& t) const { return t.cadence == Cadence::step || shared(t); }
  std::set<SegmentId> users(const Transfer& t) const { return by_stage(t) ? std::set<SegmentId>(t.sharing.begin(), t.sharing.end()) : std::set<SegmentId>{}; }

  WordId communicator(const Transfer& t) const { return communicator_of_[&t - f_.notes.transfers.data()]; }

  /// Adds a transfer to the message of its key, or to a new message. Only transfers of weights are grouped.
  void add(const Transfer& t, Scalar bytes) {
    std::size_t m = messages_.size();
    if (t.weight) m = coalesced_.emplace(key(t), m).first->second;
    if (m == messages_.size()) messages_.push_back({&t});
    for (const NodeId n : t.makers) messages_[m].add_node(n, false);
    for (const NodeId n : t.readers) messages_[m].add_node(n, true);
    messages_[m].bytes = f_.sizes->add(messages_[m].bytes, bytes);
    messages_[m].parts = f_.sizes->add(messages_[m].parts, integer(1));
    message_of_.push_back(m);
    bytes_.push_back(bytes);
  }

  /// Merges messages of weights that differ only in their communicator, where the communicators have the same ranks:
  /// where the axes that only one of them has are of degree 1. The earlier message then takes over the bytes of the
  /// later one, which no longer exists. With symbolic degrees this happens in some candidates only, so `exists` is a
  /// condition. Messages are grouped by their key without the communicator. The pairs of each group are compared in
  /// quadratic time; a group has few messages.
  void join() {
    carriers_.resize(messages_.size());
    std::map<MessageKey, std::vector<std::size_t>> by_kind;
    for (const auto& [key, m] : coalesced_) {
      MessageKey without_communicator = key;
      // Position 4 of the key is the communicator.
      std::get<4>(without_communicator) = -1;
      by_kind[std::move(without_communicator)].push_back(m);
    }
    for (auto& [_, all] : by_kind) {
      std::sort(all.begin(), all.end());
      for (std::size_t later = 1; later < all.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) join(all[earlier], all[later]);
      }
    }
  }

  /// Merges two messages of equal kind in all candidates in which their communicators have the same ranks. In these
  /// candidates the earlier message takes over bytes, number of transfers and nodes of the later one, which then does
  /// not exist. `joins` also requires that the later message still exists, since an even earlier message may have taken
  /// it over. `carriers_` records the merge for the rows of transfers. Nothing happens if the ranks differ in every
  /// candidate.
  void join(std::size_t earlier, std::size_t later) {
    Message &to = messages_[earlier], &from = messages_[later];
    const Scalar same = communicators_.same(communicator(*to.first), communicator(*from.first));
    if (same.constant() && same.value == 0) return;
    const auto operate = [this](Op op, Scalar a, Scalar b, Scalar c = {}) { return f_.sizes->operate(op, a, b, c); };
    const Scalar joins = operate(Op::logical_and, from.exists, same);
    to.bytes = f_.sizes->add(to.bytes, operate(Op::select, joins, from.bytes, integer(0)));
    to.parts = f_.sizes->add(to.parts, operate(Op::select, joins, from.parts, integer(0)));
    for (const MessageNode& n : from.nodes) {
      if (MessageNode* const known = to.find(n.node))
        known->exists = operate(Op::logical_or, known->exists, joins);
      else
        to.nodes.push_back({n.node, n.reads, joins});
    }
    carriers_[later].push_back({earlier, joins});
    from.exists = operate(Op::logical_and, from.exists, operate(Op::logical_not, same, {}));
  }

  void find_stage_messages() {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Transfer& t = *messages_[m].first;
      if (by_stage(t)) f_.stage_messages.push_back({static_cast<WordId>(m), communicator(t), &t, users(t), messages_[m].exists});
    }
  }

  /// Adds the words by which formulas select messages and their nodes: phase, cadence, collective, segment,
  /// communicator.
  void words(ElementTable& out, const Transfer& t) {
    out.belongs(kPhaseSet, t.phase);
    out.belongs(kCadenceSet, t.cadence);
    out.belongs(kCollectiveSet, t.kind);
    out.belongs(kSegmentSet, t.segment);
    out.belongs(kCommunicatorSet, communicator(t));
  }

  /// Adds the words and fields that messages and transfers share.
  void common(ElementTable& out, const Transfer& t) {
    words(out, t);
    out.field("name", f_.text(t.name));
    out.field("ranks", ranks_[communicator(t)]);
    out.field("axes", f_.text(f_.sizes->named(t.axes)));
    out.field("between_stages", truth_value(t.stages));
  }

  /// Returns the axes whose ranks send equal copies of the message.
  AxisList holders(const Transfer& t) const {
    AxisList out;
    for (const AxisId a : f_.notes.mesh.order) {
      const bool sends = contains(t.axes, a);
      const bool stages = contains(f_.notes.layers, a);
      if (!sends && !stages && !t.message.mentions(a)) out.push_back(a);
    }
    return out;
  }

  /// Writes one row per message. `parts` is the number of transfers in the message; a single transfer gives the row its
  /// name and shape. `bytes` are those of one rank. `copies` counts the ranks that send equal data, `span` the
  /// processors from the first to the last rank of the group. A message that merged into an earlier one (`join`) exists
  /// only in the candidates without the merge. `f_` holds the graph, its annotations (`notes`) and sizes.
  void write_messages() {
    ElementTable out;
    for (const Message& m : messages_) {
      const bool single = m.parts.constant() && m.parts.value == 1;
      out.row(single ? m.first->name : m.parts.constant() ? fmt::format("{} weights", m.parts.value) : "weights");
      out.exists(m.exists);
      common(out, *m.first);
      out.field("bytes", byte_value(m.bytes));
      out.field("span", count_value(f_.sizes->span(m.first->axes)));
      out.field("copies", count_value(f_.sizes->degrees(holders(*m.first))));
      out.field("parts", count_value(m.parts));
      out.field("shape", f_.text(single ? f_.sizes->shape(m.first->dims, m.first->message, m.first->times) : ""));
      out.field("weights", truth_value(bool(m.first->weight)));
      out.field("shared", truth_value(shared(*m.first)));
      add_marks(out, kMessageSet, true, m.first->marks, f_.run.marks, f_.inquiry);
    }
    f_.evaluator().set_elements(kMessageSet, out.take());
  }

  /// Writes one row per message and node that produces or reads its data. The row exists if the message exists and
  /// serves the node: a node that came by a merge (`join`) counts only in candidates with this merge. Words and marks
  /// are those of the message's first transfer. `f_` holds the graph, its annotations (`notes`) and sizes.
  void write_message_nodes() {
    ElementTable out;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Transfer& t = *messages_[m].first;
      for (const auto& [node, reads, exists] : messages_[m].nodes) {
        out.row(fmt::format("{} of {}", f_.graph.nodes[node].name, t.name));
        out.exists(f_.sizes->operate(Op::logical_and, messages_[m].exists, exists));
        out.belongs(kMessageSet, m);
        out.belongs(kNodeSet, node);
        out.belongs(kKernelSet, f_.kernel(node));
        out.belongs(kComponentSet, f_.component(node));
        words(out, t);
        out.field("reads", truth_value(reads));
        add_marks(out, kMessageSet, false, t.marks, f_.run.marks, f_.inquiry);
      }
    }
    f_.evaluator().set_elements(kMessageNodeSet, out.take());
  }

  /// Writes a row for each transfer in its own message. A transfer whose message can merge into earlier ones (`join`)
  /// gets a further row in each of them. The conditions exclude each other, so one row exists per candidate.
  void write_transfers() {
    ElementTable out;
    const std::size_t count = f_.notes.transfers.size();
    for (std::size_t i = 0; i < count; ++i) write_transfer(out, i, message_of_[i], messages_[message_of_[i]].exists);
    for (std::size_t i = 0; i < count; ++i) {  // Further rows come last, so row i is transfer i.
      for (const Carrier& carrier : carriers_[message_of_[i]]) write_transfer(out, i, carrier.message, carrier.exists);
    }
    f_.evaluator().set_elements(kTransferSet, out.take());
  }

  /// Writes one row: transfer `i` as part of `message`, which carries it under the condition `exists`. The node of the
  /// row is the reader of the data; none if the next segment reads it. `rule` and `written` are text and position of
  /// the rule that caused the transfer. `f_` holds the graph, its annotations (`notes`) and sizes.
  void write_transfer(ElementTable& out, std::size_t i, std::size_t message, const Scalar& exists) {
    const Transfer& t = f_.notes.transfers[i];
    out.row(t.name);
    out.exists(exists);
    common(out, t);
    out.belongs(kMessageSet, message);
    out.belongs(kNodeSet, t.reader);
    out.belongs(kKernelSet, f_.kernel(t.reader));
    out.belongs(kComponentSet, f_.component(t.reader));
    out.field("bytes", byte_value(bytes_[i]));
    out.field("shape", f_.text(f_.sizes->shape(t.dims, t.message, t.times)));
    const RuleRef* ref = rule(t);
    out.field("rule", f_.text(ref != nullptr ? ref->text : ""));
    out.field("written", f_.text(ref != nullptr ? to_string(ref->span) : ""));
    add_marks(out, kMessageSet, true, t.marks, f_.run.marks, f_.inquiry);
  }

  /// Returns the rule that caused the transfer, a rule of the weight before a rule of the axis; null if no rule did.
  const RuleRef* rule(const Transfer& t) const {
    const RuleId id = t.weight_rule ? t.weight_rule : t.rule;
    return id ? &f_.notes.rules[id] : nullptr;
  }

  FillContext& f_;
  Communicators communicators_;
  std::vector<Message> messages_;
  std::map<MessageKey, std::size_t> coalesced_;  ///< Message of each key; messages of weights only.
  std::vector<WordId> communicator_of_;          ///< Communicator of each transfer.
  std::vector<Value> ranks_;                     ///< Number of ranks of each communicator.
  std::vector<std::size_t> message_of_;          ///< Message of each transfer.
  struct Carrier {
    std::size_t message;
    Scalar exists;
  };
  std::vector<std::vector<Carrier>> carriers_;  ///< Earlier messages that can carry each message, with conditions.
  std::vector<Scalar> bytes_;                   ///< Bytes of each transfer.
};

}  // namespace

void fill_messages(FillContext& context) { MessageFiller(context).fill(); }

}  // namespace opledger
