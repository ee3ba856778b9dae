// Command lines of inference engines: written from executions and searches, read back, and read as their documentation
// has them.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "search/search.h"
#include "search/written_execution.h"
#include "tests/paths.h"
#include "tests/support/random_count.h"
#include "tests/support/round_trip.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

const std::vector<std::string> kEngines = {"vllm", "sglang", "trtllm"};

struct Read {
  std::string execution, messages;
  bool refused = false;
};

/// Imports a command line; the result has no header.
Read read(const std::string& engine, const std::string& command, const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  static Library library({source_folder()});
  const TemporaryFolder folder;
  ImportRequest request;
  request.file = folder.write("serve.sh", command + "\n").string();
  request.name = request.execution = "served";
  request.settings = settings;
  Diagnostics diagnostics;
  Library reading = library;
  const ImportedDocuments made = import_launch(engine, request, reading, diagnostics);
  const std::size_t begin = made.execution.find("accounting:");
  std::string lines = begin == std::string::npos ? "" : made.execution.substr(begin);
  for (std::size_t at = lines.find(" #"); at != std::string::npos; at = lines.find(" #")) {  // comments, and blanks before them
    const std::size_t start = lines.find_last_not_of(' ', at) + 1;
    lines.erase(start, lines.find('\n', at) - start);
  }
  return {lines, folder.masked(messages(diagnostics)), diagnostics.has_errors()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("engines: command lines as their documentation has them") {
  const Read latent = read("vllm", "vllm serve deepseek-ai/DeepSeek-V3-0324 --tensor-parallel-size 1 --data-parallel-size 8 --enable-expert-parallel");
  CHECK(has(latent.execution, "mesh: {pp: 1, dp: {edp: 1, ep: 8}, tp: 1}\n"));
  CHECK(has(latent.messages, "another quantised checkpoint needs its rule"));
  const Read short_flags = read("vllm", "vllm serve openai/gpt-oss-120b -tp 2 --async-scheduling --max-num-batched-tokens=1024 -q mxfp4 --kv-cache-dtype fp8");
  CHECK(short_flags.execution ==
        "accounting: serving\nstack: vllm\nmesh: {pp: 1, dp: {edp: 1, ep: 1}, tp: 2}\nparameters: bf16\ncompute: bf16\ncache_width: 1\nbudget: 1024\npage: 16\n"
        "memory_share: 0.9\nhost_ahead: true\nrules: [serve, megatron, w4a16_experts]\n");
  const Read by_data = read("sglang",
                            "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --ep-size 16 --enable-dp-attention "
                            "--quantization fp8 --nnodes 2 --node-rank 0 --trust-remote-code");
  CHECK(has(by_data.execution, "mesh: {pp: 1, dp: {edp: 1, ep: 16}, tp: 1}\n"));
  CHECK(has(by_data.execution, "rules: [serve, megatron, w8a8]\n"));
  CHECK(has(by_data.messages, "SGLang computes it from the memory"));
  const Read simple = read("trtllm", "trtllm-serve meta-llama/Llama-3.1-8B --tp_size 2 --max_num_tokens 4096 --kv_cache_free_gpu_memory_fraction 0.85");
  CHECK(has(simple.execution, "tp: 2}\n"));
  CHECK(has(simple.execution, "budget: 4096\nfree_share: 0.85\n"));
}

TEST_CASE("engines: layouts of experts") {
  const struct {
    const char *engine, *command, *mesh, *rules;
  } kCases[] = {
      {"vllm", "vllm serve m -tp 8 --enable-expert-parallel", "{pp: 1, tp: {mtp: 1, ep: 8}}", "serve, gather_dispatch, megatron"},
      {"vllm", "vllm serve m -tp 2 -dp 4 -ep", "{pp: 1, dp: {edp: 1, ed: 4}, tp: 2, etp: 1, ep: [ed, tp]}", "serve, expert_mesh, megatron"},
      {"vllm", "vllm serve m", "{pp: 1, dp: {edp: 1, ep: 1}, tp: 1}", "serve, megatron"},
      {"sglang", "python -m sglang.launch_server --tp 8 --moe-a2a-backend deepep", "{pp: 1, tp: {mtp: 1, ep: 8}}",
       "serve, gather_dispatch, dispatch_once, megatron"},
      {"sglang", "python -m sglang.launch_server --tp 8 --ep-size 2", "{pp: 1, tp: {mtp: 4, ep: 2}}", "serve, gather_dispatch, megatron"},
      {"sglang", "python -m sglang.launch_server --tp 8 --dp 4 --enable-dp-attention --ep-size 8", "{pp: 1, dp: {edp: 1, ed: 4}, tp: 2, etp: 1, ep: [ed, tp]}",
       "serve, expert_mesh, megatron"},
      {"sglang", "python -m sglang.launch_server --tp 8 --dp 8 --enable-dp-attention", "{pp: 1, dp: {etp: 8}, tp: 1}", "serve, split_experts, megatron"},
      {"trtllm", "trtllm-serve m --tp_size 8 --ep_size 2", "{pp: 1, tp: {mtp: 4, ep: 2}}", "serve, gather_dispatch, megatron"},
      {"trtllm", "trtllm-serve m --tp_size 8 --ep_size 8 --enable_attention_dp", "{pp: 1, dp: {edp: 1, ep: 8}, tp: 1}", "serve, megatron"},
      {"trtllm", "trtllm-serve m --tp_size 8 --enable_attention_dp", "{pp: 1, dp: {etp: 8}, tp: 1}", "serve, split_experts, megatron"},
  };
  for (const auto& c : kCases) {
    CAPTURE(c.command);
    const Read found = read(c.engine, c.command);
    CHECK_MESSAGE(has(found.execution, "mesh: " + std::string(c.mesh) + "\n"), found.execution, found.messages);
    CHECK(has(found.execution, "rules: [" + std::string(c.rules) + "]\n"));
  }
}

TEST_CASE("engines: what has no rule is refused, what a command line can't say is said") {
  CHECK(has(read("vllm", "vllm serve m -q bitsandbytes").messages, "this quantization is unsupported"));
  CHECK(has(read("vllm", "vllm serve m -q bitsandbytes", {{"quantization", "awq"}}).execution, "w4a16]"));
  CHECK(has(read("vllm", "vllm serve m --max-num-seqs 64").execution, "max_sequences: 64\n"));
  CHECK(has(read("vllm", "vllm serve m -dp 8 -ep --all2all-backend deepep_high_throughput").execution, "dispatcher: deepep\n"));
  CHECK(has(read("vllm", "vllm serve m -dp 8 -ep --all2all-backend pplx").messages, "counted as NCCL's all-to-alls"));
  CHECK(has(read("sglang", "python -m sglang.launch_server --tp 8 --dp 8 --enable-dp-attention --ep-size 8 --max-running-requests 4").execution,
            "max_sequences: 1\n"));
  CHECK(has(read("vllm", "vllm serve m --data-parallel-size 4").messages, "one of the replicas is counted"));
  CHECK(has(read("vllm", "vllm serve m --tensor-paralell-size 4").messages, "--tensor-paralell-size"));
  CHECK(has(read("sglang", "python -m sglang.launch_server --tp 8 --dp 4 --enable-dp-attention").messages, "of which some share attention"));
  CHECK(has(read("sglang", "python -m sglang.launch_server --tp 8 --dp 3 --enable-dp-attention").messages, "does not divide"));
  CHECK(
      has(read("sglang", "python -m sglang.launch_server --tp 8 --dp 8 --enable-dp-attention --moe-a2a-backend deepep --chunked-prefill-size 65536").execution,
          "ep: 8}, tp: 1}"));
  CHECK(
      has(read("sglang", "python -m sglang.launch_server --tp 8 --dp 8 --enable-dp-attention --moe-a2a-backend deepep --chunked-prefill-size 65536").execution,
          "budget: 8192\n"));
  CHECK(has(read("sglang", "python -m sglang.launch_server --tp 8 --ep-size 3").messages, "over a divisor of --tp-size"));
  CHECK(has(read("trtllm", "trtllm-serve m --tensor_parallel_size 8 --ep_size 4 --enable_attention_dp").messages, "not both"));
  CHECK(has(read("trtllm", "trtllm-serve m --tp_size 8 --config extra.yaml").messages, "this file is not read"));
}

TEST_CASE("engines: shipped deployments come back with their metrics, or are refused") {
  const std::map<std::string, std::string> models = {{"gpt-oss-120b-serve-1xh100", "gpt-oss-120b"}, {"jamba-v0.1-serve-2xh100", "jamba-v0.1"},
                                                     {"llama-3-70b-serve-4xh100", "llama-3-70b"},   {"llama-3-8b-serve-1xh100", "llama-3-8b"},
                                                     {"mixtral-8x7b-serve-2xh100", "mixtral-8x7b"}, {"deepseek-v3-serve-80xh200", "deepseek-v3"}};
  for (const std::string& engine : testing::some_of(kEngines, 3)) {
    for (const auto& [execution, model] : models) {
      CAPTURE(engine);
      CAPTURE(execution);
      Library library({source_folder()});
      ExportRequest request{engine, engine, {}};
      request.run.model = model;
      request.run.execution = execution;
      request.run.system = "h200-141g-sxm";
      const RoundTrip there = go_round(request, library);
      CHECK_MESSAGE(there.text.empty() == (model == "deepseek-v3" && engine == "trtllm"),
                    there.messages);  // prompts are read by workers with another number of ranks
      CHECK(there.differences.empty());
    }
  }
}

TEST_CASE("engines: deployments that searches find come back with their metrics, or are refused") {
  const int required = testing::random_count(12, 1);
  std::mt19937 random(7);
  const auto one_of = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  int back = 0;
  for (int tried = 0; tried < required;) {
    Library library({source_folder()});
    const std::string engine = one_of(kEngines), model = one_of({"llama-3-8b", "llama-3-70b", "mixtral-8x7b", "gpt-oss-20b", "qwen3-8b", "deepseek-v2-lite"});
    CAPTURE(engine);
    CAPTURE(model);
    SearchRequest request;
    request.run.space = "serving", request.run.model = model, request.run.system = "h200-141g-sxm";
    request.run.overrides = {{"processors", one_of({"2", "4", "8"})}, {"stack", engine}, {"prompt", one_of({"512", "4096"})}, {"output", "256"}};
    request.sweep.top = 60;
    request.sweep.jobs = 1;
    Diagnostics diagnostics;
    const auto answer = search(request, library, diagnostics);
    REQUIRE_MESSAGE(answer, messages(diagnostics));
    const std::size_t step = std::max<std::size_t>(1, answer->best.size() / 4);
    for (std::size_t i = random() % step; i < answer->best.size() && tried < required; i += step, ++tried) {
      const auto execution = written_execution(request, *answer, answer->best[i], std::filesystem::current_path() / "best.yaml", library, diagnostics);
      if (!execution) continue;  // its sums round differently without the space
      ExportRequest exported{engine, engine, {}};
      exported.run.model = model;
      exported.run.execution = "found " + std::to_string(tried);
      REQUIRE(library.provide(exported.run.execution, std::filesystem::current_path() / "best.yaml", execution->root, diagnostics) != nullptr);
      exported.run.system = "h200-141g-sxm";
      const RoundTrip there = go_round(exported, library);
      CHECK_MESSAGE((!there.text.empty() || has(there.messages, "experts that are divided")), there.messages);
      CHECK_MESSAGE(there.differences.empty(), there.text);
      back += there.text.empty() ? 0 : 1;
    }
  }
  CHECK(back > 0);
}

TEST_CASE("engines: prefill and decode apart are a script that starts each worker and the router, and come back") {
  const TemporaryFolder folder;
  folder.write("apart.yaml",
               "kind: execution\naccounting: serving\nmesh: {dp: {edp: 1, ep: 1}, tp: 1}\nrules: [serve, megatron]\nprompt: 2048\noutput: 512\nworkers: apart\n"
               "prompts: 2\nbudget: 8192\ndecoding: 64\nprefill_workers: 2\ndecode_workers: 3\ncases: {decode: {tp: 2}, prompt: {tp: 4}}\n");
  for (const std::string& engine : kEngines) {
    CAPTURE(engine);
    const Finished exported =
        run_shell("opledger export " + engine + " llama-3-8b apart.yaml h100-80g-sxm > launch.sh && bash -n launch.sh && cat launch.sh", folder.path());
    REQUIRE_MESSAGE(exported.status == 0, exported.err);
    for (const char* part : {"PREFILL_WORKERS=2\n", "DECODE_WORKERS=3\n", "PREFILL_GPUS=4\n", "DECODE_GPUS=2\n", "cases: {decode: {tp: 2}, prompt: {tp: 4}}\n"})
      CHECK_MESSAGE(has(exported.out, part), part);
    const Finished imported = run_shell("opledger import " + engine + " launch.sh --base llama-3-8b -o back.yaml", folder.path());
    CHECK_MESSAGE(imported.status == 0, imported.err);
    const auto metrics = [&](const std::string& execution) {
      const std::string text = run_shell("opledger eval llama-3-8b " + execution + " h100-80g-sxm --full --format json", folder.path()).out;
      return text.substr(text.find("\"apart_ttft\""), text.find("\"units\"") - text.find("\"apart_ttft\""));
    };
    CHECK(has(metrics("back.yaml"), "\"worker_tokens_per_second_per_rank\": "));
    CHECK(metrics("back.yaml") == metrics("apart.yaml"));
  }
}

TEST_CASE("engines: mutated command lines are read, warned of or refused") {
  std::mt19937 random(3);
  const std::vector<std::string> words = {"--tensor-parallel-size",
                                          "-tp",
                                          "4",
                                          "--quantization",
                                          "fp8",
                                          "--kv-cache-dtype",
                                          "auto",
                                          "--max-num-batched-tokens",
                                          "8192",
                                          "--tp",
                                          "--ep-size",
                                          "2",
                                          "--enable-dp-attention",
                                          "--dp-size",
                                          "--page-size",
                                          "0",
                                          "-1",
                                          "1e9",
                                          "$N",
                                          "'",
                                          "--tp_size",
                                          "--max_num_tokens",
                                          "--gpu-memory-utilization",
                                          "0.95",
                                          "--=",
                                          "-",
                                          "--enable-expert-parallel"};
  int made = 0;
  for (int i = 0; i < testing::random_count(300, 20); ++i) {
    std::string command = "serve model";
    for (std::size_t n = random() % 8; n-- > 0;) command += " " + words[random() % words.size()];
    CAPTURE(command);
    const Read read_back = read(kEngines[random() % kEngines.size()], command);
    CHECK(read_back.execution.empty() == read_back.refused);
    made += read_back.execution.empty() ? 0 : 1;
  }
  CHECK(made > 0);
}

}  // namespace opledger
