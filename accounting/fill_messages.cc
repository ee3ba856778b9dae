#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "accounting/filling.h"

namespace opledger {
namespace {

Scalar transfer_width(Filling& f, std::size_t i) {
  const Transfer& t = f.notes.transfers[i];
  if (t.fixed_width > 0) return integer(t.fixed_width);
  if (f.run.transfer_widths[i] != nullptr) return f.evaluator.evaluate(*f.run.transfer_widths[i]).scalar;
  if (t.weight < 0) return f.width({t.gradient ? "activation_gradient_width" : "activation_width"});
  return t.gradient ? f.width({"gradient_message_width"}) : f.width({"weight_message_width", "weight_width"});
}

Scalar transfer_bytes(Filling& f, std::size_t i) {
  const Transfer& t = f.notes.transfers[i];
  Scalar n = f.sizes->multiply(f.sizes->elements(t.dims, t.message), transfer_width(f, i));
  if (t.times != 1) n = f.sizes->multiply(n, integer(t.times));
  if (f.run.margins[i] != nullptr) {
    Point p = f.evaluator.choose(nowhere(), kNodeSet, t.reader);
    const Scalar whole = f.sizes->size(t.from), own = f.sizes->operate(Op::floor_divide, whole, f.sizes->degrees(t.axes));
    const Scalar others = f.sizes->operate(Op::subtract, whole, own);  // a margin can't be more than the neighbours have
    n = f.sizes->multiply(n, f.sizes->operate(Op::minimum, f.evaluator.evaluate(*f.run.margins[i], p).scalar, others));
  }
  return n;
}

struct Message {
  const Transfer* first = nullptr;
  Scalar bytes = integer(0);
  int parts = 0;
  std::vector<std::pair<NodeId, bool>> neighbours;  ///< (node, whether it reads what arrives)

  void meet(NodeId node, bool reads) {
    const auto same = [&](const auto& other) { return other.first == node; };
    if (std::none_of(neighbours.begin(), neighbours.end(), same)) neighbours.emplace_back(node, reads);
  }
};

class MessageFiller {
 public:
  explicit MessageFiller(Filling& f) : f_(f), communicators_(f.graph, f.notes.mesh, *f.sizes, *f.layouts) {}

  void fill() {
    for (const Transfer& t : f_.notes.transfers) communicator_of_.push_back(communicators_.find(t));
    for (WordId c = 0; c < static_cast<WordId>(communicators_.size()); ++c) ranks_.push_back(count_value(communicators_.ranks(c)));
    for (std::size_t i = 0; i < f_.notes.transfers.size(); ++i) add(f_.notes.transfers[i], transfer_bytes(f_, i));
    write_messages();
    write_neighbours();
    communicators_.fill(f_.evaluator, [this](std::string name) { return f_.text(std::move(name)); });
    write_transfers();
  }

 private:
  /// What tells transfers apart that would else be sent at once.
  using Alike = std::tuple<SegmentId, Phase, Cadence, Collective, WordId, bool, std::map<std::string, std::string>, std::set<SegmentId>>;
  Alike alike(const Transfer& t) const {
    std::map<std::string, std::string> marks;
    for (const MarkId id : t.marks) marks.emplace(f_.notes.marks[static_cast<std::size_t>(id)].name, f_.notes.marks[static_cast<std::size_t>(id)].value);
    return {t.segment, t.phase, t.cadence, t.kind, communicator(t), t.gradient, std::move(marks), users(t)};
  }

  /// In backward several uses of one weight add up their gradients, and reduce them once.
  bool shared(const Transfer& t) const {
    return t.weight >= 0 && t.gradient && t.phase == Phase::wgrad && t.cadence == Cadence::microbatch && f_.users(t.weight).size() > 1 && f_.single(t.weight);
  }

  /// What stages reduce at the end of a step or add up before, they reduce where they hold it: for all segments that use a tied weight together.
  bool by_stage(const Transfer& t) const { return t.cadence == Cadence::step || shared(t); }
  std::set<SegmentId> users(const Transfer& t) const { return by_stage(t) ? f_.users(t.weight) : std::set<SegmentId>{}; }

  WordId communicator(const Transfer& t) const { return communicator_of_[static_cast<std::size_t>(&t - f_.notes.transfers.data())]; }

  void add(const Transfer& t, Scalar bytes) {
    std::size_t m = messages_.size();
    if (t.weight >= 0) m = coalesced_.emplace(alike(t), m).first->second;
    if (m == messages_.size()) {
      messages_.push_back({&t, integer(0), 0, {}});
      if (by_stage(t)) f_.stage_messages.push_back({static_cast<WordId>(m), communicator(t), &t, users(t)});
    }
    for (const NodeId n : t.makers) messages_[m].meet(n, false);
    for (const NodeId n : t.readers) messages_[m].meet(n, true);
    messages_[m].bytes = f_.sizes->add(messages_[m].bytes, bytes);
    ++messages_[m].parts;
    message_of_.push_back(static_cast<WordId>(m));
    bytes_.push_back(bytes);
  }

  void words(ElementTable& out, const Transfer& t) {
    out.belongs(kPhaseSet, static_cast<WordId>(t.phase));
    out.belongs(kCadenceSet, static_cast<WordId>(t.cadence));
    out.belongs(kCollectiveSet, static_cast<WordId>(t.kind));
    out.belongs(kSegmentSet, t.segment);
    out.belongs(kCommunicatorSet, communicator(t));
  }

  void common(ElementTable& out, const Transfer& t) {
    words(out, t);
    out.field("name", f_.text(t.what));
    out.field("ranks", ranks_[static_cast<std::size_t>(communicator(t))]);
    out.field("axes", f_.text(f_.sizes->describe(t.axes)));
    out.field("between_stages", truth_value(t.stages));
  }

  void write_messages() {
    ElementTable out;
    for (const Message& m : messages_) {
      out.row(m.parts == 1 ? m.first->what : fmt::format("{} weights", m.parts));
      common(out, *m.first);
      out.field("bytes", byte_value(m.bytes));
      out.field("span", count_value(f_.sizes->span(m.first->axes)));
      out.field("parts", count_value(integer(m.parts)));
      out.field("shape", f_.text(m.parts == 1 ? f_.sizes->shape(m.first->dims, m.first->message, m.first->times) : ""));
      out.field("weights", truth_value(m.first->weight >= 0));
      out.field("shared", truth_value(shared(*m.first)));
      add_marks(out, kMessageSet, true, m.first->marks, f_.run.marks, f_.evaluator);
    }
    f_.evaluator.set_elements(kMessageSet, out.take());
  }

  void write_neighbours() {
    ElementTable out;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const Transfer& t = *messages_[m].first;
      for (const auto& [node, reads] : messages_[m].neighbours) {
        out.row(fmt::format("{} of {}", f_.graph.node(node).name, t.what));
        out.belongs(kMessageSet, static_cast<WordId>(m));
        out.belongs(kNodeSet, node);
        out.belongs(kComponentSet, f_.component(node));
        words(out, t);
        out.field("reads", truth_value(reads));
        add_marks(out, kMessageSet, false, t.marks, f_.run.marks, f_.evaluator);
      }
    }
    f_.evaluator.set_elements(kNeighbourSet, out.take());
  }

  void write_transfers() {
    ElementTable out;
    for (std::size_t i = 0; i < f_.notes.transfers.size(); ++i) {
      const Transfer& t = f_.notes.transfers[i];
      out.row(t.what);
      common(out, t);
      out.belongs(kMessageSet, message_of_[i]);
      out.belongs(kNodeSet, t.reader);
      out.belongs(kComponentSet, f_.component(t.reader));
      out.field("bytes", byte_value(bytes_[i]));
      out.field("shape", f_.text(f_.sizes->shape(t.dims, t.message, t.times)));
      const RuleRef* ref = rule(t);
      out.field("rule", f_.text(ref != nullptr ? ref->text : ""));
      out.field("written", f_.text(ref != nullptr ? to_string(ref->span) : ""));
      add_marks(out, kMessageSet, true, t.marks, f_.run.marks, f_.evaluator);
    }
    f_.evaluator.set_elements(kTransferSet, out.take());
  }

  const RuleRef* rule(const Transfer& t) const {
    const RuleId id = t.weight_rule >= 0 ? t.weight_rule : t.rule;
    return id >= 0 ? &f_.notes.rules[static_cast<std::size_t>(id)] : nullptr;
  }

  Filling& f_;
  Communicators communicators_;
  std::vector<Message> messages_;
  std::map<Alike, std::size_t> coalesced_;
  std::vector<WordId> communicator_of_;  ///< By transfer.
  std::vector<Value> ranks_;             ///< By communicator.
  std::vector<WordId> message_of_;       ///< By transfer.
  std::vector<Scalar> bytes_;            ///< By transfer.
};

}  // namespace

void fill_messages(Filling& f) { MessageFiller(f).fill(); }

}  // namespace opledger
