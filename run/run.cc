#include "run/run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "run/convention.h"

namespace opledger {

std::unique_ptr<Run> Run::link(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run(new Run());
  run->original_ = run->request_ = request;
  run->diagnostics_ = &diagnostics;
  if (!run->load(library, diagnostics) || !run->link_documents(diagnostics)) return nullptr;
  if (!run->model_ && needs_graph(*run->program_)) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts the operators of a model: name one", run->accounting_));
    return nullptr;
  }
  if (!run->model_ && run->model_document_ != nullptr && !run->request_.taken && !run->reads_model()) {
    diagnostics.error(
        {}, fmt::format("no input of the accounting `{}` is a parameter of the model `{}`: it counts without a model", run->accounting_, run->request_.model));
    return nullptr;
  }
  return run;
}

std::unique_ptr<Run> Run::prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<Run> run = link(request, library, diagnostics);
  if (run != nullptr && run->model_ && !run->annotate(diagnostics)) return nullptr;
  return run;
}

bool Run::reads_model() const {
  return std::any_of(parameters_.begin(), parameters_.end(), [&](const Definition& parameter) {
    const Name* name = program_->find(parameter.name);
    return name != nullptr && name->input;
  });
}

const std::string& Run::execution_name() const {
  static const std::string kNone;
  return !model_ && request_.execution == kDefaultExecution ? kNone : request_.execution;
}

bool Run::annotate(Diagnostics& diagnostics) {
  annotated_ = annotate_graph(graph_sources(), *program_, *evaluator_, diagnostics);
  return annotated_ != nullptr && fill_sets(*evaluator_, annotated_->run) && !diagnostics.failed();
}

GraphSources Run::graph_sources() const { return {&*model_, &operators_, &mesh_->mesh, &rule_set_, model_gives_values_}; }

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
          v.at = place(c.at, p);
          const auto same = [&](const Violation& other) { return other.message == v.message && other.reason == v.reason; };
          if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(v));
        }
      }
      check(c.all, p, out);
    }
  }
}

/// Where a document has a field.
Span Run::place(const Formula* field, const Point& point) {
  const Value v = field == nullptr ? Value{} : evaluator_->evaluate(*field, point);
  return skips() || v.record == nullptr ? Span{} : v.record->span;
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
