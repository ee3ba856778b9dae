#include "tests/invariance/figures.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "accounting/graph_engine.h"
#include "questions/node_quantities.h"

namespace opledger::invariance {
namespace {

/// The graph of one pass, and the evaluator of its formulas.
struct Pass {
  const Graph& graph;
  Evaluator& evaluator;
  Point point;
  std::string name;  ///< Empty if the run has no other passes.
};

class Collector {
 public:
  Collector(const Program& program, const Naming& naming, Figures& out) : program_(program), naming_(naming), out_(out) {}

  void collect(const Pass& pass) {
    nodes(pass);
    messages(pass);
  }

 private:
  std::string named(const std::string& name) const { return naming_ ? naming_(name) : name; }

  double ask(const Pass& pass, const Name& name, const Point& point) const {
    const Answer answer = pass.evaluator.ask(name, point);
    return answer.known() && answer.value.is_number() ? answer.value.scalar.value : 0;
  }

  static double field(const Elements& elements, const char* name, std::size_t i) { return elements.fields.at(name)[i].scalar.value; }

  static double layers(const Pass& pass, std::size_t segment) { return field(pass.evaluator.elements(kSegmentSet), "layers", segment); }

  void nodes(const Pass& pass) {
    const std::vector<std::string>& phases = program_.set(kPhaseSet).words;
    for (const auto& [label, name] : node_quantities(program_)) {
      for (const NodeId n : pass.graph.nodes.ids()) {
        const Point node = pass.evaluator.choose(pass.point, kNodeSet, pass.evaluator.element_at(kNodeSet, n.number()));
        const double count = layers(pass, pass.graph.nodes[n].segment.index());
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
          const double value = ask(pass, *name, pass.evaluator.choose(node, kPhaseSet, static_cast<WordId>(phase)));
          out_[fmt::format("{}node {} {} {}", pass.name, named(pass.graph.nodes[n].name), phases[phase], label)] += count * value;
        }
      }
    }
  }

  void messages(const Pass& pass) {
    const Elements& all = pass.evaluator.elements(kMessageSet);
    const auto word = [&](SetId set, std::size_t m) {
      const auto found = all.belongs.find(set);
      return found == all.belongs.end() || found->second[m] == kNoWord ? std::string() : program_.set(set).words[static_cast<std::size_t>(found->second[m])];
    };
    for (std::size_t m = 0; m < all.names.size(); ++m) {
      const WordId id = pass.evaluator.element_at(kMessageSet, static_cast<WordId>(m));
      if (field(all, "ranks", m) <= 1 || pass.evaluator.presence(kMessageSet, id).value == 0) continue;
      const auto segment = static_cast<std::size_t>(all.belongs.at(kSegmentSet)[m]);
      const double count = layers(pass, segment);
      const std::string key =
          fmt::format("{}message {} {} {} {} {} ", pass.name, named(pass.graph.segments[SegmentId(static_cast<std::uint32_t>(segment))].name),
                      word(kPhaseSet, m), word(kCadenceSet, m), word(kCollectiveSet, m), named(all.names[m]));
      out_[key + "bytes"] += count * field(all, "bytes", m);
      const Point point = pass.evaluator.choose(pass.point, kMessageSet, id);
      for (const char* seconds : {"link_time", "message_exposed"}) {
        if (const Name* const name = program_.find(seconds)) out_[key + seconds] += count * ask(pass, *name, point);
      }
    }
  }

  const Program& program_;
  const Naming& naming_;
  Figures& out_;
};

}  // namespace

Figures figures(Run& run, const Naming& naming) {
  Figures out;
  Diagnostics diagnostics;
  for (const Published& p : run.program().published) {
    const bool of_axis = std::any_of(p.at.begin(), p.at.end(), [](const auto& chosen) { return chosen.first == kAxisSet; });
    const auto v = of_axis ? std::nullopt : run.value(p.name, diagnostics);
    if (v && v->is_number()) out["metric " + (naming ? naming(p.name) : p.name)] = v->scalar.value;
  }
  Collector collector(run.program(), naming, out);
  if (run.program().cases.empty()) {
    collector.collect({run.graph(), run.evaluator(), nowhere(), ""});
  } else {
    for (const std::string word : {"prompt", "decode"}) {
      const auto there = run.graph_at({word}, diagnostics);
      REQUIRE_MESSAGE(there, word, "\n", render(diagnostics));
      collector.collect({there->graph->graph, *there->evaluator, there->point, word + " "});
    }
  }
  return out;
}

std::string differences(const Figures& expected, const Figures& found, double share) {
  std::string out;
  const auto add = [&](const std::string& name, double a, double b) {
    if (std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b))) return;
    out += fmt::format("  {} {} for {}\n", name, b, a);
  };
  const auto value = [](const Figures& all, const std::string& name) {
    const auto it = all.find(name);
    return it == all.end() ? 0.0 : it->second;
  };
  for (const auto& [name, a] : expected) add(name, a, value(found, name));
  for (const auto& [name, b] : found) {
    if (expected.count(name) == 0) add(name, 0, b);
  }
  return out;
}

}  // namespace opledger::invariance
