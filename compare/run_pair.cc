#include "compare/run_pair.h"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace opledger {
namespace {

bool same_documents(const RunRequest& a, const RunRequest& b) { return a.model == b.model && a.execution == b.execution && a.system == b.system; }

/// Prepares the run of `request` as `out.own[0]` and translates it to an accounting as `out.translated`; `changes`
/// are settings of the translated run only. Returns false if the run can't be prepared. A failed translation is
/// reported as an error, and its run is null.
bool prepare_translated(const RunRequest& request, const std::string& accounting, const Settings& changes, Library& library, RunPair& out,
                        Diagnostics& diagnostics) {
  out.own[0] = Run::prepare(request, library, diagnostics);
  if (out.own[0] == nullptr) return false;
  out.translated = translate_run(*out.own[0], accounting, library, changes);
  if (out.translated->run == nullptr) diagnostics.error({}, fmt::format("the accounting `{}` can't express this run: {}", accounting, out.translated->why));
  return true;
}

/// Returns whether the first accounting can translate runs of the second.
bool is_translatable(const RunRequest& first, const RunRequest& second, Library& library) {
  Diagnostics ignored;
  const std::unique_ptr<LinkedRun> run = LinkedRun::link(second, library, ignored);
  return run != nullptr && can_translate(first.accounting, *run, library, ignored);
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

/// Two requests with the same documents and different accountings describe one run, so that run is translated and
/// both accountings see equal inputs. The direction depends on the definitions (`compares`): if the first accounting
/// can translate runs of the second, the second run is prepared and translated. Otherwise the first run is
/// translated. `changes` are the settings that only the second request has; they hold only for the second run.
RunPair prepare_pair(const RunRequest& first, const RunRequest& second, Library& library, Diagnostics& diagnostics) {
  RunPair out;
  const Settings changes(second.overrides.begin() + static_cast<std::ptrdiff_t>(first.overrides.size()), second.overrides.end());
  if (first.accounting == second.accounting || !same_documents(first, second)) {
    out.own[0] = Run::prepare(first, library, diagnostics);
    out.own[1] = out.own[0] == nullptr ? nullptr : Run::prepare(second, library, diagnostics);
    out.first = out.own[0].get(), out.second = out.own[1].get();
  } else if (!first.accounting.empty() && is_translatable(first, second, library)) {
    if (prepare_translated(second, first.accounting, {}, library, out, diagnostics)) out.first = out.translated->run.get();
    out.second = out.own[0].get();
  } else {
    if (prepare_translated(first, second.accounting, changes, library, out, diagnostics)) out.second = out.translated->run.get();
    out.first = out.own[0].get();
  }
  return out;
}

}  // namespace opledger
