#include "tests/support/runs.h"

/// Stacks: settings of a framework for all its runs, which a run may override.
namespace opledger {
namespace {

TemporaryFolder& folder() {
  static TemporaryFolder all;
  return all;
}

std::string stack(const std::string& name, const std::string& text) {
  return folder().write(name + ".yaml", "kind: stack\nname: " + name + "\n" + text).string();
}

/// Writes an execution to the folder of the stacks, so that it may name them.
std::string execution_with_stack(const std::string& mesh, const std::string& rules, const std::string& rest) {
  static int count = 0;
  return folder()
      .write("run" + std::to_string(count++) + ".yaml", "kind: execution\nmesh: " + mesh + "\nrules: [" + rules + "]\nmicrobatch_size: 1\n" + rest)
      .string();
}

std::unique_ptr<Run> run(const std::string& rest, const Settings& settings = {}) {
  return prepare("llama-2-7b", execution_with_stack("{dp: 8}", "megatron", "batch_size: 8\n" + rest), "h100-80g-sxm", settings);
}

double gradients(const std::string& rest, const Settings& settings = {}) { return value(*run(rest, settings), "gradient_bytes_per_rank"); }

/// Returns the bytes of the gradients of all parameters, with this width.
double bytes_of_all(double width) { return width * value(*run(""), "parameters_total"); }

}  // namespace

TEST_CASE("stacks: the command line, the execution, the stack, the default") {
  const std::string own = stack("own", "gradients: bf16\n");
  CHECK(gradients("") == bytes_of_all(4));
  CHECK(gradients("stack: " + own + "\n") == bytes_of_all(2));
  CHECK(gradients("gradients: fp32\nstack: " + own + "\n") == bytes_of_all(4));
  CHECK(gradients("gradients: fp32\nstack: " + own + "\n", {{"gradients", "fp8"}}) == bytes_of_all(1));
  CHECK(gradients("", {{"stack", own}}) == bytes_of_all(2));
  CHECK(gradients("stack: " + own + "\n", {{"stack", "none"}}) == bytes_of_all(4));
}

TEST_CASE("stacks: one extends another, and its own values have precedence") {
  const std::string base = stack("base", "gradients: bf16\nreduction: fp32\n");
  const std::string further = stack("further", "extends: " + base + "\nreduction: bf16\n");
  const auto extended = run("stack: " + further + "\n");
  CHECK(value(*extended, "gradient_bytes_per_rank") == bytes_of_all(2));
  CHECK(extended->stack_name() == "further");
  CHECK(value(*extended, "communication_bytes") == value(*run("reduction: bf16\ngradients: bf16\n"), "communication_bytes"));
}

TEST_CASE("stacks: rules apply where their conditions hold, and one that finds nothing is no remark") {
  const std::string hidden = stack("hidden", "rules: [{overlap_dp: compiled}, overlap_tp_ring]\n");
  const double exposed = value(*run("stack: " + hidden + "\n"), "gradient_time");
  CHECK(render(said()) == "");
  CHECK(exposed == value(*run(""), "gradient_time"));
  CHECK(value(*run("stack: " + hidden + "\ncompiled: true\n"), "gradient_time") < exposed / 2);
}

TEST_CASE("stacks: marks of the run's own rules have precedence over those of its stack") {
  const std::string exposed =
      folder().write("exposed.yaml", "kind: rules\nname: exposed\nmark:\n  - {match: {cadence: step}, message: {overlap: exposed}}\n").string();
  const std::string hidden = stack("hidden_too", "rules: [overlap_dp]\n");
  const auto at = [&](const std::string& rules) {
    return value(*prepare("llama-2-7b", execution_with_stack("{dp: 8}", rules, "batch_size: 8\nstack: " + hidden + "\n"), "h100-80g-sxm"), "gradient_time");
  };
  CHECK(at("megatron, " + exposed) == value(*run(""), "gradient_time"));
  CHECK(at("megatron") < at("megatron, " + exposed) / 2);
}

TEST_CASE("defect rules: all-gathers of FSDP are prefetched under nemo and megatron-bridge") {
  for (const char* stack : {"nemo", "megatron-bridge"}) {
    CAPTURE(stack);
    const auto sharded = [&](const std::string& rules) {
      return prepare("llama-2-7b", execution_with_stack("{dp: 8}", rules, "batch_size: 8\nseq: 4096\n"), "h100-80g-sxm", {{"stack", stack}});
    };
    const auto run = sharded("megatron, zero_3");
    const double links = value(*run, "link_seconds"), exposed = value(*run, "exposed_seconds");
    CHECK(exposed < links / 2);
    CHECK(exposed == value(*sharded("megatron, zero_3, overlap_zero3_prefetch"), "exposed_seconds"));
  }
}

TEST_CASE("stacks: with float_logits the head keeps the logits once, in four bytes") {
  const auto kept = [](const std::string& rules) {
    return value(*run("seq: 4096\nstack: " + stack("logits_" + rules, "rules: [" + rules + "]\n") + "\n"), "activation_bytes_per_rank");
  };
  const double logits = 4096 * 32000;
  CHECK(kept("float_logits") == kept("fuse_loss") + 2 * logits);
}

TEST_CASE("stacks: primus adds weight gradients by a separate kernel") {
  const auto backward = [](const std::string& rest) {
    const std::string text = "seq: 4096\nbatch_size: 16\nmicrobatch_size: 1\nstack: primus\n" + rest;
    return value(*prepare("llama-2-7b", execution("{dp: 8}", "megatron", text), "mi300x-192g"), "backward_time");
  };
  CHECK(backward("") > backward("fused_accumulation: true\n"));
}

TEST_CASE("stacks: no constant belongs to a model's name") {
  const Document* document = shipped().load("llama-3-8b", {"model"}, said());
  REQUIRE(document != nullptr);
  std::string text = document->root.span().file->text;
  text.replace(text.find("name: llama-3-8b"), 16, "name: anything");
  const std::string renamed = folder().write("anything.yaml", text).string();
  for (const std::string& name : shipped().names("stack")) {
    const std::string one = execution("{pp: 2, dp: 2, tp: 2}", "megatron", "batch_size: 16\nmicrobatch_size: 1\nstack: " + name + "\n");
    CHECK(value(*prepare("llama-3-8b", one, "h100-80g-sxm"), "iteration_time") == value(*prepare(renamed, one, "h100-80g-sxm"), "iteration_time"));
  }
}

TEST_CASE("stacks: seconds of a model do not depend on its names nor on what ran before it") {
  const auto seconds = [](const std::string& model, Settings sizes) {
    sizes.insert(sizes.end(), {{"layers", "8"}, {"batch_size", "64"}});
    return value(
        *prepare(model, execution("{pp: 2, dp: 4, tp: 2}", "megatron, zero_1", "stack: nemo\nmicrobatch_size: 1\nbatch_size: 64\n"), "h100-80g-sxm", sizes),
        "iteration_time");
  };
  const auto renamed = [](const std::string& model) {
    const Document* document = shipped().load(model, {"model"}, said());
    REQUIRE(document != nullptr);
    std::string text = document->root.span().file->text;
    text.insert(text.find("name: decoder,") + 6, "other_");
    text.replace(text.find("name: "), text.find('\n', text.find("name: ")) - text.find("name: "), "name: nobody");
    return folder().write("nobody" + std::to_string(text.size()) + "/nobody.yaml", text).string();
  };
  std::vector<std::string> models = {"measured/llama", "measured/gpt_fused", "measured/mpt"};
  std::vector<double> forwards, backwards, others;
  for (const std::string& model : models) forwards.push_back(seconds(model, {}));
  std::reverse(models.begin(), models.end());
  for (const std::string& model : models) backwards.push_back(seconds(model, {}));
  for (const std::string& model : models) others.push_back(seconds(renamed(model), {}));
  std::reverse(backwards.begin(), backwards.end());
  std::reverse(others.begin(), others.end());
  CHECK(forwards == backwards);
  CHECK(forwards == others);
}

}  // namespace opledger
