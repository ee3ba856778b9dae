#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/explore_page.h"
#include "report/writers.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Defect newcomer D3: the parts of memory in a report belong to one rank, and add up to its peak.
namespace opledger {
namespace {

using nlohmann::json;

const std::vector<const char*> kTrained = {"weights", "gradients", "optimizer", "activations", "working"};
const std::vector<const char*> kMetrics = {"weight_bytes_per_rank", "gradient_bytes_per_rank", "optimizer_bytes_per_rank", "peak_activation_bytes",
                                           "peak_working_bytes"};
const std::vector<const char*> kServed = {"weight_bytes_per_rank", "cache_bytes_per_rank", "working_bytes_per_rank", "reserved_bytes_per_rank"};

/// Returns the number at the beginning of a text, in bytes, and half a unit of its last digit.
std::pair<double, double> shown(const std::string& line) {
  static const std::pair<const char*, double> kUnits[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"B", 1}};
  std::istringstream words(line);
  std::string digits, unit;
  words >> digits >> unit;
  for (const auto& [name, factor] : kUnits) {
    if (unit != name) continue;
    const std::size_t point = digits.find('.');
    return {std::strtod(digits.c_str(), nullptr) * factor, 0.5 * factor * std::pow(10, point == std::string::npos ? 0 : -double(digits.size() - point - 1))};
  }
  return {0, 0};
}

/// Returns the number for `name` in the section of memory of a text for people, and half a unit of its last digit.
std::pair<double, double> shown_at(const std::string& text, const std::string& name, const char* begin, const char* end) {
  const std::size_t section = text.find("Memory of the fullest rank");
  REQUIRE(section != std::string::npos);
  const std::size_t at = text.find(begin + name + end, section);
  REQUIRE_MESSAGE(at != std::string::npos, name, "\n", text);
  return shown(text.substr(at + std::string(begin).size() + name.size() + std::string(end).size(), 40));
}

void check_people(const std::string& text, const char* peak, const std::vector<const char*>& parts, const char* begin, const char* end) {
  const auto [whole, rounded] = shown_at(text, peak, begin, end);
  double sum = 0, allowed = rounded;
  for (const char* part : parts) {
    const auto [bytes, half] = shown_at(text, part, begin, end);
    sum += bytes, allowed += half;
  }
  CHECK_MESSAGE(std::abs(sum - whole) <= allowed * (1 + 1e-9), sum, " ", whole, "\n", text);
}

double sum_of(const json& values, const std::vector<const char*>& names) {
  double sum = 0;
  for (const char* name : names) sum += values.at(name).get<double>();
  return sum;
}

/// Checks parts and peaks of a run in every format. Returns the number of stages that were added up.
int check_trained(Run& run) {
  int stages = 0;
  for (const char* command : {"eval", "memory"}) {
    const auto report = build_report(run, {command}, said());
    REQUIRE_MESSAGE(report, render(said()));
    const json printed = json::parse(write_json(*report));
    // The report `eval` has two metrics with the label `gradients`, and two with `optimizer`.
    std::vector<const char*> names = kTrained;
    if (std::string(command) == "eval") names[1] = "gradient_bytes_per_rank", names[2] = "optimizer_bytes_per_rank";
    CHECK(near(sum_of(printed, names), printed["peak"].get<double>(), 1e-9));
    CHECK(near(printed["peak"].get<double>(), value(run, "memory"), 1e-12));
    for (const json& row : printed["tables"]["stages"]) {
      CHECK(near(sum_of(row, kTrained), row["memory"].get<double>(), 1e-9));
      ++stages;
    }
    check_people(write_text(*report), "peak", kTrained, "\n  ", " ");
    check_people(write_markdown(*report), "peak", kTrained, "\n| ", " | ");
    double sum = 0;
    std::istringstream csv(write_csv(*report));
    for (std::string line; std::getline(csv, line);) {
      for (const char* metric : kMetrics) {
        if (line.find(fmt::format(",byte,{},", metric)) != std::string::npos) sum += std::strtod(line.substr(line.find(',') + 1).c_str(), nullptr);
      }
    }
    CHECK(near(sum, value(run, "memory"), 1e-9));
  }
  return stages;
}

/// Returns the names of executions with this accounting.
std::vector<std::string> executions_of(const std::string& accounting) {
  std::vector<std::string> out;
  for (const std::string& name : shipped().names("execution")) {
    const Document* document = shipped().load(name, {"execution"}, said());
    REQUIRE(document);
    const Datum* datum = document->root.find("accounting");
    if (datum != nullptr && datum->text() == accounting && !model_and_system(name).first.empty()) out.push_back(name);
  }
  return out;
}

}  // namespace

TEST_CASE("defect newcomer D3: parts of memory add up to the peak in every shipped run, stage and format") {
  int runs = 0, stages = 0;
  const std::vector<Settings> changes = {{}, {{"memory_kind", "reserved"}}, {{"memory_kind", "device"}}, {{"play", "true"}}, {{"workspace", "3 GiB"}}};
  for (const std::string& name : testing::some_of(trained_executions(), 10)) {
    const auto [model, system] = model_and_system(name);
    for (const Settings& settings : changes) {
      CAPTURE(name);
      CAPTURE((settings.empty() ? "" : settings[0].first + "=" + settings[0].second));
      const auto run = prepare(model, name, system, settings);
      stages += check_trained(*run);
      ++runs;
      if (!settings.empty()) continue;
      const auto explored = explore(*run, "words", said());
      REQUIRE_MESSAGE(explored, render(said()));
      const json page = json::parse(write_explore_json({"title", {&*explored}, nullptr, nullptr}).text)["runs"][0]["report"];
      CHECK(near(sum_of(page, kMetrics), page["memory"].get<double>(), 1e-9));
      for (const json& row : page["tables"]["stages"]) CHECK(near(sum_of(row, kTrained), row["memory"].get<double>(), 1e-9));
    }
  }
  MESSAGE("parts of memory: ", runs, " runs x changes, ", stages, " rows of stages");
  CHECK(runs >= 100 / testing::one_of(10));
}

TEST_CASE("defect newcomer D3: parts of memory add up in served runs") {
  int runs = 0;
  for (const std::string& name : testing::some_of(executions_of("serving"), 10)) {
    const auto [model, system] = model_and_system(name);
    for (const Settings& settings : {Settings{}, Settings{{"pp", "2"}}, Settings{{"pp", "3"}, {"workspace", "2 GiB"}}}) {
      CAPTURE(name);
      const auto run = prepare(model, name, system, settings);
      const auto report = build_report(*run, {"memory"}, said());
      REQUIRE_MESSAGE(report, render(said()));
      const json printed = json::parse(write_json(*report));
      CHECK(near(sum_of(printed, kServed), printed["memory"].get<double>(), 1e-9));
      ++runs;
    }
  }
  MESSAGE("parts of memory: ", runs, " served runs");
  CHECK(runs >= 15 / testing::one_of(10));
}

TEST_CASE("defect newcomer D3: the peak of DeepSeek-V3 is that of stage 3, and so are its parts") {
  const auto run = prepare("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", {{"fused_loss", "true"}});
  const auto report = build_report(*run, {"memory"}, said());
  REQUIRE(report);
  const json printed = json::parse(write_json(*report)), third = printed["tables"]["stages"][2];
  for (const char* part : kTrained) CHECK(printed[part] == third[part]);
  // A different stage has more weights.
  CHECK(printed["tables"]["stages"][0]["weights"].get<double>() > printed["weights"].get<double>());
}

}  // namespace opledger
