#include "base/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {

CsvReader::CsvReader(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics)
    : source_(source), text_(source_->text), diagnostics_(diagnostics) {
  if (text_.compare(0, 3, "\xef\xbb\xbf") == 0) begin_ = at_ = 3;
  Csv::Row names;
  if (!read_line(names)) {
    if (!failed_) fail(1, "there is no line that names the columns");
    return;
  }
  if (beyond_ > 0) {
    fail(names.line, fmt::format("there are {} columns, and a table has at most {}", names.cells.size() + beyond_, kMaxTableColumns));
    return;
  }
  columns_ = std::move(names.cells);
  if (!check_columns(names.line)) columns_.clear();
}

bool CsvReader::next(Csv::Row& row) {
  if (failed_ || !read_line(row)) return false;
  const std::size_t cells = row.cells.size() + beyond_;
  if (cells == columns_.size()) return true;
  return fail(row.line, fmt::format("this row has {} cells, and there are {} columns", cells, columns_.size()));
}

bool CsvReader::fail(std::uint32_t line, std::string message) {
  diagnostics_.error({source_, line, 1}, std::move(message));
  failed_ = true;
  return false;
}

bool CsvReader::check_columns(std::uint32_t line) {
  std::unordered_set<std::string_view> known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].empty() && known.insert(columns_[i]).second) continue;
    return fail(line, columns_[i].empty() ? fmt::format("column {} has no name", i + 1) : fmt::format("two columns are called `{}`", columns_[i]));
  }
  return true;
}

/// Reads the next row that is not empty.
bool CsvReader::read_line(Csv::Row& row) {
  while (at_ < text_.size()) {
    row.line = line_;
    if (!read_row(row)) return false;
    if (row.cells.size() > 1 || !row.cells[0].empty()) return true;
  }
  return false;
}

/// Reads one row, from position `at_` to the end of its line, into `row`; the strings of earlier rows are reused. Cells
/// beyond kMaxTableColumns are counted in `beyond_` and not stored, so a hostile row takes little memory. A cell that
/// begins with a quotation mark is read by `read_quoted` and may contain commas and line ends. Any other cell ends at a
/// comma or line end and is trimmed of blanks. Returns false, with an error, if a quotation mark is not closed or a text
/// follows it. Linear in the bytes of the row.
bool CsvReader::read_row(Csv::Row& row) {
  std::vector<std::string>& cells = row.cells;
  std::string surplus;
  row.places.clear();
  beyond_ = 0;
  for (std::size_t i = 0;; ++i) {
    if (i == kMaxTableColumns) --i, ++beyond_;
    if (i == cells.size()) cells.emplace_back();
    std::string& cell = beyond_ == 0 ? cells[i] : surplus;
    if (beyond_ == 0) row.places.push_back({line_, static_cast<std::uint32_t>(at_ - begin_ + 1)});
    cell.clear();
    if (at_ < text_.size() && text_[at_] == '"') {
      if (!read_quoted(cell)) return false;
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      cell = trim(std::string_view(text_).substr(at_, end - at_));
      at_ = end;
    }
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      continue;
    }
    cells.resize(i + 1);
    return end_of_line();
  }
}

/// Reads a quoted cell. Two quotation marks stand for one; line ends inside are counted.
bool CsvReader::read_quoted(std::string& cell) {
  const std::uint32_t line = line_;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
      ++at_;
      return true;
    }
    if (text_[at_] == '"') ++at_;
    if (text_[at_] == '\n') ++line_, begin_ = at_ + 1;
    cell += text_[at_];
  }
  return fail(line, "a quotation mark is not closed");
}

bool CsvReader::end_of_line() {
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] != '\n') return fail(line_, "a cell goes on behind its quotation marks");
  begin_ = ++at_;
  ++line_;
  return true;
}

std::optional<Csv> parse_csv(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  CsvReader reader(source, diagnostics);
  Csv csv{reader.columns(), {}};
  for (Csv::Row row; reader.next(row);) csv.rows.push_back(std::move(row));
  return diagnostics.errors() == errors ? std::optional(std::move(csv)) : std::nullopt;
}

namespace {

bool needs_quotes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

void add_cell(std::string& out, std::string_view text) {
  if (!needs_quotes(text)) {
    out += text;
    return;
  }
  out += '"';
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"')) {
    out.append(text.substr(0, quote + 1)) += '"';
    text.remove_prefix(quote + 1);
  }
  out.append(text) += '"';
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string out;
  add_cell(out, text);
  return out;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    add_cell(out, cells[i]);
  }
  return out + "\n";
}

std::string csv_lines(const Csv& csv) {
  std::string out = csv_line(csv.columns);
  for (const Csv::Row& row : csv.rows) out += csv_line(row.cells);
  return out;
}

}  // namespace opledger
