#include "report/plan_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "base/width.h"
#include "report/json_value.h"
#include "search/candidate_run.h"

namespace opledger {
namespace {

constexpr std::size_t kPageColumns = 80;

/// Writes a label and a text; the text wraps at blanks and continues below its beginning.
void add_line(const std::string& label, const std::string& text, std::size_t indent, std::string& out) {
  out += fmt::format("{:<{}}", label, indent);
  std::size_t column = indent;
  bool first = true;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t columns = width(word);
    if (!first && column + 1 + columns > kPageColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent, first = true;
    }
    out += (first ? "" : " ") + word;
    column += columns + (first ? 0 : 1);
    first = false;
  }
  out += "\n";
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// Returns a loss of the objective, or the gain of a less simple candidate.
std::string change(double loss) { return loss < 0 ? "gains " + share_text(-loss) : "loses " + share_text(loss); }

/// Returns parts as text, with the expected error behind those that need it.
std::string text_of(const std::vector<PlanLine::Part>& all, const std::string& expected_error) {
  std::vector<std::string> parts;
  for (const PlanLine::Part& part : all) parts.push_back(part.text + (part.has_error ? " (" + expected_error + ")" : ""));
  return join(parts, ", ");
}

/// Returns the axes on which two candidates differ, with the values of the second: `tp 8, pp 2`. Of another space, the
/// name of the space and the axes of `alternatives`.
std::string difference(const PlanCandidate& chosen, const PlanCandidate& other, const std::vector<std::string>& alternatives) {
  const SearchAnswer &a = chosen.search->answer, &b = other.search->answer;
  const bool same_space = chosen.search->request.run.space == other.search->request.run.space;
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < b.axes.size(); ++axis) {
    const auto found = std::find(a.axes.begin(), a.axes.end(), b.axes[axis]);
    const Value& found_value = other.candidate.execution[axis];
    const int position = b.space.order[axis].second;
    if (position >= 0 && b.space.axes[static_cast<std::size_t>(position)].derived != nullptr) continue;
    if (!same_space && (!contains(alternatives, b.axes[axis]) || human(found_value) == "1")) continue;
    const std::string value = human(found_value);
    if (same_space && found != a.axes.end() && human(chosen.candidate.execution[static_cast<std::size_t>(found - a.axes.begin())]) == value) continue;
    if (found_value.kind == Value::Kind::truth)
      parts.push_back((found_value.scalar.value != 0 ? "" : "no ") + b.axes[axis]);
    else if (found_value.kind != Value::Kind::nothing)
      parts.push_back(b.axes[axis] + " " + value);
  }
  return (same_space ? "" : other.search->request.run.space + (parts.empty() ? "" : ": ")) + join(parts, ", ");
}

/// Returns the best cost of other values of an axis, and the reasons of infeasible ones.
std::string text_of(const PlanChoice& choice) {
  std::vector<std::string> parts;
  for (const PlanChoice::Other& other : choice.others) {
    if (other.loss)
      parts.push_back(fmt::format("{} {}", other.value, change(*other.loss)));
    else
      parts.push_back(fmt::format("{} is infeasible: {}", other.value, other.reason));
  }
  return join(parts, "; ");
}

/// Most candidates of a front in text.
constexpr std::size_t kFrontLines = 12;

/// Adds the candidates of a front, one a line; of a longer front evenly spaced ones, the first and the last included.
void add_front(const PlanFront& front, const std::string& expected_error, std::size_t indent, std::string& out) {
  const std::size_t count = front.points.size(), lines = std::min(count, kFrontLines);
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t point = lines < 2 ? 0 : line * (count - 1) / (lines - 1);
    add_line("front", text_of(front.points[point].parts, expected_error), indent, out);
  }
  if (lines < count) add_line("", fmt::format("{} of {} candidates of the front; --format json has all", lines, count), indent, out);
}

std::string no_answer(const PlanAnswer& answer) {
  std::string out = "No configuration is feasible.\n";
  for (const std::string& reason : answer.reasons) add_line("reason", reason, 10, out);
  for (const std::string& cure : answer.cures) add_line("try", cure, 10, out);
  return out;
}

}  // namespace

std::string searched_axes(const PlanAnswer& answer) {
  // An axis is searched if one of the searches had several values for it. Axes of one value are grouped by the inputs
  // that open them.
  std::vector<std::string> spaces, closed;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_inputs;
  std::uint64_t candidates = 0;
  const auto is_open = [](const PlanSearch& search, const std::string& axis) {
    const auto& order = search.answer.space.order;
    const bool varies = std::any_of(order.begin(), order.end(), [&](const auto& o) { return o.first == axis && o.second >= 0; });
    return varies && std::none_of(search.answer.held_axes.begin(), search.answer.held_axes.end(), [&](const auto& h) { return h.axis == axis; });
  };
  for (const PlanSearch& search : answer.searches->all()) {
    candidates += search.answer.result.candidates;
    if (!contains(spaces, search.request.run.space)) spaces.push_back(search.request.run.space);
    for (const SearchAnswer::HeldAxis& held : search.answer.held_axes) {
      const auto opens = [&](const PlanSearch& other) { return is_open(other, held.axis); };
      if (contains(closed, held.axis) || std::any_of(answer.searches->all().begin(), answer.searches->all().end(), opens)) continue;
      closed.push_back(held.axis);
      const std::string inputs = join(held.inputs, ", ");
      auto group = std::find_if(by_inputs.begin(), by_inputs.end(), [&](const auto& g) { return g.first == inputs; });
      if (group == by_inputs.end()) group = by_inputs.insert(by_inputs.end(), {inputs, {}});
      group->second.push_back(held.axis);
    }
  }
  const std::string searched = fmt::format("{} candidates: all axes of {}", human(static_cast<double>(candidates), {}), join(spaces, ", "));
  if (closed.empty()) return searched;
  std::vector<std::string> with_inputs;
  for (const auto& [inputs, axes] : by_inputs) with_inputs.push_back(fmt::format("{} (--set {})", join(axes, ", "), inputs));
  // Inputs are left out if the sentence would need a third line; `search --help` lists them, too.
  constexpr std::size_t kTwoLines = 130;
  const std::string all = searched + " but " + join(with_inputs, ", ");
  return all.size() <= kTwoLines ? all : searched + " but " + join(closed, ", ");
}

std::string write_plan_text(const PlanAnswer& answer, const PlanReport& report) {
  std::string out;
  if (!answer.chosen) return no_answer(answer);
  const std::string sizes = answer.sizes.empty() ? "" : fmt::format(" with {}", answer.sizes);
  add_line("", fmt::format("{}{} on {}: {}", report.model, sizes, report.system, answer.heading), 0, out);
  std::size_t indent = 11;
  for (const PlanLine& line : answer.lines) indent = std::max(indent, line.label.size() + 2);
  for (const PlanLine& line : answer.lines) add_line(line.label, text_of(line.parts, report.expected_error), indent, out);
  if (answer.alternative)
    add_line("next best",
             difference(*answer.chosen, *answer.alternative, answer.alternatives) + " " + change(PlanSearches::loss(*answer.chosen, *answer.alternative)),
             indent, out);
  add_line("searched", searched_axes(answer), indent, out);
  if (!answer.assumed.empty()) {
    std::vector<std::string> parts;
    for (const auto& [option, value] : answer.assumed) parts.push_back(fmt::format("--{} {}", option, value));
    add_line("assumed", join(parts, ", "), indent, out);
  }
  for (const PlanChoice& choice : report.choices) add_line("why", fmt::format("{} {}: {}", choice.axis, choice.value, text_of(choice)), indent, out);
  if (report.front) add_front(*report.front, report.expected_error, indent, out);
  if (!answer.faster.empty()) add_line("faster", text_of(answer.faster, report.expected_error), indent, out);
  if (!answer.refusal.empty()) add_line("no script", answer.refusal, indent, out);
  if (!report.is_written) {
    add_line("next",
             fmt::format("-o DIR writes execution{} page; --why lists reasons", report.has_script && answer.refusal.empty() ? ", launch script and" : " and"),
             indent, out);
  }
  for (const auto& [label, command] : report.commands) {
    if (report.is_written) out += fmt::format("{:<{}}{}\n", label, indent, command);
  }
  return out;
}

std::string write_plan_json(const PlanAnswer& answer, const PlanReport& report) {
  Json out = {{kFormatKey, kFormat}, {"plan", report.plan}, {"model", report.model}, {"system", report.system}, {"feasible", answer.chosen.has_value()}};
  const auto candidate = [](const PlanCandidate& c) {
    Json execution = Json::object(), metrics = Json::object();
    for (std::size_t a = 0; a < c.search->answer.axes.size(); ++a) execution[c.search->answer.axes[a]] = json_value(c.candidate.execution[a]);
    for (std::size_t m = 0; m < c.search->answer.metrics.size(); ++m) metrics[c.search->answer.metrics[m]] = json_value(c.candidate.metrics[m]);
    return Json{{"space", c.search->request.run.space}, {"execution", execution}, {"metrics", metrics}};
  };
  if (!answer.chosen) {
    out["reasons"] = answer.reasons;
    out["cures"] = answer.cures;
    return json_text(out) + "\n";
  }
  out["heading"] = answer.heading;
  out["chosen"] = candidate(*answer.chosen);
  for (const PlanLine& line : answer.lines) out["lines"][line.label] = text_of(line.parts, report.expected_error);
  out["expected_error"] = report.expected_error;
  if (answer.alternative) {
    out["alternative"] = candidate(*answer.alternative);
    out["alternative"]["loss"] = PlanSearches::loss(*answer.chosen, *answer.alternative);
  }
  if (!answer.faster.empty()) out["faster"] = text_of(answer.faster, report.expected_error);
  if (!answer.refusal.empty()) out["no_script"] = answer.refusal;
  out["searched"] = searched_axes(answer);
  out["assumed"] = Json::object();
  for (const auto& [option, value] : answer.assumed) out["assumed"][option] = value;
  out["commands"] = Json::object();
  for (const auto& [label, command] : report.commands) out["commands"][label] = command;
  if (!report.choices.empty())
    out["why"] = array_of(report.choices, [](const PlanChoice& choice) {
      return Json{{"axis", choice.axis}, {"value", choice.value}, {"others", array_of(choice.others, [](const PlanChoice::Other& other) {
                                                                     Json o = {{"value", other.value}};
                                                                     if (other.loss)
                                                                       o["loss"] = *other.loss;
                                                                     else
                                                                       o["reason"] = other.reason;
                                                                     return o;
                                                                   })}};
    });
  if (report.front)
    out["front"] = array_of(report.front->points, [&](const PlanFront::Point& point) {
      Json entry = candidate(point.candidate);
      entry["text"] = text_of(point.parts, report.expected_error);
      return entry;
    });
  out["seconds"] = report.seconds;
  return json_text(out) + "\n";
}

}  // namespace opledger
