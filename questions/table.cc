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
#include "run/structure.h"
#include "schemas/document.h"

namespace opledger {
namespace {

constexpr const char* kOutcome = "outcome";
constexpr const char* kFine = "ok";
constexpr const char* kRules = "rules";
constexpr std::string_view kDocuments[] = {"model", "execution", "system", kRules};  ///< Columns of names.

/// What a row says, by column.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// `True` as spreadsheets and other languages write it.
std::string plain_truth(const std::string& cell) {
  if (cell == "True" || cell == "TRUE") return "true";
  return cell == "False" || cell == "FALSE" ? "false" : cell;
}

bool names_documents(const std::string& column) { return std::find(std::begin(kDocuments), std::end(kDocuments), column) != std::end(kDocuments); }

/// `[megatron, {zero_1: dp > 1}]`, `megatron, zero_1` or `megatron zero_1`. Empty, with errors, if a list can't be read.
std::optional<Datum> rules_of(const std::string& cell, const Span& at, Diagnostics& diagnostics) {
  if (cell.front() == '[') {
    const auto source = std::make_shared<SourceFile>(SourceFile{fmt::format("{}, line {}", at.file->path, at.line), cell});
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

/// Every metric, or those that people are shown.
std::vector<std::string> metrics_of(const Program& program, bool for_people) {
  std::vector<std::string> out;
  const auto report = program.reports.find("eval");
  if (!for_people || report == program.reports.end()) {
    for (const Published& p : program.published) out.push_back(p.name);
    return out;
  }
  for (const ReportPart& part : report->second) {
    if (part.detail) continue;
    for (const auto& [_, metric] : part.metrics) {
      if (!contains(out, metric)) out.push_back(metric);
    }
  }
  return out;
}

class Group;

/// A row of which only the numbers are missing, or that is done.
struct Pending {
  Csv::Row line;
  Group* group = nullptr;  ///< Null: the outcome is known.
  std::vector<double> candidate;
  std::string outcome = {};
  std::vector<Value> figures = {};
};

/// So many rows are evaluated at once.
constexpr std::size_t kBlock = 512;

/// Runs that share everything but values of inputs, and thus documents and linked formulas.
class Group {
 public:
  Group(std::unique_ptr<Run> run, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs)
      : run_(std::move(run)), inputs_(inputs), structures_(*run_, {varying(*run_, inputs), outputs, true}) {
    if (run_->solved()) solver_.emplace(*run_, *run_->solved(), inputs);
  }

  /// The row's candidate, or why there is none.
  void read(const std::map<std::string, Datum>& cells, Pending& row) {
    Diagnostics diagnostics;
    for (const std::string& input : inputs_) {
      const Name* name = run_->program().find(input);
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

  /// `ok` and the metrics, or why not: of rows of this group.
  void evaluate(std::vector<Pending*> rows) {
    while (!rows.empty()) {
      Diagnostics diagnostics;
      const Structure* structure = structures_.find(rows.front()->candidate, diagnostics);
      if (structure == nullptr) {
        rows.front()->outcome = "error: " + first_message(diagnostics);
        rows.erase(rows.begin());
      } else {
        rows = evaluate(*structure, rows);
      }
    }
  }

  std::size_t structures() const { return structures_.size(); }

 private:
  std::optional<double> read(const Name& name, const Datum& cell, Diagnostics& diagnostics) {
    Linker linker(run_->program(), run_->evaluator().questions(), diagnostics);
    const std::optional<Value> v = read_value(run_->program(), linker, name.type, cell, name.name, diagnostics);
    if (!v) return std::nullopt;
    return v->kind == Value::Kind::word ? v->word : v->scalar.value;
  }

  /// Those of another structure are left.
  static std::vector<Pending*> evaluate(const Structure& structure, const std::vector<Pending*>& rows) {
    std::vector<const std::vector<double>*> candidates;
    for (const Pending* row : rows) candidates.push_back(&row->candidate);
    std::vector<std::optional<Structure::Result>> answers = structure.evaluate(candidates);
    std::vector<Pending*> left;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!answers[i]) {
        left.push_back(rows[i]);
      } else if (!answers[i]->violation.empty()) {
        rows[i]->outcome = "error: " + answers[i]->violation;
      } else {
        rows[i]->outcome = kFine;
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
  Structures structures_;
  std::optional<InputSolver> solver_;
};

/// What a column says of the run of a row.
enum class ColumnRole : std::uint8_t {
  none,   ///< Nothing, or which documents it is of.
  input,  ///< An input's value, which runs of one group differ in.
  field   ///< Anything else: runs of one group agree on it.
};

class TableRun {
 public:
  TableRun(TableRows table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library, bool for_people,
           const std::vector<std::string>& beside)
      : table_(std::move(table)), source_(source), request_(request), library_(library), for_people_(for_people), beside_(beside) {}

  /// Prepares the first row that can be, to learn what the columns are.
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

  TableRuns::Count each(TableRuns::HandOn hand_on) {
    TableRuns::Count out;
    std::vector<Pending> block;
    bool wanted = true;
    const auto hand_on_block = [&] {
      evaluate(block);
      for (Pending& row : block) {
        if (!wanted) break;
        ++out.rows;
        if (row.outcome != kFine) ++out.failed;
        complete(row);
        wanted = hand_on(row.line, row.figures);
      }
      block.clear();
      return wanted;
    };
    table_.each([&](const Csv::Row& row) {
      block.push_back(pending(row));
      return block.size() < kBlock || hand_on_block();
    });
    hand_on_block();
    return out;
  }

 private:
  /// Rows of a group at once, whichever stand between them.
  static void evaluate(std::vector<Pending>& block) {
    std::map<Group*, std::vector<Pending*>> groups;
    for (Pending& row : block) {
      if (row.group != nullptr) groups[row.group].push_back(&row);
    }
    for (auto& [group, rows] : groups) group->evaluate(std::move(rows));
  }

  /// The cells behind those that the table has.
  void complete(Pending& row) const {
    row.line.cells.push_back(std::move(row.outcome));
    for (Value& v : row.figures) {
      row.line.cells.push_back(written(v));
      if (!v.is_number()) v = {};  // texts belong to runs
    }
    row.line.cells.resize(columns_.size());
  }

  Pending pending(const Csv::Row& row) {
    Pending out{{{}, row.line}, nullptr, {}};
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

  RunRequest request_of(const Csv::Row& row, Diagnostics& diagnostics) const {
    RunRequest request = request_;
    request.model = cell(row, "model", request_.model);
    request.execution = cell(row, "execution", request_.execution);
    request.system = cell(row, "system", request_.system);
    if (const std::string rules = cell(row, kRules, ""); !rules.empty()) request.rules = rules_of(rules, {source_, row.line, 1}, diagnostics);
    return request;
  }

  bool find_base(Diagnostics& diagnostics) {
    Diagnostics first;
    bool any = false, fine = false, found = false;
    table_.each([&](const Csv::Row& row) {
      any = true;
      for (const bool with_cells : {false, true}) {  // what the documents leave open the cells may say
        Diagnostics own;
        RunRequest request = request_of(row, own);
        if (with_cells) add_cells(row, request);
        if (const std::unique_ptr<Run> run = Run::prepare(request, library_, own)) {
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
      if (column == kOutcome) break;  // metrics stand behind it, which nothing knows yet
      if (!names_documents(column) && !contains(beside_, column) && !row.cells[c].empty())
        request.fields.push_back({column, datum(row, c), {source_, row.line, 1}, false});
    }
  }

  void learn(const Run& run) {
    for (const Published& p : run.program().published) published_.insert(p.name);
    for (std::string& metric : metrics_of(run.program(), for_people_)) {
      asked_.push_back(metric);
      metrics_.push_back({metric, declared_unit(*run.program().find_published(metric)->metric)});
    }
    borrows_graph_ = run.model_gives_values() && run.has_model();
    accounting_ = run.accounting();
  }

  bool check_columns(const Run& run, Diagnostics& diagnostics) {
    std::vector<std::string> known(std::begin(kDocuments), std::end(kDocuments));
    known.emplace_back(kStack);
    add_known(run, known);
    const auto is_unknown = [&](const std::string& column) { return !computed(column) && !run.is_taken_from(column) && !contains(known, column); };
    if (std::any_of(table_.columns.begin(), table_.columns.end(), is_unknown)) add_known_elsewhere(known);
    for (const auto& [input, _] : run.program().inputs) inputs_.insert(input->name);
    for (const std::string& column : table_.columns) {
      const bool unknown = is_unknown(column), beside = contains(beside_, column);
      if (unknown && !beside) diagnostics.error({source_, 1, 1}, fmt::format("unknown column `{}`{}", column, suggestion(column, known)));
      const bool input = inputs_.count(column) != 0 && !run.is_taken_from(column);
      roles_.push_back(unknown || computed(column) || names_documents(column) ? ColumnRole::none : input ? ColumnRole::input : ColumnRole::field);
    }
    return !diagnostics.has_errors();
  }

  static void add_known(const Run& run, std::vector<std::string>& known) {
    for (const auto& [input, _] : run.program().inputs) known.push_back(input->name);
    for (const auto& [parameter, _] : run.program().model->names) known.push_back(parameter);
  }

  /// What other models and executions of the table know: axes, parameters.
  void add_known_elsewhere(std::vector<std::string>& known) {
    std::set<std::pair<std::string, std::string>> met;
    table_.each([&](const Csv::Row& row) {
      Diagnostics unheard;
      RunRequest request = request_of(row, unheard);
      if (!met.emplace(request.model, request.execution).second) return true;
      add_cells(row, request);
      if (const std::unique_ptr<Run> run = Run::prepare(request, library_, unheard)) add_known(*run, known);
      return true;
    });
  }

  /// Where the accounting brings its own graph a model is nothing but values: cells like others.
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

  /// The group of the row and what it is there, or why there is none.
  void read(const Csv::Row& row, Pending& out) {
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
    Group* const runs = diagnostics.has_errors() ? nullptr : group(key, request, cells, diagnostics);
    if (runs != nullptr)
      runs->read(cells, out);
    else
      out.outcome = "error: " + first_message(diagnostics);
  }

  /// The group of a row, made from the row's own values if it is the first. Null, with errors, if that can't be: the next row may.
  Group* group(const std::string& key, RunRequest& request, const std::map<std::string, Datum>& cells, Diagnostics& diagnostics) {
    const auto known = groups_.find(key);
    if (known != groups_.end()) return known->second.get();
    std::vector<std::string> inputs;
    for (const auto& [input, value] : cells) {
      request.fields.push_back({input, value, value.span(), false});
      inputs.push_back(input);
    }
    std::unique_ptr<Run> run = Run::prepare(request, library_, diagnostics);
    if (run != nullptr && run->accounting() != accounting_) {
      diagnostics.error({}, fmt::format("its accounting is `{}`, that of the table `{}`", run->accounting(), accounting_));
      return nullptr;
    }
    return run == nullptr ? nullptr : groups_.emplace(key, std::make_unique<Group>(std::move(run), inputs, asked_)).first->second.get();
  }

  const TableRows table_;
  std::vector<std::size_t> kept_;  ///< Its columns that the result has.
  std::vector<std::string> columns_;
  const std::shared_ptr<const SourceFile>& source_;
  const RunRequest& request_;
  Library& library_;
  const bool for_people_;
  const std::vector<std::string>& beside_;
  std::vector<ColumnRole> roles_;    ///< By column.
  std::set<std::string> published_;  ///< Metrics, whether they are asked for or not.
  std::vector<std::string> asked_;
  std::vector<EvaluatedTable::Metric> metrics_;  ///< The same, with units.
  std::set<std::string> inputs_;                 ///< Names of the accounting's inputs.
  bool borrows_graph_ = false;
  std::string accounting_;  ///< Of all rows.
  std::map<std::string, std::map<std::string, Datum>> models_;
  std::map<std::string, std::unique_ptr<Group>> groups_;
};

}  // namespace

EvaluatedTable TableRuns::all() {
  EvaluatedTable out{{columns(), {}}, metrics(), {}};
  const auto keep = [&](Csv::Row& row, std::vector<Value>& figures) {
    out.rows.rows.push_back(std::move(row));
    out.figures.push_back(std::move(figures));
    return true;
  };
  out.failed = each(keep).failed;
  return out;
}

std::optional<TableRuns> TableRuns::prepare(TableRows rows, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                            Diagnostics& diagnostics, bool for_people, const std::vector<std::string>& beside) {
  const auto run = std::make_shared<TableRun>(std::move(rows), source, request, library, for_people, beside);
  if (!run->prepare(diagnostics)) return std::nullopt;
  TableRuns out;
  out.columns_ = run->columns();
  out.metrics_ = run->metrics();
  out.each_ = [run](HandOn hand_on) { return run->each(hand_on); };
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
                     Diagnostics said_before;
                     CsvReader reader(source, said_before);
                     for (Csv::Row row; reader.next(row) && visit(row);) continue;
                   }};
}

std::optional<EvaluatedTable> evaluate_table(const Csv& table, const std::shared_ptr<const SourceFile>& source, const RunRequest& request, Library& library,
                                             Diagnostics& diagnostics, bool for_people, const std::vector<std::string>& beside) {
  std::optional<TableRuns> runs = TableRuns::prepare(rows_of(table), source, request, library, diagnostics, for_people, beside);
  return runs ? std::optional(runs->all()) : std::nullopt;
}

}  // namespace opledger
