#include "base/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/text.h"

namespace opledger {
namespace {

class Reader {
 public:
  Reader(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) : source_(source), text_(source->text), diagnostics_(diagnostics) {
    if (text_.compare(0, 3, "\xef\xbb\xbf") == 0) at_ = 3;
  }

  std::optional<Csv> read() {
    Csv csv;
    while (at_ < text_.size()) {
      Csv::Row row{{}, line_};
      if (!read_row(row.cells)) return std::nullopt;
      if (row.cells.size() == 1 && row.cells[0].empty()) continue;  // an empty line
      if (csv.columns.empty()) {
        csv.columns = std::move(row.cells);
        if (!check_columns(csv.columns, row.line)) return std::nullopt;
      } else if (row.cells.size() == csv.columns.size()) {
        csv.rows.push_back(std::move(row));
      } else {
        return fail(row.line, fmt::format("this row has {} cells, and there are {} columns", row.cells.size(), csv.columns.size()));
      }
    }
    if (csv.columns.empty()) return fail(1, "there is no line that names the columns");
    return csv;
  }

 private:
  std::nullopt_t fail(std::uint32_t line, std::string message) {
    diagnostics_.error({source_, line, 1}, std::move(message));
    return std::nullopt;
  }

  bool check_columns(const std::vector<std::string>& columns, std::uint32_t line) {
    std::unordered_set<std::string_view> known;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].empty() && known.insert(columns[i]).second) continue;
      fail(line, columns[i].empty() ? fmt::format("column {} has no name", i + 1) : fmt::format("two columns are called `{}`", columns[i]));
      return false;
    }
    return true;
  }

  bool read_row(std::vector<std::string>& cells) {
    while (true) {
      std::string cell;
      if (at_ < text_.size() && text_[at_] == '"') {
        if (!read_quoted(cell)) return false;
      } else {
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        cell = std::string(trim(std::string_view(text_).substr(at_, end - at_)));
        at_ = end;
      }
      cells.push_back(std::move(cell));
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      return end_of_line();
    }
  }

  bool read_quoted(std::string& cell) {
    const std::uint32_t line = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        return true;
      }
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      cell += text_[at_];
    }
    fail(line, "a quotation mark is not closed");
    return false;
  }

  bool end_of_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] != '\n') {
      fail(line_, "a cell goes on behind its quotation marks");
      return false;
    }
    ++at_;
    ++line_;
    return true;
  }

  const std::shared_ptr<const SourceFile>& source_;
  const std::string& text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::optional<Csv> parse_csv(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) { return Reader(source, diagnostics).read(); }

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string csv_lines(const Csv& csv) {
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    out += "\n";
  };
  add_line(csv.columns);
  for (const Csv::Row& row : csv.rows) add_line(row.cells);
  return out;
}

}  // namespace opledger
