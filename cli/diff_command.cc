// `diff`: what changes between two runs that are the same but for what `--against` says.
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "compare/difference.h"
#include "compare/run_pair.h"
#include "report/diff_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

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
  return changed(std::move(request), options.against);
}

/// Which constraints fail, of which run.
void add_violations(const char* which, Run& run, Diagnostics& diagnostics, std::vector<Violation>& out) {
  for (Violation& v : run.violations(diagnostics)) {
    v.message = fmt::format("the {} run: {}", which, v.message);
    out.push_back(std::move(v));
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
  const RunPair runs = prepare_pair(request, other, library, diagnostics);
  Run* const first = runs.first;
  Run* const second = runs.second;
  if (first == nullptr || second == nullptr) return {};
  const Differences all = differences(*first, *second);
  Outcome outcome;
  std::vector<Violation> violations;
  add_violations("first", *first, diagnostics, violations);
  add_violations("second", *second, diagnostics, violations);
  outcome.infeasible = infeasible_lines(violations);
  const Format format = find_format(options.format).value_or(Format::text);
  if (format == Format::text) {
    outcome.text = write_differences(all, *first, *second);
    return outcome;
  }
  Report report = build_report(all, *first, *second);
  report.violations = std::move(violations);
  outcome.text = write(report, format, options.page);
  return outcome;
}

}  // namespace opledger
