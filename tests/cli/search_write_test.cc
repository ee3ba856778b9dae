#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/random_count.h"

/// `search --write`: `eval` of a written execution gives the metrics of the search to the last digit.
namespace opledger {
namespace {

namespace fs = std::filesystem;

Csv parsed(const std::string& text) {
  Diagnostics diagnostics;
  const auto csv = parse_csv(std::make_shared<const SourceFile>(SourceFile{"out.csv", text}), diagnostics);
  REQUIRE_MESSAGE(csv, text);
  return *csv;
}

/// Returns the metrics of a report by name.
std::map<std::string, std::string> metrics_of(const std::string& csv) {
  std::map<std::string, std::string> out;
  for (const Csv::Row& row : parsed(csv).rows) out[row.cells[3]] = row.cells[1];
  return out;
}

/// Returns the command in the second line of a file.
std::string command_in(const fs::path& file) { return split(read_file(file), '\n').at(1).substr(2); }

/// Checks that each written execution gives the metrics of its candidate. Returns the number of executions.
std::size_t check_written(const std::string& search, const std::string& metrics, const fs::path& folder, const std::string& where = "best") {
  CAPTURE(search);
  const Finished found = run_shell("opledger search " + search + " --metrics " + metrics + " --top 4 --format csv --write " + where + "/", folder);
  REQUIRE_MESSAGE(found.status == 0, found.err);
  const Csv best = parsed(found.out);
  for (std::size_t i = 0; i < best.rows.size(); ++i) {
    const fs::path file = folder / where / (std::to_string(i + 1) + ".yaml");
    const std::string command = command_in(file);
    CAPTURE(command);
    const Finished evaluated = run_shell(command + " --format csv --only metrics", folder);
    REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
    CHECK(evaluated.err == "");
    CHECK(run_shell("opledger validate " + file.string(), folder).status == 0);
    const auto values = metrics_of(evaluated.out);
    for (const std::string& metric : split(metrics, ',')) {
      const auto column = std::find(best.columns.begin(), best.columns.end(), metric) - best.columns.begin();
      CHECK_MESSAGE(values.at(metric) == best.rows[i].cells[static_cast<std::size_t>(column)], metric);
    }
  }
  CHECK(!fs::exists(folder / where / (std::to_string(best.rows.size() + 1) + ".yaml")));
  for (std::size_t i = 0; i < best.rows.size(); ++i) fs::remove(folder / where / (std::to_string(i + 1) + ".yaml"));
  return best.rows.size();
}

const std::string kMetrics = "tokens_per_second,iteration_time,mfu,memory,bubble_time,activation_bytes_per_rank,exposed_time";

}  // namespace

TEST_CASE("what a search of the standard space writes gives the same numbers, to the last digit") {
  const TemporaryFolder folder;
  for (const char* search : testing::some_of(
           std::vector{
               "standard llama-3-8b h100-80g-sxm --set processors=16 --set batch_size=128",
               "standard gpt3-175b a100-80g-sxm --set processors=64 --set batch_size=96 --set orders=true --set seq=1024 --set 'workspace=1.5 GB'",
               "standard mixtral-8x7b h100-80g-sxm --set processors=32 --set batch_size=64 --set widest_ep=8 --set optimizer=muon",
               "standard llama-3-8b h100-80g-sxm --set processors=8 --set batch_size=16 --set widest_cp=4 --set seq=16384 --set system.memory.capacity=70GiB",
               "standard llama-2-7b a100-80g-sxm --set processors=4 --set batch_size=16 --set offloads=true --set layers=8 --set hide=false"},
           5))
    CHECK(check_written(search, kMetrics, folder.path()) == 4);
}

TEST_CASE("what a search of deployments writes gives the same numbers, to the last digit") {
  const TemporaryFolder folder;
  const std::string sizes = " --set prompt=2048 --set output=256 --set processors=16 ";
  CHECK(check_written("serving llama-3-8b h100-80g-sxm" + sizes + "--set longest_tpot=20", "output_tokens_per_second_per_rank,ttft,tpot,memory",
                      folder.path()) == 4);
  CHECK(check_written("serving mixtral-8x7b h100-80g-sxm" + sizes + "--set widest_ep=4 --set drafted=2 --set draft.model=llama-3-8b",
                      "output_tokens_per_second_per_rank,decode_pass,memory", folder.path()) == 4);
  CHECK(check_written("serving llama-3-8b h100-80g-sxm" + sizes + "--set stack=vllm", "output_tokens_per_second_per_rank,tpot", folder.path()) == 4);
  CHECK(check_written("disaggregated llama-3-8b h100-80g-sxm" + sizes + "--set most_workers=4 --set stack=sglang",
                      "worker_tokens_per_second_per_rank,apart_tpot", folder.path()) == 4);
  CHECK(check_written(
            "disaggregated llama-3-8b h100-80g-sxm" + sizes + "--set most_workers=4 --set decode.system=h200-141g-sxm --set system.memory.capacity=70GiB",
            "worker_tokens_per_second_per_rank,apart_ttft,apart_tpot,prefill_memory,decode_memory", folder.path()) == 4);
}

TEST_CASE("what a search of Calculon's space writes gives the same numbers, to the last digit") {
  const TemporaryFolder folder;
  CHECK(check_written("calculon calculon/gpt3-13B calculon/a100_80g --set num_procs=64 --set datatype=float16", "sample_rate,total_efficiency",
                      folder.path()) == 4);
}

TEST_CASE("what a search plays is what its executions are when they are played") {
  const TemporaryFolder folder;
  const std::string search = "standard llama-3-8b h100-80g-sxm --set processors=16 --set batch_size=128 --where 'pp > 1'";
  const Finished found = run_shell("opledger search " + search + " --top 3 --played 3 --write best/ --format json", folder.path());
  REQUIRE_MESSAGE(found.status == 0, found.err);
  const nlohmann::json answer = nlohmann::json::parse(found.out);
  REQUIRE(answer["played"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const nlohmann::json& played = answer["played"][i];
    CHECK(played["by_formula"] == answer["best"][i]["metrics"]["tokens_per_second"]);
    CHECK(played["why_not"] == "");
    const std::string command = command_in(folder.path() / "best" / (std::to_string(i + 1) + ".yaml"));
    const Finished evaluated = run_shell(command + " --set play=true --format csv --only metrics", folder.path());
    REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
    CHECK(std::stod(metrics_of(evaluated.out).at("tokens_per_second")) == played["played"].get<double>());
    CHECK(played["played"] != played["by_formula"]);
  }
  const Finished none = run_shell("opledger search calculon calculon/megatron-22B calculon/a100_80g --set num_procs=8 --top 1 --played 1", folder.path());
  CHECK(none.status == 2);
  CHECK(none.err.find("`--played`: steps of this accounting can't be played") != std::string::npos);
}

TEST_CASE("axes of machines, of units, and of an accounting's mesh, and rules of one's own are written too") {
  const TemporaryFolder folder;
  folder.write("own.yaml", "kind: rules\nname: own\nshard:\n  - batch: dp\n  - heads, kv_heads, ffn, vocab: tp\n");
  folder.write("space.yaml",
               "kind: search\nname: space\naccounting: standard\nrules: [own.yaml, {zero_1: dp > 1 and wide}]\ninputs: {wide: {type: boolean, default: true, "
               "doc: of it}}\n"
               "axes:\n  - system: h100-80g-sxm, a100-80g-sxm\n  - tp: 1, 2, 4\n  - dp: 4 // tp\n  - workspace: 0.1 GiB, 1 GiB\n  - optimizer: adamw, sgd\n"
               "maximize: tokens_per_second\n");
  CHECK(check_written("space.yaml gpt2 --set batch_size=16 --set microbatch_size=1 --set system.kernel_latency=3us", kMetrics, folder.path(), ".") == 4);
  const Finished one = run_shell("opledger search space.yaml gpt2 --set batch_size=16 --write best.yaml", folder.path());
  CHECK(one.status == 0);
  CHECK(run_shell(command_in(folder.path() / "best.yaml"), folder.path()).status == 0);
  const Finished outside = run_shell("opledger search space.yaml gpt2 --set batch_size=16 --write apart/", folder.path());
  CHECK(outside.status == 2);  // The rules can't be named from this folder.
  CHECK(outside.err.find("own.yaml` is out of reach") != std::string::npos);
  CHECK(!fs::exists(folder.path() / "apart"));
}

TEST_CASE("a candidate whose numbers need the space is not written, and nothing is left") {
  const TemporaryFolder folder;
  folder.write("space.yaml",
               "kind: search\nname: space\naccounting: standard\nextends: standard\nrules: [megatron]\nmetrics: {tokens_per_second: {unit: 1/s, doc: Doubled., "
               "is: 2 * inherited}}\n"
               "axes:\n  - tp: 1, 2\nmaximize: tokens_per_second\n");
  const std::string search = "opledger search space.yaml gpt2 h100-80g-sxm --set batch_size=4 --write ";
  const Finished refused = run_shell(search + "best.yaml", folder.path());
  CHECK(refused.status == 2);
  CHECK(refused.err.find("can't be written as an execution: `tokens_per_second` would be ") != std::string::npos);
  CHECK(refused.out == "");
  CHECK(run_shell(search + "best/", folder.path()).status == 2);
  CHECK(run_shell("ls", folder.path()).out == "space.yaml\n");
}

}  // namespace opledger
