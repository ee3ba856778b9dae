#include "run/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "accounting/engine.h"
#include "accounting/sizes.h"
#include "base/text.h"
#include "expr/parser.h"
#include "expr/printer.h"
#include "graph/print.h"

namespace opledger {
namespace {

using Line = std::pair<double, std::string>;

/// Writes one name at one point, then what its formula is made of.
class Explainer {
 public:
  Explainer(Run& run, const ExplainOptions& options, Diagnostics& diagnostics)
      : run_(run), evaluator_(run.evaluator()), options_(options), diagnostics_(diagnostics) {}

  std::string name(const Name& name, const Point& point, int indent, int depth) {
    const Locals none(*this, nullptr);  // names see no arguments
    const Answer answer = evaluator_.ask(name, point);
    if (!answer.tell(diagnostics_)) return {};
    const Value& value = answer.value;
    const Evaluator::Chosen chosen = evaluator_.chosen(name, point);
    std::string out = fmt::format("{}{}{} = {}{}{}\n", pad(indent), name.name, where(name, point), human(value), in_own_unit(name, value), place(chosen.def));
    if (chosen.absent) return out + pad(indent + 4) + "0, because this does not hold: " + to_source(*chosen.formula->source) + "\n";
    if (chosen.formula == nullptr || chosen.formula->source == nullptr) return out;
    if (chosen.def != nullptr && !chosen.def->doc.empty() && depth == options_.depth) out += pad(indent + 4) + "# " + std::string(trim(chosen.def->doc)) + "\n";
    out += formula(*chosen.formula, point, indent + 4);
    if (chosen.def != nullptr && !chosen.def->source.empty() && depth == options_.depth)
      out += pad(indent + 4) + "# " + std::string(trim(chosen.def->source)) + "\n";
    if (depth <= 0) return out;
    std::set<std::string> said;
    open(*chosen.formula, point, indent + 2, depth, said, out);
    return out;
  }

  /// ` = 80 GB`: an input in the unit that it is declared in, where it is shown in another.
  static std::string in_own_unit(const Name& name, const Value& value) {
    if (!name.input || name.type.unit.factor == 1 || !value.is_number()) return {};
    const std::string& unit = name.type.unit_text;
    const std::string shown = human(value);
    const bool same = shown.size() > unit.size() && shown.compare(shown.size() - unit.size(), unit.size(), unit) == 0;
    return same ? "" : fmt::format(" = {} {}", exact(value.scalar.value / name.type.unit.factor), unit);
  }

  /// `[forward decoder.mlp.up]`: the words that the value depends on.
  std::string where(const Name& name, const Point& point) const {
    std::vector<std::string> words;
    for (std::size_t s = 0; s < run_.program().sets.size(); ++s) {
      if ((evaluator_.varies(name) >> s & 1u) == 0 || point[s] < 0) continue;
      const Set& set = *run_.program().sets[s];
      if (set.elements && (s == kComponentSet || (s == kSegmentSet && point[kNodeSet] >= 0))) continue;
      if (s == kExtentSet && point[s] == kRank) continue;
      words.push_back(s == kStageSet      ? "stage " + evaluator_.elements(kStageSet).names[static_cast<std::size_t>(point[s])]
                      : set.elements      ? evaluator_.elements(static_cast<SetId>(s)).names[static_cast<std::size_t>(point[s])]
                      : set.words.empty() ? fmt::format("{} {}", set.name, point[s])
                                          : set.words[static_cast<std::size_t>(point[s])]);
    }
    return words.empty() ? "" : " [" + join(words, " ") + "]";
  }

  static std::string pad(int n) { return std::string(static_cast<std::size_t>(n), ' '); }

 private:
  /// Arguments that formulas see while a function is opened.
  class Locals {
   public:
    Locals(Explainer& explainer, const std::vector<Value>* locals) : explainer_(explainer), before_(explainer.locals_) { explainer.locals_ = locals; }
    ~Locals() { explainer_.locals_ = before_; }
    Locals(const Locals&) = delete;
    Locals& operator=(const Locals&) = delete;

   private:
    Explainer& explainer_;
    const std::vector<Value>* before_;
  };

  /// Nothing, after its error was told, where there is none.
  Answer value_of(const Formula& f, const Point& point) {
    Answer answer = evaluator_.ask(f, point, locals_);
    answer.tell(diagnostics_);
    return answer;
  }

  static std::string place(const Def* def) { return def == nullptr || !def->span.known() ? "" : "    " + to_string(def->span); }

  /// The formula as it is written, then with values put in.
  std::string formula(const Formula& f, const Point& point, int indent) {
    const std::string written = to_source(*f.source);
    std::string out = pad(indent) + written + "\n";
    std::map<const Expr*, std::string> values;
    collect(f, point, values);
    const std::string put_in = to_source(*f.source, [&](const Expr& e) -> std::optional<std::string> {
      const auto found = values.find(&e);
      return found == values.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
    if (put_in != written && !values.empty()) out += pad(indent) + "= " + put_in + "\n";
    return out;
  }

  static bool opaque(const Formula& f) {
    switch (f.kind) {
      case Formula::Kind::name:
      case Formula::Kind::local:
      case Formula::Kind::node_value:
      case Formula::Kind::field:
      case Formula::Kind::index:
      case Formula::Kind::curve:
      case Formula::Kind::function:
      case Formula::Kind::aggregate:
      case Formula::Kind::running:
      case Formula::Kind::set:
      case Formula::Kind::at:
        return true;
      default:
        return false;
    }
  }

  /// Values of the parts of a formula that stand for something; only the branches that were taken.
  void collect(const Formula& f, const Point& point, std::map<const Expr*, std::string>& out) {
    if (f.kind == Formula::Kind::condition) {
      collect(*f.args[0], point, out);
      const Answer c = value_of(*f.args[0], point);
      if (c.known()) collect(*f.args[c.value.scalar.value != 0 ? 1 : 2], point, out);
      return;
    }
    if (opaque(f) && f.source != nullptr) {
      const Value v = value_of(f, point).value;
      if (v.kind == Value::Kind::number || v.kind == Value::Kind::truth || v.kind == Value::Kind::word) out[f.source] = human(v);
      return;
    }
    for (const Formula* arg : f.args) collect(*arg, point, out);
  }

  /// What the formula is made of, one level down.
  void open(const Formula& f, const Point& point, int indent, int depth, std::set<std::string>& said, std::string& out) {
    switch (f.kind) {
      case Formula::Kind::name:
        if (f.name->input && f.name->constant != nullptr) return;
        if (said.insert(f.name->name + where(*f.name, point)).second) out += name(*f.name, point, indent, depth - 1);
        return;
      case Formula::Kind::at: {
        open(*f.args[0], bound(point, f), indent, depth, said, out);
        return;
      }
      case Formula::Kind::aggregate:
        terms(f, point, indent, depth, out);
        return;
      case Formula::Kind::function:
        for (const Formula* arg : f.args) open(*arg, point, indent, depth, said, out);
        call(f, point, indent, depth, said, out);
        return;
      case Formula::Kind::condition: {
        open(*f.args[0], point, indent, depth, said, out);
        const Answer c = value_of(*f.args[0], point);
        if (c.known()) open(*f.args[c.value.scalar.value != 0 ? 1 : 2], point, indent, depth, said, out);
        return;
      }
      default:
        for (const Formula* arg : f.args) open(*arg, point, indent, depth, said, out);
    }
  }

  /// A function with its arguments, as a name is opened.
  void call(const Formula& f, const Point& point, int indent, int depth, std::set<std::string>& said, std::string& out) {
    std::vector<Value> arguments;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < f.args.size(); ++i) {
      arguments.push_back(value_of(*f.args[i], point).value);
      shown.push_back(f.function->parameters[i] + ": " + human(arguments.back()));
    }
    const Value value = value_of(f, point).value;
    const Evaluator::Chosen chosen = evaluator_.chosen(*f.function, arguments, point);
    const Formula* body = chosen.formula;
    const std::string head = fmt::format("{}({})", f.function->name, join(shown, ", "));
    if (depth <= 1 || body == nullptr || !said.insert(head).second) return;
    out += fmt::format("{}{} = {}    {}\n", pad(indent), head, human(value), to_string(chosen.def->span));
    const Locals inside(*this, &arguments);
    out += formula(*body, point, indent + 4);
    open(*body, point, indent + 2, depth - 1, said, out);
  }

  /// The largest terms of a sum (or whatever joins them), and how many more there are; then the largest opened. Factors stay in their order.
  void terms(const Formula& f, const Point& point, int indent, int depth, std::string& out) {
    const bool factors = f.aggregate == Aggregate::product;
    Point around = point;
    around[static_cast<std::size_t>(f.set)] = kNoWord;
    std::vector<std::pair<double, WordId>> all;
    std::map<WordId, std::string> texts;
    for (const WordId w : evaluator_.visit(f.set, around)) {
      const Point p = evaluator_.choose(around, f.set, w);
      if (f.args.size() > 1 && value_of(*f.args[1], p).value.scalar.value == 0) continue;
      const Answer answer = value_of(*f.args[0], p);
      if (!answer.known()) return;
      const Value& v = answer.value;
      if (!v.is_number() || (v.scalar.value == 0 && !factors)) continue;
      all.emplace_back(v.scalar.value, w);
      texts[w] = human(v);
    }
    if (!factors) std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    const Set& set = run_.program().set(f.set);
    const std::size_t shown = std::min<std::size_t>(all.size(), static_cast<std::size_t>(options_.terms));
    for (std::size_t i = 0; i < shown; ++i) {
      const WordId w = all[i].second;
      const std::string& word = set.elements        ? evaluator_.elements(f.set).names[static_cast<std::size_t>(w)]
                                : set.words.empty() ? std::to_string(w)
                                                    : set.words[static_cast<std::size_t>(w)];
      out += fmt::format("{}{} {}: {}\n", pad(indent), set.name, word, texts[w]);
      if (i > 0 || depth <= 1) continue;
      std::set<std::string> said;
      open(*f.args[0], evaluator_.choose(around, f.set, w), indent + 2, depth, said, out);
    }
    if (all.size() > shown) out += fmt::format("{}… {} more\n", pad(indent), all.size() - shown);
  }

  Run& run_;
  Evaluator& evaluator_;
  const ExplainOptions& options_;
  Diagnostics& diagnostics_;
  const std::vector<Value>* locals_ = nullptr;
};

/// The quantities that the accounting lists for a node (its report `node`), phase by phase.
std::string quantities(Run& run, NodeId node, const ExplainOptions& options, Diagnostics& diagnostics) {
  Evaluator& evaluator = run.evaluator();
  Explainer explainer(run, options, diagnostics);
  const Point at = evaluator.choose(nowhere(), kNodeSet, node);
  const auto report = run.program().reports.find("node");
  std::string out;
  if (report == run.program().reports.end()) return out;
  for (const ReportPart& part : report->second) {
    for (const auto& [_, which] : part.metrics) {
      const Name* name = run.program().find(which);
      if (name == nullptr || !name->at_node) continue;
      for (std::size_t phase = 0; phase < run.program().set(kPhaseSet).words.size(); ++phase) {
        const Point p = evaluator.choose(at, kPhaseSet, static_cast<WordId>(phase));
        const Answer answer = evaluator.ask(*name, p);
        const Value& v = answer.value;
        if (answer.tell_unless_absent(diagnostics) && v.is_number() && v.scalar.value != 0) out += explainer.name(*name, p, 2, std::min(options.depth, 2));
      }
    }
  }
  return out;
}

std::string rule_text(const Annotations& notes, RuleId id) {
  if (id < 0) return "";
  const RuleRef& ref = notes.rules[static_cast<std::size_t>(id)];
  return fmt::format("{} ({})", ref.text, to_string(ref.span));
}

std::string placement(Run& run, NodeId id) {
  const Annotations& notes = run.annotations();
  const NodePlacement& p = notes.nodes[static_cast<std::size_t>(id)];
  Inquiry inquiry(run.evaluator());
  const std::vector<bool> shown = Sizes(inquiry, run.graph_run()).shown();
  std::string out;
  for (const auto& [d, axes] : p.axes) {
    const std::string over = notes.mesh.describe(axes, shown);
    if (over.empty()) continue;
    RuleId rule = -1;
    for (const auto& [axis, why] : p.why) {
      if (axis == axes[0]) rule = why;
    }
    out += fmt::format("    {} over {}    {}\n", run.graph().name(d), over, rule_text(notes, rule));
  }
  return out.empty() ? "    every rank computes all of it\n" : out;
}

std::string transfers(Run& run, NodeId id) {
  const Elements& all = run.evaluator().elements(kTransferSet);
  std::string out;
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const Transfer& t = run.annotations().transfers[i];
    const bool produced = t.tensor >= 0 && run.graph().tensors[static_cast<std::size_t>(t.tensor)].producer == id;
    const bool weight = t.weight >= 0 && !run.graph().weights[static_cast<std::size_t>(t.weight)].uses.empty() &&
                        run.graph().weights[static_cast<std::size_t>(t.weight)].uses[0].first == id;
    if ((t.reader != id && !produced && !weight) || all.fields.at("ranks")[i].scalar.value <= 1) continue;
    out += fmt::format("    {} {} over {} of {}: {} ({}), once per {}    {}\n", to_string(t.phase), to_string(t.kind), human(all.fields.at("axes")[i]), t.what,
                       human(all.fields.at("bytes")[i]), human(all.fields.at("shape")[i]), to_string(t.cadence),
                       rule_text(run.annotations(), t.weight_rule >= 0 ? t.weight_rule : t.rule));
  }
  return out;
}

std::string kept(Run& run, NodeId id) {
  const Elements& all = run.evaluator().elements(kSavedSet);
  std::string out;
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const Saved& s = run.annotations().saved[i];
    if (run.graph().tensors[static_cast<std::size_t>(s.tensor)].producer != id) continue;
    out += fmt::format("    {}: {} ({}){}\n", all.names[i], human(all.fields.at("bytes")[i]), human(all.fields.at("shape")[i]),
                       s.rebuilt ? ", recomputed"
                       : s.once  ? ", once for all layers of a stage"
                                 : "");
  }
  return out;
}

std::string dims_text(const Graph& graph, const DimList& dims) {
  std::vector<std::string> names;
  for (const DimId d : dims) names.push_back(graph.name(d));
  return "[" + join(names, " ") + "]";
}

std::string one_node(Run& run, NodeId id, const ExplainOptions& options, Diagnostics& diagnostics) {
  const Graph& graph = run.graph();
  const Node& node = graph.node(id);
  std::string out = fmt::format("{}    {}    {}\n", node.name, node.op->name, to_string(node.span));
  if (!node.op->doc.empty()) out += fmt::format("  {}\n", trim(node.op->doc));
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    out += fmt::format("  in   {}: {} {}\n", node.op->inputs[i].name, graph.tensors[static_cast<std::size_t>(node.inputs[i].tensor)].name,
                       dims_text(graph, node.inputs[i].dims));
  for (std::size_t i = 0; i < node.weights.size(); ++i)
    out += fmt::format("  weight {}: {} {}\n", node.op->weights[i].name, graph.weights[static_cast<std::size_t>(node.weights[i].weight)].name,
                       dims_text(graph, node.weights[i].dims));
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    out += fmt::format("  out  {}: {}\n", node.op->outputs[i].name, dims_text(graph, graph.tensors[static_cast<std::size_t>(node.outputs[i])].dims));
  out += "  placed\n" + placement(run, id);
  if (run.annotations().recomputed[static_cast<std::size_t>(id)] != 0) out += "  recomputed in backward\n";
  if (const std::string text = transfers(run, id); !text.empty()) out += "  communicates, per layer and rank\n" + text;
  if (const std::string text = kept(run, id); !text.empty()) out += "  kept for backward, per layer and microbatch\n" + text;
  out += quantities(run, id, options, diagnostics);
  if (!node.op->source.empty()) out += fmt::format("  source: {}\n", trim(node.op->source));
  return out;
}

}  // namespace

namespace {

/// The element of a set, or the word, that is called so: -1, with an error: there is none. Of stages that are alike any may be named.
WordId named(Run& run, SetId id, const std::string& text, Diagnostics& diagnostics) {
  const Set& set = run.program().set(id);
  const std::vector<std::string>& names = set.elements ? run.evaluator().elements(id).names : set.words;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<WordId>(found - names.begin());
  double number = 0;
  Dimension unit;
  if (id == kStageSet && parse_quantity(text, number, unit) && unit.plain()) {
    const auto& fields = run.evaluator().elements(id).fields;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (fields.at("position")[c].scalar.value <= number && number <= fields.at("last")[c].scalar.value) return static_cast<WordId>(c);
    }
  }
  const std::string meant = suggestion(text, names);
  diagnostics.error({}, fmt::format("`--at {}={}`: there is no such {}{}", set.name, text, set.name,
                                    !meant.empty() || names.empty() || names.size() > 20 ? meant : ", but " + join(names, ", ")));
  return kNoWord;
}

bool stand_at(Run& run, const ExplainOptions& options, Point& point, Diagnostics& diagnostics) {
  for (const auto& [name, text] : options.at) {
    const SetId set = run.program().find_set(name);
    if (set < 0) {
      std::vector<std::string> known;
      for (const auto& s : run.program().sets) known.push_back(s->name);
      diagnostics.error({}, fmt::format("`--at {}={}`: there is no set `{}`{}", name, text, name, suggestion(name, known)));
      return false;
    }
    const WordId word = named(run, set, text, diagnostics);
    if (word == kNoWord) return false;
    point = run.evaluator().choose(point, set, word);
  }
  return true;
}

/// A name that has a value for each stage: stages stand for several, so that a sum over them is nobody's. The largest is told, as reports do.
Point at_fullest(Run& run, const Name& name, const Point& point) {
  Evaluator& evaluator = run.evaluator();
  if (!run.has_graph() || name.metric || name.input || (evaluator.varies(name) >> kStageSet & 1u) == 0 || point[kStageSet] != kNoWord) return point;
  Point fullest = point;
  double most = 0;
  for (const WordId stage : evaluator.visit(kStageSet, point)) {
    const Point p = evaluator.choose(point, kStageSet, stage);
    const Answer answer = evaluator.ask(name, p);
    if (!answer.known()) return point;
    const Value& v = answer.value;
    const double value = v.is_number() || v.kind == Value::Kind::truth ? v.scalar.value : 0;
    if (fullest[kStageSet] != kNoWord && value <= most) continue;
    fullest = p;
    most = value;
  }
  const Value unchosen = evaluator.ask(name, point).value;
  const bool same = evaluator.visit(kStageSet, point).size() == 1 && unchosen.is_number() && unchosen.scalar.value == most;
  return same ? point : fullest;
}

}  // namespace

std::string explain_name(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics) {
  const Published* published = run.program().find_published(name);
  const Name* found = published != nullptr ? published->metric : run.program().find(name);
  if (found == nullptr) {
    std::vector<std::string> known;
    for (const auto& [n, _] : run.program().global->names) known.push_back(n);
    std::sort(known.begin(), known.end());
    diagnostics.error({}, fmt::format("unknown name `{}`{}", name, suggestion(name, known)));
    return {};
  }
  Point point = nowhere();
  if (published != nullptr) point = run.evaluator().choose(point, published->at);
  if (!stand_at(run, options, point, diagnostics)) return {};
  point = at_fullest(run, *found, point);
  if (found->variance.needs != 0) {
    for (std::size_t s = 0; s < run.program().sets.size(); ++s) {
      if ((found->variance.needs >> s & 1u) == 0 || point[s] != kNoWord) continue;
      const std::string& set = run.program().sets[s]->name;
      diagnostics.error({}, fmt::format("`{}` varies with {}: say which with `--at {}=…`, ask for a node, or for a metric that is made of it", name, set, set));
      return {};
    }
  }
  std::string out = Explainer(run, options, diagnostics).name(*found, point, 0, options.depth);
  return out;
}

std::string explain_node(Run& run, const std::string& pattern, const ExplainOptions& options, Diagnostics& diagnostics) {
  std::string out;
  std::vector<std::string> known;
  for (std::size_t n = 0; n < run.graph().nodes(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const std::string& name = run.graph().node(id).name;
    known.push_back(name);
    if (!glob_match(pattern, name)) continue;
    if (!out.empty()) out += "\n";
    out += one_node(run, id, options, diagnostics);
  }
  if (out.empty()) diagnostics.error({}, fmt::format("no node `{}`{}", pattern, suggestion(pattern, known)));
  return out;
}

}  // namespace opledger
