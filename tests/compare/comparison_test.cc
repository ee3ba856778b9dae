#include "compare/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/runs.h"

/// One run under the shipped conventions. Some translated inputs are checked against values derived by hand, others
/// against a direct run of the accounting.
namespace opledger {
namespace {

struct ComparedRun {
  Diagnostics messages;
  std::unique_ptr<Run> run;
  RunComparison all;

  ComparedRun(const std::string& model, const std::string& execution, const std::string& system, const Settings& settings = {},
              const std::vector<std::string>& with = {}) {
    RunRequest request;
    request.model = model, request.execution = execution, request.system = system, request.overrides = settings;
    run = Run::prepare(request, shipped(), messages);
    REQUIRE_MESSAGE(run, render(messages));
    all = compare_accountings(*run, with.empty() ? find_translations(*run, shipped()).names : with, shipped());
  }

  std::size_t column(const std::string& accounting) const {
    const auto found = std::find_if(all.accountings.begin(), all.accountings.end(), [&](const auto& a) { return a.translated->accounting == accounting; });
    for (const auto& left : all.left_out) INFO(left->accounting, ": ", left->why);
    REQUIRE_MESSAGE(found != all.accountings.end(), accounting);
    return static_cast<std::size_t>(found - all.accountings.begin());
  }
  double value(const std::string& accounting, const std::string& quantity) const {
    const auto found = std::find_if(all.quantities.begin(), all.quantities.end(), [&](const auto& q) { return q.name == quantity; });
    REQUIRE_MESSAGE(found != all.quantities.end(), quantity);
    return found->value(column(accounting) + 1).scalar.value;
  }
  std::string input(const std::string& accounting, const std::string& name) const {
    for (const ComparedInput& input : all.accountings[column(accounting)].inputs) {
      if (input.name == name) return human(input.value);
    }
    return "";
  }
  std::string why_left_out(const std::string& accounting) const {
    for (const auto& left : all.left_out) {
      if (left->accounting == accounting) return left->why;
    }
    return "";
  }
};

double value_by_hand(const std::string& accounting, const std::string& metric, const Settings& settings) {
  RunRequest request;
  request.accounting = accounting, request.overrides = settings;
  said() = {};
  const std::unique_ptr<Run> run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, render(said()));
  return value(*run, metric);
}

}  // namespace

TEST_CASE("every shipped convention answers for the runs that docs/conventions_tables.md shows, and every difference has a reason") {
  const std::vector<std::string> conventions = {"calculon", "cookbook_flops", "cookbook_memory", "cookbook_params", "megatron", "six_nt", "ultrascale"};
  for (const auto& [model, execution, system] :
       {std::tuple{"gpt3-175b", "gpt3-175b-64xa100", "calculon/a100_80g"}, {"llama-3-8b", "llama-3-8b-16xh100", "calculon/h100_80g_nvl8"}}) {
    const ComparedRun c(model, execution, system);
    CHECK(find_translations(*c.run, shipped()).names == conventions);
    CHECK(c.all.left_out.empty());
    CHECK(c.all.quantities.size() > 20);
    std::vector<int> answers(c.all.accountings.size());
    for (const ComparedQuantity& q : c.all.quantities) {
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const Value& v = q.value(i + 1);
        CAPTURE(q.name);
        CAPTURE(c.all.accountings[i].translated->accounting);
        if (v.is_number()) {
          ++answers[i];
          CHECK((v.any_unit || q.value(0).any_unit || v.unit == q.value(0).unit));
        }
        if (q.notable(i + 1)) CHECK(!q.values[i + 1].why.empty());
      }
    }
    CHECK(*std::min_element(answers.begin(), answers.end()) >= 1);
  }
}

TEST_CASE("a convention's value of a quantity is a metric of the run's accounting") {
  const ComparedRun c("gpt3-175b", "gpt3-175b-64xa100", "calculon/a100_80g");
  for (const ComparedAccounting& a : c.all.accountings) {
    for (const Counterpart& counterpart : comparison_with(*a.translated->run, *c.run)->metrics)
      CHECK_MESSAGE(c.run->program().find_published(counterpart.other) != nullptr, a.translated->accounting, " ", counterpart.other);
  }
}

TEST_CASE("a convention gives the same values for a run as for inputs set by hand") {
  const ComparedRun gpt("gpt3-175b", "gpt3-175b-64xa100", "calculon/a100_80g");
  // V h + s h + 4 L h^2 + 8 L h + 2 h + 8 L h^2 with h = 12288, L = 96, s = 2048, V = 51200
  CHECK(gpt.value("cookbook_params", "parameters_total") == 629145600.0 + 25165824.0 + 57982058496.0 + 9461760.0 + 115964116992.0);
  CHECK(gpt.value("six_nt", "model_flops") == 6 * 174615846912.0 * 64 * 2048);
  const Settings sizes = {{"layers", "96"}, {"hidden", "12288"}, {"heads", "96"}, {"seq", "2048"}, {"vocab", "51200"}};
  Settings flops = sizes;
  flops.insert(flops.end(), {{"tokens", "131072"}});
  CHECK(gpt.value("cookbook_flops", "hardware_flops") == value_by_hand("cookbook_flops", "total_flops", flops));
  Settings memory = sizes;
  memory.insert(memory.end(), {{"num_gpus", "64"},
                               {"tensor_parallel_size", "8"},
                               {"pipeline_parallel_size", "8"},
                               {"zero_stage", "0"},
                               {"bytes_per_grad_ele", "2 byte"},  // The stack keeps gradients in 2 bytes.
                               {"partition_activations", "true"},
                               {"checkpoint_activations", "true"}});
  CHECK(gpt.value("cookbook_memory", "memory") == value_by_hand("cookbook_memory", "per_gpu_mem", memory));

  const ComparedRun llama("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm");
  const Settings ultrascale = {{"layers", "32"},
                               {"hidden", "4096"},
                               {"ffn", "14336"},
                               {"vocab", "128256"},
                               {"seq", "8192"},
                               {"fsdp_enabled", "true"},
                               {"fsdp_parallelism", "16"},
                               {"fsdp_strategy", "Zero-3"},
                               {"mixed_precision", "true"},
                               {"grad_accumulation", "true"}};
  CHECK(llama.value("ultrascale", "memory") == value_by_hand("ultrascale", "memory", ultrascale));
  const Settings megatron = {{"pp", "1"},
                             {"dp", "16"},
                             {"tp", "1"},
                             {"layers", "32"},
                             {"hidden", "4096"},
                             {"heads", "32"},
                             {"kv_heads", "8"},
                             {"ffn", "14336"},
                             {"norm_vectors", "1"},
                             {"qkv_bias", "false"},
                             {"mlp_bias", "false"},
                             {"projection_bias", "false"},
                             {"dropout", "false"},
                             {"positions", "0"},
                             {"tied", "false"},
                             {"outside", "4096"},
                             {"seq", "8192"},
                             {"vocab", "128256"},
                             {"microbatch_size", "1"},
                             {"batch_size", "128"}};
  CHECK(llama.value("megatron", "memory") == value_by_hand("megatron", "memory", megatron));
  CHECK(llama.value("megatron", "communication_bytes") == value_by_hand("megatron", "rank_parameters", megatron) * 2 * 4);
}

TEST_CASE("a convention of closed formulas named for a run, or for a model alone, is evaluated in the same way") {
  const ComparedRun c("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm");
  RunRequest request = c.run->request();
  for (const auto& [accounting, metric, quantity] : {std::tuple{"ultrascale", "memory", "memory"},
                                                     {"cookbook_memory", "per_gpu_mem", "memory"},
                                                     {"megatron", "parameters", "parameters_total"},
                                                     {"six_nt", "training_work", "model_flops"}}) {
    request.accounting = accounting;
    said() = {};
    const std::unique_ptr<Run> named = Run::prepare(request, shipped(), said());
    REQUIRE_MESSAGE(named, render(said()));
    CHECK(value(*named, metric) == c.value(accounting, quantity));
  }
  request.model = "gpt2", request.execution = kDefaultExecution, request.system.clear(), request.accounting = "decoder_params";
  const std::unique_ptr<Run> alone = Run::prepare(request, shipped(), said());
  REQUIRE(alone);
  CHECK(value(*alone, "parameters") == 124439808);
  CHECK(alone->is_translated("hidden"));
  CHECK_FALSE(alone->is_translated("final_norm"));
}

TEST_CASE("an analysis of Megatron counts the parameters of a model as they are, but for the bias of queries, keys and values") {
  // Attention heads, key and value heads with the width of the one counted bias, if any; layers.
  for (const auto& [model, biases, layers] : {std::tuple{"gpt2", 3 * 768.0 - 768, 12.0},
                                              {"gpt3-175b", 3 * 12288.0 - 12288, 96.0},
                                              {"bert-base", 3 * 768.0 - 768, 12.0},
                                              {"phi-2", 3 * 2560.0 - 2560, 32.0},
                                              {"gpt-neox-20b", 3 * 6144.0 - 6144, 44.0},
                                              {"qwen2.5-7b", 3584.0 + 2 * 512 - 3584, 28.0},
                                              {"llama-2-7b", 0.0, 0.0},
                                              {"llama-3-8b", 0.0, 0.0},
                                              {"llama-3-70b", 0.0, 0.0},
                                              {"mistral-7b", 0.0, 0.0},
                                              {"falcon-7b", 0.0, 0.0},
                                              {"gemma-2-9b", 0.0, 0.0},
                                              {"gemma-7b", 0.0, 0.0},
                                              {"olmo-2-7b", 0.0, 0.0},
                                              {"qwen3-8b", 0.0, 0.0}}) {
    CAPTURE(model);
    RunRequest request;
    request.model = model;
    said() = {};
    const std::unique_ptr<Run> own = Run::prepare(request, shipped(), said());
    request.accounting = "megatron";
    const std::unique_ptr<Run> listed = Run::prepare(request, shipped(), said());
    REQUIRE_MESSAGE((own && listed), render(said()));
    CHECK(value(*listed, "parameters") == value(*own, "parameters_total") - layers * biases);
  }
}

TEST_CASE("effects of rules on a run become inputs of a convention") {
  for (const auto& [rules, stage, strategy] :
       {std::tuple{"megatron", "0", "Zero-1"}, {"megatron, zero_1", "1", "Zero-1"}, {"megatron, zero_2", "2", "Zero-2"}, {"megatron, zero_3", "3", "Zero-3"}}) {
    const ComparedRun c("llama-3-8b", execution("{pp: 2, dp: 4, tp: 2}", rules, "batch_size: 8\n"), "h100-80g-sxm");
    CAPTURE(rules);
    CHECK(c.input("cookbook_memory", "zero_stage") == stage);
    CHECK(c.input("cookbook_memory", "num_gpus") == "16");
    CHECK(c.input("cookbook_memory", "partition_activations") == "false");
    CHECK(c.input("ultrascale", "fsdp_enabled") == (std::string(stage) == "0" ? "false" : "true"));
    CHECK(c.input("ultrascale", "fsdp_strategy") == strategy);
    CHECK(c.input("ultrascale", "fsdp_parallelism") == (std::string(stage) == "0" ? "1" : "4"));
    CHECK(c.input("cookbook_params", "num_mlp_linears") == "3");
    CHECK(c.input("cookbook_flops", "no_checkpoint_activations") == "true");
  }
  const ComparedRun full("gpt3-175b", execution("{pp: 2, tp: 2}", "megatron, recompute_full", "batch_size: 8\nsequence_parallel: true\n"), "calculon/a100_80g");
  CHECK(full.input("calculon", "activation_recompute") == "full");
  CHECK(full.input("calculon", "tensor_par_comm_type") == "rs_ag");
  CHECK(full.input("cookbook_memory", "partition_activations") == "true");
  CHECK(full.input("ultrascale", "gradient_checkpointing") == "true");
}

TEST_CASE("experts are counted as the graph has them") {
  const ComparedRun c("mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm");
  CHECK(c.input("cookbook_params", "experts") == "8");
  CHECK(c.input("cookbook_params", "experts_per_token") == "2");
  CHECK(c.input("cookbook_params", "expert_ffn") == "14,336");
  CHECK(c.input("cookbook_memory", "expert_parallelism") == "8");
  CHECK(c.input("ultrascale", "active_experts") == "2");
  const ComparedRun fine("gpt-oss-20b", "single", "h100-80g-sxm");
  CHECK(fine.input("cookbook_flops", "experts") == "32");
  CHECK(fine.input("cookbook_flops", "expert_ffn") == "2,880");
  CHECK(fine.input("cookbook_flops", "num_mlp_linears") == "3");
}

TEST_CASE("a run that a convention can't express is refused with a reason") {
  const std::string none = "it knows no experts", others = "it knows layers of attention and an MLP, and the model has others",
                    stacks = "it knows one stack of layers that every token passes, and the model has several",
                    latents = "it knows attention by queries, keys and values of whole heads, and the model makes them otherwise, such as from latents",
                    words = "it knows models of words, and the model has no table of them", some = "it predicts every token, and the model only some of them";
  struct Case {
    const char* model;
    Settings settings;
    std::map<std::string, std::string> why;
  };
  const auto all_but = [](const std::string& why, const std::set<std::string>& answering) {
    std::map<std::string, std::string> out;
    for (const char* name : {"calculon", "cookbook_flops", "cookbook_memory", "cookbook_params", "megatron", "six_nt", "ultrascale"}) {
      if (answering.count(name) == 0) out[name] = why;
    }
    return out;
  };
  const std::vector<Case> cases = {
      {"llama-3-8b", {}, {}},
      {"gemma-2-9b", {}, {}},  // Alternating windows, and heads wider than the stream divided by their number.
      {"phi-2", {}, {}},
      {"mixtral-8x7b", {}, {{"calculon", none}, {"megatron", none}}},
      {"gpt-oss-20b", {}, {{"calculon", none}, {"megatron", none}}},
      {"deepseek-v3", {}, all_but(latents, {"six_nt"})},
      {"kimi-k2", {}, all_but(latents, {"six_nt"})},
      {"mamba-2.8b", {}, all_but(others, {"six_nt"})},
      {"jamba-v0.1", {}, all_but(others, {"six_nt"})},
      {"t5-base", {}, all_but(stacks, {})},
      {"vit-l-16", {}, all_but(words, {"six_nt", "calculon"})},
      {"bert-base", {{"pretraining", "1"}}, {{"cookbook_flops", some}}},
      {"bert-base", {}, {{"cookbook_flops", some}}},
  };
  for (const Case& c : cases) {
    const ComparedRun compared(c.model, "single", "calculon/h100_80g_nvl8", c.settings);
    std::map<std::string, std::string> why;
    for (const auto& left : compared.all.left_out) why[left->accounting] = left->why;
    CAPTURE(c.model);
    CHECK(why == c.why);
  }
  const ComparedRun plain("llama-3-8b", "single", "h100-80g-sxm");
  CHECK(plain.why_left_out("calculon").find("the system has no fields `for` it; `calculon/a100_80e`") == 0);
}

/// Values by hand from sizes of published models.
TEST_CASE("differences are what their reasons say, to the last one") {
  struct Sizes {
    const char* model;
    double layers, hidden, heads, kv_heads, head_dim, ffn, products, vocab, seq, keys;
    double own;  // Parameters that the calculator ignores: biases, other norms, weights outside layers.
  };
  const std::vector<Sizes> models = {
      {"llama-3-8b", 32, 4096, 32, 8, 128, 14336, 3, 128256, 8192, 8192, 2.0 * 32 * 4096 + 4096},
      {"mistral-7b", 32, 4096, 32, 8, 128, 14336, 3, 32000, 8192, 4096, 2.0 * 32 * 4096 + 4096},
      {"gemma-7b", 28, 3072, 16, 16, 256, 24576, 3, 256000, 8192, 8192, 2.0 * 28 * 3072 + 3072},
      {"gpt2", 12, 768, 12, 12, 64, 3072, 2, 50257, 1024, 1024, 12 * (9.0 * 768 + 4 * 768) + 2 * 768 + 1024 * 768},
  };
  for (const Sizes& m : models) {
    CAPTURE(m.model);
    const ComparedRun c(m.model, "single", "h100-80g-sxm", {{"attention_flops", "full"}}, {"cookbook_params", "cookbook_flops", "six_nt"});
    const double h = m.hidden, tokens = value(*c.run, "tokens"), tied = c.input("cookbook_params", "tied_embeddings") == "true" ? 1 : 0;
    const double attention = 2 * h * m.head_dim * (m.heads + m.kv_heads), square = 2 * h * h * (1 + m.kv_heads / m.heads);
    const double tables = (2 - tied) * m.vocab * h, mlp = m.products * h * m.ffn;
    CHECK(value(*c.run, "parameters_total") == m.layers * (attention + mlp) + tables + m.own);
    CHECK(c.value("cookbook_params", "parameters_total") - value(*c.run, "parameters_total") ==
          m.layers * (square - attention) + m.seq * h + 8 * h * m.layers + 2 * h - m.own);
    // FLOPs of a token: heads as wide as the stream divided by their number, a full square of scores, backward of the
    // head, four for the embedding.
    const double scores = 4 * m.keys * m.head_dim * m.heads * m.layers, whole = 4 * m.seq * h * m.layers,
                 products = value(*c.run, "model_matrix_flops") / tokens;
    CHECK(products == doctest::Approx(3 * (2 * m.layers * (attention + mlp) + scores) + 6 * m.vocab * h).epsilon(1e-9));
    CHECK(c.value("cookbook_flops", "model_flops") / tokens - products ==
          doctest::Approx(3 * (2 * m.layers * (square - attention) + whole - scores) - 4 * m.vocab * h + 4 * h).epsilon(1e-9));
    CHECK(c.value("six_nt", "model_flops") / tokens - products == doctest::Approx(6 * (tables - m.vocab * h + m.own) - 3 * scores).epsilon(1e-9));
  }
}

TEST_CASE("what calculators spread is what their reasons say") {
  // Mesh: tp 4, dp 16 of which ep 8, ZeRO 1. A rank has one of eight experts per layer.
  const ComparedRun c("mixtral-8x7b", "mixtral-8x7b-64xh100", "h100-80g-sxm");
  const double h = 4096, i = 14336, s = 4096, V = 32000, L = 32;
  const double weight_elements = 2 * V * h + s * h + 8 * h * L + 2 * h + L * 2.5 * h * h + L * 3 * h * i;
  CHECK(c.value("cookbook_memory", "weight_bytes_per_rank") == 2 * weight_elements / 4);
  CHECK(c.value("cookbook_memory", "gradient_bytes_per_rank") == 4 * weight_elements);
  CHECK(c.value("cookbook_memory", "optimizer_bytes_per_rank") == 12 * weight_elements / 64);
  CHECK(c.value("cookbook_memory", "activation_bytes_per_rank") == L * (34 * s * h + 5 * 32 * s * s) / 4);
  const double layer = (4 * h * h + h + 3 * h * i + 2 * i + h) / 4 + 2 * h + (h + 1) * 8, rank = L * layer + 2 * V * h / 4 + h;
  CHECK(c.value("ultrascale", "parameters_per_rank") == rank);
  CHECK(c.value("ultrascale", "weight_bytes_per_rank") == (4 + 2) * rank);
  CHECK(c.value("ultrascale", "gradient_bytes_per_rank") == (2 + 4) * rank);
  CHECK(c.value("ultrascale", "optimizer_bytes_per_rank") == 8 * rank / 16);
  CHECK(c.value("ultrascale", "activation_bytes_per_rank") == 2 * s / 4 * (L * (5 * h + 2.0 / 8 * (h + 3 * i) + 8) + 2 * h + V));
}

TEST_CASE("what an execution says for a convention counts more than what follows from the run, and command lines change the run") {
  const ComparedRun said("llama-3-8b", execution("{dp: 2}", "megatron", "batch_size: 4\nfor:\n  ultrascale: {gradient_checkpointing: true, batch_size: 3}\n"),
                         "h100-80g-sxm", {{"seq", "1024"}});
  CHECK(said.input("ultrascale", "gradient_checkpointing") == "true");
  CHECK(said.input("ultrascale", "batch_size") == "3");
  CHECK(said.input("ultrascale", "sequence_length") == "1,024");
}

TEST_CASE("inputs may be lists, and an accounting that lacks one that it needs is left out") {
  const TemporaryFolder folder;
  const std::string head =
      "kind: accounting\nname: sized\ndoc: d\ninputs:\n  shape: {type: {list: integer}, default: [], doc: s}\n  n: {type: integer, doc: n}\n"
      "sets: {dimension: shape}\nmetrics:\n  size: {unit: count, doc: s, is: 'n * product(shape[dimension] over dimension)'}\n"
      "compares:\n  standard:\n    metrics: {parameters_total: {is: size}}\n    inputs:\n      shape: '[batch_size, seq]'\n";
  const std::string whole = folder.write("sized.yaml", head + "      n: 3\n").string();
  const ComparedRun c("gpt2", execution("{dp: 1}", "megatron", "batch_size: 2\n"), "a100-80g-sxm", {}, {whole});
  CHECK(c.value(whole, "parameters_total") == 3 * 2 * 1024);
  const TemporaryFolder other;
  const std::string lacking = other.write("sized.yaml", head + "      n: 'null'\n").string();
  const ComparedRun less("gpt2", "single", "a100-80g-sxm", {}, {lacking});
  CHECK(less.why_left_out(lacking).find("`n` has no value") != std::string::npos);
}

TEST_CASE("an accounting that extends the run's own gets the same documents, and needs no reasons") {
  const TemporaryFolder folder;
  const std::string slow =
      folder.write("slow.yaml", "kind: accounting\nname: slow\ndoc: d\nextends: standard\nmetrics:\n  iteration_time: 2 * inherited\n").string();
  const ComparedRun c("gpt2", "gpt2-1xa100", "a100-80g-sxm", {{"microbatch_size", "1"}}, {slow});
  const auto found = std::find_if(c.all.quantities.begin(), c.all.quantities.end(), [](const auto& q) { return q.name == "iteration_time"; });
  REQUIRE(found != c.all.quantities.end());
  CHECK(*found->change(1) == doctest::Approx(1.0));
  CHECK(found->notable(1));
  CHECK(found->values[1].why.empty());
}

}  // namespace opledger
