#include "graph/dimension_table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "expr/printer.h"

namespace opledger {

DimensionTable::DimensionTable(const Model& model, Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {
  for (const Definition& parameter : model.parameters)
    declared_[parameter.name] = {parameter.name, nullptr, false, false, false, {}, {}, nullptr, parameter.span};
  for (const auto& [name, spec] : model.dimensions)
    declared_[name] = {name, spec.size, spec.unordered, spec.rounds, spec.mean, spec.continues, {}, spec.load, spec.span};
  for (const VariantSpec& variant : model.variants) declared_[variant.name].variant_of = variant.of;
}

std::optional<DimId> DimensionTable::intern(std::string_view name, const Span& span) {
  if (auto used = used_.find(name); used != used_.end()) return used->second;
  auto declared = declared_.find(name);
  if (declared == declared_.end()) {
    diagnostics_.error(span, fmt::format("unknown dimension `{}`{}", name, suggest(name)));
    return std::nullopt;
  }
  auto id = graph_.dimensions.next();
  graph_.dimensions.push_back(declared->second);
  used_.emplace(name, id);
  return id;
}

std::string DimensionTable::suggest(std::string_view name) const { return known_names(name, "dimensions", names_of(declared_)); }

std::string DimensionTable::text(const DimList& dims) const {
  std::vector<std::string> names;
  for (DimId d : dims) names.push_back(name(d));
  return "[" + join(names, " ") + "]";
}

/// Returns the size of a dimension as a formula; a dimension without formula is a parameter, so the formula is its
/// name.
ExprPtr DimensionTable::size_of(DimId d, const Span& span) const {
  const DimensionInfo& info = graph_.dimensions[d];
  if (info.size) return info.size;
  auto parameter = std::make_shared<Expr>();
  parameter->kind = Expr::Kind::name;
  parameter->text = info.name;
  parameter->span = span;
  return parameter;
}

/// Adds a requirement for an edge that renames `from` to `to`: their sizes are equal, or the size that the edge states
/// equals that of `to`. Sizes are formulas; equal texts need no requirement. Its message has the two values, which
/// each run fills in. A rename without a stated size adds the requirement once for each pair of dimensions
/// (`renamed_`), and none if `to` continues `from`. In that case `to` also has entries of earlier calls, and is larger.
void DimensionTable::renamed(DimId from, DimId to, const RenameSpec& rename, const std::string& tensor, const Renames& scope) {
  const std::string &old = name(from), &now = name(to);
  if (from == to || (!rename.size && (graph_.dimensions[to].continues == old || !renamed_.emplace(from, to).second))) return;
  const ExprPtr before = rename.size ? substitute(rename.size, scope) : size_of(from, rename.span), after = size_of(to, rename.span);
  if (to_source(*before) == to_source(*after)) return;
  Requirement equal;
  equal.require = operation(Op::equal, {before, after});
  equal.span = rename.span;
  if (rename.size) {
    equal.message = {{fmt::format("`{}` is renamed to `{}` of size ", old, now), before}, {fmt::format(", but `{}` = ", now), after}};
  } else {
    equal.message = {{fmt::format("`{}` = ", old), before},
                     {fmt::format(" is renamed to `{}` = ", now), after},
                     {fmt::format(": rename to a dimension of the same size, or state the other size, as in `{{{}: {{{}: {{to: {}, size: {}}}}}}}`", tensor,
                                  rename.from, rename.to, rename.to),
                      nullptr}};
  }
  graph_.requirements.push_back(std::move(equal));
}

void DimensionTable::add_groups(const Model& model) {
  for (const auto& [fine, coarse] : model.grouped) {
    for (const std::string& name : {fine, coarse}) {
      if (!known(name)) diagnostics_.error({}, fmt::format("unknown dimension `{}` in `grouped`{}", name, suggest(name)));
    }
    auto a = used_.find(fine), b = used_.find(coarse);
    if (a != used_.end() && b != used_.end()) graph_.grouped.emplace_back(a->second, b->second);
  }
}

}  // namespace opledger
