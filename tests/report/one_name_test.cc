#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "play/audit_simulation.h"
#include "questions/audit/audit.h"
#include "report/cells.h"
#include "report/explore_page.h"
#include "report/timeline_report.h"
#include "report/writers.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Defect newcomer D16: one name has one number on all pages and commands.
namespace opledger {
namespace {

using nlohmann::json;

/// The numbers of one run by name: metrics, and keys of JSON and labels with their units (`gradients` has bytes in `memory`, and seconds in `comm`).
class OneName {
 public:
  explicit OneName(std::string run) : run_(std::move(run)) {}

  void add(const std::string& name, const json& number, const std::string& where) {
    if (!number.is_number()) return;
    const auto [known, fresh] = numbers_.try_emplace(name, number.get<double>(), where);
    ++found_;
    CHECK_MESSAGE((fresh || known->second.first == number.get<double>()), run_, ": ", name, " is ", known->second.first, " in ", known->second.second, " and ",
                  number.get<double>(), " in ", where);
  }

  /// Adds every metric of a report by its name, its key in JSON and its label, and looks for the rounded number in texts for people.
  void add(const Report& report, const std::string& where) {
    const json printed = json::parse(write_json(report));
    std::string text = write_text(report), markdown = write_markdown(report);
    for (const ReportSection& section : report.sections) {
      for (const ReportMetric& metric : section.metrics) {
        const json& number = printed.at(metric.id);
        for (const std::string& name : {metric.name, metric.id + " in " + metric.unit, metric.key + " in " + metric.unit}) add(name, number, where);
        if (section.detail || !number.is_number()) continue;
        const std::string label = display_key(metric.key), rounded = display_text(metric.value, metric.unit == "ratio");
        const std::string people = after("\n" + section.title + "\n", "\n  " + label + " ", text);
        CHECK_MESSAGE(people == rounded, run_, ": text of ", where, ", ", label, ": ", people, " for ", rounded);
        CHECK_MESSAGE(markdown.find("| " + label + " | " + rounded + " |") != std::string::npos, run_, ": markdown of ", where, ", ", label);
      }
    }
  }

  std::size_t names() const { return numbers_.size(); }
  std::size_t found() const { return found_; }

 private:
  /// Returns the rest of the line that begins so after a title, without blanks around it.
  static std::string after(const std::string& title, const std::string& begin, const std::string& text) {
    const std::size_t section = text.find(title), at = text.find(begin, section == std::string::npos ? 0 : section);
    if (at == std::string::npos) return "nothing";
    const std::size_t first = text.find_first_not_of(' ', at + begin.size());
    return text.substr(first, text.find('\n', first) - first);
  }

  std::string run_;
  std::map<std::string, std::pair<double, std::string>> numbers_;
  std::size_t found_ = 0;
};

/// Adds the numbers of the page: every metric, the labels at its head, and the ends of the played step.
void add_page(Run& run, OneName& names) {
  const auto explored = explore(run, "words", said());
  REQUIRE_MESSAGE(explored, render(said()));
  const json page = json::parse(write_explore_json({"title", {&*explored}, nullptr, nullptr}).text)["runs"][0];
  const json& report = page["report"];
  for (const auto& [id, metric] : report["metrics"].items()) {
    if (report.contains(id)) names.add(metric.get<std::string>(), report[id], "explore");
  }
  for (const json& head : page["headline"]) {
    const std::string metric = head["metric"];
    names.add(head["label"].get<std::string>() + " in " + report["units"].value(metric, ""), report[metric], "the head of explore");
  }
  if (page["timeline"].is_null()) return;
  names.add("works in s", page["timeline"]["work_end"], "the timeline of explore");
  names.add("step_as_played in s", page["timeline"]["end"], "the timeline of explore");
}

void add_timeline(Run& run, OneName& names) {
  const std::optional<Timeline> played = timeline(run, {}, said());
  REQUIRE_MESSAGE(played, render(said()));
  const std::optional<Report> report = build_report(*played, run.request(), run, said());
  REQUIRE_MESSAGE(report, render(said()));
  names.add(*report, "timeline");
  const json numbers = json::parse(write_json(*report));
  // The counted step is the simulated step, if the run requests simulation or nothing waits in a pipeline.
  if (value(run, "play") == 1 || played->stages.size() == 1) CHECK(near(numbers["step_as_played"], numbers["step"], 1e-9));
  const std::optional<Audit> checks = audit(run, {}, said());
  REQUIRE(checks);
  for (const AuditPlayed& pair : checks->played) {
    if (pair.name == "bubble" && value(run, "play") == 0) names.add("bubble in s", pair.by_formula.scalar.value, "audit, by formula");
  }
}

}  // namespace

TEST_CASE("one name has one number in every command and format, defect newcomer D16") {
  std::size_t runs = 0, names = 0, found = 0;
  const std::vector<std::string> trained = trained_executions();
  for (const std::string& name : testing::some_of(shipped().names("execution"), 10)) {
    const auto [model, system] = model_and_system(name);
    if (model.empty()) continue;
    const bool trains = std::find(trained.begin(), trained.end(), name) != trained.end();
    for (const bool play : {false, true}) {
      if (play && !trains) continue;
      const auto run = prepare(model, name, system, play ? Settings{{"play", "true"}} : Settings{});
      OneName numbers(name + (play ? " played" : ""));
      for (const Published& metric : run->program().published) {
        Diagnostics unknown;  // Some runs lack some metrics of their accounting.
        const auto v = run->value(metric.name, unknown);
        if (v && v->is_number()) numbers.add(metric.name, v->scalar.value, "tables and searches");
      }
      for (const std::string& command : names_of(run->program().reports)) {
        if (command == "node") continue;  // This report is about a single node.
        const std::optional<Report> report = build_report(*run, {command}, said());
        REQUIRE_MESSAGE(report, name, render(said()));
        numbers.add(*report, command);
      }
      add_page(*run, numbers);
      if (trains) add_timeline(*run, numbers);
      ++runs, names += numbers.names(), found += numbers.found();
    }
  }
  MESSAGE(runs, " runs, ", names, " names, ", found, " numbers");
  CHECK(runs >= 50 / testing::one_of(10));
  CHECK(found > 2 * names);
}

}  // namespace opledger
