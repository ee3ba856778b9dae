#include "import/made_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "accounting/engine.h"
#include "base/text.h"
#include "base/units.h"
#include "formulas/evaluator.h"
#include "formulas/formula_text.h"
#include "formulas/linker.h"
#include "formulas/say.h"
#include "import/layer_pattern.h"
#include "import/yaml_text.h"
#include "ops/definition.h"

namespace opledger {
namespace {

constexpr const char* kLayer = "layer";       // what a kind's condition calls the layer's number
constexpr std::size_t kMostSegments = 1'000;  // past that nobody edits them
constexpr std::size_t kCommentColumn = 33;

class ModelLinker {
 public:
  ModelLinker(Program& program, Diagnostics& diagnostics)
      : linker_(program, program, diagnostics), global_(*program.global), layer_(linker_.scope(program.global)), diagnostics_(diagnostics) {
    layer_.locals.emplace(kLayer, 0);
  }

  LinkedModel link(const Mapping& mapping) {
    LinkedModel out;
    for (const auto& [name, value] : mapping.parameters) {
      const bool conditional = value.is_map();
      out.parameters.push_back(
          {name.text(), formula(conditional ? value.find("is") : &value, global_), conditional ? formula(value.find("when"), global_) : nullptr});
    }
    for (const Datum& item : mapping.graph.items()) out.graph.push_back(segment(item));
    for (const auto& [name, held] : mapping.tensors) out.tensors.push_back(tensor(name.text(), held));
    return out;
  }

 private:
  const Formula* formula(const Datum* text, const NameScope& scope) {
    if (text == nullptr) return nullptr;
    const ExprPtr parsed = parse_formula(*text, "it", diagnostics_);
    return parsed ? linker_.link(parsed, scope) : nullptr;
  }

  LinkedModel::Segment segment(const Datum& written) {
    LinkedModel::Segment out{&written, formula(written.find("when"), global_), formula(written.find("layers"), global_), {}};
    const Datum* kinds = written.find("kinds");
    if (kinds == nullptr) return out;
    for (const Datum& kind : kinds->items()) out.kinds.push_back({&kind, formula(kind.find("when"), layer_), nullptr, {}});
    return out;
  }

  LinkedModel::Tensor tensor(const std::string& name, const Datum& held) {
    LinkedModel::Tensor out{name, {}, formula(held.find("when"), global_)};
    const Datum& weights = held.is_map() ? *held.find("weights") : held;
    if (weights.is_scalar()) out.patterns.push_back(weights.text());
    for (const Datum& pattern : weights.items()) out.patterns.push_back(pattern.text());
    return out;
  }

  Linker linker_;
  const NameScope& global_;
  NameScope& layer_;
  Diagnostics& diagnostics_;
};

/// A segment without what only the mapping reads.
Datum as_written(const Datum& segment, const std::string& name, const std::string& repeat) {
  std::vector<Datum::Entry> entries;
  for (const auto& [key, value] : segment.entries()) {
    if (key.text() == "when" || key.text() == "doc") continue;
    entries.emplace_back(key, key.text() == "name" ? Datum::scalar(name, false, value.span()) : value);
    if (key.text() == "block" && !repeat.empty()) entries.emplace_back(Datum::scalar("repeat", false, key.span()), Datum::scalar(repeat, false, key.span()));
  }
  return Datum::map(std::move(entries), segment.span());
}

class ModelMaker {
 public:
  ModelMaker(const Mapping& mapping, const ConfigFields& fields, const Datum& config, Program& program, Diagnostics& diagnostics)
      : mapping_(mapping), fields_(fields), config_(config), evaluator_(program), program_(program), diagnostics_(diagnostics) {}

  bool check() {
    const std::size_t errors = diagnostics_.errors();
    for (const auto& [input, _] : program_.inputs) evaluator_.ask(*input).tell(diagnostics_);  // each is of its type and within its bounds
    if (diagnostics_.errors() > errors) return false;
    for (const Constraint& constraint : program_.constraints) check(constraint);
    return diagnostics_.errors() == errors;
  }

  std::string text(const LinkedModel& model, const MadeHeading& heading) {
    const std::size_t errors = diagnostics_.errors();
    std::string out = fmt::format("# {}\nkind: model\nname: {}\ndoc: {}\nsource: {}\nuses: [{}]\nparameters:\n", heading.comment, yaml_text(heading.name),
                                  yaml_text(heading.doc), yaml_text(heading.source), join(mapping_.uses, ", "));
    for (const LinkedModel::Parameter& parameter : model.parameters) out += line(parameter);
    out += "graph:\n";
    for (const LinkedModel::Segment& segment : model.graph) {
      if (holds(segment.when)) out += segment.layers != nullptr ? layers(segment) : item(*segment.written, segment.written->find("name")->text(), "", "  ");
    }
    return diagnostics_.errors() == errors ? out : std::string();
  }

 private:
  Value worth(const Formula& formula, const std::vector<Value>& locals = {}) {
    const Answer answer = evaluator_.ask(formula, nowhere(), &locals);
    answer.tell(diagnostics_);
    return answer.value;
  }

  bool holds(const Formula* condition) { return condition == nullptr || as_truth(worth(*condition)).scalar.value != 0; }

  void check(const Constraint& constraint) {
    if (!holds(constraint.when) || constraint.require == nullptr) return;
    const Answer met = evaluator_.ask(*constraint.require);
    if (!met.tell(diagnostics_) || as_truth(met.value).scalar.value != 0) return;
    if (const std::optional<std::string> message = say(evaluator_, constraint.message, nowhere(), diagnostics_))
      diagnostics_.error(place_of(*constraint.require->source).value_or(config_.span()), *message);
  }

  /// Where the config says the last of the fields that a formula names, for that is mostly the odd one.
  std::optional<Span> place_of(const Expr& formula) const {
    std::optional<Span> place;
    for (const ExprPtr& part : formula.args) {
      if (const std::optional<Span> inner = place_of(*part)) place = inner;
    }
    for (const Given& given : fields_.given) {
      if (formula.kind == Expr::Kind::name && given.name == formula.text) place = given.span;
    }
    return place;
  }

  std::string line(const LinkedModel::Parameter& parameter) {
    if (parameter.value == nullptr || !holds(parameter.when)) return {};
    const Value value = worth(*parameter.value);
    std::string out =
        fmt::format("  {}: {}", parameter.name, value.kind == Value::Kind::truth ? (value.scalar.value != 0 ? "true" : "false") : exact(value.scalar.value));
    const std::string from = comment(*parameter.value);
    if (from.empty()) return out + "\n";
    out.resize(std::max(out.size() + 1, kCommentColumn), ' ');
    return out + "# " + from + "\n";
  }

  /// What a number comes from; of a field that the config leaves out, what that means. Empty: it is the family's.
  std::string comment(const Formula& formula) const {
    if (formula.kind == Formula::Kind::constant) return {};
    const bool named =
        formula.kind == Formula::Kind::name && !formula.name->input && !formula.name->defs.empty() && formula.name->defs[0]->otherwise != nullptr;
    if (named) return comment(*formula.name->defs[0]->otherwise);
    const std::string from = shown(formula);
    if (fields_.absent.count(from) == 0) return from;
    const auto field = std::find_if(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& other) { return other.name == from; });
    return fmt::format("no {}: {}", from, yaml_flow(field->fallback));
  }

  std::string item(const Datum& written, const std::string& name, const std::string& repeat, const std::string& indent) {
    names_.insert(name);
    return fmt::format("{}- {}\n", indent, yaml_flow(as_written(written, name, repeat)));
  }

  /// `dense`, `dense_2`, …
  std::string fresh(const std::string& name) {
    std::string out = name;
    for (int n = 2; names_.count(out) > 0; ++n) out = fmt::format("{}_{}", name, n);
    return out;
  }

  std::string layers(const LinkedModel::Segment& segment) {
    const Answer layers = evaluator_.ask(*segment.layers);
    if (!layers.tell(diagnostics_)) return {};
    const double count = layers.value.scalar.value;
    if (!(count >= 1 && count <= static_cast<double>(kMostLayers))) {
      diagnostics_.error(place_of(*segment.layers->source).value_or(config_.span()), fmt::format("{} layers: there may be 1 to {}", exact(count), kMostLayers));
      return {};
    }
    std::vector<std::size_t> kinds;
    for (double layer = 0; layer < count; ++layer) {
      const std::optional<std::size_t> kind = kind_of(segment, layer);
      if (!kind) return {};
      kinds.push_back(*kind);
    }
    return written(segment, find_pattern(kinds), kinds.size());
  }

  std::optional<std::size_t> kind_of(const LinkedModel::Segment& segment, double layer) {
    for (std::size_t kind = 0; kind < segment.kinds.size(); ++kind) {
      const Formula* const when = segment.kinds[kind].when;
      const std::vector<Value> number = {number_value(integer(layer))};
      const Answer is_it = when == nullptr ? Answer{truth_value(true)} : evaluator_.ask(*when, nowhere(), &number);
      if (!is_it.tell(diagnostics_)) return std::nullopt;
      if (as_truth(is_it.value).scalar.value != 0) return kind;
    }
    diagnostics_.error(segment.written->span(), fmt::format("layer {:.0f} is of no kind that the mapping `{}` knows", layer, mapping_.name()));
    return std::nullopt;
  }

  /// The longest group takes what the others leave of the parameter that says how many layers there are, so that this one can be edited.
  std::string written(const LinkedModel::Segment& segment, const std::vector<LayerGroup>& groups, std::size_t layers) {
    const auto longest = std::max_element(groups.begin(), groups.end(), [](const LayerGroup& a, const LayerGroup& b) { return a.layers() < b.layers(); });
    const Datum* parameter = segment.written->find("repeat");
    const std::size_t others = layers - longest->layers();
    std::string out;
    std::size_t segments = 0;
    for (const LayerGroup& group : groups) {
      const bool is_longest = &group == &*longest && parameter != nullptr;
      std::string count = !is_longest ? std::to_string(group.layers()) : others == 0 ? parameter->text() : fmt::format("{} - {}", parameter->text(), others);
      if (group.rounds == 1) {
        out += item(kind(segment, group.runs[0]), fresh(kind(segment, group.runs[0]).find("name")->text()), count, "  ");
      } else {
        const std::size_t round = group.layers() / group.rounds;
        if (!is_longest) count = std::to_string(group.rounds);
        if (is_longest) count = (others == 0 ? count : "(" + count + ")") + fmt::format(" / {}", round);
        out += fmt::format("  - repeat: {}\n    segments:\n", count);
        for (const LayerRun& run : group.runs)
          out += item(kind(segment, run), fresh(kind(segment, run).find("name")->text()), run.layers > 1 ? std::to_string(run.layers) : "", "      ");
      }
      segments += group.runs.size();
    }
    if (segments <= kMostSegments) return out;
    diagnostics_.error(config_.span(),
                       fmt::format("layers of different kinds follow each other in no order that could be written in less than {} segments", segments));
    return {};
  }

  static const Datum& kind(const LinkedModel::Segment& segment, const LayerRun& run) { return *segment.kinds[run.kind].written; }

  const Mapping& mapping_;
  const ConfigFields& fields_;
  const Datum& config_;
  Evaluator evaluator_;
  const Program& program_;
  Diagnostics& diagnostics_;
  std::set<std::string> names_;
};

}  // namespace

std::optional<LinkedModel> link_made_model(const Mapping& mapping, Program& program, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  LinkedModel model = ModelLinker(program, diagnostics).link(mapping);
  if (diagnostics.errors() > errors) return std::nullopt;
  return model;
}

std::string make_model(const Mapping& mapping, const ConfigFields& fields, const Datum& config, const MadeHeading& heading, Diagnostics& diagnostics) {
  ProgramSources sources(graph_engine());
  sources.documents = {&mapping.declarations};
  sources.execution = fields.given;
  std::optional<Program> program = link_program(sources, diagnostics);
  if (!program) return {};
  const std::optional<LinkedModel> model = link_made_model(mapping, *program, diagnostics);
  if (!model) return {};
  ModelMaker maker(mapping, fields, config, *program, diagnostics);
  if (!maker.check()) return {};
  return maker.text(*model, heading);
}

}  // namespace opledger
