#include "tests/rules/setting.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "graph/build.h"
#include "schemas/document.h"
#include "tests/paths.h"

namespace opledger::testing {

namespace {

/// Returns a file of tests/data/sharding, with edits.
Datum read(const std::string& file, const std::vector<std::pair<std::string, std::string>>& edits = {}) {
  Diagnostics diagnostics;
  auto source = read_source(source_folder() + "/tests/data/sharding/" + file, diagnostics);
  REQUIRE_MESSAGE(source, render(diagnostics));
  std::string edited = source->text;
  for (const auto& edit : edits) {
    std::size_t at = edited.find(edit.first);
    REQUIRE_MESSAGE(at != std::string::npos, edit.first);
    edited.replace(at, edit.first.size(), edit.second);
  }
  auto datum = parse_document(std::make_shared<const SourceFile>(source->path, std::move(edited)), diagnostics);
  REQUIRE_MESSAGE(datum.has_value(), render(diagnostics));
  return *datum;
}

std::shared_ptr<const OperatorLibrary> load_operators(const std::vector<std::pair<std::string, std::string>>& edits) {
  auto loaded = std::make_shared<OperatorLibrary>();
  Diagnostics diagnostics;
  loaded->add({"ops", "sharding", {}, read("ops.yaml", edits)}, diagnostics);
  REQUIRE_MESSAGE(!diagnostics.has_errors(), render(diagnostics));
  return loaded;
}

std::shared_ptr<const OperatorLibrary> operators(const Setting& setting) {
  static const auto unedited = load_operators({});
  return setting.edits.empty() ? unedited : load_operators(setting.edits);
}

const Document& document(const char* kind, const std::string& name) {
  static const Datum models = read("models.yaml"), rules = read("rules.yaml");
  static std::map<std::string, Document> made;
  auto found = made.find(kind + name);
  if (found != made.end()) return found->second;
  const Datum* datum = (std::string(kind) == "rules" ? rules : models).find(name);
  REQUIRE_MESSAGE(datum, name);
  return made.emplace(kind + name, Document{kind, name, {}, *datum}).first->second;
}

const Model& model_of(const std::string& name) {
  static std::map<std::string, Model> made;
  auto found = made.find(name);
  if (found != made.end()) return found->second;
  Diagnostics diagnostics;
  auto model = assemble_model({&document("model", name)}, diagnostics);
  REQUIRE_MESSAGE(model.has_value(), render(diagnostics));
  return made.emplace(name, std::move(*model)).first->second;
}

SegmentSpec segment_of(const std::string& name, const std::string& block) {
  SegmentSpec segment;
  segment.name = name;
  segment.block = block;
  return segment;
}

Model model_for(const Setting& setting) {
  Model model = model_of(setting.model);
  std::string before = setting.after.empty() ? "origin" : setting.after;
  if (!model.blocks.at(setting.block).inputs.empty()) model.graph.push_back(segment_of(setting.after.empty() ? "before" : setting.after, before));
  SegmentSpec own = segment_of("block", setting.block);
  own.weights = setting.ties;
  own.weight_spans.resize(own.weights.size());
  if (setting.repeat) own.repeat = std::make_shared<Expr>();
  model.graph.push_back(own);
  return model;
}

std::optional<Datum> parse(const std::string& name, const std::string& text, Diagnostics& diagnostics) {
  return parse_document(std::make_shared<SourceFile>(SourceFile{name, text}), diagnostics);
}

RuleSet rules_for(const Setting& setting, Diagnostics& diagnostics) {
  RuleSet rules;
  for (const std::string& name : setting.rules) rules.add(document("rules", name), diagnostics);
  if (setting.extra_rules.empty()) return rules;
  if (auto datum = parse("rules.yaml", setting.extra_rules, diagnostics)) rules.add({"rules", "rules", {}, *datum}, diagnostics);
  return rules;
}

double evaluate(const Expr& e, const std::map<std::string, double>& names) {
  if (e.kind == Expr::Kind::number) return e.number;
  if (e.kind == Expr::Kind::name) return names.at(e.text);
  REQUIRE(e.kind == Expr::Kind::operation);
  std::vector<double> args;
  for (const ExprPtr& arg : e.args) args.push_back(evaluate(*arg, names));
  switch (e.op) {
    case Op::add:
      return args[0] + args[1];
    case Op::multiply:
      return args[0] * args[1];
    case Op::divide:
      return args[0] / args[1];
    case Op::floor_divide:
      return std::floor(args[0] / args[1]);
    default:
      FAIL("not in these models");
      return 0;
  }
}

}  // namespace

IdVector<AxisId, double> degrees(const Mesh& mesh, const std::map<std::string, double>& whole, const IdVector<DimId, double>& sizes) {
  IdVector<AxisId, double> degree;
  auto of = [&](AxisId a) { return degree[a]; };
  for (const Axis& axis : mesh.axes) {
    if (axis.part == Axis::Part::whole) {
      degree.push_back(whole.at(axis.name));
      continue;
    }
    double left = sizes[axis.dimension];
    bool blocked = false;
    for (AxisId a : axis.before) {
      const AxisId filled = mesh.axes[a].of;
      left /= static_cast<double>(std::gcd(static_cast<long long>(left), static_cast<long long>(of(a))));
      blocked = blocked || (axis.aligned && filled && of(filled) != of(a));
    }
    const auto fitting = blocked ? 1 : static_cast<double>(std::gcd(static_cast<long long>(left), static_cast<long long>(of(axis.of))));
    degree.push_back(axis.part == Axis::Part::fitting ? fitting : of(axis.of) / fitting);
  }
  return degree;
}

std::string without_segment(const std::string& name) { return name.substr(name.find('.') + 1); }

double Derived::ranks(const AxisList& axes) const {
  double product = 1;
  for (AxisId a : axes) product *= degree[a];
  return product;
}

double Derived::value(const Expr& formula) const { return evaluate(formula, parameters_); }

double Derived::elements(const DimList& dims, const Placement& placement) const {
  double product = 1;
  for (DimId d : dims) product *= size(d);
  for (const auto& entry : placement.shard) product /= ranks(entry.second);
  return product;
}

double Derived::message_bytes(const Transfer& t) const {
  double width = t.fixed_width != 0 ? t.fixed_width : t.width ? value(*t.width) : 2;
  double bytes = t.times * elements(t.dims, t.message) * width;
  if (t.margin) bytes *= std::min(value(*t.margin), size(t.from) - size(t.from) / ranks(t.axes));
  return bytes;
}

double Derived::sent_bytes(const Transfer& t) const {
  double n = t.stages && t.weight ? 2 : ranks(t.axes), bytes = message_bytes(t);
  if (t.kind == Collective::point_to_point) return bytes;
  return (t.kind == Collective::all_reduce ? 2 : 1) * bytes * (n - 1) / n;
}

double Derived::saved_bytes(bool rebuilt) const {
  double bytes = 0;
  for (const Saved& saved : annotations.saved) {
    const Tensor& tensor = graph.tensors[saved.tensor];
    if (tensor.segment != segment || saved.rebuilt != rebuilt) continue;
    const bool counts = std::all_of(saved.distinct_axes.begin(), saved.distinct_axes.end(), [this](const AxisList& axes) { return ranks(axes) > 1; });
    if (counts) bytes += elements(tensor.dims, saved.placement) * (tensor.width ? value(*tensor.width) : 2);
  }
  return bytes;
}

std::string Derived::name(const AxisList& axes) const {
  IdVector<AxisId, bool> shown;
  for (double n : degree) shown.push_back(n > 1);
  return annotations.mesh.describe(axes, shown);
}

std::string Derived::uneven() const {
  for (const Divisibility& division : annotations.divisions) {
    double n = ranks(division.axes);
    if (std::fmod(size(division.dimension), n) == 0) continue;
    return fmt::format("{}: {} = {} does not divide by {} = {} ({})", without_segment(division.name), graph.name(division.dimension), size(division.dimension),
                       name(division.axes), n, annotations.rules[division.rule].text);
  }
  return {};
}

void Derived::set_sizes(const std::map<std::string, double>& overrides, const Model& model) {
  parameters_ = overrides;
  for (const Definition& parameter : model.parameters) parameters_.emplace(parameter.name, parameter.otherwise->number);
  for (const DimensionInfo& info : graph.dimensions) {
    bool is_fixed = overrides.count(info.name) > 0 || !info.size;
    sizes_.push_back(is_fixed ? parameters_.at(info.name) : value(*info.size));
  }
}

Derived derive(const Setting& setting) {
  Derived d;
  d.model_ = std::make_shared<Model>(model_for(setting));
  const Model& model = *d.model_;
  d.operators_ = operators(setting);
  auto graph = build_graph(
      model, *d.operators_, [](const ExprPtr&) { return false; }, d.diagnostics);
  if (!graph) return d;
  d.graph = std::move(*graph);
  d.built = true;
  d.segment = d.graph.segments.next() - 1;
  d.set_sizes(setting.sizes, model);
  auto datum = parse("mesh", setting.mesh, d.diagnostics);
  auto mesh = datum ? parse_mesh(*datum, d.diagnostics) : std::nullopt;
  if (!mesh) return d;
  for (const auto& [name, degree] : mesh->degrees) d.whole_degrees_[name] = std::stod(degree.text());
  d.rules = rules_for(setting, d.diagnostics);
  Condition holds = [&](const ExprPtr& when) { return setting.options.count(when->text) > 0; };
  const auto divides = [&](DimId dimension, const Mesh& now, const AxisList& axes) {
    const IdVector<AxisId, double> degree = degrees(now, d.whole_degrees_, d.sizes_);
    double n = 1;
    for (AxisId a : axes) n *= degree[a];
    return std::fmod(d.size(dimension), n) == 0;
  };
  const auto one_rank = [&](const Mesh& now, AxisId axis) { return degrees(now, d.whole_degrees_, d.sizes_)[axis] == 1; };
  auto annotations = annotate(d.graph, mesh->mesh, d.rules, holds, {divides, one_rank}, d.diagnostics);
  if (!annotations) return d;
  d.annotations = std::move(*annotations);
  d.degree = degrees(d.annotations.mesh, d.whole_degrees_, d.sizes_);
  d.derived = true;
  return d;
}

}  // namespace opledger::testing
