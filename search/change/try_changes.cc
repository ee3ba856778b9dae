#include "search/change/try_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/function_ref.h"
#include "base/lists.h"
#include "base/text.h"
#include "questions/fit/fit_point.h"
#include "search/change/apply_change.h"
#include "search/change/library_threads.h"

namespace opledger {
namespace {

using State = ChangeTrial::State;

/// A trial with its request, and the runs that further changes make of it.
struct PreparedTrial {
  ChangeTrial result;
  RunRequest request;
  std::vector<AppliedChange> next;  ///< Each change, applied to this run; by position of the change. Empty if not computed.
};

Value number_of(Run& run, const char* word) {
  Diagnostics ignored;
  const Role* const role = run.program().find_role(kFitCommand, word);
  const std::optional<Value> value = role != nullptr ? run.value(role->name, ignored) : std::nullopt;
  return value && value->is_number() ? *value : Value{};
}

State state_of(const FitPoint& point) {
  if (point.state == FitPoint::State::fits) return State::fits;
  return point.state == FitPoint::State::too_large ? State::too_large : State::impossible;
}

/// Evaluates a run into a trial. `run` is null if it can't be prepared; `diagnostics` then has the errors.
void evaluate(Run* run, Diagnostics& diagnostics, ChangeTrial& out) {
  const FitPoint point = evaluate_point(run, diagnostics);
  out.state = state_of(point);
  out.size = point.size, out.capacity = point.capacity;
  if (run != nullptr) out.rate = number_of(*run, "rate"), out.step = number_of(*run, "step");
  if (out.state == State::impossible) out.reason = point.reasons.empty() ? "it has no size" : point.reasons.front().message;
}

bool is_larger(const Value& capacity, const Value& than) { return capacity.is_number() && than.is_number() && capacity.scalar.value > than.scalar.value; }

bool is_same(const Value& a, const Value& b) { return a.is_number() && b.is_number() && a.scalar.value == b.scalar.value; }

bool is_same(const ChangeTrial& a, const ChangeTrial& b) { return is_same(a.size, b.size) && is_same(a.capacity, b.capacity) && is_same(a.rate, b.rate); }

/// Returns a key by which trials are sorted, in ascending order: runs that fit, by falling speed; then others by size.
std::pair<bool, double> rank_of(const ChangeTrial& trial) {
  const bool fits = trial.state == State::fits;
  const Value& value = fits ? trial.rate : trial.size;
  const double number = value.is_number() ? value.scalar.value : 0;
  return {!fits, fits ? -number : number};
}

bool is_before(const ChangeTrial& a, const ChangeTrial& b) { return rank_of(a) < rank_of(b); }

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns the label of a metric in the accounting's report `eval`; its name if no section has it.
std::string label_of(const Program& program, const std::string& metric) {
  const auto report = program.reports.find("eval");
  if (report == program.reports.end()) return metric;
  for (const ReportPart& part : report->second) {
    for (const auto& [key, name] : part.metrics) {
      if (name == metric) return key;
    }
  }
  return metric;
}

/// Checks that the document permits the accounting of the run, by its own name or the name of an extended accounting.
/// Returns false and reports an error otherwise.
bool suits(const Run& run, const Document& changes, Diagnostics& diagnostics) {
  const std::vector<std::string> accountings = changes.root.texts("accounting");
  const auto is_listed = [&](const Document* document) { return document->kind == "accounting" && contains(accountings, document->name); };
  if (accountings.empty() || std::any_of(run.documents().begin(), run.documents().end(), is_listed)) return true;
  diagnostics.error({}, fmt::format("the changes `{}` are for runs of the accounting `{}`, and this run has `{}`: name others by `--change NAME`", changes.name,
                                    join(accountings, "`, `"), run.accounting()));
  return false;
}

/// The trials of one question. First all changes alone, each with the runs that second changes make of it; then pairs.
/// Trials are independent, so threads evaluate them in any order, each into its own slot. The cost is one run for each
/// change, and one for each pair of those that do not suffice: about n^2 / 2 runs for n of them.
class Trials {
 public:
  Trials(const ChangesRequest& request, std::vector<Change> changes, Library& library)
      : request_(request), library_(library), changes_(std::move(changes)), alone_(changes_.size()) {}

  std::optional<ChangesAnswer> run(Diagnostics& diagnostics) {
    ChangesAnswer out;
    if (!try_now(out, diagnostics)) return std::nullopt;
    each(alone_.size(), [&](std::size_t i, Library& library) { try_alone(i, library); });
    plan_pairs();
    each(pairs_.size(), [&](std::size_t i, Library& library) { try_pair(pairs_[i], library); });
    collect(out);
    return out;
  }

 private:
  /// Two changes, in the order of application.
  struct Pair {
    std::size_t first, second;
    const AppliedChange* applied;  ///< The second change, applied to the run with the first one.
    PreparedTrial trial;
  };

  /// Evaluates the run itself, and applies each change to it.
  bool try_now(ChangesAnswer& out, Diagnostics& diagnostics) {
    const std::unique_ptr<Run> run = Run::prepare(request_.run, library_, diagnostics);
    if (run == nullptr || !suits(*run, *request_.document, diagnostics)) return false;
    std::vector<std::string> words(std::begin(kFitRoles), std::end(kFitRoles));
    words.emplace_back("rate");
    if (!declares(*run, words, diagnostics) || diagnostics.has_errors()) return false;
    out.accounting = run->accounting(), out.execution = run->execution_name();
    out.rate_label = label_of(run->program(), run->program().find_role(kFitCommand, "rate")->name);
    now_.request = request_.run;
    Diagnostics messages;
    evaluate(run.get(), messages, now_.result);
    ++tried_;
    now_.next = apply_all(*run, library_);
    return true;
  }

  std::vector<AppliedChange> apply_all(Run& run, Library& library) const {
    std::vector<AppliedChange> out;
    for (const Change& change : changes_) out.push_back(apply_change(change, run, library));
    return out;
  }

  /// Calls `work` for each index, on threads, until the question is stopped.
  void each(std::size_t count, FunctionRef<void(std::size_t, Library&)> work) {
    const auto stopped = [&] { return request_.stop != nullptr && *request_.stop; };
    const bool all = for_each_with_library(count, request_.jobs, library_, work, stopped, [&] {
      if (request_.progress) request_.progress(tried_);
    });
    partial_ = partial_ || !all;
  }

  void try_alone(std::size_t i, Library& library) {
    PreparedTrial& trial = alone_[i];
    trial.result.changes = {i};
    const std::unique_ptr<Run> run = try_runs(now_.next[i], now_, trial, library);
    if (run != nullptr && trial.result.state != State::fits && now_.result.state != State::fits) trial.next = apply_all(*run, library);
  }

  void try_pair(Pair& pair, Library& library) {
    pair.trial.result.changes = {pair.first, pair.second};
    try_runs(*pair.applied, alone_[pair.first], pair.trial, library);
    const ChangeTrial& result = pair.trial.result;
    for (const std::size_t part : {pair.first, pair.second}) {
      if (is_same(result, alone_[part].result)) set_idle(fmt::format("the same size and speed as `{}` alone", changes_[part].name), pair.trial.result);
    }
  }

  static void set_idle(std::string reason, ChangeTrial& out) { out.state = State::idle, out.reason = std::move(reason); }

  /// Evaluates the runs of an applied change in order, up to the first that fits. Of several systems, those without more
  /// memory than before, or without a run, are passed over. Writes the last evaluated run to `out`, and returns it; null without one.
  std::unique_ptr<Run> try_runs(const AppliedChange& applied, const PreparedTrial& before, PreparedTrial& out, Library& library) {
    ChangeTrial& result = out.result;
    result.state = applied.applies ? State::impossible : State::inapplicable;
    result.reason = applied.reason;
    std::unique_ptr<Run> kept;
    for (const ChangedRun& changed : applied.runs) {
      if (request_key(changed.request) == request_key(before.request)) {
        if (applied.must_grow) continue;
        return set_idle("it changes nothing", result), nullptr;
      }
      Diagnostics messages;
      std::unique_ptr<Run> run = Run::prepare(changed.request, library, messages);
      ChangeTrial tried = result;
      tried.reason.clear();
      evaluate(run.get(), messages, tried);
      ++tried_;
      const bool is_passed_over = run == nullptr ? kept != nullptr : !is_larger(tried.capacity, before.result.capacity);
      if (applied.must_grow && is_passed_over) continue;
      tried.settings = joined(before.result.settings, changed.settings);
      tried.computed = joined(before.result.computed, changed.computed);
      result = std::move(tried);
      out.request = changed.request;
      kept = std::move(run);
      if (result.state == State::fits) break;
    }
    if (applied.must_grow && kept == nullptr && result.reason.empty()) {
      result.state = State::inapplicable;
      result.reason = "no system of the list has more memory";
    }
    if (is_same(result, before.result)) set_idle("it changes neither size nor speed", result);
    return kept;
  }

  /// Lists the pairs of changes that do not suffice alone. A pair has the order of the document, or the other order if
  /// only that one applies. A pair with the request of another trial is not listed.
  void plan_pairs() {
    if (partial_) return;
    std::vector<std::string> keys = {request_key(now_.request)};
    for (const PreparedTrial& trial : alone_) keys.push_back(request_key(trial.request));
    for (std::size_t a = 0; a < alone_.size(); ++a) {
      for (std::size_t b = a + 1; b < alone_.size(); ++b) add_pair(a, b, keys);
    }
  }

  void add_pair(std::size_t a, std::size_t b, std::vector<std::string>& keys) {
    if (alone_[a].result.state == State::fits || alone_[b].result.state == State::fits) return;
    for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
      if (alone_[first].next.empty() || alone_[first].next[second].runs.empty()) continue;
      const AppliedChange& applied = alone_[first].next[second];
      if (applied.runs.size() == 1) {
        const std::string key = request_key(applied.runs[0].request);
        if (contains(keys, key)) return;
        keys.push_back(key);
      }
      pairs_.push_back({first, second, &applied, {}});
      return;
    }
  }

  void collect(ChangesAnswer& out) {
    const auto is_listed = [](const ChangeTrial& trial) { return trial.state == State::fits || trial.state == State::too_large; };
    for (PreparedTrial& trial : alone_) {
      if (trial.result.state == State::untried) trial.result.reason = "it was not tried";
      (is_listed(trial.result) ? out.alone : out.left_out).push_back(std::move(trial.result));
    }
    // A pair that is impossible for the reason of a single change is no news.
    std::vector<std::string> reasons;
    for (const ChangeTrial& trial : out.left_out) reasons.push_back(trial.reason);
    for (const Pair& pair : pairs_) {
      const ChangeTrial& result = pair.trial.result;
      if (is_listed(result))
        out.pairs.push_back(result);
      else if (result.state == State::impossible && !contains(reasons, result.reason))
        out.left_out.push_back(result);
    }
    std::stable_sort(out.alone.begin(), out.alone.end(), is_before);
    std::stable_sort(out.pairs.begin(), out.pairs.end(), is_before);
    out.now = std::move(now_.result);
    out.changes = std::move(changes_);
    out.tried = tried_, out.partial = partial_;
  }

  const ChangesRequest& request_;
  Library& library_;
  std::vector<Change> changes_;
  PreparedTrial now_;
  std::vector<PreparedTrial> alone_;  ///< By position of the change.
  std::vector<Pair> pairs_;
  std::atomic<std::size_t> tried_ = 0;
  bool partial_ = false;
};

}  // namespace

double ChangeTrial::free_share() const { return size.is_number() && capacity.is_number() ? 1 - size.scalar.value / capacity.scalar.value : 0; }

bool ChangesAnswer::any_fits() const {
  const auto fits = [](const ChangeTrial& trial) { return trial.state == State::fits; };
  return fits(now) || std::any_of(alone.begin(), alone.end(), fits) || std::any_of(pairs.begin(), pairs.end(), fits);
}

std::optional<ChangesAnswer> try_changes(const ChangesRequest& request, Library& library, Diagnostics& diagnostics) {
  std::optional<std::vector<Change>> changes = read_changes(*request.document, diagnostics);
  return changes ? Trials(request, std::move(*changes), library).run(diagnostics) : std::nullopt;
}

}  // namespace opledger
