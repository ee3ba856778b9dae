#include "tests/support/runs.h"

/// Accountings that model other tools, in cases that the tables of tests/data/parity do not cover.
namespace opledger {
namespace {

std::unique_ptr<Run> prepare_calculator(const std::string& accounting, const std::string& model, const std::string& system, const Settings& settings) {
  said() = {};
  RunRequest request;
  request.accounting = accounting;
  request.model = model;
  request.system = system;
  request.overrides = settings;
  std::unique_ptr<Run> run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, render(said()));
  return run;
}

Settings with(Settings all, const Settings& others) {
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

const Settings kInference = {{"num_procs", "8"},
                             {"tensor_par", "8"},
                             {"pipeline_par", "1"},
                             {"data_par", "1"},
                             {"batch_size", "2"},
                             {"microbatch_size", "2"},
                             {"datatype", "float16"},
                             {"attention_type", "multihead"},
                             {"training", "false"},
                             {"fused_activation", "false"},
                             {"activation_recompute", "none"},
                             {"tensor_par_comm_type", "ar"},
                             {"tensor_par_overlap", "ring"}};

/// Bandwidth of each direction, in addition to the accounting's value for both.
const char* const kBandwidths =
    "kind: accounting\nname: bandwidths\nextends: calculon\nmetrics:\n"
    "  forward_req: {unit: byte/s, doc: d, is: max(forward.overlap_bandwidth over node)}\n"
    "  backward_req: {unit: byte/s, doc: d, is: max(agrad.overlap_bandwidth over node)}\n";

/// Returns the reason why a run of Calculon's accounting is refused.
std::string refusal(const Settings& settings) {
  static const Settings kGood = {{"num_procs", "16"},
                                 {"tensor_par", "2"},
                                 {"pipeline_par", "4"},
                                 {"data_par", "2"},
                                 {"batch_size", "16"},
                                 {"microbatch_size", "2"},
                                 {"datatype", "float16"},
                                 {"training", "true"},
                                 {"pipeline_interleaving", "1"},
                                 {"attention_type", "multihead"},
                                 {"activation_recompute", "none"},
                                 {"tensor_par_comm_type", "rs_ag"},
                                 {"tensor_par_overlap", "none"},
                                 {"tensor_par_net", "1"},
                                 {"pipeline_par_net", "1"},
                                 {"data_par_net", "1"}};
  const auto run = prepare_calculator("calculon", "calculon/megatron-126M", "calculon/a100_80g", with(kGood, settings));
  const std::vector<Violation> violations = run->violations(said());
  return violations.empty() ? "" : violations.front().reason;
}

}  // namespace

TEST_CASE("calculators: inference asks for no bandwidth that would hide backward, in Calculon") {
  TemporaryFolder folder;
  const std::string accounting = folder.write("bandwidths.yaml", kBandwidths).string();
  const auto inference = prepare_calculator(accounting, "calculon/megatron-126M", "calculon/a100_80g", kInference);
  const auto training = prepare_calculator(accounting, "calculon/megatron-126M", "calculon/a100_80g", with(kInference, {{"training", "true"}}));
  const double forward = value(*inference, "forward_req"), backward = value(*inference, "backward_req");
  REQUIRE(backward > forward);
  CHECK(value(*inference, "tp_bw_overlap_req") == forward);
  CHECK(value(*training, "tp_bw_overlap_req") == backward);
  // An edge block that is split between stages gathers its inputs, as backward would: row 61 of executions_edge.csv.gz.
  const auto split = prepare_calculator(accounting, "calculon/megatron-126M", "calculon/a100_80g", with(kInference, {{"tensor_par_comm_type", "p2p_rs_ag"}}));
  CHECK(value(*split, "tp_bw_overlap_req") == backward);
}

TEST_CASE("calculators: of several reasons to refuse a run the first is Calculon's") {
  CHECK(refusal({}) == "");
  const Settings uneven = {{"tensor_par", "3"}, {"num_procs", "24"}}, offload = {{"weight_offload", "true"}, {"pipeline_par", "8"}, {"num_procs", "32"}};
  CHECK(refusal(uneven) == "hidden 768, feedforward 3,072 and attn_heads 16 must be divisible by tensor_par 3");
  CHECK(refusal(offload) == "Offloading requires each processor to handle at least 3 blocks");
  const std::string many = "Pipeline interleaving must be less than or equal to the number of blocks per processor";
  CHECK(refusal(with(uneven, {{"pipeline_interleaving", "5"}})) == many);
  CHECK(refusal(with(uneven, {{"pipeline_interleaving", "2"}})) == "Pipeline interleaving must be a factor value of the number of blocks per processor");
  CHECK(refusal(with(with(offload, uneven), {{"num_procs", "48"}})) == "Offloading requires each processor to handle at least 3 blocks");
  CHECK(refusal(with(offload, {{"pipeline_interleaving", "5"}})) == many);
  CHECK(refusal(with(uneven, {{"tensor_par_net", "0"}, {"pipeline_interleaving", "5"}, {"num_procs", "25"}})) ==
        "num_procs is 25, but tensor_par * pipeline_par * data_par is 24");
  CHECK(refusal({{"tensor_par", "6"}, {"num_procs", "48"}, {"microbatch_size", "1"}}) ==
        "hidden 768, feedforward 3,072 and attn_heads 16 must be divisible by tensor_par 6");
}

TEST_CASE("calculators: ZeRO 3 keeps no gathered parameters on one GPU, in the cookbook's calculator of memory") {
  const auto buffers = [](const std::string& stage, const std::string& gpus) {
    return value(*prepare_calculator("cookbook_memory", "", "", {{"zero_stage", stage}, {"num_gpus", gpus}}), "per_gpu_communication_mem");
  };
  CHECK(buffers("3", "1") == 0);
  CHECK(buffers("1", "1") == 0);
  CHECK(buffers("3", "8") == (5e8 + 1e9) * 2);
  CHECK(buffers("2", "8") == 5e8 * 2);
}

}  // namespace opledger
