#include "report/search_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/csv.h"
#include "base/text.h"
#include "find/find_together.h"
#include "report/candidate_file.h"
#include "report/json_value.h"
#include "search/found_candidates.h"

namespace opledger {
namespace {

Json object(const std::vector<std::string>& names, const std::vector<Value>& values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) out[names[i]] = json_value(values[i]);
  return out;
}

/// Returns the rate of this process; candidates that a resumed search evaluated before are excluded.
double per_second(const SearchAnswer& answer, double seconds) {
  return seconds > 0 ? static_cast<double>(answer.result.candidates + answer.result.skipped - answer.before) / seconds : 0;
}

/// Returns the front, if requested, else the best candidates.
const std::vector<SearchAnswer::Candidate>& reported_candidates(const SearchAnswer& answer) { return answer.pareto.empty() ? answer.best : answer.front; }

/// Returns candidates as objects with their axes and metrics.
Json candidates(const SearchAnswer& answer, const std::vector<SearchAnswer::Candidate>& list) {
  return array_of(list, [&](const SearchAnswer::Candidate& candidate) {
    return Json{{"execution", object(answer.axes, candidate.execution)},
                {"metrics", object(answer.metrics, candidate.metrics)},
                {"candidates", candidate.multiplicity}};
  });
}

/// Returns the parts that were found, in their order.
std::vector<std::string> changes_of(const SearchAnswer::FoundCandidate& found) {
  std::vector<std::string> out;
  for (std::size_t part = 0; part < std::size(kFindParts) && found.parts; ++part) {
    const auto is_it = [&](const FoundTogether::Step& step) { return static_cast<std::size_t>(step.part) == part && step.is_better; };
    if (std::any_of(found.parts->steps.begin(), found.parts->steps.end(), is_it)) out.emplace_back(kFindParts[part]);
  }
  return out;
}

void add_front(const SearchAnswer& answer, Json& out) {
  out["pareto"] = Json::object();
  for (const FrontMetric& metric : answer.pareto) out["pareto"][metric.name] = metric.maximize ? "maximise" : "minimise";
  out["front"] = candidates(answer, answer.front);
}

/// Returns the answer of a search as JSON: documents and objective, numbers of candidates, sums, and the best
/// candidates with values by name of axis and metric. Parts that the request did not ask for, such as the front,
/// refused candidates or simulated steps, are omitted. The best candidates and the front are lists of the same form.
std::string write_search_json(const SearchAnswer& answer, const SearchRequest& request, double seconds) {
  const SweepResult& result = answer.result;
  Json out = {{kFormatKey, kFormat},          {"space", request.run.space},      {"model", request.run.model},
              {"system", request.run.system}, {"accounting", answer.accounting}, {answer.space.maximize ? "maximise" : "minimise", answer.objective}};
  out["counts"] = {{"candidates", result.candidates}, {"feasible", result.feasible}, {"infeasible", Json(result.infeasible)}};
  if (first_stop(answer.space) < answer.space.axes.size()) out["counts"]["skipped"] = result.skipped;
  out["sums"] = object(answer.sums, answer.totals);
  out["best"] = candidates(answer, answer.best);
  if (!answer.pareto.empty()) add_front(answer, out);
  if (answer.simplest) {
    out["simplest"] = {{"execution", object(answer.axes, answer.simplest->execution)}, {"metrics", object(answer.metrics, answer.simplest->metrics)}};
    out["simplest"]["within"] = answer.space.simplicity->within;
  }
  out["held_axes"] = array_of(answer.held_axes, [](const SearchAnswer::HeldAxis& held) {
    return Json{{"axis", held.axis}, {"value", json_value(held.value)}, {"inputs", held.inputs}};
  });
  if (request.refused) {
    out["refused"] = Json::array();
    for (const SearchAnswer::Refused& refused : answer.refused)
      out["refused"].push_back({{"reason", refused.reason},
                                {"message", refused.message},
                                {"execution", object(answer.axes, refused.candidate.execution)},
                                {"metrics", object(answer.metrics, refused.candidate.metrics)}});
  }
  if (!answer.played.empty())
    out["played"] = array_of(answer.played, [](const SearchAnswer::PlayedCandidate& p) {
      return Json{{"by_formula", json_value(p.by_formula)}, {"played", json_value(p.played)}, {"why_not", p.why}};
    });
  if (!answer.found.empty())
    out["found"] = array_of(answer.found, [](const SearchAnswer::FoundCandidate& found) {
      return Json{{"searched", json_value(found.searched)},
                  {"found", json_value(found.found)},
                  {"memory", found.parts ? json_value(found.parts->found.memory) : Json()},
                  {"changes", changes_of(found)},
                  {"why_not", found.why}};
    });
  if (result.partial) out["partial"] = true;
  out["structures"] = result.traces;
  out["parts"] = result.groups;
  out["seconds"] = seconds;
  out["candidates_per_second"] = per_second(answer, seconds);
  return json_text(out);
}

/// Writes a line for each candidate; axes precede metrics.
std::string write_search_csv(const SearchAnswer& answer) {
  std::string out;
  const auto line = [&](const auto& first, const auto& second, const auto& write) {
    std::string text;
    for (const auto& item : first) text += (text.empty() ? "" : ",") + write(item);
    for (const auto& item : second) text += "," + write(item);
    out += text + "\n";
  };
  line(answer.axes, answer.metrics, [](const std::string& name) { return csv_cell(name); });
  for (const auto& candidate : reported_candidates(answer)) line(candidate.execution, candidate.metrics, csv_text);
  return out;
}

/// A builder of the tables for people. Axes with the same value for every listed candidate are shown once, in a table
/// of their own.
class Tables {
 public:
  explicit Tables(const SearchAnswer& answer) : answer_(answer) {}

  Report build(const SearchRequest& request, double seconds) {
    Report report{request.run.model, "", request.run.system, answer_.accounting};
    report.tables = {counts(seconds), infeasible(), refused(), sums(), common(), best(), simplest(), simulated(), found(), held_axes()};
    report.kept = std::move(kept_);
    return report;
  }

 private:
  static Value count(std::uint64_t n) { return number_value(integer(static_cast<double>(n))); }

  Value text(std::string t) { return owned_text(std::move(t), kept_); }

  ReportTable counts(double seconds) const {
    const SweepResult& r = answer_.result;
    ReportTable out{
        "counts", r.partial ? "Candidates, until it was interrupted" : "Candidates", {"candidates", "feasible", "infeasible", "seconds", "per_second"}, {}};
    out.rows.push_back({count(r.candidates), count(r.feasible), count(r.candidates - r.feasible), number_value(real(seconds)),
                        number_value(real(per_second(answer_, seconds)))});
    if (first_stop(answer_.space) < answer_.space.axes.size()) {
      out.columns.insert(out.columns.begin() + 3, "skipped");
      out.rows[0].insert(out.rows[0].begin() + 3, count(r.skipped));
    }
    return out;
  }

  ReportTable infeasible() {
    ReportTable out{"infeasible", "Infeasible", {"reason", "candidates", "share"}, {}};
    out.units = {{"share", "%", 0.01, 1}};
    for (const auto& [reason, n] : answer_.result.infeasible)
      out.rows.push_back({text(reason), count(n), number_value(real(static_cast<double>(n) / static_cast<double>(answer_.result.candidates)))});
    return out;
  }

  /// Returns the best candidate for each reason of infeasibility, with the missing amount, and its axes that differ
  /// from the best feasible candidate.
  ReportTable refused() {
    ReportTable out{"refused", "The best infeasible candidate for each reason", {"reason", answer_.objective, "lacks", "differs"}, {}};
    out.prose = {"lacks", "differs"};
    for (const SearchAnswer::Refused& refused : answer_.refused)
      out.rows.push_back({text(refused.reason), refused.candidate.metrics[0], text(refused.message), text(differences(refused.candidate))});
    return out;
  }

  /// Returns the axes of a candidate that differ from the first reported candidate, as `NAME=VALUE` in one text.
  std::string differences(const SearchAnswer::Candidate& candidate) const {
    std::string out;
    for (std::size_t a = 0; a < answer_.axes.size(); ++a) {
      const std::string value = csv_text(candidate.execution[a]);
      if (reported_candidates().empty() || value != csv_text(reported_candidates()[0].execution[a]))
        out += (out.empty() ? "" : " ") + answer_.axes[a] + "=" + value;
    }
    return out;
  }

  /// Returns the simplest candidate that is almost as good as the best; no rows if it is the best itself.
  ReportTable simplest() {
    const double within = answer_.space.simplicity ? answer_.space.simplicity->within : 0;
    ReportTable out{"simplest", fmt::format("The simplest within {:g} %", 100 * within), {answer_.objective, "loss", "differs"}, {}};
    out.units = {{"loss", "%", 0.01, 2}};
    out.prose = {"differs"};
    if (!answer_.simplest || answer_.best.empty()) return out;
    const std::string differs = differences(*answer_.simplest);
    if (differs.empty()) return out;
    const double best = answer_.best[0].metrics[0].scalar.value, loss = std::fabs(answer_.simplest->metrics[0].scalar.value - best);
    out.rows.push_back({answer_.simplest->metrics[0], number_value(real(best != 0 ? loss / std::fabs(best) : 0)), text(differs)});
    return out;
  }

  /// Returns the axes with one value in the whole space, and the inputs that may allow further values.
  ReportTable held_axes() {
    ReportTable out{"held_axes", "Axes held at one value, and the inputs that open them (--set)", {"axis", "value", "inputs"}, {}};
    for (const SearchAnswer::HeldAxis& held : answer_.held_axes) out.rows.push_back({text(held.axis), held.value, text(join(held.inputs, ", "))});
    return out;
  }

  ReportTable sums() {
    ReportTable out{"sums", "Sums over the feasible", {"metric", "sum"}, {}};
    for (std::size_t m = 0; m < answer_.sums.size(); ++m) out.rows.push_back({text(answer_.sums[m]), answer_.totals[m]});
    return out;
  }

  const std::vector<SearchAnswer::Candidate>& reported_candidates() const { return opledger::reported_candidates(answer_); }
  bool front() const { return !answer_.pareto.empty(); }

  /// Returns true if the listed candidates differ on an axis.
  bool differs(std::size_t axis) const {
    const auto other = [&](const auto& candidate) { return csv_text(candidate.execution[axis]) != csv_text(reported_candidates()[0].execution[axis]); };
    return std::any_of(reported_candidates().begin(), reported_candidates().end(), other);
  }

  ReportTable common() {
    const std::string of = front() ? "the front" : "the best";
    ReportTable out{"common", reported_candidates().size() > 1 ? "Values in common of " + of : front() ? "The front" : "The best", {"axis", "value"}, {}};
    for (std::size_t a = 0; a < answer_.axes.size() && !reported_candidates().empty(); ++a) {
      if (!differs(a)) out.rows.push_back({text(answer_.axes[a]), reported_candidates()[0].execution[a]});
    }
    return out;
  }

  /// Returns the reported candidates in their order: metrics, then the axes in which the candidates differ. Equal
  /// values of axes are in a separate table. A further column counts the equal runs that a row stands for, if the front
  /// is reported or any row stands for several. A single candidate differs in no axis and shows only metrics.
  ReportTable best() {
    const std::string title = front() ? "The front: none is better in one metric and as good in the others" : "The best, and where they differ";
    ReportTable out{front() ? "front" : "best", reported_candidates().size() > 1 ? title : "Metrics", answer_.metrics, {}};
    std::vector<std::size_t> differing_axes;
    for (std::size_t a = 0; a < answer_.axes.size() && !reported_candidates().empty(); ++a) {
      if (differs(a)) differing_axes.push_back(a);
    }
    const bool has_equal_runs =
        front() || std::any_of(reported_candidates().begin(), reported_candidates().end(), [](const auto& candidate) { return candidate.multiplicity > 1; });
    if (has_equal_runs) out.columns.emplace_back(front() ? "alike" : "same_run");
    for (const std::size_t a : differing_axes) out.columns.push_back(answer_.axes[a]);
    for (const auto& candidate : reported_candidates()) {
      std::vector<Value>& row = out.rows.emplace_back(candidate.metrics);
      if (has_equal_runs) row.push_back(count(candidate.multiplicity));
      for (const std::size_t a : differing_axes) row.push_back(candidate.execution[a]);
    }
    return out;
  }

  /// Returns the best candidates by formulas, compared with their simulation.
  ReportTable simulated() {
    ReportTable out{"played", "The best, simulated", {"rank", "by_formula", "played", "difference", "rank_played", "why_not"}, {}};
    out.units = {{"difference", "%", 0.01, 2}};
    out.prose = {"why_not"};
    for (std::size_t i = 0; i < answer_.played.size(); ++i) {
      const SearchAnswer::PlayedCandidate& p = answer_.played[i];
      const bool known = p.played.is_number() && p.why.empty();
      const double difference = known && p.by_formula.scalar.value != 0 ? p.played.scalar.value / p.by_formula.scalar.value - 1 : 0;
      out.rows.push_back({count(i + 1), p.by_formula, known ? p.played : Value{}, known ? number_value(real(difference)) : Value{},
                          known ? count(rank_of(p.played.scalar.value)) : Value{}, text(p.why)});
    }
    return out;
  }

  /// Returns the position of a candidate by its simulated objective.
  std::size_t rank_of(double played) const {
    return 1 + static_cast<std::size_t>(std::count_if(answer_.played.begin(), answer_.played.end(), [&](const SearchAnswer::PlayedCandidate& other) {
             return other.why.empty() && (answer_.space.maximize ? other.played.scalar.value > played : other.played.scalar.value < played);
           }));
  }

  /// Returns the best candidates with found parts.
  ReportTable found() {
    ReportTable out{"found", "The best, with found parts", {"rank", "searched", "found", "gain", "memory", "rank_found", "changes", "why_not"}, {}};
    out.units = {{"gain", "%", 0.01, 2}};
    out.prose = {"changes", "why_not"};
    const std::vector<std::size_t> order = found_order(answer_);
    for (std::size_t i = 0; i < answer_.found.size(); ++i) {
      const SearchAnswer::FoundCandidate& one = answer_.found[i];
      const bool known = one.found.is_number() && one.searched.scalar.value != 0 && one.found.scalar.value != 0;
      const double ratio = known ? one.found.scalar.value / one.searched.scalar.value : 1;
      const std::size_t rank = static_cast<std::size_t>(std::find(order.begin(), order.end(), i) - order.begin());
      out.rows.push_back({count(i + 1), one.searched, one.found, known ? number_value(real((answer_.space.maximize ? ratio : 1 / ratio) - 1)) : Value{},
                          one.parts ? one.parts->found.memory : Value{}, count(rank + 1), text(join(changes_of(one), ", ")), text(one.why)});
    }
    if (std::all_of(answer_.found.begin(), answer_.found.end(), [](const auto& one) { return one.why.empty(); })) out.hidden = {"why_not"};
    return out;
  }

  const SearchAnswer& answer_;
  ValueOwners kept_;
};

}  // namespace

std::string write_search(const SearchAnswer& answer, const SearchRequest& request, double seconds, Format format, const PageSize& page) {
  if (format == Format::json) return write_search_json(answer, request, seconds);
  if (format == Format::csv) return write_search_csv(answer);
  Tables tables(answer);
  return write(tables.build(request, seconds), format, page);
}

}  // namespace opledger
