#include "formulas/read/check.h"

#include <fmt/core.h>

#include <set>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "formulas/link/types.h"
#include "formulas/link/variance.h"

namespace opledger {
namespace {

/// An evaluation of a program's formulas in units mode. Names are cached, so each definition is checked once for each
/// combination of operators and words that matter. Cost is independent of the size of any graph.
class Checker {
 public:
  Checker(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics), evaluator_(program, Evaluator::Mode::units) {}

  void run() {
    // Evaluates formulas in units mode, which computes kinds and units without values and reports misfits. The formulas are
    // those of metrics, quantities of nodes and of operators, tables, comparisons, constraints and checks. Other names are
    // checked only if these formulas read them. Defaults in documents are read against their types. First, published
    // metrics that need a set without a chosen word are reported.
    for (const Published& p : program_.published) check_published(p);
    for (const Name* metric : program_.metrics) check_name(*metric, nowhere());
    for (const auto& name : program_.names) {
      if (program_.find(name->name) != name.get()) continue;  // Names of operators are reached from quantities.
      if (name->at_node) check_quantity(*name);
      if (name->of) check_name(*name, all_needed(*name, nowhere()));
    }
    for (const Table& table : program_.tables) check(table);
    for (const auto& [_, comparison] : program_.compares) {
      for (const Counterpart& c : comparison.metrics) check_name(*c.own, nowhere());
      for (const ElementComparison& e : comparison.elements) check_elements(e);
    }
    check_constraints(program_.constraints, nowhere());
    check_constraints(program_.remarks, nowhere());
    for (const Hint& hint : program_.hints) check(hint);
    for (const Check& c : program_.checks) check(c);
    for (const auto& [name, n] : program_.global->names) {
      if (n->input && n->type.kind == Type::Kind::record) check_defaults(n->type, name);
    }
  }

 private:
  /// Reads the default of every field, including defaults that no document uses.
  void check_defaults(const Type& type, const std::string& path) {
    if (type.optional && !type.fallback.is_null()) {
      Formulas unused;
      Linker linker(program_, unused, diagnostics_);
      read_value(program_, linker, type, type.fallback, path, diagnostics_);
    }
    for (const auto& [name, field] : type.fields) check_defaults(field, path + "." + name);
    if (type.of != nullptr) check_defaults(*type.of, path);
  }

  void check_name(const Name& name, const Point& point) { evaluator_.ask(name, any_case(name, point)).report(diagnostics_); }

  void check_texts(const std::vector<MessagePart>& parts, const Point& point) {
    for (const MessagePart& part : parts) {
      if (part.value != nullptr) evaluator_.ask(*part.value, point).report(diagnostics_);
    }
  }

  void check(const Table& table) {
    const Point row = evaluator_.choose(nowhere(), table.rows, 0);
    evaluate(table.where, row);
    if (table.under != nullptr) check_name(*table.under, row);
    evaluate(table.by, row);
    for (const TableColumn& column : table.columns) {
      if (column.name != nullptr) check_name(*column.name, evaluator_.choose(row, column.at));
      check_texts(column.text, !column.over ? row : evaluator_.choose(row, column.over, 0));
    }
    for (const TableNote& note : table.notes) {
      evaluate(note.when, nowhere());
      check_texts(note.text, nowhere());
    }
  }

  void check_elements(const ElementComparison& comparison) {
    Point point = evaluator_.choose(nowhere(), comparison.ours, 0);
    if (comparison.by) point[comparison.by] = kAnyWord;
    for (const Counterpart& c : comparison.quantities) check_name(*c.own, point);
  }

  /// Returns the point with an unknown word (kAnyWord) of each set that the name needs, if the name has published names of
  /// its own; these enumerate the words.
  Point any_case(const Name& name, Point point) const { return name.published.empty() ? point : all_needed(name, point); }

  Point all_needed(const Name& name, Point point) const {
    for (const SetId s : program_.sets.ids()) {
      if ((name.variance.needs & bit(s)) != 0 && point[s] == kNoWord) point[s] = kAnyWord;
    }
    return point;
  }

  /// Checks a quantity for every operator that stands for nodes in units mode (Program::nodes).
  void check_quantity(const Name& name) {
    for (const WordId node : evaluator_.visit(program_.engine->nodes, nowhere())) {
      Point p = evaluator_.choose(nowhere(), program_.engine->nodes, node);
      for (const SetId s : program_.sets.ids()) {
        const bool word_set = !program_.sets[s]->elements && program_.sets[s]->binder == nullptr && program_.sets[s]->default_word < 0;
        if (word_set && (name.variance.varies & bit(s)) != 0) p[s] = kAnyWord;
      }
      evaluator_.ask(name, p).report(diagnostics_);
    }
  }

  /// Reports a published metric that needs a set without having a word of it. `needs` has the sets that must have
  /// a current word, and the published name spells words of some of them. The message names the first of the program's
  /// names that the metric's formulas mention and that needs the set, if any. Each metric is reported for one published
  /// name only, with an error for each missing set.
  void check_published(const Published& published) {
    const Name& metric = *published.metric;
    std::uint64_t open = metric.variance.needs;
    for (const auto& [set, _] : published.at) open &= ~bit(set);
    if (open == 0 || !reported_.insert(&metric).second) return;
    for (const SetId s : program_.sets.ids()) {
      if ((open & bit(s)) == 0) continue;
      const std::string& set = program_.sets[s]->name;
      std::string through;
      for (const auto& other : program_.names) {
        const bool direct = other.get() != &metric && (other->variance.needs & bit(s)) != 0 && mentions(metric, *other);
        if (direct && through.empty()) through = fmt::format(", through `{}`", other->name);
      }
      diagnostics_.error(metric.span(),
                         fmt::format("`{}` varies with {}{}: choose a {}, aggregate over it, or publish it `as: …<{}>…`", metric.name, set, through, set, set));
    }
  }

  static bool mentions(const Formula& f, const Name& name) {
    if (f.name == &name) return true;
    for (const Formula* arg : f.args) {
      if (mentions(*arg, name)) return true;
    }
    return false;
  }

  static bool mentions(const Name& metric, const Name& name) {
    for (const Def* def : metric.defs) {
      if (def->otherwise != nullptr && mentions(*def->otherwise, name)) return true;
      for (const auto& [_, f] : def->cases) {
        if (f != nullptr && mentions(*f, name)) return true;
      }
    }
    return false;
  }

  void check_constraints(const std::vector<Constraint>& all, const Point& point) {
    for (const Constraint& c : all) {
      const Point p = c.over ? evaluator_.choose(point, c.over, 0) : point;
      for (const Formula* f : {c.when, c.require}) {
        const std::optional<Value> v = evaluate(f, p);
        if (v && v->kind != Value::Kind::truth) diagnostics_.error(f->source->span, fmt::format("a condition must be true or false, not {}", describe(*v)));
      }
      if (c.at != nullptr) check_place(*c.at, p);
      check_texts(c.message, p);
      check_constraints(c.all, p);
    }
  }

  void check_place(const Formula& at, const Point& point) {
    const std::optional<Value> v = evaluate(&at, point);
    if (v && v->record == nullptr)
      diagnostics_.error(at.source->span, fmt::format("`at` names a field of a document that has fields or items of its own, not {}", describe(*v)));
  }

  std::optional<Value> evaluate(const Formula* formula, const Point& point) {
    if (formula == nullptr) return std::nullopt;
    const Answer answer = evaluator_.ask(*formula, point);
    return answer.report(diagnostics_) ? std::optional(answer.value) : std::nullopt;
  }

  void require_kind(const Formula* formula, const Point& point, bool truth, const Dimension& unit) {
    const std::optional<Value> v = evaluate(formula, point);
    if (!v || (truth ? as_truth(*v).kind == Value::Kind::truth : v->is_number() && (v->any_unit || v->unit == unit))) return;
    const std::string expected = truth ? "true or false" : unit.plain() ? "a plain number" : "a number in " + to_string(unit);
    diagnostics_.error(formula->source->span, fmt::format("expected {}, not {}", expected, describe(*v)));
  }

  void check(const Hint& hint) {
    const Point p = hint.over ? evaluator_.choose(nowhere(), hint.over, 0) : nowhere();
    require_kind(hint.when, p, true, {});
    require_kind(hint.weight, p, false, {});
    check_texts(hint.message, p);
    check_texts(hint.see, p);
  }

  void check(const Check& c) {
    const Point p = c.over ? evaluator_.choose(nowhere(), c.over, 0) : nowhere();
    const std::optional<Value> left = evaluate(c.left, p), right = evaluate(c.right, p);
    if (left && right && !left->any_unit) require_kind(c.right, p, false, left->unit);
    if (left) require_kind(c.within, p, false, left->any_unit && right ? right->unit : left->unit);
    require_kind(c.tolerance, p, false, {});
    require_kind(c.when, nowhere(), true, {});
    require_kind(c.where, p, true, {});
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  Evaluator evaluator_;
  std::set<const Name*> reported_;
};

}  // namespace

bool check_units(const Program& program, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  Checker(program, diagnostics).run();
  return diagnostics.errors() == before;
}

}  // namespace opledger
