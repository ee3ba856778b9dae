#include "compare/run_pair.h"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace opledger {
namespace {

bool same_documents(const RunRequest& a, const RunRequest& b) { return a.model == b.model && a.execution == b.execution && a.system == b.system; }

/// The second as its accounting is asked of the first. False: the first can't be prepared.
bool prepare_restated(const RunRequest& request, const std::string& accounting, const Settings& changes, Library& library, RunPair& out,
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
  const std::unique_ptr<Linked> run = Linked::link(second, library, ignored);
  return run != nullptr && restates(first.accounting, *run, library, ignored);
}

}  // namespace

RunRequest changed(RunRequest request, const Settings& against) {
  for (const auto& [key, value] : against) {
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

RunPair prepare_pair(const RunRequest& first, const RunRequest& second, Library& library, Diagnostics& diagnostics) {
  RunPair out;
  const Settings changes(second.overrides.begin() + static_cast<std::ptrdiff_t>(first.overrides.size()), second.overrides.end());
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
  return out;
}

}  // namespace opledger
