#include "measured/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/csv.h"
#include "base/text.h"
#include "expr/parser.h"
#include "formulas/read/reader.h"
#include "run/sources.h"

namespace opledger {
namespace {

/// An accounting to validate. Entries for an accounting also apply to accountings that extend it.
struct ValidatedAccounting {
  std::string name, path;
  std::vector<const Document*> documents;
};

/// Returns the entry for an accounting; null without one. Entries for extending accountings take precedence.
const Datum* choice(const Datum* by_accounting, const ValidatedAccounting& accounting) {
  const Datum* found = nullptr;
  for (const Document* document : accounting.documents) {
    if (by_accounting != nullptr && by_accounting->find(document->name) != nullptr) found = by_accounting->find(document->name);
  }
  return found;
}

/// Returns the value of a formula at a position; nothing, with errors, if it has none.
std::optional<Value> evaluate_formula(const std::string& formula, const Span& span, Run& run, Diagnostics& diagnostics) {
  const ExprPtr expression = parse_expression(formula, span, diagnostics);
  Linker linker(run.program(), run.evaluator().queries(), diagnostics);
  const Formula* linked = expression == nullptr ? nullptr : linker.link(expression, *run.program().global);
  if (linked == nullptr) return std::nullopt;
  Answer answer = run.evaluator().ask(*linked);
  return answer.report(diagnostics) ? std::optional(std::move(answer.value)) : std::nullopt;
}

/// A prepared run with its messages. A run that fails must not stop other runs.
struct PreparedRun {
  RunRequest request;
  std::unique_ptr<Run> run;  ///< Null if preparation failed.
  Diagnostics messages;
};

/// A cell of a table: the table and the path of the run's parts.
struct TableCell {
  const Datum* table = nullptr;
  std::vector<std::string> path;
};

/// Evaluates the tables of a document of validation. A cell of a table is a published number; its path of names
/// selects parts of a run. Each distinct run is prepared once.
class Validator {
 public:
  Validator(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics)
      : document_(document), request_(request), library_(library), diagnostics_(diagnostics) {}

  /// Evaluates every table: reads its published numbers, then computes each number under each accounting. Errors do
  /// not end the evaluation, so one call reports all of them; after any error, the result is empty. A table that
  /// can't be read is left out.
  std::optional<Validation> evaluate() {
    const std::size_t errors = diagnostics_.errors();
    Validation out;
    out.name = document_.name;
    if (!find_accountings(out) || !knows_accountings(document_.root)) return std::nullopt;
    if (const Datum* runs = document_.root.find("runs")) {
      for (const auto& [_, run] : runs->entries()) knows_accountings(run);
    }
    for (const auto& [name, table] : document_.root.find("tables")->entries()) {
      if (std::optional<ValidationTable> read = read_table(name.text(), table)) {
        compute(table, *read);
        out.tables.push_back(std::move(*read));
      }
    }
    if (diagnostics_.errors() > errors) return std::nullopt;
    return out;
  }

  /// Collects the published numbers with the requests of their runs, for the first accounting. Runs are not prepared
  /// (`requests_only_`): calibration links them with constants of its own. Tables without a formula for the
  /// accounting and tables of ratios (`relative_to`) are skipped, because a ratio belongs to two runs.
  std::optional<std::vector<ValidationCase>> cases() {
    const std::size_t errors = diagnostics_.errors();
    requests_only_ = true;
    Validation unused;
    std::vector<ValidationCase> out;
    if (!find_accountings(unused)) return std::nullopt;
    for (const auto& [name, datum] : document_.root.find("tables")->entries()) {
      const std::optional<ValidationTable> table = read_table(name.text(), datum);
      const Datum* formula = choice(datum.find("is"), accountings_[0]);
      if (!table || formula == nullptr || datum.find("relative_to") != nullptr) continue;
      const Datum* left_out = datum.find("left_out");
      for (std::size_t row = 0; row < table->rows.size(); ++row) {
        const ValidationRow& number = table->rows[row];
        const PreparedRun* prepared = run_of({&datum, paths_.at({table->name, row})}, accountings_[0], table->name, number.span);
        if (prepared != nullptr)
          out.push_back({table->name, number.run, prepared->request, formula->text(), number.published, table->unit.dimension,
                         left_out != nullptr && left_out->text() == "true"});
      }
    }
    if (diagnostics_.errors() > errors) return std::nullopt;
    return out;
  }

 private:
  /// Finds the accountings to validate and adds them to `accountings_`, their names to `out`. The request decides
  /// first, then the document, then the default execution. Returns false and reports an error if an accounting can't
  /// be loaded.
  bool find_accountings(Validation& out) {
    std::vector<std::pair<std::string, Span>> names;
    const Datum* own = document_.root.find("accounting");
    if (!request_.accounting.empty()) {
      names.emplace_back(request_.accounting, Span{});
    } else if (own != nullptr) {
      for (const Datum& name : own->all()) names.emplace_back(name.text(), name.span());
    }
    for (const auto& [name, span] : names) {
      const Document* accounting = library_.load(name, {"accounting"}, diagnostics_, span, span.known() ? document_.path : std::filesystem::path());
      if (accounting == nullptr) return false;
      add_accounting(*accounting, out);
    }
    if (!names.empty()) return true;
    const Document* default_execution = library_.load(kDefaultExecution, {"execution"}, diagnostics_);
    const Document* accounting = default_execution == nullptr ? nullptr : accounting_of(*default_execution, library_, diagnostics_);
    if (accounting != nullptr) add_accounting(*accounting, out);
    return accounting != nullptr;
  }

  void add_accounting(const Document& accounting, Validation& out) {
    out.accountings.push_back(accounting.name);
    accountings_.push_back({accounting.name, accounting.path.string(), library_.closure(accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics_)});
  }

  /// Reads the title, unit and published numbers of a table. Returns nothing and reports an error for an unknown
  /// unit, an unknown accounting, or a table without a formula for the validated accountings. The document's schema
  /// requires `unit` and `published`.
  std::optional<ValidationTable> read_table(const std::string& name, const Datum& datum) {
    ValidationTable table;
    table.name = name;
    const Datum* title = datum.find("title");
    table.title = title != nullptr ? title->text() : name;
    const Datum& unit = *datum.find("unit");
    table.unit_text = unit.text();
    const std::optional<Unit> known = parse_unit(unit.text());
    if (!known) {
      diagnostics_.error(unit.span(), fmt::format("unknown unit `{}`", unit.text()));
      return std::nullopt;
    }
    table.unit = *known;
    if (!is_answered(name, datum) || !knows_accountings(datum)) return std::nullopt;
    const Datum *const published = datum.find("published"), *const rows = datum.find("rows");
    if ((published == nullptr) == (rows == nullptr)) {
      diagnostics_.error(datum.span(), fmt::format("table `{}` needs either `published` or `rows`", name));
      return std::nullopt;
    }
    if (published != nullptr)
      read_numbers(*published, {}, table);
    else if (!read_file(*rows, table))
      return std::nullopt;
    return table;
  }

  /// Reads the published numbers of a CSV file. Each row with the values of `where` is a run of its own: the columns
  /// `model`, `execution` and `system` name documents, and other columns set inputs, as for `eval --table`. Returns
  /// false, with errors, if the file can't be read or lacks a column.
  bool read_file(const Datum& rows, ValidationTable& table) {
    const Datum &file = *rows.find("file"), &published = *rows.find("published");
    const std::shared_ptr<const SourceFile> source = library_.read_named(file, diagnostics_);
    const std::optional<Csv> csv = source != nullptr ? parse_csv(source, diagnostics_) : std::nullopt;
    if (!csv) return false;
    const std::vector<std::string> ignored = rows.texts("ignored");
    const Datum* const where = rows.find("where");
    const std::size_t errors = diagnostics_.errors();
    const auto column = [&](const Datum& name) {
      const auto found = std::find(csv->columns.begin(), csv->columns.end(), name.text());
      if (found == csv->columns.end())
        diagnostics_.error(name.span(), fmt::format("`{}` has no column `{}`{}", file.text(), name.text(), known_names(name.text(), "columns", csv->columns)));
      return static_cast<std::size_t>(found - csv->columns.begin());
    };
    const std::size_t number = column(published);
    std::vector<std::pair<std::size_t, std::string>> conditions;
    for (const auto& [name, value] : where != nullptr ? where->entries() : std::vector<Datum::Entry>{}) conditions.emplace_back(column(name), value.text());
    if (diagnostics_.errors() > errors) return false;
    for (const Csv::Row& row : csv->rows) {
      if (!std::all_of(conditions.begin(), conditions.end(), [&](const auto& c) { return row.cells[c.first] == c.second; })) continue;
      const Span span{source, row.line, 1};
      std::vector<Datum::Entry> layer, changes;
      for (std::size_t c = 0; c < csv->columns.size(); ++c) {
        const std::string& name = csv->columns[c];
        if (c == number || row.cells[c].empty() || contains(ignored, name)) continue;
        const bool document = name == "model" || name == "execution" || name == "system";
        (document ? layer : changes).emplace_back(Datum::scalar(name, false, file.span()), Datum::scalar(row.cells[c], false, document ? file.span() : span));
      }
      layer.emplace_back(Datum::scalar("set", false, span), Datum::map(std::move(changes), span));
      const std::string name = fmt::format("line {}", row.line);
      read_number(Datum::scalar(row.cells[number], false, span), {name}, table);
      layers_[{table.name, name}] = Datum::map(std::move(layer), span);
    }
    return diagnostics_.errors() == errors;
  }

  /// Checks the keys that name accountings in a table, run or document. Returns false, with errors, if an accounting is
  /// unknown.
  bool knows_accountings(const Datum& table) {
    const std::size_t errors = diagnostics_.errors();
    for (const char* key : {"is", "at_most", "model", "system"}) check_accountings(table.find(key));
    if (const Datum* execution = table.find("execution")) check_accountings(execution->find("for"));
    return diagnostics_.errors() == errors;
  }

  /// Checks the keys of a mapping by accounting. A name that is none of the validated accountings must at least be an
  /// accounting of the library.
  void check_accountings(const Datum* by_accounting) {
    for (const auto& [name, _] : by_accounting != nullptr ? by_accounting->entries() : std::vector<Datum::Entry>{}) {
      const auto has = [&, &name = name](const Document* document) { return document->name == name.text(); };
      const auto compared = [&](const ValidatedAccounting& accounting) { return std::any_of(accounting.documents.begin(), accounting.documents.end(), has); };
      if (std::none_of(accountings_.begin(), accountings_.end(), compared))
        library_.load(name.text(), {"accounting"}, diagnostics_, name.span(), document_.path);
    }
  }

  /// Returns whether the table has a formula (`is`) for at least one validated accounting; without one, adds an error.
  bool is_answered(const std::string& name, const Datum& datum) {
    const Datum* formulas = datum.find("is");
    if (std::any_of(accountings_.begin(), accountings_.end(), [&](const ValidatedAccounting& accounting) { return choice(formulas, accounting) != nullptr; }))
      return true;
    diagnostics_.error(formulas->span(), fmt::format("table `{}` has no formula for this accounting", name));
    return false;
  }

  /// Reads published numbers recursively: each level of mappings names a part of the run, and the leaves are numbers.
  void read_numbers(const Datum& datum, const std::vector<std::string>& path, ValidationTable& table) {
    if (!datum.is_map()) return read_number(datum, path, table);
    for (const auto& [name, inner] : datum.entries()) {
      if (!knows_run(name)) continue;
      std::vector<std::string> longer = path;
      longer.push_back(name.text());
      read_numbers(inner, longer, table);
    }
  }

  bool knows_run(const Datum& name) {
    const Datum* runs = document_.root.find("runs");
    if (runs != nullptr && runs->find(name.text()) != nullptr) return true;
    const std::vector<std::string> known = runs != nullptr ? names_of(runs->entries()) : std::vector<std::string>{};
    diagnostics_.error(name.span(), fmt::format("unknown run `{}`{}", name.text(), known_names(name.text(), "runs", known)));
    return false;
  }

  /// Adds a published number as a row of the table. A plain number has the table's unit. Zero is an error, because
  /// errors are relative to the number. `paths_` keeps the path of the row.
  void read_number(const Datum& datum, const std::vector<std::string>& path, ValidationTable& table) {
    double number = 0;
    Dimension dimension;
    const bool good = datum.is_scalar() && !path.empty() && parse_quantity(datum.text(), number, dimension);
    if (!good || (!dimension.plain() && dimension != table.unit.dimension) || number == 0) {
      diagnostics_.error(datum.span(), fmt::format("expected a number in {} that is not 0, by the name of a run", table.unit_text));
      return;
    }
    if (dimension.plain()) number *= table.unit.factor;
    table.rows.push_back({join(path, " "), number, {}, datum.span()});
    paths_[{table.name, table.rows.size() - 1}] = path;
  }

  void compute(const Datum& datum, ValidationTable& table) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::vector<std::string>& path = paths_.at({table.name, row});
      for (const ValidatedAccounting& accounting : accountings_)
        table.rows[row].values.push_back(value_of({&datum, path}, table, accounting, table.rows[row].span));
    }
    for (std::size_t i = 0; i < accountings_.size(); ++i) table.errors.push_back(errors_and_limits(datum, table, i));
  }

  /// Computes the value of a cell; nothing without a formula for the accounting. With `relative_to`, the value is a
  /// ratio: it is divided by the value for the base run, whose name replaces the last part of the run's path. A base
  /// value of 0 is an error.
  std::optional<double> value_of(TableCell cell, const ValidationTable& table, const ValidatedAccounting& accounting, const Span& position) {
    const Datum* formula = choice(cell.table->find("is"), accounting);
    if (formula == nullptr) return std::nullopt;
    const std::optional<double> value = compute_cell(cell, table, *formula, accounting, position);
    const Datum* base = cell.table->find("relative_to");
    if (base == nullptr || !value || !knows_run(*base)) return value;
    cell.path.back() = base->text();
    const std::optional<double> whole = compute_cell(cell, table, *formula, accounting, position);
    if (!whole) return std::nullopt;
    if (*whole == 0) diagnostics_.error(formula->span(), fmt::format("this is 0 for `{}`, which others are shares of", join(cell.path, " ")));
    return *value / *whole;
  }

  /// Evaluates the formula of a cell in its run. Returns nothing and reports errors if the run can't be prepared, or
  /// if the value is no number in the table's unit. Messages of a run are reported once, with the first cell that
  /// uses the run.
  std::optional<double> compute_cell(const TableCell& cell, const ValidationTable& table, const Datum& formula, const ValidatedAccounting& accounting,
                                     const Span& position) {
    PreparedRun* prepared = run_of(cell, accounting, table.name, position);
    if (prepared == nullptr || prepared->run == nullptr) return std::nullopt;
    const bool relative = cell.table->find("relative_to") != nullptr;  // A share has no unit.
    const std::optional<Value> value = evaluate_formula(formula.text(), formula.span(), *prepared->run, prepared->messages);
    diagnostics_.append(std::exchange(prepared->messages, {}));
    if (!value) return std::nullopt;
    if (value->is_number() && (relative || value->any_unit || value->unit == table.unit.dimension)) return value->scalar.value;
    diagnostics_.error(formula.span(), fmt::format("this is {}, but must be a number in {}", describe(*value), table.unit_text));
    return std::nullopt;
  }

  /// Documents and settings of a run, merged from its layers.
  struct RunSetting {
    std::string model, system;
    std::vector<FieldAssignment> changes{};  ///< The sections `set`.
    Datum execution{};
  };

  /// Adds one layer of settings to a run: the document, its table, or a part of the run. A later layer replaces model
  /// and system, adds settings (`set`), and merges its execution over that of earlier layers. Model and system may be
  /// given by accounting. Returns false and reports an error if a document can't be loaded.
  bool add_layer(const Datum& layer, const ValidatedAccounting& accounting, RunSetting& setting) {
    for (const auto& [key, kind, into] : {std::tuple{"model", "model", &setting.model}, {"system", "system", &setting.system}}) {
      const Datum* named = layer.find(key);
      if (named != nullptr && named->is_map()) named = choice(named, accounting);
      if (named == nullptr) continue;
      const Document* found = library_.load(named->text(), {kind, kNoKind}, diagnostics_, named->span(), document_.path);
      if (found == nullptr) return false;
      *into = found->path.string();
    }
    if (const Datum* changes = layer.find("set")) {
      for (const auto& [key, value] : changes->entries()) setting.changes.push_back({key.text(), value, key.span()});
    }
    const Datum* execution = layer.find("execution");
    if (execution == nullptr) return true;
    if (execution->is_map()) {
      setting.execution = merged(setting.execution, *execution);
      return true;
    }
    const Document* named = library_.load(execution->text(), {"execution", kNoKind}, diagnostics_, execution->span(), document_.path);
    if (named != nullptr) setting.execution = merged(setting.execution, named->root);
    return named != nullptr;
  }

  /// Returns the run of a cell, prepared at its first use; null if a document can't be loaded. Its layers are the
  /// document, the table, then each part of the path. Equal runs of several tables are prepared once: the key of a
  /// run has the accounting, the model, the system, and the path. A table is part of the key only if it states an
  /// execution or settings (`set`).
  PreparedRun* run_of(const TableCell& cell, const ValidatedAccounting& accounting, const std::string& table, const Span& position) {
    RunSetting setting;
    setting.execution = Datum::map({}, document_.root.span());
    if (!add_layer(document_.root, accounting, setting) || !add_layer(*cell.table, accounting, setting)) return nullptr;
    for (const std::string& part : cell.path) {
      const auto row = layers_.find({table, part});
      if (!add_layer(row != layers_.end() ? row->second : *document_.root.find("runs")->find(part), accounting, setting)) return nullptr;
    }
    const bool is_own = cell.table->find("execution") != nullptr || cell.table->find("set") != nullptr || cell.table->find("rows") != nullptr;
    const std::string own = is_own ? table + " " : "";
    const std::string execution = document_.name + " " + own + join(cell.path, " ");
    const std::string key = join({accounting.path, setting.model, setting.system, execution}, "\n");
    const auto [prepared, fresh] = runs_.try_emplace(key);
    if (fresh) prepare(setting, execution, accounting, position, prepared->second);
    return &prepared->second;
  }

  /// Writes the merged execution into the library under a name of its own, makes the request and prepares the run.
  /// Keys that describe only the original document are dropped. The name contains document and accounting, so that
  /// executions do not collide. Messages are reported at once; an infeasible run gives a warning, since its numbers
  /// can still be compared.
  void prepare(const RunSetting& setting, const std::string& name, const ValidatedAccounting& accounting, const Span& position, PreparedRun& out) {
    const std::string provided = document_.path.string() + " " + accounting.name + " " + name;
    std::vector<Datum::Entry> entries = {{Datum::scalar("kind", false, position), Datum::scalar("execution", false, position)}};
    for (const Datum::Entry& entry : setting.execution.entries()) {
      static const std::set<std::string, std::less<>> kOwn = {"kind", "name", "doc", "source", "accounting"};
      if (kOwn.count(entry.first.text()) == 0) entries.push_back(entry);
    }
    if (library_.provide(provided, document_.path, Datum::map(std::move(entries), position), out.messages) != nullptr) {
      out.request = request_;
      out.request.model = setting.model, out.request.execution = provided, out.request.system = setting.system, out.request.accounting = accounting.path;
      out.request.fields.insert(out.request.fields.end(), setting.changes.begin(), setting.changes.end());
      if (!requests_only_) out.run = Run::prepare(out.request, library_, out.messages);
    }
    if (out.run != nullptr) {
      for (const Violation& violation : out.run->violations(out.messages))
        out.messages.warning(position, fmt::format("`{}` finds this run infeasible: {}", accounting.name, violation.message));
    }
    diagnostics_.append(std::exchange(out.messages, {}));
  }

  /// Returns the errors of a table under one accounting, with the limits that the table states under `at_most`.
  ValidationErrors errors_and_limits(const Datum& datum, const ValidationTable& table, std::size_t accounting) {
    std::vector<std::pair<double, double>> computed;
    for (const ValidationRow& row : table.rows) {
      if (row.values[accounting]) computed.emplace_back(*row.values[accounting], row.published);
    }
    ValidationErrors out = errors_of(computed);
    const Datum* limits = choice(datum.find("at_most"), accountings_[accounting]);
    for (const auto& [key, limit] : {std::pair{"mean", &out.mean_limit}, {"worst", &out.worst_limit}}) {
      if (limits != nullptr && limits->find(key) != nullptr) *limit = limits->find(key)->number();
    }
    return out;
  }

  const Document& document_;
  const RunRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  std::vector<ValidatedAccounting> accountings_;
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> paths_;  ///< Path of the run's parts by table and row.
  std::map<std::pair<std::string, std::string>, Datum> layers_;                    ///< Settings of the rows of files, by table and name of the row.
  std::map<std::string, PreparedRun> runs_;
  bool requests_only_ = false;  ///< Collect requests without preparing runs.
};

/// Returns an error as a report prints it, in hundredths of a percent.
double printed(double error) { return std::round(error * 1e4); }

}  // namespace

std::optional<Value> value_of(const std::string& formula, Run& run, Diagnostics& diagnostics) { return evaluate_formula(formula, {}, run, diagnostics); }

/// Returns statistics of |value - published| / |published| over pairs of a computed and a published number. The
/// median of an even number of pairs is the mean of the two middle errors. The signed mean tells overestimates from
/// underestimates, which the other statistics do not. Without pairs, all statistics are empty.
ValidationErrors errors_of(const std::vector<std::pair<double, double>>& computed) {
  ValidationErrors out;
  std::vector<double> errors;
  double over = 0, sum = 0, near = 0;
  for (const auto& [value, published] : computed) {
    const double error = relative_error(value, published);
    errors.push_back(error);
    over += value < published ? -error : error;
    sum += error;
    near += error <= 0.1 ? 1 : 0;
  }
  if (errors.empty()) return out;
  std::sort(errors.begin(), errors.end());
  const auto count = static_cast<double>(errors.size());
  out.rows = errors.size();
  out.signed_mean = over / count;
  out.mean = sum / count;
  out.median = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  out.worst = errors.back();
  out.near = near / count;
  return out;
}

double relative_error(double value, double published) { return std::abs(value - published) / std::abs(published); }

std::optional<Validation> evaluate_validation(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  return Validator(document, request, library, diagnostics).evaluate();
}

std::optional<std::vector<ValidationCase>> validation_cases(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  return Validator(document, request, library, diagnostics).cases();
}

std::vector<std::string> exceeded(const Validation& validation) {
  std::vector<std::string> out;
  for (const ValidationTable& table : validation.tables) {
    for (std::size_t i = 0; i < table.errors.size(); ++i) {
      const ValidationErrors& errors = table.errors[i];
      for (const auto& [statistic, error, limit] : {std::tuple{"mean", errors.mean, errors.mean_limit}, {"worst", errors.worst, errors.worst_limit}}) {
        if (error && limit && printed(*error) > printed(*limit))
          out.push_back(fmt::format("{}: the {} error of `{}` is {:.2f} %, and {:.2f} % is expected", table.title, statistic, validation.accountings[i],
                                    *error * 100, *limit * 100));
      }
    }
  }
  return out;
}

}  // namespace opledger
