#include "search/store/recorded_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/lists.h"
#include "base/text.h"
#include "search/space/written_axes.h"
#include "search/store/recorded_front.h"
#include "search/store/recorded_rows.h"

namespace opledger {
namespace {

constexpr std::size_t kMostBest = 500, kMostFront = 200;
constexpr std::size_t kMostPairValues = 32;  // values of an axis whose pairs are kept

/// Chooses the candidates to keep in one pass: a bounded set of the best, the best candidate of every pair of values
/// of two axes, and the Pareto front. Rows are identified by their position in the file.
class RecordedChooser {
 public:
  explicit RecordedChooser(const RecordedSearch& recorded)
      : recorded_(recorded), values_(recorded.axes.size()), best_of_pairs_(recorded.axes.size() * recorded.axes.size()) {
    objective_ = recorded.axes.size() + recorded.pareto[0].first;
  }

  void add(const std::vector<RecordedCell>& cells) {
    const std::size_t at = total_++;
    if (!cells[objective_].number) return;
    const double score = *cells[objective_].number * (recorded_.largest ? 1 : -1);
    add_to_best(score, at);
    add_to_pairs(score, at, cells);
    add_to_front(at, cells);
  }

  std::size_t total() const { return total_; }

  const RecordedFront& front() const { return front_; }

  /// Returns the positions of the best and of the best of pairs; the front is separate.
  std::set<std::size_t> chosen() const {
    std::set<std::size_t> out;
    for (const auto& [_, at] : best_) out.insert(~at);
    for (const auto& pairs : best_of_pairs_) {
      for (const auto& [_, best] : pairs) out.insert(best.second);
    }
    return out;
  }

 private:
  void add_to_best(double score, std::size_t at) {
    best_.emplace(score, ~at);  // the complement prefers the first of equal candidates
    if (best_.size() > kMostBest) best_.erase(best_.begin());
  }

  /// Returns the index of a value of an axis, by first appearance; kMostPairValues for every later value.
  std::size_t value_of(std::size_t axis, const std::string& text) {
    auto& known = values_[axis];
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    if (known.size() >= kMostPairValues) return kMostPairValues;
    return known.emplace(text, known.size()).first->second;
  }

  /// Keeps the best candidate for every pair of values, among the first kMostPairValues values of each axis.
  void add_to_pairs(double score, std::size_t at, const std::vector<RecordedCell>& cells) {
    const std::size_t axes = values_.size();
    places_.resize(axes);
    for (std::size_t a = 0; a < axes; ++a) places_[a] = value_of(a, cells[a].text);
    for (std::size_t a = 0; a < axes; ++a) {
      for (std::size_t b = a + 1; b < axes; ++b) {
        if (places_[a] == kMostPairValues || places_[b] == kMostPairValues) continue;
        const auto [place, fresh] = best_of_pairs_[a * axes + b].try_emplace(places_[a] * kMostPairValues + places_[b], score, at);
        if (!fresh && score > place->second.first) place->second = {score, at};
      }
    }
  }

  void add_to_front(std::size_t at, const std::vector<RecordedCell>& cells) {
    scores_.clear();
    for (const auto& [metric, largest] : recorded_.pareto) {
      const std::optional<double>& number = cells[values_.size() + metric].number;
      if (!number) return;
      scores_.push_back(largest ? *number : -*number);
    }
    front_.add(scores_, at);
  }

  const RecordedSearch& recorded_;
  std::size_t total_ = 0, objective_ = 0;
  std::set<std::pair<double, std::size_t>> best_;
  std::vector<std::unordered_map<std::string, std::size_t>> values_;
  std::vector<std::size_t> places_;
  std::vector<std::unordered_map<std::size_t, std::pair<double, std::size_t>>> best_of_pairs_;
  std::vector<double> scores_;
  RecordedFront front_;
};

/// Samples a large front evenly, both ends included.
std::set<std::size_t> sample_front(const std::vector<std::size_t>& front) {
  if (front.size() <= kMostFront) return {front.begin(), front.end()};
  std::set<std::size_t> out;
  for (std::size_t i = 0; i < kMostFront; ++i) out.insert(front[i * (front.size() - 1) / (kMostFront - 1)]);
  return out;
}

std::size_t metric_of(const RecordedSearch& recorded, const std::string& name) {
  const auto found = std::find_if(recorded.metrics.begin(), recorded.metrics.end(), [&](const RecordedSearch::Column& c) { return c.name == name; });
  return static_cast<std::size_t>(found - recorded.metrics.begin());
}

/// Parses metrics such as `memory` or `+mfu`, in the form of `search --pareto`.
bool choose_front(const std::vector<std::string>& requested, RecordedSearch& out, Diagnostics& diagnostics) {
  out.pareto = {{metric_of(out, out.objective), out.largest}};
  if (requested.empty() && out.metrics.size() > 1) out.pareto.emplace_back(out.pareto[0].first == 0 ? 1 : 0, false);
  for (const std::string& text : requested) {
    const bool sign = text[0] == '+' || text[0] == '-';
    const std::string name = text.substr(sign ? 1 : 0);
    const std::size_t metric = metric_of(out, name);
    if (metric == out.metrics.size()) diagnostics.error({}, fmt::format("no metric is called `{}`{}", name, suggestion(name, names_of(out.metrics))));
    if (name != out.objective) out.pareto.emplace_back(metric, text[0] == '+');
  }
  return !diagnostics.has_errors();
}

/// Sorts the kept rows by the objective; equal rows stay in the order of the file.
void sort_best(RecordedSearch& out) {
  const std::size_t column = out.axes.size() + out.pareto[0].first;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    if (out.rows[i][column].number) out.best.push_back(i);
  }
  std::stable_sort(out.best.begin(), out.best.end(), [&](std::size_t a, std::size_t b) {
    const double x = *out.rows[a][column].number, y = *out.rows[b][column].number;
    return out.largest ? x > y : x < y;
  });
}

}  // namespace

std::optional<RecordedSearch> read_recorded(const RecordedRequest& request, Diagnostics& diagnostics) {
  // Reads the candidates of a file that a display needs, in two passes. The first pass chooses positions of rows: the
  // best by the objective, the best of each pair of values, and the Pareto front, which is sampled if it is large. The
  // second pass reads the chosen rows. A store may have millions of rows, of which only the chosen rows are ever in
  // memory; a CSV file is in memory as a whole.
  const std::unique_ptr<RecordedRows> rows = open_recorded(request.path, diagnostics);
  RecordedSearch out;
  if (rows == nullptr || !rows->describe(request, out, diagnostics) || !choose_front(request.pareto, out, diagnostics)) return std::nullopt;
  RecordedChooser chooser(out);
  if (!rows->visit([&](const std::vector<RecordedCell>& cells) { chooser.add(cells); }, diagnostics)) return std::nullopt;
  out.total = chooser.total();
  const std::vector<std::size_t> whole_front = chooser.front().positions();
  out.front_size = whole_front.size();
  if (chooser.front().too_large()) diagnostics.warning({}, fmt::format("the front of {} metrics has too many candidates: it is left out", out.pareto.size()));
  const std::set<std::size_t> front = sample_front(whole_front);
  std::set<std::size_t> chosen = chooser.chosen();
  chosen.insert(front.begin(), front.end());
  std::size_t at = 0;
  const auto keep = [&](const std::vector<RecordedCell>& cells) {
    if (chosen.count(at) != 0) {
      if (front.count(at) != 0) out.front.push_back(out.rows.size());
      out.rows.push_back(cells);
    }
    ++at;
  };
  if (!rows->visit(keep, diagnostics)) return std::nullopt;
  sort_best(out);
  if (out.best.empty()) {
    diagnostics.error({}, fmt::format("`{}` has no candidates to show", request.path));
    return std::nullopt;
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> recorded_settings(const RecordedSearch& recorded, std::size_t row) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t a = 0; a < recorded.axes.size(); ++a) {
    const RecordedCell& cell = recorded.rows[row][a];
    const std::string& unit = recorded.axes[a].unit;
    if (!cell.text.empty()) out.emplace_back(recorded.axes[a].name, cell.text + (cell.number && !unit.empty() && unit != "1" ? " " + unit : ""));
  }
  return out;
}

/// Builds the request from the facts of the store: names of documents, and overrides under `set NAME`. Axes of the
/// candidate become fields of the run, except the axis of systems, which names a document. An override of an axis is
/// left out, because it would replace the value of the candidate.
RunRequest recorded_run(const RecordedSearch& recorded, std::size_t row) {
  const auto fact = [&](const char* name) {
    const auto found = recorded.facts.find(name);
    return found == recorded.facts.end() ? std::string() : found->second;
  };
  RunRequest out;
  out.model = fact("model");
  out.system = fact("system");
  out.space = fact("space");
  out.accounting = fact("accounting");
  const std::vector<std::pair<std::string, std::string>> settings = recorded_settings(recorded, row);
  for (const auto& [axis, value] : settings) {
    if (axis == kSystemAxis)
      out.system = value;
    else
      out.fields.push_back({axis, Datum::scalar(value, false, {}), {}, false});
  }
  constexpr std::string_view kSet = "set ";
  for (const auto& [name, value] : recorded.facts) {
    const bool is_axis =
        std::any_of(settings.begin(), settings.end(), [&](const auto& s) { return kSet.size() < name.size() && s.first == name.substr(kSet.size()); });
    if (name.starts_with(kSet) && !is_axis) out.overrides.emplace_back(name.substr(kSet.size()), value);
  }
  return out;
}

}  // namespace opledger
