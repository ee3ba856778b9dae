#include "formulas/read/view_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {
namespace {

/// Keys of a kind of drawing other than `draw`.
struct Kind {
  const char* name;
  std::vector<std::string> required, allowed;
};

const Kind& kind_of(const std::string& draw) {
  static const std::vector<Kind> kKinds = {{"numbers", {"report"}, {}},
                                           {"table", {"table"}, {}},
                                           {"nodes", {"table", "by", "columns"}, {}},
                                           {"stacks", {"table", "by", "columns"}, {"limit"}},
                                           {"lines", {"table", "by", "columns"}, {"limit"}},
                                           {"roofline", {"table", "by", "series", "ceilings", "slopes"}, {}},
                                           {"beside", {"table", "by"}, {"columns"}},
                                           {"waterfall", {"title", "total", "parts"}, {}},
                                           {"fill", {"title", "total", "parts"}, {"limit"}},
                                           {"hints", {}, {}}};
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.name == draw; });
}

/// A reader of one drawing, which checks every name against the program.
class ViewReader {
 public:
  ViewReader(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  Drawing read(const Datum& value) {
    // Reads one drawing of a view: its kind (`draw`), the report or table that it shows, and the columns by which it
    // draws. Keys are checked first, so that every required key exists when the parts are read; a drawing with wrong
    // keys keeps only its kind. Every name of a report, table, column or metric is checked against the program.
    Drawing out;
    out.draw = value.find("draw")->text();
    if (!check_keys(kind_of(out.draw), value)) return out;
    if (const Datum* report = value.find("report")) out.report = known(*report, "report", names_of(program_.reports));
    if (value.find("table") != nullptr) out.cells = cells(value);
    const std::vector<std::string> metrics = names_of(program_.published);
    if (const Datum* limit = value.find("limit")) out.limit = known(*limit, "metric", metrics);
    if (const Datum* title = value.find("title")) out.title = title->text();
    if (const Datum* total = value.find("total")) out.total = known(*total, "metric", metrics);
    if (const Datum* parts = value.find("parts")) {
      for (const auto& [group, of] : parts->entries()) {
        out.parts.push_back({group.text(), {}});
        for (const Datum& metric : of.items()) out.parts.back().metrics.push_back(known(metric, "metric", metrics));
      }
    }
    if (const Datum* series = value.find("series")) {
      for (const auto& [name, columns] : series->entries()) {
        const auto column = [&, &of = columns](const char* key) { return column_of(out.cells.table, *of.find(key)); };
        out.series.push_back({name.text(), column("intensity"), column("rate"), column("size")});
      }
    }
    if (const Datum* roofs = value.find("ceilings")) out.ceilings = cells(*roofs);
    if (const Datum* roofs = value.find("slopes")) out.slopes = cells(*roofs);
    return out;
  }

 private:
  /// Reports every required key that a drawing lacks and every key that its kind does not know. Returns whether all
  /// keys are right.
  bool check_keys(const Kind& kind, const Datum& value) {
    bool good = true;
    for (const std::string& key : kind.required) {
      if (value.find(key) != nullptr) continue;
      diagnostics_.error(value.span(), fmt::format("`draw: {}` needs `{}`", kind.name, key));
      good = false;
    }
    for (const auto& [key, _] : value.entries()) {
      if (key.text() == "draw" || contains(kind.required, key.text()) || contains(kind.allowed, key.text())) continue;
      std::vector<std::string> keys = kind.required;
      keys.insert(keys.end(), kind.allowed.begin(), kind.allowed.end());
      diagnostics_.error(key.span(), fmt::format("`draw: {}` has no key `{}`{}", kind.name, key.text(), known_names(key.text(), "keys", keys)));
      good = false;
    }
    return good;
  }

  std::string known(const Datum& name, const char* kind, const std::vector<std::string>& all) {
    if (!contains(all, name.text())) diagnostics_.error(name.span(), fmt::format("unknown {} `{}`{}", kind, name.text(), suggestion(name.text(), all)));
    return name.text();
  }

  std::vector<std::string> titles_of(const std::string& table) const {
    std::vector<std::string> out;
    for (const Table& t : program_.tables) {
      if (t.name != table) continue;
      for (const TableColumn& column : t.columns) out.push_back(column.title);
    }
    return out;
  }

  std::string column_of(const std::string& table, const Datum& title) {
    const std::vector<std::string> titles = titles_of(table);
    if (!titles.empty() && !contains(titles, title.text()))
      diagnostics_.error(title.span(), fmt::format("table `{}` has no column `{}`{}", table, title.text(), suggestion(title.text(), titles)));
    return title.text();
  }

  std::vector<std::string> columns_of(const std::string& table, const Datum& titles) {
    std::vector<std::string> out;
    for (const Datum& title : titles.items()) {
      if (contains(out, title.text())) diagnostics_.error(title.span(), fmt::format("the column `{}` is there already", title.text()));
      out.push_back(column_of(table, title));
    }
    return out;
  }

  Drawing::Cells cells(const Datum& value) {
    Drawing::Cells out;
    out.table = known(*value.find("table"), "table", names_of(program_.tables));
    if (const Datum* by = value.find("by")) out.by = column_of(out.table, *by);
    if (const Datum* columns = value.find("columns")) out.columns = columns_of(out.table, *columns);
    return out;
  }

  const Program& program_;
  Diagnostics& diagnostics_;
};

/// Views that every page has.
constexpr const char* kOwnViews[] = {"timeline", "compare", "space"};

/// Reports hints that lead to a view that no page of the accounting has. The name of the view must be plain text.
void check_hints(const Program& program, Diagnostics& diagnostics) {
  std::vector<std::string> known = names_of(program.views);
  known.insert(known.end(), std::begin(kOwnViews), std::end(kOwnViews));
  for (const Hint& hint : program.hints) {
    const std::string& see = hint.see.empty() ? std::string() : hint.see[0].text;
    const std::string view = see.substr(0, see.find_first_of("/?"));
    if (!contains(known, view)) diagnostics.error(hint.span, fmt::format("`see` leads to no view: `{}`{}", view, known_names(view, "views", known)));
  }
}

/// Reports names of views that every page has.
void check_name(const Datum& name, Diagnostics& diagnostics) {
  for (const char* own : kOwnViews) {
    if (name.text() == own) diagnostics.error(name.span(), fmt::format("`{}` is a view that every page has: call this one otherwise", own));
  }
}

}  // namespace

void read_views(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics) {
  // Reads the section `views` of each document; a later view replaces an earlier one of the same name. Views are
  // checked one by one. A page has one graph that all views share. The number of drawings of the graph (`nodes`) is
  // checked at the end, because a replaced view does not count.
  const Datum* last_graph = nullptr;  // The last `draw: nodes`.
  for (const Document* document : documents) {
    const Datum* views = document->root.find("views");
    if (views == nullptr) continue;
    for (const auto& [name, drawings] : views->entries()) {
      check_name(name, diagnostics);
      View view{name.text(), {}};
      for (const Datum& drawing : drawings.items()) {
        view.drawings.push_back(ViewReader(program, diagnostics).read(drawing));
        if (view.drawings.back().draw == "nodes") last_graph = &drawing;
      }
      const auto old = std::find_if(program.views.begin(), program.views.end(), [&](const View& v) { return v.name == view.name; });
      if (old == program.views.end())
        program.views.push_back(std::move(view));
      else
        *old = std::move(view);
    }
  }
  std::size_t graphs = 0;
  for (const View& view : program.views) {
    graphs += static_cast<std::size_t>(std::count_if(view.drawings.begin(), view.drawings.end(), [](const Drawing& d) { return d.draw == "nodes"; }));
  }
  check_hints(program, diagnostics);
  if (graphs > 1) diagnostics.error(last_graph->span(), fmt::format("a page colors one graph: use `draw: nodes` once, not {} times", graphs));
}

}  // namespace opledger
