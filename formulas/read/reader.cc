#include "formulas/read/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "formulas/link/published.h"
#include "formulas/link/types.h"
#include "formulas/link/variance.h"
#include "formulas/read/case_reader.h"
#include "formulas/read/check_reader.h"
#include "formulas/read/definition_reader.h"
#include "formulas/read/function_reader.h"
#include "formulas/read/input_reader.h"
#include "formulas/read/section_reader.h"
#include "formulas/read/set_reader.h"
#include "formulas/read/view_reader.h"

namespace opledger {
namespace {

/// The steps from documents to a program, in the order of `read`. Names must be declared before formulas that use them
/// are linked, and variances need linked formulas.
class Reader {
 public:
  Reader(const ProgramSources& sources, Diagnostics& diagnostics)
      : sources_(sources),
        diagnostics_(diagnostics),
        linker_(program_, program_, diagnostics),
        definitions_(program_, linker_, diagnostics),
        functions_(program_, linker_, diagnostics),
        inputs_(sources, program_, linker_, definitions_, diagnostics),
        cases_(program_, linker_, definitions_, inputs_, diagnostics) {}

  std::optional<Program> read() {
    // Links the program from all documents (`sources_`). The order follows the dependencies: sets and cases, inputs and
    // documents, names, operators, the model, values of inputs, and only then formulas, which may use any name.
    // Sections are linked last, and variances need linked formulas. Steps before that report their errors and continue;
    // the program is returned if no step reported any. Later documents extend earlier ones, so each step runs over the
    // documents in order.
    program_.engine = &sources_.engine;
    program_.engine->declare_sets(program_);
    program_.operators = sources_.operators;
    if (sources_.operators != nullptr) {  // the check of units visits the operators that the model uses instead of nodes
      WordId position = 0;
      for (const auto& [name, _] : sources_.operators->all()) {
        if (sources_.used.empty() || sources_.used.count(name) != 0) program_.nodes.push_back(position);
        ++position;
      }
    }
    program_.global = &linker_.scope(nullptr);
    program_.model = &linker_.scope(program_.global);
    program_.graph = !sources_.own_graph ? program_.model : &linker_.scope(program_.global);
    add_model_scopes();
    for (const Document* d : sources_.documents) each(d, "sets", [&](const Datum& k, const Datum& v) { add_set(program_, k, v, diagnostics_); });
    read_cases();
    // Fields of the documents under the key `open` become inputs with plain names; each other document is one record.
    std::set<std::string> open_documents;
    for (const Document* d : sources_.documents) {
      for (std::string& name : d->root.texts("open")) open_documents.insert(std::move(name));
    }
    for (const Document* d : sources_.documents) {
      each(d, "documents", [&](const Datum& k, const Datum& v) {
        if (open_documents.count(k.text()) == 0) return;
        for (const auto& [field, type] : v.entries()) add_input(field, type);
      });
      each(d, "inputs", [&](const Datum& k, const Datum& v) { add_input(k, v); });
    }
    for (const Document* d : sources_.documents) {  // follows the inputs, because types of documents may use their lists of words as sets
      each(d, "documents", [&](const Datum& k, const Datum& v) {
        if (open_documents.count(k.text()) == 0) add_document(k, v);
      });
    }
    add_options();
    add_axes();
    for (const auto& [key, type] : sources_.inputs) add_input(key, type);
    for (const Document* d : sources_.documents) program_.engine->declare_marks(program_, linker_, *d, diagnostics_);
    for (const Document* d : sources_.documents) {
      definitions_.declare(*d);
      const bool may_replace = d->root.find("extends") != nullptr;
      each(d, "functions", [&](const Datum& k, const Datum& v) { functions_.declare(k, v, may_replace); });
    }
    declare_operators();
    add_model();
    inputs_.define_inputs();
    add_other_models();
    cases_.define(sources_.case_documents);
    definitions_.link();
    functions_.link();
    link_marks();
    read_sections(program_, linker_, sources_.documents, diagnostics_);
    publish(program_, linker_, diagnostics_);
    read_checks(program_, linker_, sources_.documents, diagnostics_);
    read_commands(program_, sources_.documents, diagnostics_);
    read_views(program_, sources_.documents, diagnostics_);
    for (const auto& set : program_.sets) {
      if (set->positions) set->positions_formula = linker_.link(set->positions, *program_.global);
      // a document's set and a name may have one text: the name's value is then the current word of the set
      if (!set->elements && set->id >= program_.engine->sets) set->binder = program_.find(set->name);
    }
    if (program_.sets.size() > kMaxSets)
      diagnostics_.error(program_.sets[SetId(kMaxSets)]->span, fmt::format("there are {} sets, and at most {} are possible", program_.sets.size(), kMaxSets));
    if (diagnostics_.has_errors()) return std::nullopt;
    find_variance(program_);
    if (!definitions_.vary_as_declared()) return std::nullopt;
    return std::move(program_);
  }

 private:
  template <class F>
  void each(const Document* document, const char* section, F&& f) {
    const Datum* datum = document->root.find(section);
    if (datum == nullptr || !datum->is_map()) return;
    for (const auto& [key, value] : datum->entries()) f(key, value);
  }

  /// Reads the cases. Documents are read afterwards, because some of their fields have other values at some words.
  void read_cases() {
    for (const Document* d : sources_.documents) cases_.declare(*d);
    for (const auto* list : {&sources_.execution, &sources_.overrides}) {
      for (const FieldAssignment& g : *list) cases_.add(g);
    }
    for (const auto& [name, at] : sources_.open) cases_.open(name, at);
  }

  void add_model_scopes() {
    program_.models.push_back({program_.graph, {}});
    for (std::size_t m = 0; m < sources_.models.size(); ++m) {
      other_models_.push_back(&linker_.scope(program_.global));
      program_.models.push_back({other_models_.back(), {}});
    }
  }

  void add_other_models() {
    for (std::size_t m = 0; m < other_models_.size(); ++m) inputs_.add_model(sources_.models[m], *other_models_[m], program_.models[m + 1].values);
  }

  void link_marks() {
    for (const MarkType& mark : program_.marks) {
      const Def* def = mark.fallback != nullptr && mark.usual.otherwise ? linker_.define(mark.usual, *program_.graph) : nullptr;
      if (def != nullptr) mark.fallback->defs.push_back(def);
    }
  }

  bool clashes(const Datum& key) {
    if (definitions_.is_set(key.text(), key.span())) return true;
    if (const Name* old = program_.find(key.text())) {
      Diagnostic& d = diagnostics_.error(key.span(), fmt::format("`{}` is already defined", key.text()));
      if (!old->defs.empty()) d.note(old->defs[0]->span, "first defined here");
      return true;
    }
    return false;
  }

  void add_document(const Datum& key, const Datum& value) {
    // Declares a document of the accounting, such as `system`, as an input with a record type. Its content comes from
    // the run's document of this name or, in a search, from several alternatives. If the run lacks it, values that need
    // it are absent. Words and models of cases may replace it (`add_other_documents`).
    if (clashes(key)) return;
    std::optional<Type> type = parse_type(program_, linker_, "", value, diagnostics_);
    if (!type) return;
    Name& n = linker_.name(key.text());
    n.input = true;
    n.type = std::move(*type);
    program_.global->names.emplace(n.name, &n);
    n.missing = contains(sources_.missing, key.text());
    for (const auto& [name, datum] : sources_.records) {
      if (name == key.text()) n.constant = read_document(n, datum);
    }
    for (const auto& [name, documents] : sources_.choices) {
      if (name == key.text()) add_choices(n, documents, key.span());
    }
    add_other_documents(n);
  }

  /// Adds the documents that replace `n` at words with documents or models of their own.
  void add_other_documents(Name& n) {
    for (const CaseDocument& document : sources_.case_documents) {
      if (document.role == n.name) cases_.add_document(document, n, other_document(n, document.record));
    }
    for (std::size_t m = 0; m < sources_.models.size(); ++m) {
      for (const auto& [name, record] : sources_.models[m].records) {
        if (name == n.name) program_.models[m + 1].values.push_back({&n, &other_document(n, record)});
      }
    }
  }

  const Name& other_document(const Name& of, const Datum& datum) {
    Name& n = linker_.name(of.name);
    n.input = true;
    n.type = of.type;
    n.constant = read_document(of, datum);
    return n;
  }

  const Record* read_document(const Name& n, const Datum& datum) {
    FieldOverrides overrides = field_overrides(n.name);
    const bool any = !overrides.replacements.empty() || !overrides.open.empty();
    const std::optional<Value> v = read_value(program_, linker_, n.type, datum, n.name, diagnostics_, any ? &overrides : nullptr);
    if (any) report_unknown_fields(overrides);
    return v ? v->record : nullptr;
  }

  /// Adds alternative documents to the name `n`, and an input whose word selects a document. The words are the
  /// documents' names, in a set of their own. The blank in the set's name keeps formulas from reading it. The first
  /// document is also `constant`, which the check of units reads.
  void add_choices(Name& n, const std::vector<std::pair<std::string, Datum>>& documents, const Span& at) {
    auto set = std::make_unique<Set>();
    set->name = n.name + " documents";
    set->span = at;
    for (const auto& [word, datum] : documents) {
      set->index.emplace(word, static_cast<WordId>(set->words.size()));
      set->words.push_back(word);
      n.documents.push_back(read_document(n, datum));
    }
    set->texts = set->words;
    Name& chosen_by = linker_.name(n.name);
    chosen_by.input = true;
    chosen_by.type.kind = Type::Kind::words;
    chosen_by.type.set = program_.add(std::move(set)).id;
    program_.inputs.emplace_back(&chosen_by, at);
    n.constant = n.documents.front();
    n.chosen_by = &chosen_by;
  }

  /// Returns whether a key addresses a field inside a document, as `system.memory.capacity` does.
  static bool is_inside(const std::string& key, const std::string& document) {
    return key.size() > document.size() && key.compare(0, document.size(), document) == 0 && (key[document.size()] == '.' || key[document.size()] == '[');
  }

  bool is_inside_some(const std::string& key) const {
    return std::any_of(sources_.records.begin(), sources_.records.end(), [&](const auto& record) { return is_inside(key, record.first); }) ||
           std::any_of(sources_.choices.begin(), sources_.choices.end(), [&](const auto& choice) { return is_inside(key, choice.first); });
  }

  FieldOverrides field_overrides(const std::string& document) {
    // Collects the assignments from the command line and the open fields inside one document. Fields with other values
    // at case words are open, too.
    FieldOverrides out{program_, {}, {}, {}};
    for (const FieldAssignment& g : sources_.overrides) {
      if (is_inside(g.name, document)) out.replacements.insert_or_assign(g.name, &g.value);
    }
    for (const auto& [name, _] : sources_.open) {
      if (is_inside(name, document)) out.open.insert(name);
    }
    for (std::string& path : cases_.fields_of(document)) out.open.insert(std::move(path));
    return out;
  }

  void report_unknown_fields(const FieldOverrides& overrides) {
    const std::vector<std::string> known(overrides.visited.begin(), overrides.visited.end());
    const auto report = [&](const std::string& path, const Span& at) {
      if (overrides.visited.count(path) == 0) diagnostics_.error(at, fmt::format("there is no `{}`{}", path, suggestion(path, known)));
    };
    for (const FieldAssignment& g : sources_.overrides) {
      if (overrides.replacements.count(g.name) != 0) report(g.name, g.span);
    }
    for (const auto& [path, at] : sources_.open) {
      if (overrides.open.count(path) != 0) report(path, at);
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

  /// Adds the options of rule documents as inputs. Two documents may share an option if they declare equal types.
  void add_options() {
    std::map<std::string, std::pair<const Datum*, Span>> known;
    for (const auto& [options, _] : sources_.options) {
      for (const auto& [k, v] : options->entries()) {
        // Rules do not apply to a graph that the accounting brings, so its names hide their options.
        if (sources_.own_graph && (program_.find(k.text()) != nullptr || defined(sources_.documents, k.text()))) continue;
        const auto [first, fresh] = known.emplace(k.text(), std::pair{&v, k.span()});
        if (fresh) {
          add_input(k, v);
        } else if (!same_text(*first->second.first, v)) {
          diagnostics_.error(k.span(), fmt::format("option `{}` has another type elsewhere", k.text())).note(first->second.second, "declared here too");
        }
      }
    }
  }

  static bool same_text(const Datum& a, const Datum& b) {
    if (a.kind() != b.kind() || (a.is_scalar() && a.text() != b.text())) return false;
    if (a.items().size() != b.items().size() || a.entries().size() != b.entries().size()) return false;
    for (std::size_t i = 0; i < a.items().size(); ++i) {
      if (!same_text(a.items()[i], b.items()[i])) return false;
    }
    for (std::size_t i = 0; i < a.entries().size(); ++i) {
      if (a.entries()[i].first.text() != b.entries()[i].first.text()) return false;
      if (a.entries()[i].first.text() != "doc" && !same_text(a.entries()[i].second, b.entries()[i].second)) return false;
    }
    return true;
  }

  void add_axes() {
    // Adds the mesh's axes as inputs, integers of at least 1, and the names of axis groups, whose degree is the product
    // of their axes' degrees. An axis may not have the name of a set or of another name. A group is skipped if its name
    // is in use already, as by an accounting's own input.
    for (const auto& [name, degree] : sources_.axes) {
      if (const SetId set = program_.find_set(name); set) {
        diagnostics_.error(degree.span(), fmt::format("`{}` can't name an axis of the mesh: it is a set of the accounting", name));
        continue;
      }
      if (program_.find(name) != nullptr || defined(sources_.documents, name)) {
        diagnostics_.error(degree.span(), fmt::format("mesh axis `{}` has the name of something else", name));
        continue;
      }
      Name& n = linker_.name(name);
      n.input = true;
      n.type.kind = Type::Kind::integer;
      n.type.minimum = parse_expression("1", degree.span(), diagnostics_);
      program_.global->names.emplace(name, &n);
      program_.inputs.emplace_back(&n, degree.span());
      program_.sets[program_.engine->axes]->words.push_back(name);  // words for types `per: axis`; formulas see the degree instead
    }
    for (const auto& [name, axes] : sources_.axis_groups) {
      if (program_.find(name) != nullptr) continue;
      Name& n = linker_.name(name);
      program_.global->names.emplace(name, &n);
      Definition product;
      product.name = name;
      product.otherwise = parse_expression(axes.empty() ? "1" : join(axes, " * "), {}, diagnostics_);
      definitions_.add(n, std::move(product), *program_.global);
    }
  }

  /// Returns whether an operator can define the quantity: every node has it, or every operator of the operator's
  /// family.
  bool has_quantity(const Operator& op, const Name& name) const {
    if (!name.of) return name.at_node;
    const std::vector<const Operator*> line = lineage(op);
    return contains(line, program_.set(name.of).family);
  }

  /// Declares the lets and quantities of all operators. The formulas of each operator are linked in a scope of its own,
  /// with its ports, attributes and dimensions. A let is visible in every operator that extends its operator. Inherited
  /// lets are declared from the oldest operator on, and all share one name with a definition for each operator that has
  /// the let. A quantity must be known, and apply to nodes or to the operator's family; its definition holds for this
  /// operator. All scopes exist before the first is used, because lineages cross them.
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
      for (auto o = line.rbegin(); o != line.rend(); ++o) {  // oldest first, so that a redefined let shares the inherited name
        for (const Definition& let : (*o)->lets) {
          Name*& n = lets[{*o, let.name}];
          Name*& visible = scopes[&op]->names[let.name];
          if (n == nullptr) {
            n = visible != nullptr ? visible : &own_name(**o, let.name);
            definitions_.add(*n, let, *scopes[*o], *o);
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
          diagnostics_.error(quantity.span,
                             fmt::format("operator `{}`: unknown quantity `{}`{}", op.name, quantity.name, known_names(quantity.name, "keys", known)));
          continue;
        }
        definitions_.add(*n, quantity, *scopes[&op], &op);
      }
    }
  }

  /// Creates the name of an operator's `let`. Each node has its own value, or each word of the family that the operator
  /// belongs to.
  Name& own_name(const Operator& op, const std::string& name) {
    const std::vector<const Operator*> line = lineage(op);
    const auto family =
        std::find_if(program_.sets.begin(), program_.sets.end(), [&](const auto& set) { return set->family != nullptr && contains(line, set->family); });
    Name& n = linker_.name(name, family == program_.sets.end());
    if (family != program_.sets.end()) n.of = (*family)->id;
    return n;
  }

  void add_model() {
    // Parameters are declared first. Assignments of the execution and the command line then replace their formulas.
    inputs_.add_parameters();
    for (const auto* list : {&sources_.execution, &sources_.overrides}) {
      std::vector<const FieldAssignment*> unknown;
      for (const FieldAssignment& g : *list) {
        if (!add_assignment(g)) unknown.push_back(&g);
      }
      report_unknown(unknown);
    }
  }

  /// Adds the value of an assignment to a parameter. Returns false if nothing has the name and the assignment is not only
  /// `assumed`. Inputs read their assignments later.
  bool add_assignment(const FieldAssignment& g) {
    const Name* global = program_.find(g.name);
    const auto parameter = program_.model->names.find(g.name);
    if (parameter != program_.model->names.end()) {
      if (inputs_.assignment(g.name) != &g) return true;
      Definition definition;
      if (inputs_.parse_value(g, sources_.parameters, definition)) definitions_.add(*parameter->second, std::move(definition), *program_.model);
      return true;
    }
    return g.assumed || inputs_.of_other_model(g.name) || (global != nullptr && global->input) || is_inside_some(g.name) || cases_.is_one(g.name);
  }

  /// Reports unknown fields of an execution or of the command line, with suggestions. Four or more suggest that the
  /// document belongs to another accounting, so one message lists them. The name of an axis group is known but no
  /// field: its message says which axes to set.
  void report_unknown(const std::vector<const FieldAssignment*>& unknown) {
    constexpr std::size_t kMany = 4;
    std::vector<std::string> known, names;
    for (const auto& [n, _] : program_.inputs) known.push_back(n->name);
    for (const auto& [n, _] : program_.model->names) known.push_back(n);
    std::sort(known.begin(), known.end());
    for (const FieldAssignment* g : unknown) names.push_back(g->name);
    if (unknown.size() >= kMany) {
      diagnostics_.error(unknown[0]->span, fmt::format("unknown fields {}: the accounting has none of them; check that it is the intended one", quoted(names)));
      return;
    }
    for (const FieldAssignment* g : unknown) {
      const auto group = std::find_if(sources_.axis_groups.begin(), sources_.axis_groups.end(), [&](const auto& axes) { return axes.first == g->name; });
      diagnostics_.error(g->span, group != sources_.axis_groups.end()
                                      ? fmt::format("`{}` consists of other axes: set these instead: {}", g->name, quoted(group->second))
                                      : fmt::format("unknown field `{}`{}", g->name, known_fields(g->name, known)));
    }
  }

  /// Returns the end of a message about an unknown field: a field inside a document if its path ends with the name, as
  /// `system.memory.capacity` ends with `memory.capacity`, else similar names among `known`.
  std::string known_fields(const std::string& name, const std::vector<std::string>& known) const {
    std::vector<std::string> paths;
    for (const auto& [_, known_name] : program_.global->names) add_paths(known_name->name, known_name->type, paths);
    std::sort(paths.begin(), paths.end());
    const std::string path = suggestion(name, known).empty() ? suggestion(name, paths) : std::string();
    return path.empty() ? known_names(name, "fields", known) : path;
  }

  /// Appends the paths of all fields below a record.
  static void add_paths(const std::string& record, const Type& type, std::vector<std::string>& out) {
    for (const auto& [field, of] : type.fields) {
      std::string path = record + "." + field;
      add_paths(path, of, out);
      out.push_back(std::move(path));
    }
  }

  static std::string quoted(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const std::string& name : names) out.push_back("`" + name + "`");
    return join(out, ", ");
  }

  const ProgramSources& sources_;
  Diagnostics& diagnostics_;
  Program program_;
  Linker linker_;
  DefinitionReader definitions_;
  FunctionReader functions_;
  InputReader inputs_;
  CaseReader cases_;
  std::vector<NameScope*> other_models_;  ///< Scopes of Program::models, from position 1.
};

}  // namespace

std::optional<Program> link_program(const ProgramSources& sources, Diagnostics& diagnostics) { return Reader(sources, diagnostics).read(); }

}  // namespace opledger
