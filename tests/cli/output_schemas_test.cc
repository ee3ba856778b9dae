#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "schemas/checker.h"
#include "schemas/document.h"
#include "schemas/schema.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Outputs for programs match the schemas in schemas/output.
namespace opledger {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<const Schema> output_schema(const std::string& name) {
  std::string problem;
  auto out = read_schema(read_file(fs::path(source_folder()) / "schemas" / "output" / (name + ".schema.json")), problem);
  REQUIRE_MESSAGE(out != nullptr, name, ": ", problem);
  return out;
}

std::string complaints(const Schema& schema, const std::string& json) {
  const auto source = std::make_shared<const SourceFile>("output", json);
  Diagnostics diagnostics;
  const std::optional<Datum> datum = parse_document(source, diagnostics);
  if (datum) check_schema(schema, *datum, diagnostics);
  return render(diagnostics);
}

constexpr const char* kRun = "gpt3-175b gpt3-175b-64xa100 a100-80g-sxm";

}  // namespace

TEST_CASE("outputs for programs are as their schemas say") {
  const std::string run = kRun;
  const std::pair<const char*, std::string> cases[] = {
      {"report", "eval " + run + " --layers"},
      {"report", "memory gpt3-175b gpt3-175b-64xa100"},
      {"report", "params llama-3-8b"},
      {"report", "flops " + run},
      {"report", "memory " + run},
      {"report", "comm " + run},
      {"report", "comm " + run + " --groups"},
      {"report", "diff " + run + " --against tp=4 --against dp=2"},
      {"report", "compare " + run},
      {"report", "audit " + run},
      {"report", "train-time " + run + " --tokens 300B"},
      {"report", "fit gpt3-175b gpt3-175b-64xa100 a100-80g-sxm --vary microbatch_size"},
      {"explain", "explain " + run + " iteration_time"},
      {"explain", "explain " + run + " 'decoder.*'"},
      {"explain", "explain mixtral-8x7b mixtral-8x7b-64xh100 h100-80g-sxm memory"},
      {"graph", "graph llama-3-8b"},
      {"graph", "graph gpt3-175b gpt3-175b-64xa100"},
      {"peers", "peers gpt3-175b-64xa100"},
      {"plan", "plan llama-3-8b --gpus 16 --system h100-80g-sxm --batch 64 --why"},
      {"plan", "plan llama-3-70b --gpus 2 --system h100-80g-sxm --batch 64"},
      {"search", "search standard llama-3-8b h100-80g-sxm --set processors=16 --set batch_size=64 --top 2"},
      {"search", "search standard llama-3-8b h100-80g-sxm --set processors=16 --set batch_size=64 --pareto iteration_time,memory"},
  };
  const TemporaryFolder folder;
  for (const auto& [schema, command] : cases) {
    CAPTURE(command);
    const Finished finished = run_shell("opledger " + command + " --format json", folder.path());
    REQUIRE_MESSAGE(finished.status != 2, finished.err);
    CHECK(complaints(*output_schema(schema), finished.out) == "");
  }
}

TEST_CASE("what a page holds is as its schema says, and as those of its reports and graphs") {
  const TemporaryFolder folder;
  run_shell("opledger search standard llama-3-8b h100-80g-sxm --set processors=16 --set batch_size=64 --metrics memory -o runs.sqlite", folder.path());
  const std::string cases[] = {"gpt2 gpt2-1xa100 a100-80g-sxm --against microbatch_size=2", "llama-3-8b llama-3-8b-serve-1xh100 h100-80g-sxm",
                               "gpt3-175b gpt3-175b-64xa100 a100-80g-sxm --accounting six_nt", "runs.sqlite --runs 1"};
  for (const std::string& command : cases) {
    CAPTURE(command);
    const Finished finished = run_shell("opledger explore " + command + " --format json", folder.path());
    REQUIRE_MESSAGE(finished.status != 2, finished.err);
    const nlohmann::json page = nlohmann::json::parse(finished.out);
    CHECK(complaints(*output_schema("explore"), page.dump(1)) == "");
    REQUIRE(!page["runs"].empty());
    for (const auto& run : page["runs"]) {
      CHECK(complaints(*output_schema("report"), run["report"].dump(1)) == "");
      if (!run["graph"].is_null()) CHECK(complaints(*output_schema("graph"), run["graph"].dump(1)) == "");
    }
    if (!page["differences"].is_null()) CHECK(complaints(*output_schema("report"), page["differences"].dump(1)) == "");
  }
}

TEST_CASE("a table for programs is a bare list, as its schema says") {
  const TemporaryFolder folder;
  folder.write("runs.csv", "tp,dp\n8,1\n4,2\n3,1\n");
  const Finished finished = run_shell(std::string("opledger eval ") + kRun + " --table runs.csv --format json", folder.path());
  CHECK(complaints(*output_schema("table"), finished.out) == "");
}

TEST_CASE("an output that is not as its schema says is noticed") {
  const auto schema = output_schema("explain");
  CHECK(complaints(*schema, R"({"format": 1, "definitions": [], "names": [], "nodes": []})") == "");
  CHECK(complaints(*schema, R"({"format": 2, "definitions": [], "names": [], "nodes": []})") != "");
  CHECK(complaints(*schema, R"({"definitions": [], "names": [], "nodes": []})") != "");
  CHECK(complaints(*schema, R"({"format": 1, "definitions": [], "names": [{"kind": "name", "name": "x", "value": 1}], "nodes": []})") != "");
}

}  // namespace opledger
