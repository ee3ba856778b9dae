#include "formulas/read/table_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/published.h"

namespace opledger {
namespace {

/// A reader of one table's content into `table`.
class TableReader {
 public:
  TableReader(Program& program, Linker& linker, Diagnostics& diagnostics, Table& table)
      : program_(program), linker_(linker), diagnostics_(diagnostics), table_(table) {}

  void read(const Datum& value) {
    if (const Datum* title = value.find("title")) table_.title = title->text();
    if (const Datum* doc = value.find("doc")) table_.doc = doc->text();
    table_.where = formula(value.find("where"));
    for (const auto& [title, column] : value.find("columns")->entries()) read_column(title, column);
    if (const Datum* tree = value.find("tree")) read_tree(*tree);
    if (const Datum* notes = value.find("notes")) {
      for (const Datum& note : notes->items())
        table_.notes.push_back({formula(note.find("when")), read_message(*note.find("text"), *program_.global, linker_, diagnostics_)});
    }
    if (const Datum* order = value.find("largest_first")) read_order(*order);
    if (const Datum* minor = value.find("minor")) read_minor(*minor);
    if (const Datum* shown = value.find("shown")) table_.shown = static_cast<std::size_t>(std::strtoul(shown->text().c_str(), nullptr, 10));
  }

 private:
  const Formula* formula(const Datum* text) {
    return text == nullptr ? nullptr : linker_.link(parse_expression(text->text(), text->span(), diagnostics_), *program_.global);
  }

  Name* name(const Datum& title, const Datum& value) {
    Definition d;
    if (!parse_definition(title, value, diagnostics_, d)) return nullptr;
    Name& out = linker_.name(d.name);
    if (const Def* def = linker_.define(d, *program_.global)) out.defs.insert(out.defs.begin(), def);
    return &out;
  }

  void read_column(const Datum& title, const Datum& value) {
    // Reads a column. The key `text`, alone or with `over`, makes a text column. A definition by cases could have a
    // word `text`, too, so further keys make the column a definition. The title of a definition may be a template, such
    // as `<phase>_flops`, which gives a column for each spelling.
    const Datum* text = value.find("text");
    const Datum* over = value.find("over");
    if (text != nullptr && text->is_scalar() && value.entries().size() == (over == nullptr ? 1 : 2)) {
      TableColumn column{title.text(), nullptr, {}};
      column.text = read_message(*text, *program_.global, linker_, diagnostics_);
      if (over != nullptr) column.over = linker_.set_named(over->text(), over->span());
      table_.columns.push_back(std::move(column));
      return;
    }
    Name* n = name(title, value);
    if (n == nullptr) return;
    for (Spelling& spelling : spell(program_, n->name, {}, title.span(), diagnostics_))
      table_.columns.push_back({std::move(spelling.name), n, std::move(spelling.at)});
  }

  std::vector<std::string> titles() const {
    std::vector<std::string> out;
    for (const TableColumn& column : table_.columns) out.push_back(column.title);
    return out;
  }

  void unknown(const Datum& column) {
    diagnostics_.error(column.span(), fmt::format("table `{}` has no column `{}`{}", table_.name, column.text(), suggestion(column.text(), titles())));
  }

  /// Reads the sort keys, one title of a column or several. Columns of texts can't be sorted, so they are reported like
  /// unknown columns.
  void read_order(const Datum& order) {
    if (table_.under != nullptr)
      diagnostics_.error(order.span(), fmt::format("table `{}`: `tree` with `under` fixes the order of rows, so remove `largest_first`", table_.name));
    for (const Datum& title : order.is_scalar() ? std::vector<Datum>{order} : order.items()) {
      const auto column = std::find_if(table_.columns.begin(), table_.columns.end(), [&](const TableColumn& c) { return c.title == title.text(); });
      if (column == table_.columns.end() || column->name == nullptr)
        unknown(title);
      else
        table_.largest_first.push_back(column->name);
    }
  }

  /// Reads the titles of minor columns; an unknown one is an error.
  void read_minor(const Datum& minor) {
    const std::vector<std::string> known = titles();
    for (const Datum& title : minor.is_scalar() ? std::vector<Datum>{minor} : minor.items()) {
      if (!contains(known, title.text())) unknown(title);
      table_.minor.push_back(title.text());
    }
  }

  void read_tree(const Datum& tree) {
    // Reads `tree`, the nesting of rows: either each row is put `under` another, or rows are grouped `by` a key. `sums`
    // lists the columns that are added up for each parent row, and `total` names a last row with the sums of all rows.
    // Summed columns must exist, so columns are read before.
    const Datum key = Datum::scalar("under", false, tree.span());
    if (const Datum* under = tree.find("under")) table_.under = name(key, *under);
    table_.by = formula(tree.find("by"));
    if (table_.under != nullptr && table_.by != nullptr)
      diagnostics_.error(tree.span(), fmt::format("table `{}`: `tree` has either `under` or `by`, not both", table_.name));
    if (const Datum* total = tree.find("total")) table_.total = total->text();
    const Datum* sums = tree.find("sums");
    if (sums == nullptr) return;
    const std::vector<std::string> known = titles();
    for (const Datum& column : sums->is_scalar() ? std::vector<Datum>{*sums} : sums->items()) {
      if (!contains(known, column.text())) unknown(column);
      table_.sums.push_back(column.text());
    }
  }

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
  Table& table_;
};

}  // namespace

std::vector<MessagePart> read_message(const Datum& message, const NameScope& scope, Linker& linker, Diagnostics& diagnostics) {
  // Splits a text such as `{memory:.3} are used` at braces into parts: a text, then the formula between the next
  // braces, linked in `scope`. A suffix `:.N` with one digit sets the digits after the point. The position inside the
  // text, after a quote if any, is added to the text's position, so that errors of a formula point at the formula. An
  // opening brace without a closing one is text.
  std::vector<MessagePart> out;
  const std::string& text = message.text();
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('{', at);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    std::string formula = text.substr(open + 1, close - open - 1);
    MessagePart part{text.substr(at, open - at), nullptr, -1};
    if (const std::size_t n = formula.size(); n > 3 && formula.compare(n - 3, 2, ":.") == 0 && formula[n - 1] >= '0' && formula[n - 1] <= '9') {
      part.digits = formula[n - 1] - '0';
      formula.resize(n - 3);
    }
    Span span = message.span();
    span.column += static_cast<std::uint32_t>(open + (message.quoted() ? 2 : 1));
    part.value = linker.link(parse_expression(formula, span, diagnostics), scope);
    out.push_back(std::move(part));
    at = close + 1;
  }
  out.push_back({text.substr(at), nullptr, -1});
  return out;
}

void read_table(const Datum& name, const Datum& value, Program& program, Linker& linker, Diagnostics& diagnostics) {
  // The set of the rows is resolved first, because a table without a set is dropped after the error. The finished table
  // replaces a table of the same name from an earlier document, in its position, or is appended.
  Table table;
  table.name = name.text();
  table.span = name.span();
  const Datum* rows = value.find("rows");
  table.rows = rows == nullptr ? SetId() : program.find_set(rows->text(), rows->span(), diagnostics);
  if (!table.rows) {
    diagnostics.error(rows == nullptr ? name.span() : rows->span(), fmt::format("table `{}`: `rows` must name a set", table.name));
    return;
  }
  TableReader(program, linker, diagnostics, table).read(value);
  const auto old = std::find_if(program.tables.begin(), program.tables.end(), [&](const Table& t) { return t.name == table.name; });
  if (old != program.tables.end())
    *old = std::move(table);
  else
    program.tables.push_back(std::move(table));
}

}  // namespace opledger
