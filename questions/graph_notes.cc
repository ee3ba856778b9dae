#include "questions/graph_notes.h"

#include <fmt/core.h>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "base/text.h"
#include "questions/node_quantities.h"

namespace opledger {
namespace {

/// Writes labels of nodes and transfers at one point of a run.
class NoteWriter {
 public:
  explicit NoteWriter(const Run::CaseGraph& there) : graph_(*there.graph), evaluator_(*there.evaluator), point_(there.point) {}

  DrawnNotes write() {
    DrawnNotes out;
    Inquiry inquiry(evaluator_);
    out.shown = Sizes(inquiry, graph_.run).shown();
    for (const NodeId id : graph_.graph.nodes.ids()) out.nodes.push_back(lines_of(id));
    for (std::size_t i = 0; i < graph_.annotations.transfers.size(); ++i) out.transfers.push_back(moved(i));
    if (!quantities_.empty())
      out.title = fmt::format(
          "One rank, one layer of each segment. Numbers of nodes are of all phases ({}) of one pass, those of collectives the bytes of one message.",
          join(evaluator_.program().set(kPhaseSet).words, ", "));
    return out;
  }

 private:
  std::vector<std::string> lines_of(NodeId id) {
    std::vector<std::string> out;
    for (const auto& [label, name] : quantities_) {
      const Value sum = over_phases(*name, id);
      if (sum.is_number() && sum.scalar.value != 0) out.push_back(fmt::format("{} {}", label, human(sum)));
    }
    return out;
  }

  /// Returns the sum over phases; phases without a value contribute nothing.
  Value over_phases(const Name& name, NodeId id) {
    const Point at = evaluator_.choose(point_, kNodeSet, id.number());
    Value sum;
    for (std::size_t phase = 0; phase < evaluator_.program().set(kPhaseSet).words.size(); ++phase) {
      const Answer answer = evaluator_.ask(name, evaluator_.choose(at, kPhaseSet, static_cast<WordId>(phase)));
      if (!answer.known() || !answer.value.is_number()) continue;
      if (sum.is_number())
        sum.scalar.value += answer.value.scalar.value;
      else
        sum = answer.value;
    }
    return sum;
  }

  std::optional<std::string> moved(std::size_t i) const {
    const Elements& all = evaluator_.elements(kTransferSet);
    const auto field = [&](const char* name) { return all.fields.find(name)->second[i]; };
    return field("ranks").scalar.value <= 1 ? std::nullopt : std::optional(human(field("bytes")));
  }

  const AnnotatedGraph& graph_;
  Evaluator& evaluator_;
  Point point_;
  std::vector<std::pair<std::string, const Name*>> quantities_ = node_quantities(evaluator_.program());
};

}  // namespace

DrawnNotes graph_notes(const Run::CaseGraph& there) { return NoteWriter(there).write(); }

}  // namespace opledger
