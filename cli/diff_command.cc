// `diff`: what changes between two runs that are the same but for what `--against` says.
#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "cli/command.h"
#include "questions/difference.h"
#include "questions/restated.h"
#include "report/cells.h"
#include "report/writers.h"

namespace opledger {
namespace {

constexpr std::size_t kEntries = 20;  // of nodes that people are shown

/// The kinds of a run's documents, in the order in which they are given.
constexpr const char* kKinds[] = {"model", "execution", "system", "accounting"};
constexpr std::size_t kRoles = std::size(kKinds);

std::string& document_of(RunRequest& request, std::size_t role) {
  std::string* const documents[kRoles] = {&request.model, &request.execution, &request.system, &request.accounting};
  return *documents[role];
}

/// Up to two documents of each kind: the second one is the second run's.
struct Sides {
  std::vector<std::string> given[kRoles];
};

bool is_of(const std::string& name, std::size_t role, Library& library) {
  Diagnostics ignored;
  return library.load(name, {kKinds[role]}, ignored) != nullptr;
}

/// A document of another tool says no kind: it takes the first place behind the last one that is still free.
bool says_no_kind(const std::string& name, Library& library) {
  Diagnostics ignored;
  const Document* document = library.load(name, {kNoKind}, ignored);
  return document != nullptr && document->kind.empty();
}

/// What kind a document is tells what it is for. A name that several kinds have is the first of them that has room, from the last document's on.
bool take(const std::string& name, std::size_t& from, Sides& sides, Library& library, Diagnostics& diagnostics) {
  const bool open = says_no_kind(name, library);
  bool found = false;
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!open && !is_of(name, role, library)) continue;
    found = true;
    if (role < from || sides.given[role].size() >= (open ? 1u : 2u)) continue;
    sides.given[role].push_back(name);
    from = role;
    return true;
  }
  if (found)
    diagnostics.error({}, fmt::format("`{}` is too much: `diff` takes one or two of each, in this order: models, executions, systems, accountings", name));
  else
    library.load(name, {"model", "execution", "system", "accounting"}, diagnostics);
  return false;
}

/// The second run: the first, with other documents or other values.
RunRequest changed(RunRequest request, const Sides& sides, const Options& options) {
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (sides.given[role].size() > 1) document_of(request, role) = sides.given[role][1];
  }
  for (const auto& [key, value] : options.against) {
    std::string* const document = key == "model"        ? &request.model
                                  : key == "execution"  ? &request.execution
                                  : key == "system"     ? &request.system
                                  : key == "accounting" ? &request.accounting
                                                        : nullptr;
    if (document != nullptr)
      *document = value;
    else
      request.overrides.emplace_back(key, value);
  }
  return request;
}

std::string change(const Difference& d) {
  const std::optional<double> change = d.change();
  return change ? fmt::format("{:+.2f} %", *change * 100) : "";
}

std::string worth(const Value& v) { return v.kind == Value::Kind::nothing ? "-" : human(v); }

constexpr std::size_t kReasonIndent = 6;

void add_paragraph(const std::string& text, std::string& out) {
  if (text.empty()) return;
  for (const std::string& line : wrapped(text, kPageWidth - kReasonIndent)) out += std::string(kReasonIndent, ' ') + line + "\n";
}

std::string ruled(const std::string& rules) { return rules.empty() ? "no rule" : rules; }

/// Lines `name  first -> second  change  (part)`, and below each why.
void add_lines(const std::string& title, const std::vector<Difference>& all, std::size_t most, bool reasons, std::string& out) {
  if (all.empty()) return;
  std::size_t names = 0, firsts = 0, seconds = 0;
  const std::size_t shown = std::min(all.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    names = std::max(names, width(all[i].name));
    firsts = std::max(firsts, width(worth(all[i].first)));
    seconds = std::max(seconds, width(worth(all[i].second)));
  }
  out += "\n" + title + "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Difference& d = all[i];
    std::string line = "  " + padded(d.name, names, false) + "  " + padded(worth(d.first), firsts, true) + " -> " + padded(worth(d.second), seconds, true);
    if (!change(d).empty() || d.part > 0) line += "  " + padded(change(d), 10, true);
    if (d.part > 0) line += fmt::format("  ({:.1f} %)", d.part * 100);
    out += line + "\n";
    if (reasons) add_paragraph(std::string(trim(d.why)), out);
    if (d.first_rule != d.second_rule) add_paragraph(fmt::format("by {} -> {}", ruled(d.first_rule), ruled(d.second_rule)), out);
  }
  if (all.size() > shown) out += fmt::format("  … {} more\n", all.size() - shown);
}

std::string label(const Run& run) {
  const RunRequest& r = run.request();
  return fmt::format("{} {} {} {}", r.model, r.execution, r.system, run.accounting());
}

class Writer {
 public:
  Report report(const Differences& all, const Run& first, const Run& second) {
    Report out{first.request().model, first.request().execution, first.request().system, first.accounting()};
    out.tables.push_back(table("inputs", all.inputs));
    out.tables.push_back(table("metrics", all.metrics));
    out.tables.push_back(table("entries", all.entries));
    out.tables.push_back(table("elements", all.elements));
    out.tables.push_back(runs(second));
    out.against = label(second);
    return out;
  }

 private:
  Value text(std::string t) {
    texts_.push_back(std::move(t));
    Value v;
    v.kind = Value::Kind::text;
    v.text = &texts_.back();
    return v;
  }

  ReportTable table(const std::string& name, const std::vector<Difference>& all) {
    ReportTable out;
    out.name = out.title = name;
    out.columns = {"name", "first", "second", "unit", "change", "part", "why", "first_formula", "second_formula", "first_rule", "second_rule"};
    out.units = {{"change", "%", 0.01, 2}, {"part", "%", 0.01, 1}};
    out.mixed = true;
    for (const Difference& d : all) {
      const std::optional<double> change = d.change();
      const std::string unit = base_unit(d.first.is_number() ? d.first : d.second);
      out.rows.push_back({text(d.name), d.first, d.second, text(unit), change ? number_value(real(*change)) : Value{},
                          d.part > 0 ? number_value(real(d.part)) : Value{}, text(std::string(trim(d.why))), text(to_string(d.first_at)),
                          text(to_string(d.second_at)), text(d.first_rule), text(d.second_rule)});
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

  std::deque<std::string> texts_;
};

/// Which constraints fail, of which run.
void add_violations(const char* which, Run& run, Diagnostics& diagnostics, std::vector<Violation>& out) {
  for (Violation& v : run.violations(diagnostics)) {
    v.message = fmt::format("the {} run: {}", which, v.message);
    out.push_back(std::move(v));
  }
}

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The two runs, and what keeps them.
struct Pair {
  std::unique_ptr<Run> own[2];         ///< Those that were prepared from documents.
  std::unique_ptr<Restated> restated;  ///< The one that was asked as its accounting says.
  Run* first = nullptr;
  Run* second = nullptr;
};

bool same_documents(const RunRequest& a, const RunRequest& b) { return a.model == b.model && a.execution == b.execution && a.system == b.system; }

/// The second as its accounting is asked of the first. False: the first can't be prepared.
bool prepare_restated(const RunRequest& request, const std::string& accounting, const Settings& changes, Library& library, Pair& out,
                      Diagnostics& diagnostics) {
  out.own[0] = Run::prepare(request, library, diagnostics);
  if (out.own[0] == nullptr) return false;
  out.restated = restate(*out.own[0], accounting, library, changes);
  if (out.restated->run == nullptr) diagnostics.error({}, fmt::format("the accounting `{}` can't express this run: {}", accounting, out.restated->why));
  return true;
}

/// Whether the first accounting says how runs of the second one become its own.
bool is_restated(const RunRequest& first, const RunRequest& second, Library& library) {
  Diagnostics ignored;
  const std::unique_ptr<Run> run = Run::link(second, library, ignored);
  return run != nullptr && restates(first.accounting, *run, library, ignored);
}

void prepare(const RunRequest& first, const RunRequest& second, const Settings& changes, Library& library, Pair& out, Diagnostics& diagnostics) {
  if (first.accounting == second.accounting || !same_documents(first, second)) {
    out.own[0] = Run::prepare(first, library, diagnostics);
    out.own[1] = out.own[0] == nullptr ? nullptr : Run::prepare(second, library, diagnostics);
    out.first = out.own[0].get(), out.second = out.own[1].get();
  } else if (!first.accounting.empty() && is_restated(first, second, library)) {
    if (prepare_restated(second, first.accounting, {}, library, out, diagnostics)) out.first = out.restated->run.get();
    out.second = out.own[0].get();
  } else {
    if (prepare_restated(first, second.accounting, changes, library, out, diagnostics)) out.second = out.restated->run.get();
    out.first = out.own[0].get();
  }
}

}  // namespace

Outcome diff_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  Sides sides;
  std::size_t from = 0;
  for (const std::string& name : options.arguments) {
    if (!take(name, from, sides, library, diagnostics)) return {};
  }
  const bool differ = std::any_of(std::begin(sides.given), std::end(sides.given), [](const auto& names) { return names.size() > 1; });
  if (options.against.empty() && !differ) {
    diagnostics.error({}, "`diff` needs two documents of one kind, or `--against KEY=VALUE`: what is different in the second run");
    return {};
  }
  RunRequest request = run_request(options, {});
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!sides.given[role].empty()) document_of(request, role) = sides.given[role][0];
  }
  const RunRequest other = changed(request, sides, options);
  Pair runs;
  const Settings changes(other.overrides.begin() + static_cast<std::ptrdiff_t>(request.overrides.size()), other.overrides.end());
  prepare(request, other, changes, library, runs, diagnostics);
  Run* const first = runs.first;
  Run* const second = runs.second;
  if (first == nullptr || second == nullptr) return {};
  const Differences all = differences(*first, *second);
  Outcome outcome;
  std::vector<Violation> violations;
  add_violations("first", *first, diagnostics, violations);
  add_violations("second", *second, diagnostics, violations);
  outcome.infeasible = infeasible_lines(violations);
  if (options.format != "text") {
    Writer writer;
    Report report = writer.report(all, *first, *second);
    report.violations = std::move(violations);
    outcome.text = write(report, find_format(options.format).value_or(Format::json));
    return outcome;
  }
  std::string& out = outcome.text;
  out = "first   " + label(*first) + "\nsecond  " + label(*second) + "\n";
  add_lines("Inputs", all.inputs, all.inputs.size(), false, out);
  add_lines("Metrics, largest change first", all.metrics, all.metrics.size(), first->accounting() != second->accounting(), out);
  add_lines("Operators, one layer and microbatch on one rank\n  in brackets: part of all that the quantity differs by", all.entries, kEntries, false, out);
  add_lines("Messages, tensors that are kept and weights, one layer on one rank\n  in brackets: part of all that the quantity differs by", all.elements,
            kEntries, false, out);
  if (all.metrics.empty() && all.entries.empty() && all.elements.empty()) out += "\nNo difference.\n";
  return outcome;
}

}  // namespace opledger
