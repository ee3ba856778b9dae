#include "accounting/section_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/published.h"
#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

class Sections {
 public:
  Sections(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  void read(const Document& document) {
    if (const Datum* constraints = document.root.find("constraints")) read_constraints(*constraints, *program_.global, program_.constraints);
    each(document, "tables", [&](const Datum& k, const Datum& v) { read_table(k, v); });
    each(document, "compares", [&](const Datum& k, const Datum& v) { read_compared(k, v); });
    each(document, "reports", [&](const Datum& k, const Datum& v) { read_report(k, v); });
  }

 private:
  template <class F>
  static void each(const Document& document, const char* section, F&& f) {
    const Datum* datum = document.root.find(section);
    if (datum == nullptr || !datum->is_map()) return;
    for (const auto& [key, value] : datum->entries()) f(key, value);
  }

  void link(Name& name, const Definition& definition, const NameScope& scope) {
    if (const Def* def = linker_.define(definition, scope)) name.defs.insert(name.defs.begin(), def);
  }

  void read_constraints(const Datum& list, const NameScope& outer, std::vector<Constraint>& into) {
    for (const Datum& item : list.items()) {
      const Datum* lets = item.find("let");
      const NameScope* scope = lets == nullptr ? &outer : &linker_.scope_with(*lets, outer);
      Constraint c;
      c.span = item.span();
      auto formula = [&](const char* key) -> const Formula* {
        const Datum* text = item.find(key);
        return text == nullptr ? nullptr : linker_.link(parse_expression(text->text(), text->span(), diagnostics_), *scope);
      };
      if (const Datum* over = item.find("for")) c.over = linker_.set_named(over->text(), over->span());
      c.when = formula("when");
      c.require = formula("require");
      if (const Datum* message = item.find("message")) read_message(*message, *scope, c.message);
      if (const Datum* reason = item.find("reason")) c.reason = reason->text();
      if (const Datum* all = item.find("all")) read_constraints(*all, *scope, c.all);
      into.push_back(std::move(c));
    }
  }

  /// `{FORMULA}` prints a value, `{FORMULA:.3}` with that many digits after the point.
  void read_message(const Datum& message, const NameScope& scope, std::vector<MessagePart>& out) {
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
      part.value = linker_.link(parse_expression(formula, span, diagnostics_), scope);
      out.push_back(std::move(part));
      at = close + 1;
    }
    out.push_back({text.substr(at), nullptr, -1});
  }

  void read_table(const Datum& key, const Datum& value) {
    Table table;
    table.name = key.text();
    table.span = key.span();
    const Datum* rows = value.find("rows");
    table.rows = rows == nullptr ? SetId{-1} : program_.find_set(rows->text());
    if (table.rows < 0) {
      diagnostics_.error(rows == nullptr ? key.span() : rows->span(), fmt::format("table `{}`: `rows` must name a set", table.name));
      return;
    }
    if (const Datum* title = value.find("title")) table.title = title->text();
    if (const Datum* doc = value.find("doc")) table.doc = doc->text();
    if (const Datum* where = value.find("where")) table.where = linker_.link(parse_expression(where->text(), where->span(), diagnostics_), *program_.global);
    if (const Datum* columns = value.find("columns")) {
      for (const auto& [title, column] : columns->entries()) read_column(title, column, table);
    }
    if (const Datum* collect = value.find("collect")) read_collected(*collect, table);
    const auto old = std::find_if(program_.tables.begin(), program_.tables.end(), [&](const Table& t) { return t.name == table.name; });
    if (old != program_.tables.end())
      *old = std::move(table);
    else
      program_.tables.push_back(std::move(table));
  }

  void read_column(const Datum& title, const Datum& value, Table& table) {
    if (const Datum* text = value.find("text"); text != nullptr && text->is_scalar() && value.entries().size() == 1) {
      table.columns.push_back({title.text(), nullptr, {}});
      read_message(*text, *program_.global, table.columns.back().text);
      return;
    }
    Definition d;
    if (!parse_definition(title, value, diagnostics_, d)) return;
    Name& n = linker_.name(d.name);
    link(n, d, *program_.global);
    for (Spelling& spelling : spell(program_, d.name, {}, d.span, diagnostics_))
      table.columns.push_back({std::move(spelling.name), &n, std::move(spelling.at)});
  }

  void read_collected(const Datum& names, Table& table) {
    std::vector<std::string> titles;
    for (const TableColumn& column : table.columns) titles.push_back(column.title);
    for (const Datum& name : names.is_scalar() ? std::vector<Datum>{names} : names.items()) {
      if (std::find(titles.begin(), titles.end(), name.text()) == titles.end())
        diagnostics_.error(name.span(), fmt::format("table `{}` has no column `{}`{}", table.name, name.text(), suggestion(name.text(), titles)));
      table.collect.push_back(name.text());
    }
  }

  std::vector<Counterpart> counterparts(const Datum& definitions) {
    std::vector<Counterpart> out;
    for (const Definition& d : parse_definitions(definitions, diagnostics_)) {
      Name& n = linker_.name(d.name);
      link(n, d, *program_.global);
      out.push_back({d.name, &n});
    }
    return out;
  }

  void read_compared(const Datum& accounting, const Datum& value) {
    Comparison& into = program_.compares[accounting.text()];
    for (const Datum* said : {value.find("model"), &value}) {
      if (const Datum* inputs = said == nullptr ? nullptr : said->find("inputs")) check_inputs(*inputs);
    }
    if (const Datum* metrics = value.find("metrics")) into.metrics = counterparts(*metrics);
    if (const Datum* elements = value.find("elements")) {
      for (const auto& [title, comparison] : elements->entries()) read_elements(title, comparison, into);
    }
  }

  /// What is put in for them is read where there is a run of the other accounting.
  void check_inputs(const Datum& inputs) {
    std::vector<std::string> known;
    for (const auto& [input, _] : program_.inputs) known.push_back(input->name);
    for (const auto& [name, formula] : inputs.entries()) {
      if (program_.find(name.text()) == nullptr)  // an axis may consist of others here
        diagnostics_.error(name.span(), fmt::format("unknown input `{}`{}", name.text(), suggestion(name.text(), known)));
      parse_formula(formula, name.text(), diagnostics_);
    }
  }

  void read_elements(const Datum& title, const Datum& value, Comparison& into) {
    ElementComparison out;
    out.title = title.text();
    out.theirs = value.find("theirs")->text();
    const Datum& ours = *value.find("ours");
    out.ours = linker_.set_named(ours.text(), ours.span());
    if (const Datum* by = value.find("by")) out.by = linker_.set_named(by->text(), by->span());
    out.quantities = counterparts(*value.find("quantities"));
    for (const auto& [pair, sides] : value.find("pairs")->entries()) {
      ElementPair p;
      p.title = pair.text();
      const Datum* doc = sides.find("doc");
      if (doc == nullptr) doc = value.find("doc");
      if (doc != nullptr) p.doc = doc->text();
      p.theirs = globs(sides.find("theirs"));
      p.ours = globs(sides.find("ours"));
      out.pairs.push_back(std::move(p));
    }
    if (out.ours >= 0) into.elements.push_back(std::move(out));
  }

  static std::vector<std::string> globs(const Datum* datum) {
    std::vector<std::string> out;
    if (datum == nullptr) return out;
    if (datum->is_scalar()) return {datum->text()};
    for (const Datum& item : datum->items()) out.push_back(item.text());
    return out;
  }

  void read_all(const Datum& word, ReportPart& part) {
    part.all_metrics = word.text() == "all";
    if (!part.all_metrics) diagnostics_.error(word.span(), "`metrics` must be a list of metrics, a mapping of titles to metrics, or `all`");
  }

  void read_report(const Datum& key, const Datum& value) {
    std::vector<ReportPart> parts;
    for (const Datum& item : value.items()) {
      ReportPart part;
      part.span = item.span();
      if (const Datum* title = item.find("title")) part.title = title->text();
      if (const Datum* metrics = item.find("metrics")) {
        if (metrics->is_scalar()) read_all(*metrics, part);
        for (const Datum& metric : metrics->items()) part.metrics.emplace_back(metric.text(), metric.text());
        for (const auto& [name, metric] : metrics->entries()) part.metrics.emplace_back(name.text(), metric.text());
      }
      if (const Datum* table = item.find("table")) part.table = table->text();
      if (const Datum* detail = item.find("detail")) part.detail = detail->text() == "true";
      parts.push_back(std::move(part));
    }
    program_.reports[key.text()] = std::move(parts);
  }

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
};

}  // namespace

void read_sections(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics) {
  Sections sections(program, linker, diagnostics);
  for (const Document* document : documents) sections.read(*document);
}

}  // namespace opledger
