#include "report/diff_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/cells.h"

namespace opledger {
namespace {

constexpr std::size_t kEntries = 20;  // Maximum number of operators listed for people.

std::string change(const ComparedQuantity& d) {
  const std::optional<double> change = d.change(1);
  return change ? fmt::format("{:+.2f} %", *change * 100) : "";
}

std::string worth(const Value& v) { return v.kind == Value::Kind::nothing ? "-" : human(v); }

constexpr std::size_t kReasonIndent = 6;

/// Appends `text`, wrapped and indented below a line.
void add_paragraph(const std::string& text, std::string& out) {
  if (text.empty()) return;
  for (const std::string& line : wrapped(text, kPageWidth - kReasonIndent)) out += std::string(kReasonIndent, ' ') + line + "\n";
}

std::string ruled(const std::string& rules) { return rules.empty() ? "no rule" : rules; }

/// Appends a titled list of at most `most` differences between two runs, as lines `name first -> second change (part)`.
/// A first pass over the listed quantities finds the widths that align the columns. `part` is a quantity's share of the
/// total difference. With `reasons`, a line is followed by the stated reason. Rules are printed if they differ, because
/// a changed rule usually explains a changed operator.
void add_lines(const std::string& title, const std::vector<ComparedQuantity>& all, std::size_t most, bool reasons, std::string& out) {
  if (all.empty()) return;
  std::size_t names = 0, firsts = 0, seconds = 0;
  const std::size_t shown = std::min(all.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    names = std::max(names, width(all[i].name));
    firsts = std::max(firsts, width(worth(all[i].value(0))));
    seconds = std::max(seconds, width(worth(all[i].value(1))));
  }
  out += "\n" + title + "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedQuantity& d = all[i];
    std::string line = "  " + padded(d.name, names, false) + "  " + padded(worth(d.value(0)), firsts, true) + " -> " + padded(worth(d.value(1)), seconds, true);
    if (!change(d).empty() || d.part > 0) line += "  " + padded(change(d), 10, true);
    if (d.part > 0) line += fmt::format("  ({:.1f} %)", d.part * 100);
    out += line + "\n";
    if (reasons) add_paragraph(std::string(trim(d.values[1].why)), out);
    if (d.values[0].rule != d.values[1].rule) add_paragraph(fmt::format("by {} -> {}", ruled(d.values[0].rule), ruled(d.values[1].rule)), out);
  }
  if (all.size() > shown) out += fmt::format("  … {} more\n", all.size() - shown);
}

std::string label(const Run& run) {
  const RunRequest& r = run.request();
  return fmt::format("{} {} {} {}", r.model, r.execution, r.system, run.accounting());
}

/// A builder of the tables of differences, one for each kind of element.
class DiffTables {
 public:
  explicit DiffTables(ValueOwners& kept) : kept_(kept) {}

  ReportTable table(const std::string& name, const std::vector<ComparedQuantity>& all) {
    ReportTable out;
    out.name = out.title = name;
    out.columns = {"name", "first", "second", "unit", "change", "part", "why", "first_formula", "second_formula", "first_rule", "second_rule"};
    out.units = {{"change", "%", 0.01, 2}, {"part", "%", 0.01, 1}};
    out.has_mixed_units = true;
    for (const ComparedQuantity& d : all) {
      const std::optional<double> change = d.change(1);
      const std::string unit = base_unit(d.value(0).is_number() ? d.value(0) : d.value(1));
      out.rows.push_back({text(d.name), d.value(0), d.value(1), text(unit), change ? number_value(real(*change)) : Value{},
                          d.part > 0 ? number_value(real(d.part)) : Value{}, text(std::string(trim(d.values[1].why))), text(to_string(d.values[0].at)),
                          text(to_string(d.values[1].at)), text(d.values[0].rule), text(d.values[1].rule)});
    }
    return out;
  }

  ReportTable runs(const Run& second) {
    ReportTable out;
    out.name = out.title = "against";
    out.columns = {"model", "execution", "system", "accounting"};
    out.rows.push_back({text(second.request().model), text(second.request().execution), text(second.request().system), text(second.accounting())});
    return out;
  }

 private:
  Value text(std::string t) { return owned_text(std::move(t), kept_); }

  ValueOwners& kept_;
};

}  // namespace

Report build_report(const Differences& all, const Run& first, const Run& second) {
  Report out{first.request().model, first.request().execution, first.request().system, first.accounting()};
  DiffTables tables(out.kept);
  out.tables = {tables.table("inputs", all.inputs), tables.table("metrics", all.metrics), tables.table("entries", all.entries),
                tables.table("elements", all.elements), tables.runs(second)};
  out.against = label(second);
  return out;
}

std::string write_differences(const Differences& all, const Run& first, const Run& second) {
  std::string out = "first   " + label(first) + "\nsecond  " + label(second) + "\n";
  add_lines("Inputs", all.inputs, all.inputs.size(), false, out);
  add_lines("Metrics, largest change first", all.metrics, all.metrics.size(), first.accounting() != second.accounting(), out);
  add_lines("Operators, one layer and microbatch on one rank\n  in brackets: part of all that the quantity differs by", all.entries, kEntries, false, out);
  add_lines("Messages, tensors that are kept and weights, one layer on one rank\n  in brackets: part of all that the quantity differs by", all.elements,
            kEntries, false, out);
  if (all.metrics.empty() && all.entries.empty() && all.elements.empty()) out += "\nNo difference.\n";
  return out;
}

}  // namespace opledger
