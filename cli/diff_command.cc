// `diff`: the differences between two runs; the second run is the first one with the changes in `--against`.
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "compare/difference.h"
#include "compare/run_pair.h"
#include "report/diff_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// The kinds of a run's documents, in the order of the command line.
constexpr const char* kKinds[] = {"model", "execution", "system", "accounting"};
constexpr std::size_t kRoles = std::size(kKinds);

std::string& document_of(RunRequest& request, std::size_t role) {
  std::string* const documents[kRoles] = {&request.model, &request.execution, &request.system, &request.accounting};
  return *documents[role];
}

/// Up to two documents of each kind; the second one belongs to the second run.
struct RoleDocuments {
  std::vector<std::string> names[kRoles];
};

bool has_role(const std::string& name, std::size_t role, Library& library) {
  Diagnostics ignored;
  return library.load(name, {kKinds[role]}, ignored) != nullptr;
}

/// Returns whether a document of another tool has no `kind`. Such a document takes the first free role after the last
/// used one.
bool has_no_kind(const std::string& name, Library& library) {
  Diagnostics ignored;
  const Document* document = library.load(name, {kNoKind}, ignored);
  return document != nullptr && document->kind.empty();
}

/// Assigns a document to a role: model, execution, system or accounting. Each role takes two documents, the second for
/// the second run. A document can have a role if the library loads it as that kind; a document of another tool, without
/// a kind, can have every role, and only as the first document. `from` is the last role assigned: roles come in order,
/// so a name that several kinds share gets the first free role. Returns false, with an error, if no role is free or the
/// document has none.
bool assign_role(const std::string& name, std::size_t& from, RoleDocuments& documents, Library& library, Diagnostics& diagnostics) {
  const bool has_any_role = has_no_kind(name, library);
  bool found = false;
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!has_any_role && !has_role(name, role, library)) continue;
    found = true;
    if (role < from || documents.names[role].size() >= (has_any_role ? 1u : 2u)) continue;
    documents.names[role].push_back(name);
    from = role;
    return true;
  }
  if (found)
    diagnostics.error({},
                      fmt::format("too many documents: `{}`; `diff` takes one or two of each, in this order: models, executions, systems, accountings", name));
  else
    library.load(name, {"model", "execution", "system", "accounting"}, diagnostics);
  return false;
}

/// Returns the request of the second run: the first run with other documents or values.
RunRequest changed(RunRequest request, const RoleDocuments& documents, const Options& options) {
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (documents.names[role].size() > 1) document_of(request, role) = documents.names[role][1];
  }
  return changed(std::move(request), options.against);
}

/// Adds the violated constraints of a run, with the run's position in each message.
void add_violations(const char* position, Run& run, Diagnostics& diagnostics, std::vector<Violation>& out) {
  for (Violation& v : run.violations(diagnostics)) {
    v.message = fmt::format("the {} run: {}", position, v.message);
    out.push_back(std::move(v));
  }
}

}  // namespace

/// Runs `diff`: the arguments name the documents of the first run, and a second document of a kind belongs to the
/// second run. The second run is the first one with these documents and the changes of `--against`. Both runs are
/// prepared as a pair and compared. The outcome is infeasible if a run violates a constraint. Text has a form of its
/// own; other formats write the differences as tables.
Outcome diff_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  RoleDocuments documents;
  std::size_t from = 0;
  for (const std::string& name : options.arguments) {
    if (!assign_role(name, from, documents, library, diagnostics)) return {};
  }
  const bool has_two_of_a_kind = std::any_of(std::begin(documents.names), std::end(documents.names), [](const auto& names) { return names.size() > 1; });
  if (options.against.empty() && !has_two_of_a_kind) {
    diagnostics.error({}, "`diff` needs two documents of one kind, or `--against KEY=VALUE` for the second run");
    return {};
  }
  RunRequest request = run_request(options, {});
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!documents.names[role].empty()) document_of(request, role) = documents.names[role][0];
  }
  const RunRequest other = changed(request, documents, options);
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
