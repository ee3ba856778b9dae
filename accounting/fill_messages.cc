#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "accounting/filling.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

Scalar transfer_width(Filling& f, std::size_t i) {
  const Transfer& t = f.notes.transfers[i];
  if (t.fixed_width > 0) return integer(t.fixed_width);
  if (f.run.transfer_widths[i] != nullptr) return f.inquiry.ask(*f.run.transfer_widths[i]).scalar;
  if (!t.weight) return f.width({t.gradient ? "activation_gradient_width" : "activation_width"});
  return t.gradient ? f.width({"gradient_message_width"}) : f.width({"weight_message_width", "weight_width"});
}

Scalar transfer_bytes(Filling& f, std::size_t i) {
  const Transfer& t = f.notes.transfers[i];
  Scalar n = f.sizes->multiply(f.sizes->elements(t.dims, t.message), transfer_width(f, i));
  if (t.times != 1) n = f.sizes->multiply(n, integer(t.times));
  if (f.run.margins[i] != nullptr) {
    Point p = f.at_node(t.reader);
    const Scalar whole = f.sizes->size(t.from),
                 own = f.sizes->operate(f.sizes->is_mean(t.from) ? Op::divide : Op::floor_divide, whole, f.sizes->degrees(t.axes));
    const Scalar others = f.sizes->operate(Op::subtract, whole, own);  // a margin can't be more than the neighbours have
    n = f.sizes->multiply(n, f.sizes->operate(Op::minimum, f.inquiry.ask(*f.run.margins[i], p).scalar, others));
  }
  return n;
}

struct Neighbour {
  NodeId node;
  bool reads;                  ///< What arrives.
  Scalar there = truth(true);  ///< Of candidates that send this with the message.
};

struct Message {
  const Transfer* first = nullptr;
  Scalar bytes = integer(0), parts = integer(0);
  std::vector<Neighbour> neighbours{};
  Scalar there = truth(true);  ///< Of candidates that do not send it with another.

  Neighbour* find(NodeId node) {
    const auto found = std::find_if(neighbours.begin(), neighbours.end(), [node](const Neighbour& other) { return other.node == node; });
    return found == neighbours.end() ? nullptr : &*found;
  }
  void meet(NodeId node, bool reads) {
    if (find(node) == nullptr) neighbours.push_back({node, reads});
  }
};

class MessageFiller {
 public:
  explicit MessageFiller(Filling& f) : f_(f), communicators_(f.graph, f.notes.mesh, *f.sizes, *f.layouts) {}

  void fill() {
    for (const Transfer& t : f_.notes.transfers) communicator_of_.push_back(communicators_.find(t));
    for (WordId c = 0; c < static_cast<WordId>(communicators_.size()); ++c) ranks_.push_back(count_value(communicators_.ranks(c)));
    for (std::size_t i = 0; i < f_.notes.transfers.size(); ++i) add(f_.notes.transfers[i], transfer_bytes(f_, i));
    f_.message_of = message_of_;
    join();
    find_stage_messages();
    communicators_.fill(f_.evaluator(), [this](std::string name) { return f_.text(std::move(name)); });
    write_messages();
    write_neighbours();
    write_transfers();
  }

 private:
  /// What tells transfers apart that would else be sent at once.
  using Alike = std::tuple<SegmentId, Phase, Cadence, Collective, WordId, bool, std::map<std::string, std::string>, std::set<SegmentId>>;
  Alike alike(const Transfer& t) const {
    std::map<std::string, std::string> marks;
    for (const MarkId id : t.marks) marks.emplace(f_.notes.marks[id].name, f_.notes.marks[id].value);
    return {t.segment, t.phase, t.cadence, t.kind, communicator(t), t.gradient, std::move(marks), users(t)};
  }

  /// In backward several uses of one weight add up their gradients, and reduce them once.
  bool shared(const Transfer& t) const {
    return t.weight && t.gradient && t.phase == Phase::wgrad && t.cadence == Cadence::microbatch && t.sharing.size() > 1 && f_.single(t.weight);
  }

  /// What stages reduce at the end of a step or add up before, they reduce where they hold it: for all segments that use a tied weight together.
  bool by_stage(const Transfer& t) const { return t.cadence == Cadence::step || shared(t); }
  std::set<SegmentId> users(const Transfer& t) const { return by_stage(t) ? std::set<SegmentId>(t.sharing.begin(), t.sharing.end()) : std::set<SegmentId>{}; }

  WordId communicator(const Transfer& t) const { return communicator_of_[&t - f_.notes.transfers.data()]; }

  void add(const Transfer& t, Scalar bytes) {
    std::size_t m = messages_.size();
    if (t.weight) m = coalesced_.emplace(alike(t), m).first->second;
    if (m == messages_.size()) messages_.push_back({&t});
    for (const NodeId n : t.makers) messages_[m].meet(n, false);
    for (const NodeId n : t.readers) messages_[m].meet(n, true);
    messages_[m].bytes = f_.sizes->add(messages_[m].bytes, bytes);
    messages_[m].parts = f_.sizes->add(messages_[m].parts, integer(1));
    message_of_.push_back(m);
    bytes_.push_back(bytes);
  }

  /// Two messages alike but for axes of one rank are one. Where degrees are symbols that holds for some candidates only: these send the later with the earlier.
  void join() {
    places_.resize(messages_.size());
    std::map<Alike, std::vector<std::size_t>> kin;
    for (const auto& [key, m] : coalesced_) {
      Alike without_communicator = key;
      std::get<4>(without_communicator) = -1;
      kin[std::move(without_communicator)].push_back(m);
    }
    for (auto& [_, all] : kin) {
      std::sort(all.begin(), all.end());
      for (std::size_t later = 1; later < all.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) join(all[earlier], all[later]);
      }
    }
  }

  void join(std::size_t earlier, std::size_t later) {
    Message &to = messages_[earlier], &from = messages_[later];
    const Scalar same = communicators_.same(communicator(*to.first), communicator(*from.first));
    if (same.constant() && same.value == 0) return;
    const auto operate = [this](Op op, Scalar a, Scalar b, Scalar c = {}) { return f_.sizes->operate(op, a, b, c); };
    const Scalar joins = operate(Op::logical_and, from.there, same);
    to.bytes = f_.sizes->add(to.bytes, operate(Op::select, joins, from.bytes, integer(0)));
    to.parts = f_.sizes->add(to.parts, operate(Op::select, joins, from.parts, integer(0)));
    for (const Neighbour& n : from.neighbours) {
      if (Neighbour* const known = to.find(n.node))
        known->there = operate(Op::logical_or, known->there, joins);
      else
        to.neighbours.push_back({n.node, n.reads, joins});
    }
    places_[later].push_back({earlier, joins});
    from.there = operate(Op::logical_and, from.there, operate(Op::logical_not, same, {}));
  }

  void find_stage_messages() {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Transfer& t = *messages_[m].first;
      if (by_stage(t)) f_.stage_messages.push_back({static_cast<WordId>(m), communicator(t), &t, users(t), messages_[m].there});
    }
  }

  void words(ElementTable& out, const Transfer& t) {
    out.belongs(kPhaseSet, t.phase);
    out.belongs(kCadenceSet, t.cadence);
    out.belongs(kCollectiveSet, t.kind);
    out.belongs(kSegmentSet, t.segment);
    out.belongs(kCommunicatorSet, communicator(t));
  }

  void common(ElementTable& out, const Transfer& t) {
    words(out, t);
    out.field("name", f_.text(t.what));
    out.field("ranks", ranks_[communicator(t)]);
    out.field("axes", f_.text(f_.sizes->named(t.axes)));
    out.field("between_stages", truth_value(t.stages));
  }

  /// Axes whose ranks send the same.
  AxisList holders(const Transfer& t) const {
    AxisList out;
    for (const AxisId a : f_.notes.mesh.order) {
      const bool sends = contains(t.axes, a);
      const bool stages = contains(f_.notes.layers, a);
      if (!sends && !stages && !t.message.mentions(a)) out.push_back(a);
    }
    return out;
  }

  void write_messages() {
    ElementTable out;
    for (const Message& m : messages_) {
      const bool single = m.parts.constant() && m.parts.value == 1;
      out.row(single ? m.first->what : m.parts.constant() ? fmt::format("{} weights", m.parts.value) : "weights");
      out.there(m.there);
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

  void write_neighbours() {
    ElementTable out;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Transfer& t = *messages_[m].first;
      for (const auto& [node, reads, there] : messages_[m].neighbours) {
        out.row(fmt::format("{} of {}", f_.graph.nodes[node].name, t.what));
        out.there(f_.sizes->operate(Op::logical_and, messages_[m].there, there));
        out.belongs(kMessageSet, m);
        out.belongs(kNodeSet, node);
        out.belongs(kKernelSet, f_.kernel(node));
        out.belongs(kComponentSet, f_.component(node));
        words(out, t);
        out.field("reads", truth_value(reads));
        add_marks(out, kMessageSet, false, t.marks, f_.run.marks, f_.inquiry);
      }
    }
    f_.evaluator().set_elements(kNeighbourSet, out.take());
  }

  void write_transfers() {
    ElementTable out;
    const std::size_t count = f_.notes.transfers.size();
    for (std::size_t i = 0; i < count; ++i) write_transfer(out, i, message_of_[i], messages_[message_of_[i]].there);
    for (std::size_t i = 0; i < count; ++i) {  // behind all of them: who looks for one by its number finds it
      for (const Place& place : places_[message_of_[i]]) write_transfer(out, i, place.message, place.there);
    }
    f_.evaluator().set_elements(kTransferSet, out.take());
  }

  void write_transfer(ElementTable& out, std::size_t i, std::size_t message, const Scalar& there) {
    const Transfer& t = f_.notes.transfers[i];
    out.row(t.what);
    out.there(there);
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

  const RuleRef* rule(const Transfer& t) const {
    const RuleId id = t.weight_rule ? t.weight_rule : t.rule;
    return id ? &f_.notes.rules[id] : nullptr;
  }

  Filling& f_;
  Communicators communicators_;
  std::vector<Message> messages_;
  std::map<Alike, std::size_t> coalesced_;
  std::vector<WordId> communicator_of_;  ///< By transfer.
  std::vector<Value> ranks_;             ///< By communicator.
  std::vector<std::size_t> message_of_;  ///< By transfer.
  struct Place {
    std::size_t message;
    Scalar there;
  };
  std::vector<std::vector<Place>> places_;  ///< By message: others that it may be sent with.
  std::vector<Scalar> bytes_;               ///< By transfer.
};

}  // namespace

void fill_messages(Filling& f) { MessageFiller(f).fill(); }

}  // namespace opledger
