#include <doctest/doctest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/lists.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"
#include "report/writers.h"
#include "tests/support/runs.h"

/// The content of a run's page, and its insertion into the frame.
namespace opledger {
namespace {

using nlohmann::json;

constexpr const char* kFrame =
    "<title>@TITLE@</title><script type=\"@TYPE@\" id=\"data\">@DATA@</script><script type=\"text/plain\" id=\"program\">run(\"@DATA@\")</script><p>";

std::string decoded(const std::string& base64) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<unsigned>(alphabet.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 0xff);
  }
  return out;
}

std::string unpacked(const std::string& base64) {
  std::string in = decoded(base64), out(1'000'000, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string between(const std::string& text, const std::string& before, const std::string& behind) {
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find(behind, begin) - begin);
}

struct Page {
  std::unique_ptr<Run> run;
  std::optional<ExploredRun> explored;
  json data;
};

Page page_of(const std::string& model, const std::string& execution, const std::string& system, const Settings& settings = {}) {
  Page out{prepare(model, execution, system, settings), {}, {}};
  out.explored = explore(*out.run, "words", said());
  REQUIRE_MESSAGE(out.explored, render(said()));
  out.data = json::parse(write_explore_json({"title", {&*out.explored}, nullptr, nullptr}).text)["runs"][0];
  return out;
}

}  // namespace

TEST_CASE("small data stands in the page as it is, and ends no element") {
  const std::string page = write_explore_page(kFrame, "<b>\"&@DATA@", {R"({"a":"</script><!-- @TITLE@"})", {}});
  CHECK(page ==
        "<title>&lt;b&gt;&quot;&amp;@DATA@</title><script type=\"application/json\" id=\"data\">{\"a\":\"\\u003c/script>\\u003c!-- @TITLE@\"}</script>"
        "<script type=\"text/plain\" id=\"program\">run(\"@DATA@\")</script><p>");
}

TEST_CASE("large data is packed, and the program with it") {
  for (const std::size_t more : {0, 1, 2}) {
    const std::string data = "{\"a\":\"" + std::string(250'000 + more, '<') + "\"}";
    const std::string page = write_explore_page(kFrame, "t", {data, {}});
    CHECK(page.size() < 5'000);
    CHECK(unpacked(between(page, "<script type=\"application/gzip\" id=\"data\">", "</script>")) == data);
    CHECK(unpacked(between(page, "<script type=\"application/gzip\" id=\"program\">", "</script>")) == "run(\"@DATA@\")");
    CHECK(page.ends_with("</script><p>"));
  }
}

TEST_CASE("a large list of packed data has an element of its own, and no key ends its place") {
  const std::string list = "[\"" + std::string(250'000, '<') + "\"]", before = "{\"a\":{\"\\\"><b>\":", after = ",\"c\":[1]}}";
  const ExploreData data{before + list + after, {{R"(["a","\"><b>"])", before.size(), before.size() + list.size()}}};
  const std::string page = write_explore_page(kFrame, "t", data);
  CHECK(unpacked(between(page, "<script type=\"application/gzip\" id=\"data\">", "</script>")) == before + "[]" + after);
  const std::string element = R"(<script type="application/gzip" class="list" data-place="[&quot;a&quot;,&quot;\&quot;&gt;&lt;b&gt;&quot;]">)";
  REQUIRE(page.find(element) != std::string::npos);
  CHECK(unpacked(between(page, element, "</script>")) == list);
}

TEST_CASE("places of large lists lead to them") {
  const Page page = page_of("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  const ExploreData data = write_explore_json({"title", {&*page.explored, &*page.explored}, nullptr, nullptr});
  const json whole = json::parse(data.text);
  REQUIRE(data.lists.size() >= 2);
  for (const ExploreList& list : data.lists) {
    const json* at = &whole;
    for (const json& step : json::parse(list.place)) at = step.is_number() ? &at->at(step.get<std::size_t>()) : &at->at(step.get<std::string>());
    CHECK_MESSAGE(*at == json::parse(data.text.substr(list.begin, list.end - list.begin)), list.place);
    CHECK(at->is_array());
  }
}

TEST_CASE("the page does not call every comment of a formula its source, defect newcomer D17") {
  CHECK(explorer_frame().find("Source or derivation: ") != std::string_view::npos);
  CHECK(explorer_frame().find("Source: ") == std::string_view::npos);
}

TEST_CASE("a page agrees with reports") {
  const Page page = page_of("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  const json& report = page.data["report"];
  for (const char* name : {"eval", "memory", "comm", "params", "flops", "layers", "memory_at_peak", "memory_over_time"}) {
    const auto own = build_report(*page.run, {name}, said());
    REQUIRE(own);
    const json written = json::parse(write_json(*own));
    for (const ReportSection& section : own->sections) {
      for (const ReportMetric& metric : section.metrics) CHECK_MESSAGE(report[metric.name] == written[metric.id], metric.name);
    }
    for (const auto& [table, rows] : written["tables"].items()) {
      if (report["tables"].contains(table)) CHECK_MESSAGE(report["tables"][table] == rows, table);
    }
  }
  CHECK(report["tables"].size() > 15);
  CHECK(page.data["headline"][0]["metric"] == "iteration_time");
  CHECK(page.data["layers"]["decoder"] == 58);
}

TEST_CASE("shares of operators add up to the whole") {
  const Page page = page_of("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  double links = 0, kept = 0, flops = 0, sent = 0, weights = 0, stored = 0;
  for (const json& row : page.data["report"]["tables"]["shares"])
    links += row["on_links"].get<double>(), kept += row["kept"].get<double>(), flops += row["flops"].get<double>();
  for (const json& row : page.data["report"]["tables"]["messages"]) sent += row["time_per_step"].get<double>();
  for (const json& row : page.data["report"]["tables"]["shares"]) weights += row["weights"].get<double>();
  const std::size_t stages[] = {2, 4, 10};  // Stages of rows 0 and 15, the next four, and the rest.
  for (std::size_t i = 0; i < 3; ++i) stored += static_cast<double>(stages[i]) * page.data["report"]["tables"]["stages"][i]["weights"].get<double>() / 16;
  CHECK(weights == doctest::Approx(stored));
  // Sends between stages belong to no operator.
  for (const json& row : page.data["report"]["tables"]["messages"]) {
    if (row["collective"] == "point_to_point") sent -= row["time_per_step"].get<double>();
  }
  CHECK(links == doctest::Approx(sent));
  CHECK(kept == doctest::Approx(page.data["report"]["activation_bytes_per_rank"].get<double>()));
  CHECK(flops * 2048 == doctest::Approx(page.data["report"]["hardware_flops"].get<double>()));
}

TEST_CASE("cells of small tables are opened where they stand") {
  const Page page = page_of("deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm");
  const json& opened = page.data["explanations"]["opened"];
  std::size_t cells = 0;
  for (const auto& [column, places] : page.data["explanations"]["cells"].items()) {
    CAPTURE(column);
    const std::string table = column.substr(0, column.find('.')), title = column.substr(column.find('.') + 1);
    const json& rows = page.data["report"]["tables"][table];
    REQUIRE(places.size() == rows.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) continue;
      ++cells;
      CHECK(opened[places[i].get<std::size_t>()]["value"] == rows[i][title]);
    }
  }
  CHECK(cells > 100);
}

TEST_CASE("the played step of a page is the one that `timeline` tells") {
  const Page page = page_of("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm");
  const auto played = timeline(*page.run, {}, said());
  REQUIRE(played);
  const json& stages = page.data["timeline"]["stages"];
  REQUIRE(stages.size() == played->stages.size());
  for (std::size_t k = 0; k < stages.size(); ++k) {
    REQUIRE(stages[k]["start"].size() == played->stages[k].tasks.size());
    double before = -1;
    for (std::size_t w = 0; w < stages[k]["start"].size(); ++w) {
      const TimelineTask& work = played->stages[k].tasks[w];
      CHECK((stages[k]["start"][w].is_null() ? before : stages[k]["start"][w].get<double>()) == work.start);
      before = stages[k]["end"][w].get<double>();
      CHECK(before == work.end);
    }
  }
}

TEST_CASE("of a step with very many works the beginning is drawn") {
  const Page page = page_of("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", {{"batch_size", "32768"}});
  const json& timeline = page.data["timeline"];
  REQUIRE(timeline.contains("microbatches"));
  std::size_t works = 0;
  for (const json& stage : timeline["stages"]) works += stage["end"].size();
  CHECK(works > 3'000);
  CHECK(works <= 8'000);
}

TEST_CASE("views omit values that cannot be computed") {
  const Page page = page_of("gpt3-175b", "gpt3-175b-64xa100", "");  // Without a machine, a page has no seconds and no roofs.
  std::vector<std::string> views;
  for (const json& view : page.data["views"]) views.push_back(view["name"]);
  CHECK(!contains(views, "roofline"));
  CHECK(contains(views, "memory"));
  CHECK(page.data["timeline"].is_null());
  for (const json& view : page.data["views"]) {
    for (const json& drawing : view["drawings"]) {
      if (drawing.contains("table")) CHECK(!page.data["report"]["tables"][drawing["table"].get<std::string>()].empty());
      CHECK(drawing.value("limit", "memory_capacity") == "memory_capacity");
    }
  }
}

TEST_CASE("an impossible run has a page, too, which says so") {
  const Page page = page_of("gpt3-175b", "gpt3-175b-64xa100", "a100-40g-sxm");
  REQUIRE(page.data["report"]["violations"].size() == 1);
  CHECK(page.data["timeline"].is_null());
}

TEST_CASE("an accounting that says nothing of views is drawn by its numbers") {
  RunRequest request;
  request.model = "calculon/gpt3-175B", request.execution = "gpt3-175b-64xa100", request.system = "calculon/a100_80g", request.accounting = "calculon";
  const auto run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, render(said()));
  const auto explored = explore(*run, "words", said());
  REQUIRE(explored);
  REQUIRE(explored->views.size() == 1);
  CHECK(explored->views[0].name == "numbers");
  CHECK(explored->views[0].drawings[0].report == "eval");
}

}  // namespace opledger
