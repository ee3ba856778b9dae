#include "questions/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/text.h"
#include "formulas/link/linker.h"
#include "formulas/link/published.h"
#include "formulas/link/types.h"
#include "run/compiled_program.h"
#include "schemas/document.h"

namespace opledger {
namespace {

constexpr const char* kOutcome = "outcome";
constexpr const char* kFine = "ok";
constexpr const char* kInfeasible = "infeasible: ";  ///< Beginning of the outcome of a row with metrics that violates a constraint.
constexpr const char* kRules = "rules";
constexpr std::string_view kDocuments[] = {"model", "execution", "system", kRules};  ///< Columns that name documents.

/// Values of a row by column.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// Converts `True`, the spelling of spreadsheets and other languages, to `true`.
std::string plain_truth(const std::string& cell) {
  if (cell == "True" || cell == "TRUE") return "true";
  return cell == "False" || cell == "FALSE" ? "false" : cell;
}

bool names_documents(const std::string& column) { return std::find(std::begin(kDocuments), std::end(kDocuments), column) != std::end(kDocuments); }

/// Parses a list of rules: `[megatron, {zero_1: dp > 1}]`, `megatron, zero_1` or `megatron zero_1`. Empty, with errors,
/// if the list is malformed.
std::optional<Datum> rules_of(const std::string& cell, const Span& at, Diagnostics& diagnostics) {
  if (cell.front() == '[') {
    const auto source = std::make_shared<SourceFile>(SourceFile{fmt::format("{}, line {}", at.file->path, at.line), cell});
    source->origin = at.file->origin;
    return parse_document(source, diagnostics);
  }
  std::vector<Datum> names;
  for (const std::string& name : split(cell, cell.find(',') != std::string::npos ? ',' : ' ')) {
    if (!name.empty()) names.push_back(Datum::scalar(name, false, at));
  }
  return Datum::list(std::move(names), at);
}

std::string first_message(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return d.message;
  }
  return "it can't be computed";
}

std::string written(const Value& value) {
  if (value.kind == Value::Kind::nothing) return {};
  return value.is_number() ? exact(value.scalar.value) : human(value);
}

/// Returns every metric, or for people the metrics on the first screen of the report `eval`.
std::vector<std::string> metrics_of(const Program& program, bool for_people) {
  std::vector<std::string> out;
  const auto report = program.reports.find("eval");
  if (!for_people || report == program.reports.end()) {
    for (const Published& p : program.published) out.push_back(p.name);
    return out;
  }
  for (const ReportPart& part : report->second) {
    if (part.detail || part.full) continue;
    for (const auto& [key, metric] : part.metrics) {
      if (!contains(out, metric) && !contains(part.later, key)) out.push_back(metric);
    }
  }
  return out;
}

class RunGroup;

/// A row that waits for evaluation, or that is finished.
struct PendingRow {
  Csv::Row line;
  RunGroup* group = nullptr;  ///< Null once the outcome is known.
  std::vector<double> candidate;
  std::string outcome = {};
  std::vector<Value> figures = {};
};

/// Number of rows that one call of a kernel evaluates.
constexpr std::size_t kBlock = 512;

/// Runs with the same documents, formulas and set of inputs, which differ in values of inputs only. Rows of a group
/// share one prepared run and its compiled programs.
class RunGroup {
 public:
  RunGroup(std::unique_ptr<Run> run, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs)
      : run_(std::move(run)), inputs_(inputs), programs_(*run_, {varying(*run_, inputs), outputs, true}) {
    if (run_->solved()) solver_.emplace(*run_, *run_->solved(), inputs);
  }

  /// Reads the candidate of a row: one number for each name in `inputs_`, taken from the cell of that column. A number
  /// is in base units; a word is its position in its set. If the run has a solved input, the solver appends its value,
  /// which depends on the others. Success sets `row.group`; failure sets `row.outcome` to the first error and leaves
  /// the group null.
  void read(const std::map<std::string, Datum>& cells, PendingRow& row) {
    Diagnostics diagnostics;
    for (const std::string& input : inputs_) {
      const Name* name = run_->program().find_input(input);
      if (name == nullptr) return static_cast<void>(row.outcome = fmt::format("error: this run has no input `{}`", input));
      const std::optional<double> value = read(*name, cells.at(input), diagnostics);
      if (!value) return static_cast<void>(row.outcome = "error: " + first_message(diagnostics));
      row.candidate.push_back(*value);
    }
    if (solver_) {
      const std::optional<double> value = solver_->solve(row.candidate, diagnostics);
      if (!value) return static_cast<void>(row.outcome = "error: " + first_message(diagnostics));
      row.candidate.push_back(*value);
    }
    row.group = this;
  }

  /// Evaluates rows of this group: sets the outcome, and the metrics. Rows that the current program does not cover remain
  /// for the next program.
  void evaluate(std::vector<PendingRow*> rows) {
    while (!rows.empty()) {
      Diagnostics diagnostics;
      const CompiledProgram* structure = programs_.find(rows.front()->candidate, diagnostics);
      if (structure == nullptr) {
        rows.front()->outcome = "error: " + first_message(diagnostics);
        rows.erase(rows.begin());
      } else {
        rows = evaluate(*structure, rows);
      }
    }
  }

  std::size_t structures() const { return programs_.size(); }

 private:
  std::optional<double> read(const Name& name, const Datum& cell, Diagnostics& diagnostics) {
    Linker linker(run_->program(), run_->evaluator().queries(), diagnostics);
    const std::optional<Value> v = read_value(run_->program(), linker, name.type, cell, name.name, diagnostics);
    if (!v) return std::nullopt;
    return v->kind == Value::Kind::word ? v->word : v->scalar.value;
  }

  /// Evaluates all rows with one call of the program's kernel, and returns the rows that the program does not cover. A
  /// program is specialized under guards; a row that violates a guard has no answer. A covered row gets its metrics, as far
  /// as they have values, and an outcome: `ok`, or the first violated constraint.
  static std::vector<PendingRow*> evaluate(const CompiledProgram& structure, const std::vector<PendingRow*>& rows) {
    std::vector<const std::vector<double>*> candidates;
    for (const PendingRow* row : rows) candidates.push_back(&row->candidate);
    std::vector<std::optional<CompiledProgram::Result>> answers = structure.evaluate(candidates);
    std::vector<PendingRow*> left;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!answers[i]) {
        left.push_back(rows[i]);
      } else {
        rows[i]->outcome = answers[i]->violation.empty() ? kFine : kInfeasible + answers[i]->violation;
        rows[i]->figures = std::move(answers[i]->outputs);
      }
    }
    return left;
  }

  static std::vector<std::string> varying(const Run& run, std::vector<std::string> inputs) {
    if (run.solved()) inputs.push_back(run.solved()->name);
    return inputs;
  }

  std::unique_ptr<Run> run_;
  std::vector<std::string> inputs_;
  ProgramCache programs_;
  std::optional<InputSolver> solver_;
};

/// Effect of a column on the run of a row.
enum class ColumnRole : std::uint8_t {
  none,   ///< No effect on values: a computed or document column.
  input,  ///< Value of an input; runs of a group may differ in it.
  field   ///< Any other value; runs of a group agree on it.
};

/// Evaluates a table. Rows are grouped by documents, non-input values and set of inputs; each group is prepared once
/// and evaluates its rows in blocks.
class TableRun {
 public:
  TableRun(TableRows table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library, bool for_people,
           const std::vector<std::string>& extra_columns)
      : table_(std::move(table)), source_(source), request_(request), library_(library), for_people_(for_people), extra_columns_(extra_columns) {}

  /// Prepares the first row that can be prepared, to learn the inputs, metrics and column roles.
  bool prepare(Diagnostics& diagnostics) {
    if (!find_base(diagnostics)) return false;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      if (computed(table_.columns[c])) continue;
      kept_.push_back(c);
      columns_.push_back(table_.columns[c]);
    }
    columns_.emplace_back(kOutcome);
    for (const EvaluatedTable::Metric& metric : metrics_) columns_.push_back(metric.name);
    return true;
  }

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<EvaluatedTable::Metric>& metrics() const { return metrics_; }

  /// Reads rows into a block of kBlock rows, evaluates the block, and passes its rows on in the order of the table. A
  /// block is a compromise: one call of a kernel evaluates many rows, and memory stays bounded. Rows that failed are
  /// passed on too, with a reason as outcome. The traversal ends early if `visit` returns false.
  TableRuns::Count each(TableRuns::RowVisitor visit) {
    TableRuns::Count out;
    std::vector<PendingRow> block;
    bool continues = true;
    const auto visit_block = [&] {
      evaluate(block);
      for (PendingRow& row : block) {
        if (!continues) break;
        ++out.rows;
        if (row.outcome != kFine) ++out.failed;
        complete(row);
        continues = visit(row.line, row.figures);
      }
      block.clear();
      return continues;
    };
    table_.each([&](const Csv::Row& row) {
      block.push_back(pending(row));
      return block.size() < kBlock || visit_block();
    });
    visit_block();
    return out;
  }

 private:
  /// Evaluates a block group by group, regardless of the order of rows.
  static void evaluate(std::vector<PendingRow>& block) {
    std::map<RunGroup*, std::vector<PendingRow*>> groups;
    for (PendingRow& row : block) {
      if (row.group != nullptr) groups[row.group].push_back(&row);
    }
    for (auto& [group, rows] : groups) group->evaluate(std::move(rows));
  }

  /// Appends the outcome and metrics to the cells of the row.
  void complete(PendingRow& row) const {
    row.line.cells.push_back(std::move(row.outcome));
    for (Value& v : row.figures) {
      row.line.cells.push_back(written(v));
      if (!v.is_number()) v = {};  // Texts belong to the run and would dangle.
    }
    row.line.cells.resize(columns_.size());
  }

  PendingRow pending(const Csv::Row& row) {
    PendingRow out{{{}, row.line, {}}, nullptr, {}};
    out.line.cells.reserve(columns_.size());
    for (const std::size_t c : kept_) out.line.cells.push_back(row.cells[c]);
    read(row, out);
    return out;
  }

  bool computed(const std::string& column) const { return column == kOutcome || published_.count(column) != 0; }

  std::string cell(const Csv::Row& row, const std::string& column, const std::string& otherwise) const {
    const auto at = std::find(table_.columns.begin(), table_.columns.end(), column);
    if (at == table_.columns.end()) return otherwise;
    const std::string& text = row.cells[at - table_.columns.begin()];
    return text.empty() ? otherwise : text;
  }

  Datum datum(const Csv::Row& row, std::size_t column) const { return Datum::scalar(plain_truth(row.cells[column]), false, {source_, row.line, 1}); }

  /// Sets `name` to the document that a cell of a row names. A table may come from anybody, so its cells name the files
  /// that a document beside it may name. Each text is looked up once: many rows name few documents.
  void name_document(const Csv::Row& row, const char* kind, std::string& name, Diagnostics& diagnostics) {
    const std::string text = cell(row, kind, "");
    if (text.empty()) return;
    const auto [known, is_new] = named_.try_emplace({kind, text});
    if (is_new) {
      const Document* document = library_.load(Datum::scalar(text, false, {source_, row.line, 1}), {kind, kNoKind}, known->second.messages);
      Diagnostics ignored;
      const bool by_name = document != nullptr && !is_path(text) && library_.load(text, {kind, kNoKind}, ignored) == document;
      if (document != nullptr) known->second.name = by_name || library_.provides(*document) ? text : document->path.string();
    }
    diagnostics.append(Diagnostics(known->second.messages));
    name = known->second.name;
  }

  RunRequest request_of(const Csv::Row& row, Diagnostics& diagnostics) {
    RunRequest request = request_;
    name_document(row, "model", request.model, diagnostics);
    name_document(row, "execution", request.execution, diagnostics);
    name_document(row, "system", request.system, diagnostics);
    if (const std::string rules = cell(row, kRules, ""); !rules.empty()) request.rules = rules_of(rules, {source_, row.line, 1}, diagnostics);
    return request;
  }

  /// Prepares a run from the first row that allows it, to learn metrics, inputs and column roles. Each row is tried
  /// twice: first with its documents alone, then also with the values of its cells, which the documents may lack.
  /// `first` keeps the errors of the first row, which are reported if no row can be prepared. Returns false, with
  /// errors, in this case or if a column is unknown. The cost is one preparation of a run if the documents of the first
  /// row suffice, two if its cells are needed, and two more for each leading row that fails.
  bool find_base(Diagnostics& diagnostics) {
    Diagnostics first;
    bool any = false, fine = false, found = false;
    table_.each([&](const Csv::Row& row) {
      any = true;
      for (const bool with_cells : {false, true}) {  // Cells may supply values that the documents lack.
        Diagnostics own;
        RunRequest request = request_of(row, own);
        if (with_cells) add_cells(row, request);
        if (const std::unique_ptr<Run> run = own.has_errors() ? nullptr : Run::prepare(request, library_, own)) {
          found = true;
          learn(*run);
          fine = check_columns(*run, diagnostics);
          return false;
        }
        if (with_cells && !first.has_errors()) first = std::move(own);
      }
      return true;
    });
    if (found) return fine;
    if (!any) diagnostics.error({source_, 1, 1}, "the table has no rows");
    diagnostics.append(std::move(first));
    return false;
  }

  void add_cells(const Csv::Row& row, RunRequest& request) const {
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const std::string& column = table_.columns[c];
      if (column == kOutcome) break;  // Metrics follow the outcome and can't be set.
      if (!names_documents(column) && !contains(extra_columns_, column) && !row.cells[c].empty())
        request.fields.push_back({column, datum(row, c), {source_, row.line, 1}, false});
    }
  }

  /// Returns whether a column sets a field inside a document, such as `system.memory.capacity`. Its values become inputs,
  /// so rows that differ in them share compiled programs.
  bool is_field(const std::string& column) const {
    return std::any_of(records_.begin(), records_.end(), [&](const std::string& record) { return column.starts_with(record + "."); });
  }

  void learn(const Run& run) {
    for (const auto& [name, known] : run.program().global->names) {
      if (known->type.kind == Type::Kind::record) records_.push_back(name);
    }
    for (const Published& p : run.program().published) published_.insert(p.name);
    for (std::string& metric : metrics_of(run.program(), for_people_)) {
      metric_names_.push_back(metric);
      metrics_.push_back({metric, declared_unit(*run.program().find_published(metric)->metric)});
    }
    borrows_graph_ = run.model_gives_values() && run.has_model();
    accounting_ = run.accounting();
  }

  bool check_columns(const Run& run, Diagnostics& diagnostics) {
    std::vector<std::string> known(std::begin(kDocuments), std::end(kDocuments));
    known.emplace_back(kStack);
    add_known(run, known);
    const auto is_unknown = [&](const std::string& column) {
      return !computed(column) && !run.is_translated(column) && !contains(known, column) && !is_field(column);
    };
    if (!check_fields(run.request(), diagnostics)) return false;
    if (std::any_of(table_.columns.begin(), table_.columns.end(), is_unknown)) add_known_elsewhere(known);
    for (const auto& [input, _] : run.program().inputs) inputs_.insert(input->name);
    for (const std::string& column : table_.columns) {
      const bool unknown = is_unknown(column), extra_columns = contains(extra_columns_, column);
      if (unknown && !extra_columns) diagnostics.error({source_, 1, 1}, fmt::format("unknown column `{}`{}", column, suggestion(column, known)));
      const bool input = (inputs_.count(column) != 0 && !run.is_translated(column)) || is_field(column);
      roles_.push_back(unknown || computed(column) || names_documents(column) ? ColumnRole::none : input ? ColumnRole::input : ColumnRole::field);
    }
    return !diagnostics.has_errors();
  }

  /// Checks the columns of fields inside documents. Returns false, with errors at the title, if a document lacks a field.
  bool check_fields(RunRequest request, Diagnostics& diagnostics) {
    for (const std::string& column : table_.columns) {
      if (is_field(column)) request.open.emplace_back(column, Span{source_, 1, 1});
    }
    return request.open.empty() || Run::prepare(request, library_, diagnostics) != nullptr;
  }

  static void add_known(const Run& run, std::vector<std::string>& known) {
    for (const auto& [input, _] : run.program().inputs) known.push_back(input->name);
    for (const auto& [parameter, _] : run.program().model->names) known.push_back(parameter);
  }

  /// Adds axes and parameters known to other models and executions of the table.
  void add_known_elsewhere(std::vector<std::string>& known) {
    std::set<std::pair<std::string, std::string>> seen;
    table_.each([&](const Csv::Row& row) {
      Diagnostics ignored;
      RunRequest request = request_of(row, ignored);
      if (ignored.has_errors() || !seen.emplace(request.model, request.execution).second) return true;
      add_cells(row, request);
      if (const std::unique_ptr<Run> run = Run::prepare(request, library_, ignored)) add_known(*run, known);
      return true;
    });
  }

  /// Returns the model's parameters as values of inputs, cached by model. If the accounting names its own graph, a
  /// model has no other effect, so runs with different models share a group.
  const std::map<std::string, Datum>& model_fields(const std::string& name, Diagnostics& diagnostics) {
    const auto known = models_.find(name);
    if (known != models_.end()) return known->second;
    std::map<std::string, Datum>& fields = models_[name];
    const Document* document = library_.load(name, {"model", kNoKind}, diagnostics);
    const Datum* section = document == nullptr ? nullptr : document->kind.empty() ? &document->root : document->root.find("parameters");
    if (section == nullptr) return fields;
    for (const auto& [key, value] : section->entries()) {
      if (value.is_scalar() && inputs_.count(key.text()) != 0) fields.emplace(key.text(), value);
    }
    return fields;
  }

  /// Assigns the row to its group and reads its candidate there, or sets the outcome on failure. Rows of a group share
  /// one prepared run, so its key holds everything that the run depends on: documents, values of fields that are no
  /// inputs, and the names of the given inputs. `roles_` tells inputs (ColumnRole::input) from other fields. If models
  /// only supply values of inputs (`borrows_graph_`), the model's parameters become cells of the row and the model
  /// leaves the key. Cells of the row override these parameters.
  void read(const Csv::Row& row, PendingRow& out) {
    Diagnostics diagnostics;
    RunRequest request = request_of(row, diagnostics);
    std::map<std::string, Datum> cells;
    if (borrows_graph_ && !request.model.empty()) {
      cells = model_fields(request.model, diagnostics);
      request.model.clear();
    }
    std::string key = request.model + '\n' + request.execution + '\n' + request.system + '\n' + cell(row, kRules, "");
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const std::string& column = table_.columns[c];
      if (roles_[c] == ColumnRole::none || row.cells[c].empty()) continue;
      if (roles_[c] == ColumnRole::input) {
        cells.insert_or_assign(column, datum(row, c));
      } else {
        request.fields.push_back({column, datum(row, c), {source_, row.line, 1}, false});
        key += '\n' + column + '=' + row.cells[c];
      }
    }
    for (const auto& [input, _] : cells) key += '\n' + input;
    RunGroup* const runs = diagnostics.has_errors() ? nullptr : group(key, request, cells, diagnostics);
    if (runs != nullptr)
      runs->read(cells, out);
    else
      out.outcome = "error: " + first_message(diagnostics);
  }

  /// Returns the group of a key. The first row with the key supplies values to prepare the run; if that fails, returns
  /// null with errors and the next row tries again.
  RunGroup* group(const std::string& key, RunRequest& request, const std::map<std::string, Datum>& cells, Diagnostics& diagnostics) {
    const auto known = groups_.find(key);
    if (known != groups_.end()) return known->second.get();
    std::vector<std::string> inputs;
    for (const auto& [input, value] : cells) {
      request.fields.push_back({input, value, value.span(), false});
      if (is_field(input)) request.open.emplace_back(input, value.span());
      inputs.push_back(input);
    }
    std::unique_ptr<Run> run = Run::prepare(request, library_, diagnostics);
    if (run != nullptr && run->accounting() != accounting_) {
      diagnostics.error({}, fmt::format("its accounting is `{}`, that of the table `{}`", run->accounting(), accounting_));
      return nullptr;
    }
    return run == nullptr ? nullptr : groups_.emplace(key, std::make_unique<RunGroup>(std::move(run), inputs, metric_names_)).first->second.get();
  }

  const TableRows table_;
  std::vector<std::size_t> kept_;  ///< Indices of the input columns that the result retains.
  std::vector<std::string> columns_;
  const std::shared_ptr<const SourceFile>& source_;
  const RunRequest& request_;
  Library& library_;
  const bool for_people_;
  const std::vector<std::string>& extra_columns_;
  std::vector<ColumnRole> roles_;    ///< Roles by column index.
  std::set<std::string> published_;  ///< Names of all published metrics.
  std::vector<std::string> metric_names_;
  std::vector<EvaluatedTable::Metric> metrics_;  ///< Reported metrics with units.
  std::set<std::string> inputs_;                 ///< Names of the accounting's inputs.
  std::vector<std::string> records_;             ///< Inputs that are documents, whose fields may be columns.
  bool borrows_graph_ = false;
  std::string accounting_;  ///< Accounting of the first prepared row, required of all rows.
  std::map<std::string, std::map<std::string, Datum>> models_;
  /// A document that a cell names: its name or path for requests, and the messages of looking it up.
  struct NamedByCell {
    std::string name;
    Diagnostics messages;
  };
  std::map<std::pair<std::string, std::string>, NamedByCell> named_;  ///< By kind and text of the cell.
  std::map<std::string, std::unique_ptr<RunGroup>> groups_;
};

}  // namespace

EvaluatedTable TableRuns::all() {
  EvaluatedTable out{{columns(), {}}, metrics(), {}, 0, columns().size() - metrics().size() - 1};
  const auto keep = [&](Csv::Row& row, std::vector<Value>& figures) {
    out.rows.rows.push_back(std::move(row));
    out.figures.push_back(std::move(figures));
    return true;
  };
  out.failed = each(keep).failed;
  return out;
}

std::optional<TableRuns> TableRuns::prepare(TableRows rows, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                            Diagnostics& diagnostics, bool for_people, const std::vector<std::string>& extra_columns) {
  const auto run = std::make_shared<TableRun>(std::move(rows), source, request, library, for_people, extra_columns);
  if (!run->prepare(diagnostics)) return std::nullopt;
  TableRuns out;
  out.columns_ = run->columns();
  out.metrics_ = run->metrics();
  out.each_ = [run](RowVisitor visit) { return run->each(visit); };
  return out;
}

TableRows rows_of(const Csv& table) {
  return {table.columns, [&table](FunctionRef<bool(const Csv::Row&)> visit) {
            for (const Csv::Row& row : table.rows) {
              if (!visit(row)) return;
            }
          }};
}

std::optional<TableRows> rows_of(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  CsvReader checked(source, diagnostics);
  Csv::Row row;
  while (checked.next(row)) continue;
  if (diagnostics.errors() != errors) return std::nullopt;
  return TableRows{checked.columns(), [source](FunctionRef<bool(const Csv::Row&)> visit) {
                     Diagnostics ignored;
                     CsvReader reader(source, ignored);
                     for (Csv::Row row; reader.next(row) && visit(row);) continue;
                   }};
}

std::optional<EvaluatedTable> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                             Diagnostics& diagnostics, bool for_people, const std::vector<std::string>& extra_columns) {
  std::optional<TableRuns> runs = TableRuns::prepare(rows_of(table), source, request, library, diagnostics, for_people, extra_columns);
  return runs ? std::optional(runs->all()) : std::nullopt;
}

}  // namespace opledger
