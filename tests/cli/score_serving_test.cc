#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {

TEST_CASE("the script that scores serving makes runs of measured tables, with experts inside tensor parallelism, by themselves or not at all") {
  TemporaryFolder folder;
  folder.write("decode_batch1.csv",
               "source,gpu,model,n_gpus_tp,weights,batch,tokens_per_s,model_bandwidth_GBps\n"
               "x,A100-80GB 330W,Llama-2-7B,1,bf16,1,104.9,1397.31\nx,A100-80GB 330W,Mixtral-8x7B,2,int8,1,155.03,\n");
  folder.write("static_batches.csv",
               "version,gpu,precision,model,batch,tp,input_len,output_len,throughput,unit\n"
               "v0.5.0,H100,FP8,LLaMA 7B,64,1,128,128,9193,out tok/s (all GPUs)\nv0.5,L40S,FP8,GPT-J 6B,64,1,128,128,3630,out tok/s/GPU\n"
               "v0.5,H100,FP16,LLaMA 7B,16,2,128,128,2000,out tok/s/GPU\n");
  folder.write("served.csv",
               "engine,version,model,system,weights,prompt,output,concurrency,tp,pp,attention_dp,ep,ttft_ms,tpot_ms\n"
               "vllm,,llama-3-70b,h100-80g-sxm,fp8,1024,1024,8,4,1,1,1,96.3,12.1\ntrtllm,,gpt-oss-120b,h200-141g-sxm,mxfp4,1024,8192,8,4,1,1,2,100,6\n"
               "sglang,,deepseek-v3,h200-141g-sxm,fp8,1024,512,64,1,1,16,16,500,30\nvllm,,llama-3-8b,h100-80g-sxm,bf16,1024,512,8,1,1,1,0,50,8\n");
  const Finished finished = run_shell("scripts/score_serving.sh opledger '" + folder.path().string() + "' | tr -s ' '", source_folder());
  CHECK_MESSAGE(finished.status == 0, finished.err);
  CAPTURE(finished.out);
  for (const char* part : {"== decode", "== static", "== served", "fp8", "mxfp4 experts", "int8", "l40s-48g", "sglang"})
    CHECK(finished.out.find(part) != std::string::npos);
  for (const char* sum : {"\n step_time 2 ", "\n batch_time 3 ", "\n tpot 4 "}) CHECK(finished.out.find(sum) != std::string::npos);
  CHECK(finished.err.find("infeasible or can't be computed") == std::string::npos);
  CHECK(run_shell("scripts/score_serving.sh opledger '" + folder.path().string() + "' latency", source_folder()).status == 2);
}

TEST_CASE("the tables that are scored in tests are those of all measured rows") {
  const std::filesystem::path measured = std::filesystem::path(source_folder()).parent_path() / "shared" / "reference" / "serving";
  if (!std::filesystem::exists(measured)) {
    MESSAGE("skipped: there are no measured rows; they belong in ../shared/reference/serving");
    return;
  }
  for (const char* part : {"decode", "static", "served"}) {
    const Finished all =
        run_shell("FORMAT=csv scripts/score_serving.sh opledger '" + measured.string() + "' " + part + " | tail -n +2 | cut -d, -f1-6", source_folder());
    const Finished ours = run_shell(std::string("cut -d, -f1-6 tests/data/serving/scored/") + part + ".csv", source_folder());
    CHECK(all.status == 0);
    CHECK(all.out == ours.out);
  }
}

}  // namespace opledger
