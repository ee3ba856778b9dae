#include "accounting/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/engine.h"
#include "accounting/evaluator.h"
#include "accounting/linker.h"
#include "accounting/types.h"
#include "accounting/variance.h"
#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

class Reader {
 public:
  Reader(const ProgramSources& sources, Diagnostics& diagnostics) : sources_(sources), diagnostics_(diagnostics), linker_(program_, diagnostics) {}

  std::optional<Program> read() {
    declare_engine_sets(program_);
    program_.operators = sources_.operators;
    program_.global = &linker_.scope(nullptr);
    program_.model = &linker_.scope(program_.global);
    for (const Document* d : sources_.documents) each(d, "sets", [&](const Datum& k, const Datum& v) { add_set(k, v); });
    for (const Document* d : sources_.documents) {
      each(d, "documents", [&](const Datum& k, const Datum& v) { add_document(k, v); });
      each(d, "inputs", [&](const Datum& k, const Datum& v) { add_input(k, v); });
    }
    for (const auto& [options, _] : sources_.options) {
      for (const auto& [k, v] : options->entries()) {
        if (program_.find(k.text()) == nullptr) add_input(k, v);  // two rule documents may share an option
      }
    }
    add_axes();
    for (const Document* d : sources_.documents) declare(*d);
    declare_operators();
    add_model();
    define_inputs();
    for (auto& [name, definition, scope, op] : pending_) link(*name, definition, *scope, op);
    for (const Document* d : sources_.documents) read_rest(*d);
    for (const auto& set : program_.sets) {
      if (set->positions) set->positions_formula = linker_.link(set->positions, *program_.global);
      if (!set->elements && set->id >= kEngineSets) set->binder = program_.find(set->name);
    }
    if (program_.sets.size() > kMaxSets)
      diagnostics_.error(program_.sets[kMaxSets]->span, fmt::format("there are {} sets, and at most {} are possible", program_.sets.size(), kMaxSets));
    if (diagnostics_.failed()) return std::nullopt;
    find_variance(program_);
    return std::move(program_);
  }

 private:
  struct Pending {
    Name* name;
    Definition definition;
    const NameScope* scope;
    const Operator* op;
  };

  template <class F>
  void each(const Document* document, const char* section, F&& f) {
    const Datum* datum = document->root.find(section);
    if (datum == nullptr || !datum->is_map()) return;
    for (const auto& [key, value] : datum->entries()) f(key, value);
  }

  void add_set(const Datum& key, const Datum& value) {
    if (program_.find_set(key.text()) >= 0) {
      diagnostics_.error(key.span(), fmt::format("set `{}` is declared twice", key.text()));
      return;
    }
    auto set = std::make_unique<Set>();
    set->name = key.text();
    set->id = static_cast<SetId>(program_.sets.size());
    set->span = key.span();
    if (const Datum* family = value.find("operators"); family != nullptr && value.entries().size() == 1) {
      if (!add_family(*set, *family)) return;
    } else if (value.is_scalar()) {
      set->positions = parse_expression(value.text(), value.span(), diagnostics_);
    } else if (value.is_list()) {
      for (const Datum& word : value.items()) add_word(*set, word.text(), word.text());
    } else {
      for (const auto& [word, text] : value.entries()) add_word(*set, word.text(), text.text());
    }
    program_.sets.push_back(std::move(set));
  }

  /// Words that are operators: all that extend one.
  bool add_family(Set& set, const Datum& name) {
    set.family = sources_.operators == nullptr ? nullptr : sources_.operators->find(name.text());
    if (set.family == nullptr) {
      diagnostics_.error(name.span(),
                         fmt::format("unknown operator `{}`{}", name.text(),
                                     suggestion(name.text(), sources_.operators == nullptr ? std::vector<std::string>{} : sources_.operators->names())));
      return false;
    }
    for (const auto& [word, op] : sources_.operators->all()) {
      const std::vector<const Operator*> line = lineage(op);
      if (&op == set.family || std::find(line.begin(), line.end(), set.family) == line.end()) continue;
      add_word(set, word, word);
      set.operators.push_back(&op);
    }
    if (set.words.empty()) diagnostics_.error(name.span(), fmt::format("no operator extends `{}`", name.text()));
    return !set.words.empty();
  }

  static void add_word(Set& set, const std::string& word, const std::string& text) {
    if (!set.index.emplace(word, static_cast<WordId>(set.words.size())).second) return;
    set.words.push_back(word);
    set.texts.push_back(text);
  }

  /// The engine's sets are known by their names everywhere: a name of the same text could never be read.
  bool is_set(const std::string& name, const Span& span) {
    const SetId set = program_.find_set(name);
    if (set < 0 || set >= kEngineSets) return false;
    diagnostics_.error(span, fmt::format("`{}` is a set already", name));
    return true;
  }

  bool clashes(const Datum& key) {
    if (is_set(key.text(), key.span())) return true;
    if (const Name* old = program_.find(key.text())) {
      Diagnostic& d = diagnostics_.error(key.span(), fmt::format("`{}` is already defined", key.text()));
      if (!old->defs.empty()) d.notes.push_back({Severity::note, old->defs[0]->span, "first defined here", {}});
      return true;
    }
    return false;
  }

  void add_document(const Datum& key, const Datum& value) {
    if (clashes(key)) return;
    std::optional<Type> type = parse_type(program_, linker_, "", value, diagnostics_);
    if (!type) return;
    Name& n = linker_.name(key.text());
    n.input = true;
    n.type = std::move(*type);
    program_.global->names.emplace(n.name, &n);
    for (const auto& [name, datum] : sources_.records) {
      if (name != key.text()) continue;
      if (const std::optional<Value> v = read_value(program_, linker_, n.type, datum, name, diagnostics_)) n.constant = v->record;
    }
  }

  void add_input(const Datum& key, const Datum& value) {
    if (clashes(key)) return;
    std::optional<Type> type = parse_type(program_, linker_, key.text(), value, diagnostics_);
    if (!type) return;
    Name& n = linker_.name(key.text());
    n.input = true;
    n.type = std::move(*type);
    program_.global->names.emplace(n.name, &n);
    program_.inputs.emplace_back(&n, key.span());
  }

  void add_axes() {
    for (const auto& [name, degree] : sources_.axes) {
      if (program_.find(name) != nullptr) {
        diagnostics_.error(degree.span(), fmt::format("mesh axis `{}` has the name of something else", name));
        continue;
      }
      Name& n = linker_.name(name);
      n.input = true;
      n.type.kind = Type::Kind::integer;
      n.type.minimum = parse_expression("1", degree.span(), diagnostics_);
      program_.global->names.emplace(name, &n);
      program_.inputs.emplace_back(&n, degree.span());
    }
    for (const auto& [name, axes] : sources_.axis_groups) {
      if (program_.find(name) != nullptr) continue;
      Name& n = linker_.name(name);
      program_.global->names.emplace(name, &n);
      Definition product;
      product.name = name;
      product.otherwise = parse_expression(axes.empty() ? "1" : join(axes, " * "), {}, diagnostics_);
      pending_.push_back({&n, std::move(product), program_.global, nullptr});
    }
  }

  /// Names of `let`, `metrics`, `quantities` and `functions`, before any formula is linked.
  void declare(const Document& document) {
    const bool may_replace = document.root.find("extends") != nullptr;
    for (const char* section : {"let", "metrics", "quantities"}) {
      const Datum* datum = document.root.find(section);
      if (datum == nullptr) continue;
      for (Definition& definition : parse_definitions(*datum, diagnostics_)) {
        if (is_set(definition.name, definition.span)) continue;
        Name* n = program_.find(definition.name);
        if (n != nullptr && (!may_replace || n->input)) {
          Diagnostic& d = diagnostics_.error(definition.span, fmt::format("`{}` is already defined", definition.name));
          for (const Pending& p : pending_) {
            if (p.name == n) d.notes.push_back({Severity::note, p.definition.span, "first defined here", {}});
          }
          continue;
        }
        if (const SetId set = program_.find_set(definition.name); set >= 0 && program_.set(set).elements) {
          diagnostics_.error(definition.span, fmt::format("`{}` is a set: a name can't be called the same", definition.name));
          continue;
        }
        if (n == nullptr) {
          n = &linker_.name(definition.name, section == std::string_view("quantities") && definition.of.empty());
          n->of = family_of(definition);
          program_.global->names.emplace(n->name, n);
          if (section == std::string_view("metrics")) {
            n->metric = true;
            program_.metrics.push_back(n);
            if (!definition.unit || definition.doc.empty()) diagnostics_.error(definition.span, fmt::format("metric `{}` needs a `unit` and a `doc`", n->name));
          }
        }
        if (!definition.published.empty()) n->published = definition.published;
        pending_.push_back({n, std::move(definition), program_.global, nullptr});
      }
    }
    each(&document, "functions", [&](const Datum& k, const Datum& v) { declare_function(k, v); });
  }

  /// The set of operators whose words have the quantity, or -1: nodes have it.
  SetId family_of(const Definition& definition) {
    if (definition.of.empty()) return -1;
    const SetId set = program_.find_set(definition.of);
    if (set >= 0 && program_.set(set).family != nullptr) return set;
    std::vector<std::string> families;
    for (const auto& s : program_.sets) {
      if (s->family != nullptr) families.push_back(s->name);
    }
    diagnostics_.error(definition.of_span, fmt::format("`{}` is no set of operators{}", definition.of, suggestion(definition.of, families)));
    return -1;
  }

  /// Whether an operator may say what this is of it: every node has it, or every operator of its family.
  bool has_quantity(const Operator& op, const Name& name) const {
    if (name.of < 0) return name.at_node;
    const std::vector<const Operator*> line = lineage(op);
    return std::find(line.begin(), line.end(), program_.set(name.of).family) != line.end();
  }

  void declare_function(const Datum& key, const Datum& value) {
    Signature signature;
    if (!parse_signature(key.text(), key.span(), diagnostics_, signature)) return;
    if (program_.find(signature.name) != nullptr) {
      diagnostics_.error(key.span(), fmt::format("`{}` is already defined", signature.name));
      return;
    }
    auto f = std::make_unique<Function>();
    f->name = signature.name;
    f->parameters = signature.parameters;
    f->span = key.span();
    Definition body;
    if (!parse_definition(key, value, diagnostics_, body)) return;
    if (!body.lets.empty()) {
      diagnostics_.error(key.span(), fmt::format("function `{}` can't have a `let`: write the names into its formula", f->name));
      return;
    }
    functions_.emplace_back(f.get(), std::move(body));
    program_.functions.push_back(std::move(f));
  }

  /// Operators' lets and their quantities, in a scope that sees the operator's ports and dimensions.
  void declare_operators() {
    if (sources_.operators == nullptr) return;
    std::map<const Operator*, NameScope*> scopes;
    for (const auto& [_, op] : sources_.operators->all()) {
      NameScope& scope = linker_.scope(program_.global);
      scope.op = &op;
      scopes[&op] = &scope;
    }
    std::map<std::pair<const Operator*, std::string>, Name*> lets;
    for (const auto& [_, op] : sources_.operators->all()) {
      const std::vector<const Operator*> line = lineage(op);
      for (auto o = line.rbegin(); o != line.rend(); ++o) {  // a let of a parent is one name for all who inherit it
        for (const Definition& let : (*o)->lets) {
          Name*& n = lets[{*o, let.name}];
          Name*& visible = scopes[&op]->names[let.name];
          if (n == nullptr) {
            n = visible != nullptr ? visible : &linker_.name(let.name, true);
            pending_.push_back({n, let, scopes[*o], *o});
          }
          visible = n;
        }
      }
      for (const Definition& quantity : op.quantities) {
        Name* n = program_.find(quantity.name);
        if (n == nullptr || !has_quantity(op, *n)) {
          std::vector<std::string> known = {"in", "out", "weights", "gradients", "frozen", "attributes", "params", "let", "inner", "extends"};
          for (const auto& [name, global] : program_.global->names) {
            if (has_quantity(op, *global)) known.push_back(name);
          }
          std::sort(known.begin(), known.end());
          diagnostics_.error(quantity.span, fmt::format("operator `{}`: unknown quantity `{}`{}", op.name, quantity.name, suggestion(quantity.name, known)));
          continue;
        }
        pending_.push_back({n, quantity, scopes[&op], &op});
      }
    }
  }

  const Given* given(const std::string& name) const {
    for (const auto* list : {&sources_.overrides, &sources_.execution}) {
      for (auto g = list->rbegin(); g != list->rend(); ++g) {
        if (g->name == name) return &*g;
      }
    }
    return nullptr;
  }

  void add_model() {
    if (sources_.model != nullptr) {
      for (const Definition& parameter : sources_.model->parameters) {
        if (program_.find(parameter.name) != nullptr && program_.find(parameter.name)->input) continue;
        Name*& n = program_.model->names[parameter.name];
        if (n != nullptr) continue;
        n = &linker_.name(parameter.name);
        if (given(parameter.name) == nullptr) pending_.push_back({n, parameter, program_.model, nullptr});
      }
    }
    for (const auto* list : {&sources_.execution, &sources_.overrides}) {
      for (const Given& g : *list) add_given(g);
    }
  }

  void add_given(const Given& g) {
    const Name* global = program_.find(g.name);
    const auto parameter = program_.model->names.find(g.name);
    if (parameter != program_.model->names.end()) {
      if (given(g.name) != &g) return;
      Definition definition;
      if (parse_definition(Datum::scalar(g.name, false, g.span), g.value, diagnostics_, definition))
        pending_.push_back({parameter->second, std::move(definition), program_.model, nullptr});
      return;
    }
    if (global != nullptr && global->input) return;
    std::vector<std::string> known;
    for (const auto& [n, _] : program_.inputs) known.push_back(n->name);
    for (const auto& [n, _] : program_.model->names) known.push_back(n);
    std::sort(known.begin(), known.end());
    diagnostics_.error(g.span, fmt::format("unknown field `{}`{}", g.name, suggestion(g.name, known)));
  }

  /// An input is what was given on the command line, else by the execution, else by the model, else its default.
  void define_inputs() {
    for (const auto& [n, span] : program_.inputs) {
      Datum value;
      Span at = span;
      bool found = false;
      if (const Given* g = given(n->name)) {
        value = g->value;
        at = g->span;
        found = true;
      } else if (const Datum* degree = axis(n->name)) {
        value = *degree;
        found = true;
      } else if (sources_.model != nullptr) {
        for (const Definition& p : sources_.model->parameters) {
          if (p.name != n->name) continue;
          pending_.push_back({n, p, program_.model, nullptr});
          found = true;
        }
        if (found) continue;
      }
      if (!found && n->type.optional) {
        value = n->type.fallback;
        found = true;
      }
      if (found) define_input(*n, value, at);
    }
  }

  const Datum* axis(const std::string& name) const {
    for (const auto& [axis, degree] : sources_.axes) {
      if (axis == name) return &degree;
    }
    return nullptr;
  }

  void define_input(Name& n, const Datum& value, const Span& at) {
    const bool number = n.type.kind == Type::Kind::number || n.type.kind == Type::Kind::integer || n.type.kind == Type::Kind::boolean;
    double constant = 0;
    Dimension dimension;
    if (number && value.is_scalar() && value.text() != "true" && value.text() != "false" && !parse_quantity(value.text(), constant, dimension)) {
      Definition definition;
      if (parse_definition(Datum::scalar(n.name, false, at), value, diagnostics_, definition))
        pending_.push_back({&n, std::move(definition), program_.model, nullptr});
      return;
    }
    const std::optional<Value> v = read_value(program_, linker_, n.type, value, n.name, diagnostics_);
    if (!v) return;
    if (v->record != nullptr) n.constant = v->record;
    auto formula = std::make_unique<Formula>();
    formula->kind = Formula::Kind::constant;
    formula->value = *v;
    auto def = std::make_unique<Def>();
    def->name = n.name;
    def->span = at;
    def->otherwise = formula.get();
    n.defs.push_back(def.get());
    program_.formulas.push_back(std::move(formula));
    program_.defs.push_back(std::move(def));
  }

  void link(Name& name, const Definition& definition, const NameScope& scope, const Operator* op) {
    const Def* def = linker_.define(definition, scope);
    if (def == nullptr) return;
    auto& defs = op != nullptr ? name.by_op[op] : name.defs;
    defs.insert(defs.begin(), def);
  }

  void read_rest(const Document& document) {
    for (auto& [function, body] : functions_) {
      NameScope& scope = linker_.scope(program_.global);
      for (std::size_t i = 0; i < function->parameters.size(); ++i) scope.locals.emplace(function->parameters[i], static_cast<std::int32_t>(i));
      if (const Def* def = linker_.define(body, scope)) function->body = *def;
    }
    functions_.clear();
    if (const Datum* constraints = document.root.find("constraints")) read_constraints(*constraints, *program_.global, program_.constraints);
    each(&document, "tables", [&](const Datum& k, const Datum& v) { read_table(k, v); });
    each(&document, "reports", [&](const Datum& k, const Datum& v) { read_report(k, v); });
  }

  void read_constraints(const Datum& list, const NameScope& outer, std::vector<Constraint>& into) {
    for (const Datum& item : list.items()) {
      const NameScope* scope = &outer;
      if (const Datum* lets = item.find("let")) {
        NameScope& own = linker_.scope(&outer);
        const std::vector<Definition> definitions = parse_definitions(*lets, diagnostics_);
        for (const Definition& d : definitions) own.names.emplace(d.name, &linker_.name(d.name));
        for (const Definition& d : definitions) link(*own.names.at(d.name), d, own, nullptr);
        scope = &own;
      }
      Constraint c;
      c.span = item.span();
      auto formula = [&](const char* key) -> const Formula* {
        const Datum* text = item.find(key);
        return text == nullptr ? nullptr : linker_.link(parse_expression(text->text(), text->span(), diagnostics_), *scope);
      };
      if (const Datum* over = item.find("for")) {
        c.over = program_.find_set(over->text());
        if (c.over < 0) diagnostics_.error(over->span(), fmt::format("unknown set `{}`", over->text()));
      }
      c.when = formula("when");
      c.require = formula("require");
      if (const Datum* message = item.find("message")) read_message(*message, *scope, c.message);
      if (const Datum* reason = item.find("reason")) c.reason = reason->text();
      if (c.require != nullptr) c.index = constraint_count_++;
      if (const Datum* all = item.find("all")) read_constraints(*all, *scope, c.all);
      into.push_back(std::move(c));
    }
  }

  void read_message(const Datum& message, const NameScope& scope, std::vector<std::pair<std::string, const Formula*>>& out) {
    const std::string& text = message.text();
    std::size_t at = 0;
    while (true) {
      const std::size_t open = text.find('{', at);
      if (open == std::string::npos) break;
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) break;
      Span span = message.span();
      span.column += static_cast<std::uint32_t>(open + (message.quoted() ? 2 : 1));
      out.emplace_back(text.substr(at, open - at), linker_.link(parse_expression(text.substr(open + 1, close - open - 1), span, diagnostics_), scope));
      at = close + 1;
    }
    out.emplace_back(text.substr(at), nullptr);
  }

  void read_table(const Datum& key, const Datum& value) {
    Table table;
    table.name = key.text();
    table.span = key.span();
    const Datum* rows = value.find("rows");
    table.rows = rows == nullptr ? SetId{-1} : program_.find_set(rows->text());
    if (table.rows < 0) {
      diagnostics_.error(rows == nullptr ? key.span() : rows->span(), fmt::format("table `{}`: `rows` must name a set", table.name));
      return;
    }
    if (const Datum* title = value.find("title")) table.title = title->text();
    if (const Datum* doc = value.find("doc")) table.doc = doc->text();
    if (const Datum* where = value.find("where")) table.where = linker_.link(parse_expression(where->text(), where->span(), diagnostics_), *program_.global);
    if (const Datum* columns = value.find("columns")) {
      for (const Definition& d : parse_definitions(*columns, diagnostics_)) {
        Name& n = linker_.name(d.name);
        link(n, d, *program_.global, nullptr);
        table.columns.emplace_back(d.name, &n);
      }
    }
    const auto old = std::find_if(program_.tables.begin(), program_.tables.end(), [&](const Table& t) { return t.name == table.name; });
    if (old != program_.tables.end())
      *old = std::move(table);
    else
      program_.tables.push_back(std::move(table));
  }

  void read_report(const Datum& key, const Datum& value) {
    std::vector<ReportPart> parts;
    for (const Datum& item : value.items()) {
      ReportPart part;
      part.span = item.span();
      if (const Datum* title = item.find("title")) part.title = title->text();
      if (const Datum* metrics = item.find("metrics")) {
        for (const Datum& metric : metrics->items()) part.metrics.emplace_back(metric.text(), metric.text());
        for (const auto& [name, metric] : metrics->entries()) part.metrics.emplace_back(name.text(), metric.text());
      }
      if (const Datum* table = item.find("table")) part.table = table->text();
      if (const Datum* detail = item.find("detail")) part.detail = detail->text() == "true";
      parts.push_back(std::move(part));
    }
    program_.reports[key.text()] = std::move(parts);
  }

  const ProgramSources& sources_;
  Diagnostics& diagnostics_;
  Program program_;
  Linker linker_;
  std::vector<Pending> pending_;
  std::vector<std::pair<Function*, Definition>> functions_;
  std::int32_t constraint_count_ = 0;
};

}  // namespace

std::optional<Program> link_program(const ProgramSources& sources, Diagnostics& diagnostics) { return Reader(sources, diagnostics).read(); }

const Formula* link_formula(Program& program, const ExprPtr& expr, const NameScope& scope, Diagnostics& diagnostics) {
  Linker linker(program, diagnostics);
  const Formula* f = linker.link(expr, scope);
  return f;
}

const Def* link_definition(Program& program, const Definition& definition, const NameScope& scope, Diagnostics& diagnostics) {
  return Linker(program, diagnostics).define(definition, scope);
}

}  // namespace opledger
