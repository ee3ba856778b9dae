#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/width.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("an answer has at most twelve lines of 80 columns") {
  const TemporaryFolder folder;
  for (const char* words : {"llama-3-70b --gpus 512 --system h100-80g-sxm --tokens 2T --seq 8192 --batch 4M", "gpt2 --gpus 8 --system a100-80g-sxm --batch 64",
                            "qwen3-8b --serve --gpus 2 --system h200-141g-sxm --prompt 2048 --output 512 --tpot 30ms --price 3"}) {
    CAPTURE(words);
    const Finished finished = run_shell(std::string("opledger plan ") + words, folder.path());
    REQUIRE_MESSAGE(finished.status == 0, finished.err);
    const std::vector<std::string> lines = lines_in(finished.out);
    CHECK(lines.size() <= 12);
    for (const std::string& line : lines) CHECK_MESSAGE(width(line) <= 80, line);
  }
}

TEST_CASE("the files of a plan are complete: its commands run, and its script imports as the same run") {
  const TemporaryFolder folder;
  fs::copy_file(fs::path(source_folder()) / "tests/data/import/hf/granitemoe.json", folder.path() / "granite.json");
  const Finished finished = run_shell("opledger plan granite.json --gpus 8 --system h100-80g-sxm --batch 64 --set seq=4096 -o plan/", folder.path());
  REQUIRE_MESSAGE(finished.status == 0, finished.err);
  for (const char* file : {"plan.yaml", "granite.yaml", "launch.sh", "page.html", "README.md"}) CHECK_MESSAGE(fs::exists(folder.path() / "plan" / file), file);
  int commands = 0;
  for (const std::string& line : lines_in(finished.out)) {
    const std::size_t at = line.find("opledger ");
    if (at == std::string::npos) continue;
    ++commands;
    const Finished next = run_shell(line.substr(at), folder.path());
    CHECK_MESSAGE(next.status == 0, line << "\n" << next.err);
  }
  CHECK(commands >= 2);
  const Finished imported =
      run_shell("opledger import megatron plan/launch.sh -o again.yaml --execution run.yaml && opledger eval again.yaml run.yaml h100-80g-sxm --format json",
                folder.path());
  const Finished original = run_shell("opledger eval plan/granite.yaml plan/plan.yaml h100-80g-sxm --format json", folder.path());
  REQUIRE_MESSAGE(imported.status == 0, imported.err);
  const auto time = [](const std::string& text) { return text.substr(text.find("\"iteration\""), 30); };
  CHECK(time(imported.out) == time(original.out));
}

TEST_CASE("the config of a fine-tuning starts the plan: it imports as the same run, and the program's other keys are known") {
  const TemporaryFolder folder;
  const struct {
    const char *program, *model, *system, *words;
    int gpus = 1;
  } questions[] = {{"axolotl", "llama-3-8b", "rtx-4090-24g", "--seq 8192 --method qlora --samples 50k --tokens-per-sample 600"},
                   {"axolotl", "llama-3.2-3b", "rtx-4090-24g", "--method full --samples 50k --tokens-per-sample 600", 2},
                   {"axolotl", "llama-3-8b", "h100-80g-sxm", "--dpo"},
                   {"trl", "llama-3-70b", "h100-80g-sxm", "--method lora", 8},
                   {"trl", "llama-3-8b", "rtx-4090-24g", "--method qlora"},
                   {"trl", "llama-3-8b", "h100-80g-sxm", "--dpo --seq 2048"},
                   {"torchtune", "llama-3-8b", "h100-80g-sxm", "--method full --seq 8192", 2}};
  for (const auto& question : questions) {
    CAPTURE(question.program);
    CAPTURE(question.words);
    const std::string model = question.model, system = question.system, config = std::string("plan/") + question.program + ".yaml";
    const Finished plan = run_shell("rm -rf plan && opledger plan " + model + " --finetune --system " + system + " --gpus " + std::to_string(question.gpus) +
                                        " --stack " + question.program + " " + question.words + " -o plan",
                                    folder.path());
    REQUIRE_MESSAGE(plan.status == 0, plan.err);
    CHECK(plan.err.empty());
    const Finished imported =
        run_shell(std::string("opledger import ") + question.program + " " + config + " --set world_size=" + std::to_string(question.gpus) +
                      " -o again.yaml && opledger eval " + model + " again.yaml " + system + " --full --format csv",
                  folder.path());
    const Finished original = run_shell("opledger eval " + model + " plan/plan.yaml " + system + " --full --format csv", folder.path());
    REQUIRE_MESSAGE(imported.status == 0, imported.err);
    CHECK(imported.out == original.out);
    CHECK(original.out.find("iteration") != std::string::npos);
  }
}

TEST_CASE("a stack of the user's is copied beside the plan") {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "kind: stack\nname: mine\nextends: megatron-core\nworkspace: 2 GiB\n");
  const Finished finished =
      run_shell("opledger plan gpt2 --gpus 2 --system a100-80g-sxm --batch 16 --stack ./mine.yaml -o plan/ && opledger eval gpt2 plan/plan.yaml a100-80g-sxm",
                folder.path());
  CHECK_MESSAGE(finished.status == 0, finished.err);
  CHECK(fs::exists(folder.path() / "plan/mine.yaml"));
}

TEST_CASE("rules of the user's weights are copied beside the plan") {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "kind: rules\nname: mine\nmark:\n  - {match: {op: linear, component: mlp}, node: {stored_width: 0.5 byte}}\n");
  const Finished finished = run_shell(
      "opledger plan qwen3-8b --serve --gpus 1 --system h100-80g-sxm --output 64 --weights ./mine.yaml -o plan/ && opledger eval qwen3-8b plan/plan.yaml "
      "h100-80g-sxm",
      folder.path());
  CHECK_MESSAGE(finished.status == 0, finished.err);
  CHECK(fs::exists(folder.path() / "plan/mine.yaml"));
}

TEST_CASE("a deployment of several workers has a script, with a price, too, and settings of one word reach its workers") {
  const TemporaryFolder folder;
  const Finished finished = run_shell(
      "opledger plan qwen3-8b --serve --gpus 2 --system h100-80g-sxm --prompt 2048 --output 64 --price 3 -o plan/ && bash -n plan/launch.sh", folder.path());
  CHECK_MESSAGE(finished.status == 0, finished.err);
  CHECK(finished.err.empty());
  folder.write("apart.yaml",
               "kind: execution\naccounting: serving\nmesh: {dp: {edp: 1, ep: 1}, tp: 1}\nrules: [serve, megatron]\nworkers: apart\nprefill_workers: 1\n"
               "decode_workers: 1\ncases: {decode: {tp: 2}}\n");
  CHECK(run_shell("opledger export vllm qwen3-8b apart.yaml h100-80g-sxm", folder.path()).status == 0);  // Prompts follow the execution.
  const Finished exported = run_shell("opledger export sglang qwen3-8b apart.yaml h100-80g-sxm --set tp=1 --set prompt.tp=4", folder.path());
  CHECK_MESSAGE(exported.status == 0, exported.err);
  for (const char* part : {"DECODE_GPUS=2\n", "PREFILL_GPUS=4\n", "--tp-size 2 ", "--tp-size 4 "})
    CHECK_MESSAGE(exported.out.find(part) != std::string::npos, part);
}

}  // namespace opledger
