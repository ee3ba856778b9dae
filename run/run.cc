#include "run/run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {

std::unique_ptr<Run> Run::link(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run(new Run());
  run->request_ = request;
  run->diagnostics_ = &diagnostics;
  if (!run->load(library, diagnostics) || !run->link_documents(diagnostics)) return nullptr;
  if (!run->model_ && run->needs_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts the operators of a model: name one", run->accounting_));
    return nullptr;
  }
  return run;
}

std::unique_ptr<Run> Run::prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run = link(request, library, diagnostics);
  if (run != nullptr && run->model_ && !run->annotate(diagnostics)) return nullptr;
  return run;
}

/// Whether some formula visits elements, which only a graph has.
bool Run::needs_graph() const {
  return std::any_of(program_->formulas.begin(), program_->formulas.end(), [&](const auto& f) {
    const bool visits = f->kind == Formula::Kind::aggregate || f->kind == Formula::Kind::running;
    return visits && f->set >= 0 && program_->set(f->set).elements;
  });
}

bool Run::annotate(Diagnostics& diagnostics) {
  annotated_ = annotate_graph(graph_sources(), *program_, *evaluator_, diagnostics);
  return annotated_ != nullptr && fill_sets(*evaluator_, annotated_->run) && !diagnostics.failed();
}

GraphSources Run::graph_sources() const { return {&*model_, &operators_, &mesh_->mesh, &rule_set_, borrowed_graph_}; }

std::optional<Value> Run::value(const std::string& name, Diagnostics& diagnostics) {
  const Published* published = program_->find_published(name);
  const Name* n = published != nullptr ? published->metric : program_->find(name);
  if (n == nullptr) {
    std::vector<std::string> known;
    for (const Published& p : program_->published) known.push_back(p.name);
    diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, known)));
    return std::nullopt;
  }
  const Value v = evaluator_->evaluate(*n, published != nullptr ? evaluator_->choose(nowhere(), published->at) : nowhere());
  if (evaluator_->failed()) {
    evaluator_->recover();
    return std::nullopt;
  }
  return v;
}

void Run::check(const std::vector<Constraint>& constraints, const Point& point, std::vector<Violation>& out) {
  for (const Constraint& c : constraints) {
    const Quiet quiet(*evaluator_, !out.empty());  // once one is violated, others may make no sense
    const std::vector<WordId> words = c.over >= 0 ? evaluator_->visit(c.over, point) : std::vector<WordId>{kNoWord};
    for (const WordId word : words) {
      const Point p = c.over >= 0 ? evaluator_->choose(point, c.over, word) : point;
      const bool meant = c.when == nullptr || evaluator_->evaluate(*c.when, p).scalar.value != 0;
      if (skips()) continue;
      if (!meant) continue;
      if (c.require != nullptr) {
        const Value holds = evaluator_->evaluate(*c.require, p);
        if (skips()) continue;
        if (holds.scalar.value == 0) {
          Violation v;
          for (const MessagePart& part : c.message) {
            v.message += part.text;
            if (part.value != nullptr) v.message += human(evaluator_->evaluate(*part.value, p), part.digits);
          }
          v.reason = c.reason.empty() ? v.message : c.reason;
          v.span = c.span;
          out.push_back(std::move(v));
        }
      }
      check(c.all, p, out);
    }
  }
}

/// Whether what was just evaluated failed: for want of a system, without a word, or with an error that was reported.
bool Run::skips() {
  const bool failed = evaluator_->failed();
  evaluator_->recover();
  return failed;
}

std::vector<Violation> Run::violations(Diagnostics&) {
  std::vector<Violation> out;
  if (!has_system()) evaluator_->excuse(program_->find("system"));
  check(program_->constraints, nowhere(), out);
  evaluator_->excuse(nullptr);
  return out;
}

}  // namespace opledger
