#include "formulas/link/calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {
namespace {

/// Searches the graph of calls depth-first for a cycle, from the last function of `path`. `path` has the functions from
/// the start of the search to this call, each calling the next; a call to one of them closes a cycle. `visited` has all
/// functions whose search has begun, so each is searched at most twice: as a callee and as a start. Longer paths than
/// kMaxEvaluationDepth are an error, which also bounds the recursion here. Returns true after reporting an error. The
/// cost is linear in the number of formulas, times the length of the path for each call.
bool calls_itself(std::vector<const Function*>& path, std::set<const Function*>& visited, Diagnostics& diagnostics) {
  if (!visited.insert(path.back()).second && path.size() > 1) return false;
  if (path.size() > kMaxEvaluationDepth) {
    diagnostics.error(path[0]->span, fmt::format("function `{}` leads to more than {} calls inside each other", path[0]->name, kMaxEvaluationDepth));
    return true;
  }
  std::vector<const Formula*> formulas;
  for (const Def* def : path.back()->defs) {
    formulas.insert(formulas.end(), {def->otherwise, def->when});
    for (const auto& [_, f] : def->cases) formulas.push_back(f);
  }
  while (!formulas.empty()) {
    const Formula* f = formulas.back();
    formulas.pop_back();
    if (f == nullptr) continue;
    formulas.insert(formulas.end(), f->args.begin(), f->args.end());
    if (f->kind != Formula::Kind::function) continue;
    const bool again = contains(path, f->function);
    path.push_back(f->function);
    if (again) {
      std::vector<std::string> circle;
      for (auto step = std::find(path.begin(), path.end(), f->function); step != path.end(); ++step) circle.push_back((*step)->name);
      diagnostics.error(f->function->span, fmt::format("function `{}` calls itself: {}", f->function->name, join(circle, " -> ")));
      return true;
    }
    if (calls_itself(path, visited, diagnostics)) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

void check_calls(const Program& program, Diagnostics& diagnostics) {
  std::set<const Function*> visited;
  for (const auto& f : program.functions) {
    std::vector<const Function*> path = {f.get()};
    if (calls_itself(path, visited, diagnostics)) return;
  }
}

}  // namespace opledger
