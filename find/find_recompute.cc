#include "find/find_recompute.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.h"
#include "find/layer_costs.h"
#include "find/recompute_front.h"
#include "find/rule_trials.h"
#include "formulas/value.h"

namespace opledger {
namespace {

constexpr std::size_t kNearPoints = 2;  // Points of the front on each side of the budget that are evaluated.
constexpr long long kShares = 12;       // Mixes have multiples of 1/12 of the layers, so that each of 2, 3, 4 or 6 layers on a stage has its own choice.
constexpr int kMostCorrections = 3;     // Runs that correct the estimated memory of one mix.

/// Runs of one request without its own recomputation, with other rules in place of it. Each is evaluated once.
class RecomputeTrials : public RuleTrials {
 public:
  RecomputeTrials(const RecomputeRequest& request, const Library& library) : RuleTrials(library, request.stop, request.progress), plain_(request.run) {}

  /// Leaves the documents that only recompute out of all further runs.
  void leave_out(std::vector<const Document*> documents) {
    std::erase_if(documents, [](const Document* rules) { return !only_recomputes(*rules); });
    opledger::leave_out(documents, plain_);
  }

  /// Prepares the run with rules of this text; with an empty text, without recomputation.
  std::unique_ptr<Run> prepare(const std::string& text, Diagnostics& messages) {
    RunRequest request = plain_;
    if (!text.empty()) request.more_rules.push_back(Datum::scalar(provide(text, messages), true, {}));
    return messages.has_errors() ? nullptr : Run::prepare(request, library(), messages);
  }

  /// Returns the trial of a text that was evaluated before; null for other texts.
  const RulesTrial* known(const std::string& text) const {
    const auto found = trials_.find(text);
    return found == trials_.end() ? nullptr : &found->second;
  }

  const RulesTrial& of_text(const std::string& text) {
    const auto [known, fresh] = trials_.try_emplace(text);
    if (fresh) known->second = evaluate_text(plain_, text);
    return known->second;
  }

  const RunRequest& plain() const { return plain_; }

  RulesTrial of_document(const Document& rules) { return evaluate(plain_, rules.shipped ? rules.name : rules.path.string(), rules.name); }

 private:
  RunRequest plain_;  ///< The request without recomputation.
  std::map<std::string, RulesTrial> trials_;
};

/// The search among choices. The best one so far is always a complete answer.
class RecomputeSearch {
 public:
  RecomputeSearch(RecomputeTrials& trials, const Graph& graph, std::vector<RecomputePoint> front, long long layers)
      : trials_(trials), graph_(graph), front_(std::move(front)), layers_(layers) {}

  /// Finds the largest point of the front within the budget by bisection, because memory grows with the saved bytes.
  /// Then evaluates its neighbors, because bytes alive for a moment are in no table, and mixes of two points over the
  /// layers. At last it drops lines without which the run is no slower and still fits.
  void search() {
    std::size_t begin = 0, end = front_.size();
    while (begin < end && !trials_.stopped()) {
      // The first probe is the last point, which recomputes nothing.
      const std::size_t middle = end == front_.size() && begin == 0 ? end - 1 : (begin + end) / 2;
      if (fits(middle)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    // Points before `end` fit; `end`, if it is a point, does not.
    if (end == front_.size()) return;
    for (std::size_t i = end > kNearPoints ? end - kNearPoints : 0; i < std::min(end + kNearPoints, front_.size()); ++i) fits(i);
    if (end > 0 && layers_ > 1) {
      // The hull has the first and the last point of the front, so `above` has a neighbor on each side.
      const std::vector<std::size_t> hull = lower_hull(front_);
      const std::size_t above = static_cast<std::size_t>(std::lower_bound(hull.begin(), hull.end(), end) - hull.begin());
      for (const bool is_first : {false, true}) bisect_mix(hull[above - 1], hull[above], is_first);
      bisect_mix(hull.front(), hull[above], true);
      const RulesTrial& nearest = trial({front_[end - 1].choice, {}});
      for (long long share = 1; share < kShares; ++share) mix(share * layers_ / kShares, front_[end - 1].bytes + headroom(nearest));
    }
    if (best_trial_.fits()) drop_lines();
  }

  const std::optional<RecomputeChoice>& best() const { return best_; }
  const RulesTrial& best_trial() const { return best_trial_; }

  const RulesTrial& trial(const RecomputeChoice& choice) {
    const RulesTrial& out = trials_.of_text(recompute_document(graph_, choice));
    if (!best_ || out.is_better(best_trial_)) best_ = choice, best_trial_ = out;
    return out;
  }

 private:
  bool fits(std::size_t point) { return !trials_.stopped() && trial({front_[point].choice, {}}).fits(); }

  double headroom(const RulesTrial& trial) const { return trials_.budget() - trial.memory.scalar.value; }

  /// Finds the fewest layers that must have the smaller choice so that the run fits: among all layers evenly, or the first
  /// ones. Each evaluated choice is recorded if it is the best. The first stage keeps the most microbatches, and is often
  /// faster than the last one, which has the head.
  void bisect_mix(std::size_t small, std::size_t large, bool is_first) {
    long long begin = 1, end = layers_;
    while (begin < end && !trials_.stopped()) {
      const long long middle = (begin + end) / 2;
      if (trial({front_[large].choice, front_[small].choice, middle, is_first}).fits()) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
  }

  /// Evaluates the best mix by the tables in which `some` layers have the smaller choice. Stages with few layers can't
  /// mix two neighbors of the hull in any ratio, so two points that are far apart may be better. Memory beside the tables
  /// differs from mix to mix, so each run corrects the bound of bytes for the next one.
  void mix(long long some, double bound) {
    std::pair<std::size_t, std::size_t> last(0, 0);
    for (int k = 0; k < kMostCorrections && some > 0 && !trials_.stopped(); ++k) {
      const std::pair<std::size_t, std::size_t> points = best_mix(static_cast<double>(some) / static_cast<double>(layers_), bound);
      if (points == last) return;
      last = points;
      const RulesTrial& trial = this->trial({front_[points.second].choice, front_[points.first].choice, some});
      if (!trial.memory.is_number()) return;
      bound += headroom(trial);
    }
  }

  /// Returns the fastest pair of points, the smaller one for this share of the layers, within a bound of bytes; two equal
  /// points if there is none. Larger points are faster, so the best partner is the largest that is within the bound.
  std::pair<std::size_t, std::size_t> best_mix(double share, double bound) const {
    std::pair<std::size_t, std::size_t> out(0, 0);
    double least = std::numeric_limits<double>::infinity();
    std::size_t large = front_.size();
    for (std::size_t small = 0; small < large; ++small) {
      while (large > small && share * front_[small].bytes + (1 - share) * front_[large - 1].bytes > bound) --large;
      if (large <= small + 1) break;
      const double seconds = share * front_[small].seconds + (1 - share) * front_[large - 1].seconds;
      if (seconds < least) least = seconds, out = {small, large - 1};
    }
    return out;
  }

  /// Drops each line without which the best choice fits and is no slower, until all are needed. The last pass has
  /// evaluated the choice without each line.
  void drop_lines() {
    for (bool is_changed = true; is_changed && !trials_.stopped();) {
      is_changed = false;
      for (const RecomputeLine& line : lines_of(graph_, *best_)) {
        if (trials_.stopped()) return;
        const RulesTrial& without = trial(line.without);
        if (best_trial_.is_better(without)) continue;
        best_ = line.without, best_trial_ = without;
        is_changed = true;
        break;
      }
    }
  }

  RecomputeTrials& trials_;
  const Graph& graph_;
  const std::vector<RecomputePoint> front_;
  const long long layers_;
  std::optional<RecomputeChoice> best_;
  RulesTrial best_trial_;
};

/// Returns the rule documents to compare with.
std::vector<const Document*> baselines(const std::vector<std::string>& names, Library& library, Diagnostics& diagnostics) {
  std::vector<const Document*> out;
  Diagnostics ignored;  // Documents that nobody named may be broken.
  for (const std::string& name : names.empty() ? library.names("rules") : names) {
    const Document* const rules = library.load(name, {"rules"}, names.empty() ? ignored : diagnostics);
    if (rules != nullptr && only_recomputes(*rules)) out.push_back(rules);
    if (rules != nullptr && !only_recomputes(*rules) && !names.empty())
      diagnostics.error(rules->root.span(),
                        fmt::format("`{}` has no section `recompute`, or others besides, so recomputation can't be compared with it", name));
  }
  return out;
}

/// Returns the number of layers that rules can mix: none if another rule divides them already.
long long mixable_layers(Run& run) {
  long long out = 0;
  const IdVector<SegmentId, Scalar> layers = segment_layers(run.evaluator());
  for (const SegmentId s : layers.ids()) {
    if (run.graph_run().repeats[s] == nullptr) continue;
    if (run.graph().segments[s].name != run.graph().segments[s].whole) return 0;
    out += static_cast<long long>(layers[s].value);
  }
  return out;
}

/// Returns the difference of two numbers; an empty value if one is unknown.
Value difference(const Value& from, const Value& subtracted) {
  if (!from.is_number() || !subtracted.is_number()) return {};
  return number_value(real(from.scalar.value - subtracted.scalar.value), from.unit);
}

/// Writes the found document, with the cost of each line. The search has evaluated the document without each line, unless
/// it was stopped or nothing fits; the lines then have no costs.
void write_document(const RecomputeRequest& request, const RecomputeTrials& trials, const RecomputeChoice& choice, const Graph& graph, FoundRecompute& out) {
  std::vector<std::string> comments;
  for (const RecomputeLine& line : lines_of(graph, choice)) {
    const RulesTrial* const known = trials.known(recompute_document(graph, line.without));
    const RulesTrial without = known != nullptr ? *known : RulesTrial{};
    const FoundLine& found =
        out.lines.emplace_back(FoundLine{line.names, line.part, difference(out.found.step, without.step), difference(without.memory, out.found.memory)});
    const bool is_known = found.costs.is_number() && found.saves.is_number();
    comments.push_back(is_known ? fmt::format("costs {}, saves {}", human(found.costs), human(found.saves)) : "");
  }
  out.document = recompute_document(graph, choice, head_of_document(request.run, out.found, out.budget, out.replaced), comments);
}

/// Returns the text of a document without its name, which is that of the file to which it is written.
std::string without_name(const Document& rules) {
  std::string text = rules.root.span().file->text;
  const std::size_t at = text.find("\nname:");
  if (at != std::string::npos) text.erase(at, text.find('\n', at + 1) - at);
  return text;
}

/// All steps of the answer.
class RecomputeFinder {
 public:
  RecomputeFinder(const RecomputeRequest& request, const Library& library, Diagnostics& diagnostics)
      : request_(request), trials_(request, library), diagnostics_(diagnostics) {}

  std::optional<FoundRecompute> find() {
    if (!prepare()) return std::nullopt;
    documents_ = baselines(request_.baselines, trials_.library(), diagnostics_);
    std::vector<RecomputePoint> front = read_front();
    if (diagnostics_.has_errors()) return std::nullopt;
    out_.points = front.size(), out_.layers = mixable_layers(*plain_);
    RecomputeSearch search(trials_, plain_->graph(), std::move(front), out_.layers);
    compare_documents(search.trial({}));
    search.search();
    choose(search);
    out_.partial = trials_.stopped();
    out_.tried = trials_.count() + 1;
    return std::move(out_);
  }

 private:
  /// Evaluates the given run, and prepares the run without its recomputation.
  bool prepare() {
    const std::unique_ptr<Run> run = Run::prepare(request_.run, trials_.library(), diagnostics_);
    if (run == nullptr || !declares_trials(*run, diagnostics_)) return false;
    out_.accounting = run->accounting(), out_.execution = run->execution_name();
    for (const Document* rules : run->rule_documents()) {
      if (only_recomputes(*rules)) out_.replaced.push_back(rules->name);
    }
    Diagnostics messages;
    out_.given = trials_.judged(run.get(), join(out_.replaced, ", "), messages);
    out_.budget = request_.budget ? number_value(real(*request_.budget), out_.given.memory.unit) : out_.given.capacity;
    if (!out_.budget.is_number()) return diagnostics_.error({}, "the memory of a processor is unknown: name a system, or use `--memory-budget`"), false;
    trials_.set_budget(out_.budget.scalar.value);
    out_.given = trials_.judged(run.get(), out_.given.rules, messages);
    trials_.leave_out(run->rule_documents());
    plain_ = trials_.prepare("", diagnostics_);
    return plain_ != nullptr;
  }

  std::vector<RecomputePoint> read_front() {
    const ChosenRun chosen = [&](const RecomputeChoice& choice) {
      Diagnostics ignored;
      return trials_.prepare(recompute_document(plain_->graph(), choice), ignored);
    };
    const std::optional<std::vector<SegmentCosts>> costs = read_recompute_costs(*plain_, chosen, diagnostics_);
    if (!costs) return {};
    std::string error;
    std::vector<RecomputePoint> out = recompute_front(*costs, error);
    if (!error.empty()) diagnostics_.error({}, error);
    return out;
  }

  /// Evaluates the documents. A document that changes nothing in this model is left out.
  void compare_documents(const RulesTrial& plain) {
    const auto same = [](const Value& a, const Value& b) { return a.is_number() && b.is_number() && a.scalar.value == b.scalar.value; };
    for (const Document* rules : documents_) {
      if (trials_.stopped()) return;
      RulesTrial trial = trials_.of_document(*rules);
      if (trial.state == FitPoint::State::impossible || (same(trial.step, plain.step) && same(trial.memory, plain.memory))) continue;
      if (!out_.shipped || trial.is_better(*out_.shipped)) out_.shipped = std::move(trial), best_document_ = rules;
    }
  }

  /// Chooses the best of the given run, the found choice and the documents; of equally good ones, in this order.
  void choose(const RecomputeSearch& search) {
    out_.found = out_.given;
    const bool is_found = search.best() && search.best_trial().is_better(out_.found);
    if (is_found) out_.found = search.best_trial();
    if (out_.shipped && out_.shipped->is_better(out_.found)) {
      out_.found = *out_.shipped;
      out_.document = "# " + join(head_of_document(request_.run, out_.found, out_.budget, out_.replaced), "\n# ") + "\n" + without_name(*best_document_);
    } else if (is_found) {
      out_.some = search.best()->layers;
      write_document(request_, trials_, *search.best(), plain_->graph(), out_);
    }
    out_.run = out_.document.empty() ? request_.run : trials_.plain();
    if (out_.found.state != FitPoint::State::too_large) return;
    out_.problem = fmt::format("no recomputation fits: the least memory is {}, with {}, and the budget is {}; use more stages, or shard the weights further",
                               human(out_.found.memory), out_.found.rules.empty() ? "the run itself" : "`" + out_.found.rules + "`", human(out_.budget));
  }

  const RecomputeRequest& request_;
  RecomputeTrials trials_;
  Diagnostics& diagnostics_;
  FoundRecompute out_;
  std::unique_ptr<Run> plain_;  ///< The run without recomputation.
  std::vector<const Document*> documents_;
  const Document* best_document_ = nullptr;
};

}  // namespace

bool only_recomputes(const Document& rules) {
  static const std::vector<std::string> kOther = {"uneven", "shard", "nodes", "weights", "activations", "fuse", "mark", "merge"};
  return rules.root.find("recompute") != nullptr &&
         std::none_of(kOther.begin(), kOther.end(), [&](const std::string& key) { return rules.root.find(key) != nullptr; });
}

std::optional<FoundRecompute> find_recompute(const RecomputeRequest& request, Library& library, Diagnostics& diagnostics) {
  return RecomputeFinder(request, library, diagnostics).find();
}

}  // namespace opledger
