#include "search/space/space_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "formulas/link/linker.h"
#include "formulas/link/types.h"
#include "run/document_fields.h"
#include "run/solved_input.h"
#include "search/space/axis_units.h"
#include "search/space/reads.h"
#include "search/space/written_axes.h"

namespace opledger {
namespace {

/// Returns whether the domain is one value that needs no program, so that the run gets the value before linking.
bool is_literal(const Domain& domain) {
  if (domain.values.size() != 1 || domain.where) return false;
  const Expr::Kind kind = domain.values[0]->kind;
  return kind == Expr::Kind::number || kind == Expr::Kind::boolean;
}

/// Returns the expression with the axis `name` in place of `it`.
ExprPtr with_name(const ExprPtr& expr, const std::string& name) {
  auto out = std::make_shared<Expr>(*expr);
  if (expr->kind == Expr::Kind::name && expr->text == "it") out->text = name;
  for (ExprPtr& arg : out->args) arg = with_name(arg, name);
  return out;
}

/// Links the domains and conditions of written axes over the program of the run.
class Reader {
 public:
  Reader(Space& space, Diagnostics& diagnostics) : program_(space.run->program()), linker_(program_, space.formulas, diagnostics), diagnostics_(diagnostics) {}

  bool read(const WrittenAxis& written, const Domain& domain, SpaceAxis& out) {
    out.span = written.name->span();
    return (written.name->text() == kSystemAxis ? read_systems(out) : read_values(written, domain, out)) && read_hints(written, out);
  }

 private:
  /// Fills in an axis from its name and parsed domain. The name must be an input with numbers, truths or words as
  /// values. The expressions of the domain become items, and the condition `where` is linked with the name of the axis
  /// in place of `it`. An axis with one formula as its only value is derived: its value follows from other axes and is
  /// not enumerated. Parameters of the model can be axes, so the error for an unknown name suggests them as well.
  /// Returns false, with errors, on failure.
  bool read_values(const WrittenAxis& written, const Domain& domain, SpaceAxis& out) {
    out.input = program_.find_input(written.name->text());
    if (out.input == nullptr) {
      std::vector<std::string> known = names_of(program_.inputs);
      for (const auto& [parameter, _] : program_.model->names) known.push_back(parameter);
      std::sort(known.begin(), known.end());
      diagnostics_.error(out.span, fmt::format("no input is called `{}`{}", written.name->text(), known_names(written.name->text(), "inputs", known)));
      return false;
    }
    const Type::Kind kind = out.input->type.kind;
    if (kind != Type::Kind::number && kind != Type::Kind::integer && kind != Type::Kind::boolean && kind != Type::Kind::words) {
      diagnostics_.error(out.span, fmt::format("`{}` can't be an axis: its values are neither numbers nor words nor truth values", written.name->text()));
      return false;
    }
    for (const ExprPtr& value : domain.values) {
      if (!add_items(value, out.input->type, out.items)) return false;
    }
    if (domain.where && (out.where = link(with_name(domain.where, out.input->name))) == nullptr) return false;
    const bool single = out.items.size() == 1 && out.items[0].kind == DomainItem::Kind::value && out.items[0].first != nullptr;
    if (single) out.derived = out.items[0].first;
    return true;
  }

  /// The domain of the system axis is one word for each system document.
  bool read_systems(SpaceAxis& out) {
    if ((out.input = program_.find_input(kSystemAxis)) == nullptr) {
      diagnostics_.error(out.span, "the accounting has no document `system`");
      return false;
    }
    DomainItem item;
    for (std::size_t w = 0; w < program_.set(out.input->type.set).words.size(); ++w) {
      item.constant = static_cast<double>(w);
      out.items.push_back(item);
    }
    return true;
  }

  bool read_hints(const WrittenAxis& written, SpaceAxis& out) {
    if (written.symmetry != nullptr && !read_symmetry(*written.symmetry, out)) return false;
    out.stops = written.stop != nullptr && out.derived == nullptr;
    return true;
  }

  bool read_symmetry(const Datum& condition, SpaceAxis& out) {
    const ExprPtr expr = parse_expression(condition.text(), condition.span(), diagnostics_);
    return expr != nullptr && (out.symmetry = link(with_name(expr, out.input->name))) != nullptr;
  }

  const Formula* link(const ExprPtr& expr) { return linker_.link(expr, *program_.model); }

  /// Translates one expression of a domain into items, which are expanded to values during the search. A list is
  /// flattened. An `if` becomes a choice with items for both outcomes. `divisors(n)` and `range(a, b)` have items of
  /// their own. A word or truth of the axis's type becomes its number. The name of a set of words stands for all its
  /// words. Any other expression is a formula with one value. Returns false, with errors, if a formula can't be linked.
  bool add_items(const ExprPtr& expr, const Type& type, std::vector<DomainItem>& out) {
    DomainItem item;
    if (expr->kind == Expr::Kind::list) {
      return std::all_of(expr->args.begin(), expr->args.end(), [&](const ExprPtr& arg) { return add_items(arg, type, out); });
    }
    if (expr->kind == Expr::Kind::condition) {
      item.kind = DomainItem::Kind::choice;
      item.first = link(expr->args[0]);
      if (item.first == nullptr || !add_items(expr->args[1], type, item.then) || !add_items(expr->args[2], type, item.otherwise)) return false;
    } else if (is_call(*expr, "divisors", 1) || is_call(*expr, "range", 2)) {
      item.kind = expr->args.size() == 2 ? DomainItem::Kind::divisors : DomainItem::Kind::range;
      item.first = link(expr->args[1]);
      item.second = expr->args.size() > 2 ? link(expr->args[2]) : item.first;
      if (item.first == nullptr || item.second == nullptr) return false;
    } else if (const std::optional<double> word = word_of(*expr, type)) {
      item.constant = *word;
    } else if (const SetId set = words_of(*expr); set) {
      item.kind = DomainItem::Kind::words;
      item.first = program_.set(set).positions_formula;
      item.constant = static_cast<double>(program_.set(set).words.size());
    } else if ((item.first = link(expr)) == nullptr) {
      return false;
    }
    out.push_back(std::move(item));
    return true;
  }

  static bool is_call(const Expr& e, std::string_view name, std::size_t arguments) {
    return e.kind == Expr::Kind::call && e.args[0]->kind == Expr::Kind::name && e.args[0]->text == name && e.args.size() == arguments + 1;
  }

  /// Returns the number of a word or truth value of the axis's type; nothing for other expressions.
  std::optional<double> word_of(const Expr& e, const Type& type) const {
    if (e.kind == Expr::Kind::boolean && type.kind == Type::Kind::boolean) return e.number;
    if (e.kind != Expr::Kind::name || type.kind != Type::Kind::words) return std::nullopt;
    const Set& set = program_.set(type.set);
    const auto found = set.index.find(e.text);
    return found == set.index.end() ? std::nullopt : std::optional<double>(found->second);
  }

  /// Returns the set of words that an expression names; an invalid id if it names none.
  SetId words_of(const Expr& e) const {
    if (e.kind != Expr::Kind::name) return {};
    const SetId set = program_.find_set(e.text);
    return set && !program_.set(set).elements ? set : SetId();
  }

  const Program& program_;
  Linker linker_;
  Diagnostics& diagnostics_;
};

/// Reports a metric that the program does not publish.
bool check_published(const LinkedRun& run, const Datum& metric, Diagnostics& diagnostics) {
  if (run.program().find_published(metric.text()) != nullptr) return true;
  diagnostics.error(metric.span(), fmt::format("unknown metric `{}`{}", metric.text(), suggestion(metric.text(), names_of(run.program().published))));
  return false;
}

/// Reads the metric to optimize and its direction.
bool read_objective(const LinkedRun& run, Space& space, Diagnostics& diagnostics) {
  const Datum& root = run.space_document()->root;
  const Datum* most = root.find("maximize");
  const Datum* least = root.find("minimize");
  if ((most == nullptr) == (least == nullptr)) {
    diagnostics.error(root.span(), "a search needs an objective: `maximize: METRIC` or `minimize: METRIC`");
    return false;
  }
  const Datum& objective = most != nullptr ? *most : *least;
  space.maximize = most != nullptr;
  space.objective = objective.text();
  return check_published(run, objective, diagnostics);
}

/// Reads `simplest`, whose metric must be published.
bool read_simplicity(const LinkedRun& run, Space& space, Diagnostics& diagnostics) {
  const Datum* const simplest = run.space_document()->root.find("simplest");
  if (simplest == nullptr) return true;
  const Datum& metric = *simplest->find("minimize");
  space.simplicity = {metric.text(), simplest->find("within")->number().value_or(0)};
  return check_published(run, metric, diagnostics);
}

/// Reads `against`, whose metrics must be published.
bool read_tradeoffs(const LinkedRun& run, Space& space, Diagnostics& diagnostics) {
  const Datum* const against = run.space_document()->root.find("against");
  if (against == nullptr) return true;
  for (const Datum& metric : against->items()) {
    if (!check_published(run, metric, diagnostics)) return false;
    space.tradeoffs.push_back(metric.text());
  }
  return true;
}

}  // namespace

std::optional<Space> read_space(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  // Reads a space in four steps. First the written axes are divided. An axis with one literal value becomes a field of
  // the run. An axis with an override in the request keeps the override. Every other axis becomes an open input of the
  // run. `order` notes all axes as written, -1 for an axis with one value. The axis of systems is special: its values
  // are documents, which must be loaded before linking. Second, the run (accounting, model, open inputs) is linked once
  // for all candidates. Third, the formulas of the axes are linked over its program. Last, dependencies and units are
  // checked, because the checks need every axis.
  const Document* document = library.load(request.space, {"search"}, diagnostics);
  if (document == nullptr) return std::nullopt;
  RunRequest linked = request;
  std::vector<std::pair<WrittenAxis, Domain>> written;
  Space space;
  for (const WrittenAxis& axis : written_axes(document->root, diagnostics)) {
    Domain domain;
    const std::string& name = axis.name->text();
    const bool systems = name == kSystemAxis;
    if (systems ? !choose_systems(*document, *axis.value, library, linked, diagnostics) : !parse_axis(*axis.value, diagnostics, domain)) continue;
    const bool overridden = !systems && std::any_of(request.overrides.begin(), request.overrides.end(), [&](const auto& o) { return o.first == name; });
    if (overridden || (!systems && is_literal(domain))) {
      if (!overridden) linked.fields.push_back({name, *axis.value, axis.name->span(), false});
      space.order.emplace_back(name, -1);
      continue;
    }
    linked.open.emplace_back(name, axis.name->span());
    space.order.emplace_back(name, static_cast<int>(written.size()));
    written.emplace_back(axis, std::move(domain));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  space.run = LinkedRun::link(linked, library, diagnostics);
  if (space.run == nullptr) return std::nullopt;
  if (const std::optional<SolvedInput> solved = requested_solution(*space.run, diagnostics)) {
    diagnostics.error({}, fmt::format("a search can't solve for `{}`, as a single run can: make it an axis", solved->name));
    return std::nullopt;
  }
  if (linked.system.empty() && declared_fields(space.run->documents(), kSystemAxis) != nullptr) {
    diagnostics.error(
        {}, fmt::format("the accounting `{}` needs a system: name one after the model, or give the space an axis `{}`", space.run->accounting(), kSystemAxis));
    return std::nullopt;
  }
  Reader reader(space, diagnostics);
  for (const auto& [axis, domain] : written) reader.read(axis, domain, space.axes.emplace_back());
  if (space.axes.size() > kMaxSpaceAxes)
    diagnostics.error(document->root.find("axes")->span(), fmt::format("a space has at most {} axes of several values", kMaxSpaceAxes));
  if (diagnostics.has_errors() || !read_objective(*space.run, space, diagnostics)) return std::nullopt;
  if (!read_simplicity(*space.run, space, diagnostics) || !read_tradeoffs(*space.run, space, diagnostics)) return std::nullopt;
  if (!find_reads(space.run->program(), space.axes, diagnostics) || !check_axis_units(space, diagnostics)) return std::nullopt;
  return space;
}

}  // namespace opledger
