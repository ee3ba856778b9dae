#include "formulas/read/section_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/formula_text.h"
#include "formulas/link/published.h"
#include "formulas/read/table_reader.h"

namespace opledger {
namespace {

/// A reader of one accounting after another into the program.
class Sections {
 public:
  Sections(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  void read(const Document& document) {
    if (const Datum* constraints = document.root.find("constraints")) read_constraints(*constraints, *program_.global, program_.constraints);
    if (const Datum* remarks = document.root.find("remarks")) read_remarks(*remarks);
    if (const Datum* hints = document.root.find("hints")) read_hints(*hints);
    each(document, "tables", [&](const Datum& k, const Datum& v) { read_table(k, v, program_, linker_, diagnostics_); });
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

  /// Replaces the item of the same name, or appends the item.
  template <class T>
  static void put(std::vector<T>& all, T item, std::string T::*name) {
    const auto old = std::find_if(all.begin(), all.end(), [&](const T& known) { return known.*name == item.*name; });
    if (old != all.end())
      *old = std::move(item);
    else
      all.push_back(std::move(item));
  }

  void link(Name& name, const Definition& definition, const NameScope& scope) {
    if (const Def* def = linker_.define(definition, scope)) name.defs.insert(name.defs.begin(), def);
  }

  void read_constraints(const Datum& list, const NameScope& outer, std::vector<Constraint>& into) {
    // Reads a list of constraints and links their formulas, by recursion: constraints nest through `all`, and inner
    // ones see the lets of outer ones. `outer` is the scope around the list. A constraint without a message gets its
    // condition as text.
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
      c.at = formula("at");
      const Datum* message = item.find("message");
      if (message != nullptr && !message->text().empty())
        c.message = read_message(*message, *scope, linker_, diagnostics_);
      else if (c.require != nullptr)  // a violated constraint needs a message
        c.message.push_back({fmt::format("`{}` does not hold", shown(*c.require))});
      if (const Datum* reason = item.find("reason")) c.reason = reason->text();
      if (const Datum* all = item.find("all")) read_constraints(*all, *scope, c.all);
      into.push_back(std::move(c));
    }
  }

  void read_remarks(const Datum& list) {
    const std::size_t first = program_.remarks.size();
    read_constraints(list, *program_.global, program_.remarks);
    for (std::size_t i = first; i < program_.remarks.size(); ++i) {
      program_.remarks[i].require = linker_.link(parse_expression("false", program_.remarks[i].span, diagnostics_), *program_.global);
    }
  }

  /// Reads hints; the schema guarantees their keys.
  void read_hints(const Datum& list) {
    for (const Datum& item : list.items()) {
      const auto formula = [&](const char* key) {
        const Datum& text = *item.find(key);
        return linker_.link(parse_expression(text.text(), text.span(), diagnostics_), *program_.global);
      };
      Hint hint;
      hint.span = item.span();
      if (const Datum* over = item.find("for")) hint.over = linker_.set_named(over->text(), over->span());
      hint.when = formula("when");
      hint.weight = formula("weight");
      hint.message = read_message(*item.find("message"), *program_.global, linker_, diagnostics_);
      hint.see = read_message(*item.find("see"), *program_.global, linker_, diagnostics_);
      program_.hints.push_back(std::move(hint));
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
    for (const Datum* section : {value.find("model"), &value}) {
      if (const Datum* inputs = section == nullptr ? nullptr : section->find("inputs")) check_inputs(*inputs);
    }
    if (const Datum* metrics = value.find("metrics")) {
      for (Counterpart& own : counterparts(*metrics)) put(into.metrics, std::move(own), &Counterpart::other);
    }
    if (const Datum* elements = value.find("elements")) {
      for (const auto& [title, comparison] : elements->entries()) read_elements(title, comparison, into);
    }
  }

  /// Checks the names of translated inputs and the syntax of their formulas. The formulas are linked later, for a run
  /// of the other accounting.
  void check_inputs(const Datum& inputs) {
    const std::vector<std::string> known = names_of(program_.inputs);
    for (const auto& [name, formula] : inputs.entries()) {
      if (program_.find(name.text()) == nullptr)  // an axis may be composed of others here
        diagnostics_.error(name.span(), fmt::format("unknown input `{}`{}", name.text(), known_names(name.text(), "inputs", known)));
      parse_formula(formula, name.text(), diagnostics_);
    }
  }

  void read_elements(const Datum& title, const Datum& value, Comparison& into) {
    // Reads the comparison of a set of elements with another accounting's set: compared quantities, and pairs of globs
    // that match elements by name. A pair without a `doc` uses the comparison's. A comparison of an unknown set is
    // dropped after the error; a later comparison of the same title replaces an earlier one. The schema guarantees the
    // required keys.
    ElementComparison out;
    out.title = title.text();
    out.theirs = value.find("theirs")->text();
    const Datum& ours = *value.find("ours");
    out.ours = linker_.set_named(ours.text(), ours.span());
    if (const Datum* by = value.find("by")) out.by = linker_.set_named(by->text(), by->span());
    out.quantities = counterparts(*value.find("quantities"));
    for (const auto& [pair, globs] : value.find("pairs")->entries()) {
      ElementPair p;
      p.title = pair.text();
      const Datum* doc = globs.find("doc");
      if (doc == nullptr) doc = value.find("doc");
      if (doc != nullptr) p.doc = doc->text();
      p.theirs = globs.texts("theirs");
      p.ours = globs.texts("ours");
      out.pairs.push_back(std::move(p));
    }
    if (out.ours) put(into.elements, std::move(out), &ElementComparison::title);
  }

  void read_all(const Datum& word, ReportPart& part) {
    part.all_metrics = word.text() == "all";
    if (!part.all_metrics) diagnostics_.error(word.span(), "`metrics` must be a list of metrics, a mapping of titles to metrics, or `all`");
  }

  /// Reads what is not on the first screen: the whole part, or a list of its metrics by their printed names.
  void read_full(const Datum& full, ReportPart& part) {
    part.full = full.is_scalar() && full.text() == "true";
    const std::vector<std::string> known = names_of(part.metrics);
    for (const Datum& key : full.items()) {
      if (!contains(known, key.text())) diagnostics_.error(key.span(), fmt::format("the part has no metric `{}`{}", key.text(), suggestion(key.text(), known)));
      part.later.push_back(key.text());
    }
  }

  /// Reads a report as a list of parts: metrics under printed names, all metrics, or a table. A later report replaces
  /// an earlier one of the same name. Names of metrics and tables are not checked here.
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
      if (const Datum* full = item.find("full")) read_full(*full, part);
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
