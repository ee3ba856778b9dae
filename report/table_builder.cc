#include "report/table_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "formulas/evaluate/render_message.h"
#include "report/tree.h"

namespace opledger {
namespace {

/// A builder of a table.
/// Rows are found and sorted first, then cut to the maximum number. Each column is evaluated for the remaining rows; a
/// column that needs a missing system is omitted. Rows are finally nested or grouped, and sums and notes added.
class TableBuilder {
 public:
  TableBuilder(const Table& table, Run& run, bool for_people, ValueOwners& kept, Diagnostics& messages)
      : table_(table), evaluator_(run.evaluator()), messages_(messages), for_people_(for_people), kept_(kept) {
    const std::size_t row_limit = table.shown > 0 ? table.shown : SIZE_MAX;
    max_rows_ = for_people ? row_limit : rows_of_lists();
    max_items_ = for_people ? row_limit : kMostCells;
  }

  /// Builds the table. Returns false if rows, nesting or groups cannot be evaluated.
  bool build(Diagnostics& diagnostics) {
    if (!find_rows()) return false;
    out_.name = table_.name;
    out_.title = table_.title.empty() ? table_.name : table_.title;
    out_.rows.resize(points_.size());
    for (std::vector<Value>& row : out_.rows) row.reserve(table_.columns.size());
    for (const TableColumn& column : table_.columns) add_column(column);
    if (table_.under != nullptr && !nest_rows(diagnostics)) return false;
    if (table_.by != nullptr && for_people_ && !out_.columns.empty() && !group_rows()) return false;
    if (!table_.sums.empty()) add_sums(table_.sums, table_.total.empty() ? Value{} : text(table_.total), out_);
    for (const TableNote& note : table_.notes) add_note(note);
    out_.minor = table_.minor;
    if (out_.parents.empty() && out_.rows.size() == points_.size()) out_.points = std::move(points_);
    return true;
  }

  ReportTable take() { return std::move(out_); }

 private:
  /// Returns the value of a name or formula; nothing if it needs a missing system, or if its error was reported.
  template <class Query>
  std::optional<Value> evaluate(const Query& query, const Point& point) {
    Answer answer = evaluator_.ask(query, point);
    return answer.report_unless_absent(messages_) ? std::optional(std::move(answer.value)) : std::nullopt;
  }

  /// Returns the maximum number of rows for which lists stay complete; at least kFew rows, in which case lists are cut.
  std::size_t rows_of_lists() {
    constexpr std::size_t kFew = 256;
    std::size_t items = 1;
    for (const TableColumn& column : table_.columns) {
      if (column.over) items = std::max(items, evaluator_.visit(column.over, nowhere()).size());
    }
    return std::max(kFew, kMostCells / items);
  }

  Value text(std::string written) { return owned_text(std::move(written), kept_); }

  std::optional<std::string> written(const std::vector<MessagePart>& parts, const Point& point) { return render_message(evaluator_, parts, point, messages_); }

  /// Finds the rows of the table: the elements of its set that satisfy `where`, sorted, at most `max_rows_`. `words_`
  /// holds all elements at first, and finally those of the rows; `points_` gets the point of each row, at which its
  /// cells are evaluated. For programs, the limit of kMostCells list items in a column is then shared equally by the
  /// rows. Returns false if the condition cannot be evaluated. The cost is one evaluation of condition and sort key for
  /// each element.
  bool find_rows() {
    words_ = evaluator_.visit(table_.rows, nowhere());
    std::vector<std::pair<WordId, Point>> rows;
    for (const WordId word : words_) {
      const Point point = evaluator_.choose(nowhere(), table_.rows, word);
      if (table_.where != nullptr) {
        const std::optional<Value> holds = evaluate(*table_.where, point);
        if (!holds) return false;
        if (holds->scalar.value == 0) continue;
      }
      rows.emplace_back(word, point);
    }
    sort(rows);
    out_.left_out = rows.size() - std::min(rows.size(), max_rows_);
    rows.resize(rows.size() - out_.left_out);
    words_.clear();
    for (const auto& [word, point] : rows) words_.push_back(word), points_.push_back(point);
    if (!for_people_) max_items_ = std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, points_.size()));
    return true;
  }

  /// Sorts rows by the first of the sort columns that can be computed; the sort is stable, so ties keep the set's
  /// order.
  void sort(std::vector<std::pair<WordId, Point>>& rows) {
    for (const Name* name : table_.largest_first) {
      sort_keys_.clear();
      bool known = true;
      for (const auto& [word, point] : rows) {
        const std::optional<Value> v = evaluate(*name, point);
        known = known && v;
        sort_keys_[word] = v && v->is_number() ? v->scalar.value : 0;
      }
      if (!known) continue;
      std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return sort_keys_[a.first] > sort_keys_[b.first]; });
      return;
    }
    sort_keys_.clear();
  }

  /// Adds a column, unless one of its cells cannot be computed.
  void add_column(const TableColumn& column) {
    std::vector<Value> values;
    if (column.over) out_.prose.push_back(column.title);
    for (const Point& point : points_) {
      const std::optional<Value> value = cell(column, point);
      if (!value) return;
      values.push_back(*value);
    }
    clear_absent(values);
    out_.columns.push_back(column.title);
    for (std::size_t i = 0; i < values.size(); ++i) out_.rows[i].push_back(values[i]);
  }

  /// Clears cells of a definition whose `when` is false or whose element a case lacks. Such cells become 0 in a column
  /// of numbers, false among booleans, and empty otherwise.
  static void clear_absent(std::vector<Value>& values) {
    const auto known = std::find_if(values.begin(), values.end(), [](const Value& v) { return !v.absent; });
    const auto has_unit = [](const Value& v) { return !v.any_unit || !v.unit.plain(); };
    const bool number = known != values.end() ? known->is_number() : std::any_of(values.begin(), values.end(), has_unit);
    const bool truth = known != values.end() && known->kind == Value::Kind::truth;
    for (Value& value : values) {
      if (value.absent && !number) value = truth ? as_truth(value) : Value{};
    }
  }

  std::optional<Value> cell(const TableColumn& column, const Point& point) {
    if (column.name != nullptr) return evaluate(*column.name, evaluator_.choose(point, column.at));
    if (column.over) return list(column, point);
    std::optional<std::string> own = written(column.text, point);
    return own ? std::optional(text(std::move(*own))) : std::nullopt;
  }

  /// Returns the cell of a column over an inner set: a list with a text for each element of the set at this row. At
  /// most `max_items_` elements are listed, the others are counted. The texts render the column's message, with values
  /// inserted, at each element. `kept_` owns the list, because a Value only points to it. Returns nothing if a text
  /// cannot be evaluated.
  std::optional<Value> list(const TableColumn& column, const Point& point) {
    const std::vector<WordId> words = evaluator_.visit(column.over, point);
    const std::size_t most = std::min(words.size(), max_items_);
    auto items = std::make_shared<Record>();
    for (std::size_t i = 0; i < most; ++i) {
      std::optional<std::string> item = written(column.text, evaluator_.choose(point, column.over, words[i]));
      if (!item) return std::nullopt;
      items->fields.emplace_back("", text(std::move(*item)));
    }
    if (most < words.size()) leave_out(column.title, words.size() - most, *items);
    Value out;
    out.kind = Value::Kind::list;
    out.record = items.get();
    kept_.push_back(std::move(items));
    return out;
  }

  /// Records omitted items: for people as an item of the list, for programs as a count by column.
  void leave_out(const std::string& column, std::size_t count, Record& items) {
    if (for_people_) {
      items.fields.emplace_back("", text(fmt::format("… and {} more", human(number_value(integer(static_cast<double>(count)))))));
      return;
    }
    const auto known = std::find_if(out_.left_out_items.begin(), out_.left_out_items.end(), [&](const auto& left) { return left.first == column; });
    if (known == out_.left_out_items.end())
      out_.left_out_items.emplace_back(column, count);
    else
      known->second += count;
  }

  /// Nests rows by the formula `under`, which gives each row's parent as a word or as the position of a node.
  bool nest_rows(Diagnostics& diagnostics) {
    std::vector<int> parents;
    for (const Point& point : points_) {
      const std::optional<Value> under = evaluate(*table_.under, point);
      if (!under) return false;
      const bool position = under->is_number() && std::fabs(under->scalar.value) < std::numeric_limits<WordId>::max();
      const WordId word = under->kind == Value::Kind::word ? under->word : position ? static_cast<WordId>(under->scalar.value) : kNoWord;
      // The words are sorted, since a nested table keeps the set's order.
      const auto at = std::lower_bound(words_.begin(), words_.end(), word);
      parents.push_back(at == words_.end() || *at != word ? -1 : static_cast<int>(at - words_.begin()));
    }
    if (nest(parents, out_)) return true;
    diagnostics.error(table_.span, fmt::format("table `{}`: rows form a cycle by `under`, or a tree of more than {} levels", table_.name, kMaxDepth));
    return false;
  }

  /// Groups rows below heading rows by the value of the formula `by`. If the table is sorted, `sort_keys_` has the key
  /// of each row's element (`words_`). Groups then have the order of the sums of their rows' keys, largest first.
  /// Otherwise they have the order of their first rows, which the stable sort of equal sums keeps. `row_titles` has the
  /// title of each row, `group_titles` each title once. Returns false if a title cannot be evaluated.
  bool group_rows() {
    std::vector<std::string> group_titles;
    std::map<std::string, double> sums;
    std::vector<std::string> row_titles;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::optional<Value> title = evaluate(*table_.by, points_[i]);
      if (!title) return false;
      row_titles.push_back(human(*title));
      if (!contains(group_titles, row_titles.back())) group_titles.push_back(row_titles.back());
      if (!sort_keys_.empty()) sums[row_titles.back()] += sort_keys_[words_[i]];
    }
    std::stable_sort(group_titles.begin(), group_titles.end(), [&](const std::string& a, const std::string& b) { return sums[a] > sums[b]; });
    std::vector<std::size_t> groups;
    for (const std::string& title : row_titles)
      groups.push_back(static_cast<std::size_t>(std::find(group_titles.begin(), group_titles.end(), title) - group_titles.begin()));
    group_below_headings(
        group_titles, groups, [this](std::string written) { return text(std::move(written)); }, out_);
    return true;
  }

  /// Adds a note whose condition holds.
  void add_note(const TableNote& note) {
    if (note.when != nullptr) {
      const std::optional<Value> holds = evaluate(*note.when, nowhere());
      if (!holds || as_truth(*holds).scalar.value == 0) return;
    }
    if (std::optional<std::string> own = written(note.text, nowhere())) out_.notes.push_back(std::move(*own));
  }

  const Table& table_;
  Evaluator& evaluator_;
  Diagnostics& messages_;
  bool for_people_;
  ValueOwners& kept_;
  std::size_t max_rows_ = 0, max_items_ = 0;  ///< Maximum number of rows, and of items in a list cell.
  std::vector<WordId> words_;                 ///< Words of the rows.
  std::map<WordId, double> sort_keys_;        ///< Sort key of each row; empty without sorting.
  std::vector<Point> points_;
  ReportTable out_;
};

}  // namespace

std::optional<ReportTable> build_table(const Table& table, Run& run, bool for_people, ValueOwners& kept, Diagnostics& diagnostics, Diagnostics& messages) {
  TableBuilder builder(table, run, for_people, kept, messages);
  return builder.build(diagnostics) ? std::optional(builder.take()) : std::nullopt;
}

}  // namespace opledger
