#include "measured/measured_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "formulas/link/linker.h"
#include "formulas/link/types.h"
#include "schemas/document.h"
#include "schemas/field_path.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxRows = 100'000;  // Limit of rows.
constexpr double kMaxSeconds = 1e9;        // Limit of a measured time: thirty years.

/// Returns FNV-1a with the finalizer of MurmurHash3: uniform, and equal on all platforms.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

const Datum& part(const Datum& map, std::string_view key) {
  static const Datum kNone = Datum::map({}, {});
  const Datum* found = map.find(key);
  return found != nullptr && found->is_map() ? *found : kNone;
}

}  // namespace

/// Reads a table in steps: documents, rows, columns, run, values. Each step needs the results of the earlier ones.
class MeasuredTable::Reader {
 public:
  Reader(MeasuredTable& table, Library& library, Diagnostics& diagnostics) : table_(table), library_(library), diagnostics_(diagnostics) {}

  bool read(const std::string& system) {
    if (!merge() || !load_rows() || !find_columns() || !request(system) || !table_.link(library_, diagnostics_)) return false;
    return read_rows();
  }

 private:
  /// A column that sets an input.
  struct MeasuredColumn {
    std::string column, input;
    Datum at;                          ///< Position in the document.
    const Datum* words = nullptr;      ///< Meanings of cells; null if a cell is the value itself.
    const Datum* otherwise = nullptr;  ///< Value for an empty cell or missing column; null if required.
    std::optional<std::size_t> index;  ///< Index in the table; empty if missing.
  };

  const Datum& root() const { return table_.root_; }

  /// Merges the document over all documents that it extends, key by key. The document itself comes last, so its keys
  /// replace those of the others. Returns false and reports errors if a document can't be loaded, or if a required
  /// key is missing after the merge.
  bool merge() {
    const std::size_t errors = diagnostics_.errors();
    const std::vector<const Document*> all = library_.closure(table_.document_, {"extends"}, {"measurements"}, diagnostics_);
    if (diagnostics_.errors() != errors) return false;
    for (const Document* d : all) {
      for (const auto& [key, value] : d->root.entries()) table_.root_ = with_field(table_.root_, {key.text()}, value);
    }
    for (const char* key : {"model", "columns", "seconds", "metric"}) {
      if (root().find(key) == nullptr)
        diagnostics_.error(table_.document_.root.span(), fmt::format("`{}` is missing, and nothing that is extended has it", key));
    }
    return diagnostics_.errors() == errors;
  }

  /// Loads the rows as `csv_`: from the requested file, else from the document's own `rows`, else from the file that
  /// the document names as `table`. Returns false and reports an error if the document has neither, or if the file
  /// can't be read.
  bool load_rows() {
    if (table_.file_.empty()) {
      if (const Datum* rows = root().find("rows")) return add_rows(*rows);
      const Datum* table = root().find("table");
      if (table == nullptr) {
        diagnostics_.error(table_.document_.root.span(), fmt::format("`{}` has no `table` and no `rows` of its own", table_.document_.name));
        return false;
      }
      source_ = library_.read_named(*table, diagnostics_);
      table_.file_ = source_ != nullptr ? source_->path : table->text();
    } else {
      source_ = read_source(table_.file_, diagnostics_);
    }
    std::optional<Csv> csv = source_ == nullptr ? std::nullopt : parse_csv(source_, diagnostics_);
    if (!csv) return false;
    csv_ = std::move(*csv);
    return true;
  }

  /// Brings the rows that a document itself states into the form of a CSV table. The columns are the union of all
  /// rows' columns, in order of first occurrence; a row that lacks a column gets an empty cell.
  bool add_rows(const Datum& rows) {
    if (rows.items().empty()) {
      diagnostics_.error(rows.span(), "there are no rows");
      return false;
    }
    source_ = rows.span().file;
    table_.file_ = table_.document_.name;
    for (const Datum& row : rows.items()) {
      for (const auto& [column, _] : row.entries()) {
        if (!contains(csv_.columns, column.text())) csv_.columns.push_back(column.text());
      }
    }
    for (const Datum& row : rows.items()) {
      Csv::Row out{{}, row.span().line, {}};
      for (const std::string& column : csv_.columns) {
        const Datum* cell = row.find(column);
        const Span& at = cell != nullptr ? cell->span() : row.span();
        out.cells.push_back(cell != nullptr ? cell->text() : "");
        out.places.push_back({at.line, at.column});
      }
      csv_.rows.push_back(std::move(out));
    }
    return true;
  }

  std::optional<std::size_t> find(const std::string& column) const {
    const auto at = std::find(csv_.columns.begin(), csv_.columns.end(), column);
    return at == csv_.columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - csv_.columns.begin()));
  }

  bool fail(Csv::Place at, const std::string& message) {
    diagnostics_.error({source_, at.line, at.column}, message);
    return false;
  }

  /// Finds the columns that the document describes. A column of `columns` sets an input and may be missing only if it
  /// has a default. Several columns of `seconds` are alternatives in different units, and at least one must exist. A
  /// condition under `where` on a missing column is dropped. Returns false and reports errors for a missing column or
  /// a unit that is no time.
  bool find_columns() {
    for (const auto& [column, target] : part(root(), "columns").entries()) {
      MeasuredColumn setting{
          column.text(),      target.is_map() ? target.find("sets")->text() : target.text(), target, target.find("words"), target.find("default"),
          find(column.text())};
      if (!setting.index && setting.otherwise == nullptr) fail({}, lacking(setting.column));
      settings_.push_back(std::move(setting));
    }
    std::vector<std::string> known;
    for (const auto& [column, unit] : part(root(), "seconds").entries()) {
      known.push_back(column.text());
      const std::optional<Unit> read = parse_unit(unit.text());
      if (!read || read->dimension != parse_unit("s")->dimension)
        diagnostics_.error(unit.span(), fmt::format("`{}` is no unit of time", unit.text()));
      else if (const auto index = find(column.text()))
        seconds_.emplace_back(*index, read->factor);
    }
    if (std::none_of(known.begin(), known.end(), [&](const std::string& column) { return find(column).has_value(); })) fail({}, lacking(join(known, "` or `")));
    for (const auto& [column, words] : part(root(), "where").entries()) {
      if (const auto index = find(column.text())) where_.emplace_back(*index, words.all());
    }
    return !diagnostics_.has_errors();
  }

  std::string lacking(const std::string& column) const {
    // A suggestion among very many columns is meaningless.
    const std::string meant = csv_.columns.size() > 1000 ? "" : suggestion(column, csv_.columns);
    return fmt::format("there is no column `{}`{}, which `{}` needs", column, meant, table_.document_.name);
  }

  /// Fills the request of the run that predicts all rows: model and execution as paths, settings under `set`, the
  /// metric, and the inputs that columns set. Returns false and reports errors if a document can't be loaded or an
  /// input is unknown.
  bool request(const std::string& system) {
    RunRequest& out = table_.request_;
    out.system = system;
    const auto load_path = [&](const char* key, std::string& into) {
      const Datum* name = root().find(key);
      const Document* named = name == nullptr ? nullptr : library_.load(name->text(), {key}, diagnostics_, name->span(), table_.document_.path);
      if (named != nullptr) into = named->path.string();
    };
    load_path("model", out.model);
    load_path("execution", out.execution);
    for (const auto& [key, value] : part(root(), "set").entries()) out.fields.push_back({key.text(), value, key.span(), false});
    table_.metric_ = root().find("metric")->text();
    for (const MeasuredColumn& s : settings_) {
      table_.columns_.push_back(s.column);
      table_.inputs_.push_back(s.input);
    }
    if (diagnostics_.has_errors()) return false;
    return open_parameters();
  }

  /// Opens the parameters of the model that columns set, so that a run takes their values from each row. A run is
  /// linked for the names that exist; inputs of the accounting need no opening. An unknown name is an error.
  bool open_parameters() {
    const std::unique_ptr<LinkedRun> plain = LinkedRun::link(table_.request_, library_, diagnostics_);
    if (plain == nullptr) return false;
    const Program& program = plain->program();
    for (const MeasuredColumn& s : settings_) {
      if (program.find_input(s.input) != nullptr) continue;
      std::vector<std::string> known = names_of(program.inputs);
      for (const auto& [name, _] : program.model->names) known.push_back(name);
      if (contains(known, s.input))
        table_.request_.open.emplace_back(s.input, s.at.span());
      else
        diagnostics_.error(s.at.span(), fmt::format("unknown input `{}`{}", s.input, known_names(s.input, "inputs", known)));
    }
    return !diagnostics_.has_errors();
  }

  /// Reads the selected rows that have a time. A malformed row is reported, and the others are still read.
  bool read_rows() {
    Linker linker(table_.run_->program(), formulas_, diagnostics_);
    for (const Csv::Row& row : csv_.rows) {
      if (!is_selected(row) || timed_at(row) == seconds_.end()) continue;
      if (table_.rows_.size() == kMaxRows) return fail({row.line, 1}, fmt::format("a table of measurements has at most {} rows", kMaxRows));
      MeasuredRow out;
      out.line = row.line;
      if (read_seconds(row, out) && read_inputs(row, linker, out)) table_.rows_.push_back(std::move(out));
    }
    split_rows();
    if (table_.rows_.empty() && !diagnostics_.has_errors()) fail({}, fmt::format("no row is one that `{}` reads", table_.document_.name));
    return !diagnostics_.has_errors();
  }

  /// Splits the rows into two halves, one to fit and one to leave out, by a random but reproducible choice. Rows with
  /// equal inputs must be in the same half, or errors over left-out rows would be too small. Distinct inputs are
  /// therefore sorted by a hash, which shuffles them, and assigned alternately. The cost is rows times the logarithm
  /// of rows.
  void split_rows() {
    std::map<std::vector<double>, bool> halves;  // Distinct inputs; true if left out.
    for (const MeasuredRow& row : table_.rows_) halves.emplace(row.inputs, false);
    std::map<std::pair<std::uint64_t, std::vector<double>>, bool*> shuffled;
    for (auto& [inputs, left_out] : halves) {
      const std::string_view bytes(reinterpret_cast<const char*>(inputs.data()), inputs.size() * sizeof(double));
      shuffled.emplace(std::pair(hash_of(bytes), inputs), &left_out);
    }
    bool left_out = false;
    for (auto& [_, half] : shuffled) *half = std::exchange(left_out, !left_out);
    for (MeasuredRow& row : table_.rows_) row.left_out = halves.at(row.inputs);
  }

  bool is_selected(const Csv::Row& row) const {
    return std::all_of(where_.begin(), where_.end(), [&](const auto& condition) {
      return std::any_of(condition.second.begin(), condition.second.end(), [&](const Datum& word) { return word.text() == row.cells[condition.first]; });
    });
  }

  /// Finds the first column of times with a value in the row.
  std::vector<std::pair<std::size_t, double>>::const_iterator timed_at(const Csv::Row& row) const {
    return std::find_if(seconds_.begin(), seconds_.end(), [&](const auto& column) { return !row.cells[column.first].empty(); });
  }

  bool read_seconds(const Csv::Row& row, MeasuredRow& out) {
    const auto [column, factor] = *timed_at(row);
    const std::string& cell = row.cells[column];
    const std::optional<double> read = Datum::scalar(cell, false, {}).number();
    out.seconds = read.value_or(0) * factor;
    if (read && out.seconds > 0 && out.seconds < kMaxSeconds) return true;
    return fail(row.places[column],
                fmt::format("`{}` is `{}`, and a time is a number of seconds above 0 and below {:g}", csv_.columns[column], cell, kMaxSeconds));
  }

  /// Reads the values of a row's inputs; an empty cell or a missing column has the document's default. Returns false
  /// and reports an error if a cell has no meaning for its input.
  bool read_inputs(const Csv::Row& row, Linker& linker, MeasuredRow& out) {
    for (const MeasuredColumn& s : settings_) {
      out.cells.push_back(s.index && !row.cells[*s.index].empty() ? row.cells[*s.index] : s.otherwise != nullptr ? s.otherwise->text() : "");
      const std::optional<Datum> cell = meaning(s, out.cells.back(), s.index ? row.places[*s.index] : Csv::Place{row.line, 1});
      const Name* name = table_.run_->program().find_input(s.input);
      const std::optional<Value> v = cell ? read_value(table_.run_->program(), linker, name->type, *cell, s.column, diagnostics_) : std::nullopt;
      if (!v) return false;
      out.inputs.push_back(v->kind == Value::Kind::word ? v->word : v->scalar.value);
      out.words.push_back(cell->text());
    }
    return true;
  }

  /// Returns the value that a cell means. Empty, with an error, if the cell is empty or unknown.
  std::optional<Datum> meaning(const MeasuredColumn& s, const std::string& cell, Csv::Place place) {
    const Span at{source_, place.line, place.column};
    if (cell.empty()) return fail(place, fmt::format("`{}` is empty", s.column)), std::nullopt;
    if (s.words == nullptr) return Datum::scalar(cell, false, at);
    if (const Datum* word = s.words->find(cell)) return Datum::scalar(word->text(), false, at);
    std::vector<std::string> known;
    for (const auto& [word, _] : s.words->entries()) known.push_back(word.text());
    return fail(place, fmt::format("`{}` is `{}`, none of {}", s.column, cell, join(known, ", "))), std::nullopt;
  }

  MeasuredTable& table_;
  Library& library_;
  Diagnostics& diagnostics_;
  std::shared_ptr<const SourceFile> source_;
  Csv csv_;
  std::vector<MeasuredColumn> settings_;
  std::vector<std::pair<std::size_t, double>> seconds_;            ///< Columns of times, with their units in seconds.
  std::vector<std::pair<std::size_t, std::vector<Datum>>> where_;  ///< Columns with the words that selected rows have.
  Formulas formulas_;
};

std::unique_ptr<MeasuredTable> MeasuredTable::read(const Document& document, const std::string& file, const std::string& system, bool corrected,
                                                   Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<MeasuredTable> out(new MeasuredTable(document, file));
  out->request_.corrected = corrected;
  return Reader(*out, library, diagnostics).read(system) ? std::move(out) : nullptr;
}

bool MeasuredTable::use_system(const Document& system, Library& library, Diagnostics& diagnostics) {
  request_.read_system = &system;
  return link(library, diagnostics);
}

bool MeasuredTable::link(Library& library, Diagnostics& diagnostics) {
  RunRequest request = request_;
  Query query{inputs_, {metric_}, false};
  for (const auto& [path, _] : fields_) {
    request.open.emplace_back(path, Span{});
    query.inputs.push_back(path);
  }
  programs_.reset();
  run_ = LinkedRun::link(request, library, diagnostics);
  if (run_ == nullptr) return false;
  programs_.emplace(*run_, std::move(query));
  return true;
}

bool MeasuredTable::open(std::vector<std::pair<std::string, std::size_t>> fields, Library& library, Diagnostics& diagnostics) {
  fields_ = std::move(fields);
  return link(library, diagnostics);
}

std::optional<double> MeasuredTable::predict(const MeasuredRow& row, const std::vector<double>& constants, Diagnostics& diagnostics) {
  std::vector<double> candidate = row.inputs;
  for (const auto& [_, constant] : fields_) candidate.push_back(constants[constant]);
  const CompiledProgram* structure = programs_->find(candidate, diagnostics);
  if (structure == nullptr) return std::nullopt;
  const Value v = structure->evaluate(candidate).outputs[0];
  if (v.is_number() && v.scalar.value > 0) return v.scalar.value;
  diagnostics.error({}, fmt::format("`{}` has no time for line {} of `{}`", metric_, row.line, file_));
  return std::nullopt;
}

}  // namespace opledger
