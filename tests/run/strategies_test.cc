#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/case_file.h"
#include "tests/support/runs.h"

/// The executions of tests/cli/strategies, whose annotated graphs are golden texts there, on a model with small round numbers and on a real one. What a layer
/// communicates is worked out by hand below: how many tensors, and their bytes together. Sources: Shoeybi et al. 2019 (tp), Korthikanti et al. 2022 (sequence
/// parallelism), Rajbhandari et al. 2020 (ZeRO), Zhao et al. 2023 (FSDP), Jacobs et al. 2023 (Ulysses), Fang and Zhao 2024 (USP), Lepikhin et al. 2021
/// (experts).
namespace opledger {
namespace {

/// Sizes of a layer. Messages have 2-byte numbers.
struct Layer {
  double hidden, heads, kv_heads, head_dim, ffn, seq, experts = 0, choice = 0;
  double tokens = 0;  ///< Tokens of one microbatch over all ranks.

  double act() const { return 2 * tokens * hidden; }               ///< Bytes of [batch seq hidden].
  double query() const { return 2 * tokens * heads * head_dim; }   ///< Bytes of [batch seq heads head_dim], of queries or of the result of attention.
  double key() const { return 2 * tokens * kv_heads * head_dim; }  ///< Bytes of keys, or of values.
  double attention() const { return 2 * hidden * head_dim * (2 * heads + 2 * kv_heads); }  ///< Bytes of weights: query and output, key and value.
  double mlp() const { return 2 * 3 * hidden * ffn; }                                      ///< Bytes of weights of one expert, or of the MLP.
  double norms() const { return 2 * 2 * hidden; }
  double router() const { return 2 * hidden * experts; }
  double layer() const { return attention() + mlp() + norms(); }
  double dense() const { return attention() + norms() + router(); }  ///< Weights of a layer without the experts.
  double slots() const { return choice * act(); }                    ///< Bytes of [expert slot hidden].
};

struct Line {
  std::string what;
  int count;
  double bytes;
};
using Lines = std::vector<Line>;

struct Strategy {
  const char* name;
  double replicas;  ///< Degree of dp.
  Lines (*worked)(const Layer&);
};

Lines two_all_reduces(const Layer& m) { return {{"forward all-reduce tp", 2, 2 * m.act()}, {"agrad all-reduce tp", 2, 2 * m.act()}}; }

const Strategy kDense[] = {
    {"tp", 1, two_all_reduces},
    {"tp_sp", 1,
     [](const Layer& m) {
       return Lines{{"forward all-gather tp", 2, 2 * m.act()},   {"forward reduce-scatter tp", 2, 2 * m.act()}, {"agrad all-gather tp", 2, 2 * m.act()},
                    {"agrad reduce-scatter tp", 2, 2 * m.act()}, {"wgrad all-gather tp", 2, 2 * m.act()},       {"optimizer all-reduce tp", 2, m.norms()}};
     }},
    {"recompute_full", 1,
     [](const Layer& m) {
       return Lines{{"forward all-reduce tp", 2, 2 * m.act()}, {"recompute all-reduce tp", 2, 2 * m.act()}, {"agrad all-reduce tp", 2, 2 * m.act()}};
     }},
    // Nine weights: query, key, value, output, gate, up, down, two norms.
    {"ddp", 4,
     [](const Layer& m) {
       return Lines{{"optimizer all-reduce dp", 9, m.layer()}};
     }},
    {"zero_1", 4,
     [](const Layer& m) {
       return Lines{{"optimizer reduce-scatter dp", 9, m.layer()}, {"optimizer all-gather dp", 9, m.layer()}};
     }},
    {"zero_2", 4,
     [](const Layer& m) {
       return Lines{{"wgrad reduce-scatter dp", 9, m.layer()}, {"optimizer all-gather dp", 9, m.layer()}};
     }},
    {"zero_3", 4,
     [](const Layer& m) {
       return Lines{{"forward all-gather dp", 9, m.layer()}, {"agrad all-gather dp", 9, m.layer()}, {"wgrad reduce-scatter dp", 9, m.layer()}};
     }},
    {"fsdp", 4,
     [](const Layer& m) {
       return Lines{{"forward all-gather fsdp", 9, m.layer()}, {"agrad all-gather fsdp", 9, m.layer()}, {"wgrad reduce-scatter fsdp", 9, m.layer()}};
     }},
    {"hsdp", 8,
     [](const Layer& m) {
       return Lines{{"forward all-gather fsdp", 9, m.layer()},
                    {"agrad all-gather fsdp", 9, m.layer()},
                    {"wgrad reduce-scatter fsdp", 9, m.layer()},
                    {"optimizer all-reduce rep", 9, m.layer() / 4}};
     }},
    {"cp_gather", 1,
     [](const Layer& m) {
       return Lines{{"forward all-gather cp", 2, 2 * m.key()}, {"agrad reduce-scatter cp", 2, 2 * m.key()}, {"optimizer all-reduce cp", 9, m.layer()}};
     }},
    {"cp_ring", 1,
     [](const Layer& m) {
       return Lines{{"forward ring all-gather cp", 2, 2 * m.key()},
                    {"agrad ring all-gather cp", 2, 2 * m.key()},
                    {"agrad ring reduce-scatter cp", 2, 2 * m.key()},
                    {"optimizer all-reduce cp", 9, m.layer()}};
     }},
    // Each rank's quarter of the tokens of query, key, value and result; then of their gradients.
    {"cp_ulysses", 1,
     [](const Layer& m) {
       const double all = (2 * m.query() + 2 * m.key()) / 4;
       return Lines{{"forward all-to-all cp", 4, all}, {"agrad all-to-all cp", 4, all}, {"optimizer all-reduce cp", 9, m.layer()}};
     }},
    // Keys and values of half the heads are gathered over the other axis.
    {"cp_usp", 1,
     [](const Layer& m) {
       const double all = (2 * m.query() + 2 * m.key()) / 4;
       return Lines{{"forward all-to-all ul", 4, all},
                    {"forward all-gather ring", 2, 2 * m.key() / 2},
                    {"agrad all-to-all ul", 4, all},
                    {"agrad reduce-scatter ring", 2, 2 * m.key() / 2},
                    {"optimizer all-reduce cp", 9, m.layer()}};
     }},
    {"cp_regather", 1,
     [](const Layer& m) {
       return Lines{{"forward all-gather cp", 2, 2 * m.key()},
                    {"agrad all-gather cp", 2, 2 * m.key()},
                    {"agrad reduce-scatter cp", 2, 2 * m.key()},
                    {"optimizer all-reduce cp", 9, m.layer()}};
     }},
    {"fsdp_keep", 4,
     [](const Layer& m) {
       return Lines{{"forward all-gather fsdp", 9, m.layer()}, {"wgrad reduce-scatter fsdp", 9, m.layer()}};
     }},
    {"fsdp_accumulate", 4,
     [](const Layer& m) {
       return Lines{{"forward all-gather fsdp", 9, m.layer()}, {"agrad all-gather fsdp", 9, m.layer()}, {"optimizer reduce-scatter fsdp", 9, m.layer()}};
     }},
    {"hpz", 8,
     [](const Layer& m) {
       return Lines{{"forward all-gather dp", 9, m.layer()}, {"agrad all-gather intra", 9, m.layer()}, {"wgrad reduce-scatter dp", 9, m.layer()}};
     }},
    {"ddp_every_microbatch", 4,
     [](const Layer& m) {
       return Lines{{"wgrad all-reduce dp", 9, m.layer()}};
     }},
    {"recompute_needed", 1,
     [](const Layer& m) {
       return Lines{{"forward all-reduce tp", 2, 2 * m.act()}, {"recompute all-reduce tp", 1, m.act()}, {"agrad all-reduce tp", 2, 2 * m.act()}};
     }},
    {"recompute_elements", 1,
     [](const Layer& m) {
       return Lines{{"forward all-gather tp", 2, 2 * m.act()},   {"forward reduce-scatter tp", 2, 2 * m.act()}, {"agrad all-gather tp", 2, 2 * m.act()},
                    {"agrad reduce-scatter tp", 2, 2 * m.act()}, {"wgrad all-gather tp", 2, 2 * m.act()},       {"optimizer all-reduce tp", 2, m.norms()}};
     }},
    {"offload_activations", 1, two_all_reduces},
    {"offload_weights", 1, two_all_reduces},
    {"offload_optimizer", 1, two_all_reduces},
    {"all_dense", 2,
     [](const Layer& m) {
       const double act = m.act() / 4, key = m.key() / (2 * 4), weights = (m.attention() + m.mlp()) / 4 + m.norms();
       return Lines{{"forward all-gather tp", 2, 2 * act},         {"forward reduce-scatter tp", 2, 2 * act},
                    {"forward all-gather cp", 2, 2 * key},         {"agrad all-gather tp", 2, 2 * act},
                    {"agrad reduce-scatter tp", 2, 2 * act},       {"agrad reduce-scatter cp", 2, 2 * key},
                    {"wgrad all-gather tp", 2, 2 * act},           {"forward point-to-point pp", 1, act / 4},
                    {"agrad point-to-point pp", 1, act / 4},       {"optimizer reduce-scatter dp*cp", 9, weights},
                    {"optimizer all-reduce tp", 2, m.norms() / 4}, {"optimizer all-gather dp*cp", 9, weights}};
     }},
};

// Seven weights of a layer with experts are dense: query, key, value, output, two norms, router; three belong to
// experts.
const Strategy kExperts[] = {
    {"ep_exchange", 8,
     [](const Layer& m) {
       return Lines{{"forward all-to-all ep", 2, 2 * m.slots() / 8},
                    {"agrad all-to-all ep", 2, 2 * m.slots() / 8},
                    {"optimizer all-reduce dp", 7, m.dense()},
                    {"optimizer all-reduce edp", 3, m.experts / 4 * m.mlp()}};
     }},
    // Attention is that of tp_sp. Tokens, gates (2 bytes a choice) and indices (8) are gathered over ep, then over tp; results and gradients are scattered in
    // the opposite order.
    {"ep_gather", 8,
     [](const Layer& m) {
       const double act = m.act() / 8, tokens = m.act() / 2, gates = 2 * m.tokens * m.choice / 2, indices = 4 * gates;
       return Lines{{"forward all-gather tp", 4, act + tokens + gates + indices},
                    {"forward all-gather ep", 3, (tokens + gates + indices) / 2},
                    {"forward reduce-scatter tp", 2, act + tokens},
                    {"forward reduce-scatter ep", 1, tokens / 2},
                    {"agrad all-gather tp", 2, act + tokens},
                    {"agrad all-gather ep", 1, tokens / 2},
                    {"agrad reduce-scatter tp", 3, act + tokens + gates},
                    {"agrad reduce-scatter ep", 2, (tokens + gates) / 2},
                    {"wgrad all-gather tp", 1, act},
                    {"optimizer all-reduce dp", 7, m.attention() / 2 + m.norms() + m.router()},
                    {"optimizer all-reduce tp", 3, m.norms() + m.router()},
                    {"optimizer all-reduce edp", 3, m.experts / 4 * m.mlp() / 2}};
     }},
    {"ep_folded", 8,
     [](const Layer& m) {
       const double act = m.act() / 8;
       return Lines{{"forward all-gather tp", 1, act},
                    {"forward reduce-scatter tp", 1, act},
                    {"forward all-to-all ep", 2, 2 * m.slots() / 16},
                    {"agrad all-gather tp", 1, act},
                    {"agrad reduce-scatter tp", 1, act},
                    {"agrad all-to-all ep", 2, 2 * m.slots() / 16},
                    {"wgrad all-gather tp", 1, act},
                    {"optimizer all-reduce dp", 7, m.attention() / 2 + m.norms() + m.router()},
                    {"optimizer all-reduce tp", 3, m.norms() + m.router()},
                    {"optimizer all-reduce edp", 3, m.experts / 4 * m.mlp()}};
     }},
    // Slots of an expert are gathered over the two ranks that share it, and their sums scattered.
    {"ep_tensor", 4,
     [](const Layer& m) {
       const double act = m.act() / 4;
       return Lines{{"forward all-gather tp", 1, act},
                    {"forward reduce-scatter tp", 1, act},
                    {"forward all-to-all ep", 2, 2 * m.slots() / 16},
                    {"forward all-gather etp", 1, m.slots() / 8},
                    {"forward reduce-scatter etp", 1, m.slots() / 8},
                    {"agrad all-gather tp", 1, act},
                    {"agrad reduce-scatter tp", 1, act},
                    {"agrad all-to-all ep", 2, 2 * m.slots() / 16},
                    {"agrad all-gather etp", 1, m.slots() / 8},
                    {"agrad reduce-scatter etp", 1, m.slots() / 8},
                    {"wgrad all-gather tp", 1, act},
                    {"optimizer all-reduce dp", 7, m.attention() / 4 + m.norms() + m.router()},
                    {"optimizer all-reduce tp", 3, m.norms() + m.router()},
                    {"optimizer all-reduce edp", 3, m.experts / 4 * m.mlp() / 2}};
     }},
};

// Weights of a layer of GPT: query, key, value and output, fc1 and fc2; their biases; two norms.
const Strategy kGpt[] =
    {
        {"pp_tied", 1,
         [](const Layer& m) {
           return Lines{{"forward all-gather tp", 2, 2 * m.act()},
                        {"forward reduce-scatter tp", 2, 2 * m.act()},
                        {"agrad all-gather tp", 2, 2 * m.act()},
                        {"agrad reduce-scatter tp", 2, 2 * m.act()},
                        {"wgrad all-gather tp", 2, 2 * m.act()},
                        {"forward point-to-point pp", 1, m.act() / 2},
                        {"agrad point-to-point pp", 1, m.act() / 2},
                        {"optimizer all-reduce tp", 6, 2 * 6 * m.hidden}};  // gamma and beta of two norms, biases of output and fc2
         }},
        {"pp_tied_zero_1", 4,
         [](const Layer& m) {
           const double layer = 2 * (12 * m.hidden * m.hidden + 13 * m.hidden);
           return Lines{{"forward point-to-point pp", 1, m.act() / 4},
                        {"agrad point-to-point pp", 1, m.act() / 4},
                        {"optimizer reduce-scatter dp", 16, layer},
                        {"optimizer all-gather dp", 16, layer}};
         }},
        {"recompute_selective", 1,
         [](const Layer& m) {
           return Lines{{"forward all-reduce tp", 2, 2 * m.act()}, {"agrad all-reduce tp", 2, 2 * m.act()}};
         }},
};

Layer sizes_of(Run& run, double replicas) {
  Inquiry inquiry(run.evaluator());
  Sizes sizes(inquiry, run.graph_run());
  const auto get = [&](const char* name) { return sizes.size(run.graph().dimension(name)).value; };
  Layer m{get("hidden"), get("heads"), get("kv_heads"), get("head_dim"), 0, get("seq")};
  m.tokens = replicas * m.seq;
  if (run.graph().dimension("expert")) {
    m.experts = get("expert"), m.choice = get("choice"), m.ffn = get("expert_ffn");
  } else {
    m.ffn = get("ffn");
  }
  return m;
}

std::string marks(const Annotations& notes, const Transfer& t) {
  std::string text;
  for (MarkId id : t.marks) text += notes.marks[id].value + " ";
  return text;
}

/// Returns the transfers of the decoder over more than one rank, per layer.
std::map<std::string, std::pair<int, double>> found_in(Run& run) {
  std::map<std::string, std::pair<int, double>> found;
  Inquiry inquiry(run.evaluator());
  Sizes sizes(inquiry, run.graph_run());
  const Elements& all = run.evaluator().elements(kTransferSet);
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const Transfer& t = run.annotations().transfers[i];
    const auto& column = [&](const char* name) { return all.fields.at(name)[i]; };
    if (column("ranks").scalar.value == 1 || run.graph().segments[t.segment].name != "decoder") continue;
    auto& [count, bytes] = found[fmt::format("{} {}{} {}", to_string(t.phase), marks(run.annotations(), t), to_string(t.kind), sizes.describe(t.axes))];
    ++count;
    bytes += column("bytes").scalar.value;
  }
  return found;
}

/// Prepares a model under the execution of a strategy, or under the one for a real model if the case has both.
std::unique_ptr<Run> under(const std::string& strategy, const std::string& model) {
  const CaseFile test = read_case(source_folder() + "/tests/cli/strategies/" + strategy + ".case");
  const std::string full = test.section("full.yaml");
  const TemporaryFolder folder;
  return prepare(model, full.empty() ? folder.write("execution.yaml", test.section("execution.yaml")) : folder.write("full.yaml", full));
}

void compare(const Strategy& strategy, const std::string& model) {
  const auto run = under(strategy.name, model);
  auto found = found_in(*run);
  for (const Line& line : strategy.worked(sizes_of(*run, strategy.replicas))) {
    const auto [count, bytes] = found[line.what];
    CHECK_MESSAGE(count == line.count, model, " ", strategy.name, " ", line.what);
    CHECK_MESSAGE(bytes == line.bytes, model, " ", strategy.name, " ", line.what);
    found.erase(line.what);
  }
  for (const auto& [what, _] : found) FAIL_CHECK(model, " ", strategy.name, ": nobody expects ", what);
}

// More ranks than key-value heads: ranks of tp.1 gather the numbers of one head.
const Strategy kSplitHeads = {"tp_split_heads", 1, [](const Layer& m) {
                                const double head = m.key() / m.kv_heads;
                                return Lines{{"forward all-gather tp.1", 2, 2 * head},
                                             {"forward all-reduce tp", 2, 2 * m.act()},
                                             {"agrad reduce-scatter tp.1", 2, 2 * head},
                                             {"agrad all-reduce tp", 2, 2 * m.act()}};
                              }};

// A query attends to itself and 4095 previous tokens. With 8192 tokens in four parts, these are all but one token of
// the two previous ranks.
const Strategy kWindow = {
    "window_halo", 1, [](const Layer& m) {
      const double before = 2 * 4095 * m.kv_heads * m.head_dim;
      return Lines{{"forward point-to-point cp", 2, 2 * before}, {"agrad point-to-point cp", 2, 2 * before}, {"optimizer all-reduce cp", 9, m.layer()}};
    }};

const std::string kTinyModels = source_folder() + "/tests/data/strategies/tiny-";

}  // namespace

TEST_CASE("strategies: what a dense layer communicates is what a hand works out") {
  for (const Strategy& strategy : kDense) {
    for (const std::string& model : {kTinyModels + "llama.yaml", std::string("llama-3-8b")}) compare(strategy, model);
  }
  compare(kSplitHeads, "llama-3-8b");
  compare(kWindow, "mistral-7b");
}

TEST_CASE("strategies: what a layer with experts communicates is what a hand works out") {
  for (const Strategy& strategy : kExperts) {
    for (const std::string& model : {kTinyModels + "mixtral.yaml", std::string("mixtral-8x7b")}) compare(strategy, model);
  }
}

TEST_CASE("strategies: what a layer of GPT communicates is what a hand works out, and the tied table is summed between two stages") {
  for (const Strategy& strategy : kGpt) {
    for (const std::string& model : {kTinyModels + "gpt.yaml", std::string("gpt2"), std::string("gpt3-175b")}) compare(strategy, model);
  }
  const auto run = under("pp_tied", kTinyModels + "gpt.yaml");
  const auto& all = run->annotations().transfers;
  const auto tied = std::find_if(all.begin(), all.end(), [](const Transfer& t) { return t.stages && t.weight; });
  REQUIRE(tied != all.end());
  const Elements& transfers = run->evaluator().elements(kTransferSet);
  CHECK(transfers.fields.at("bytes")[tied - all.begin()].scalar.value == 2 * 256 * 64 / 2);  // vocab x hidden over tp
}

TEST_CASE("strategies: kept gathered weights are whole, in addition to the stored parts") {
  // Llama 3 8B over 16 ranks in bf16: 8,030,261,248 elements, of which a rank stores a sixteenth. Kept: the other fifteen. Not kept: those of the largest
  // segment, a table and a norm of 525,340,672, and of the next layer, 218,112,000, at a time.
  const std::string mesh = "{dp: {fsdp: 16}}", batch = "batch_size: 16\nmicrobatch_size: 1\n";
  const auto again = prepare("llama-3-8b", execution(mesh, "megatron, fsdp", batch), "h100-80g-sxm");
  const auto kept = prepare("llama-3-8b", execution(mesh, "megatron, fsdp_keep", batch), "h100-80g-sxm");
  const double bytes = 2 * 15.0 / 16;
  CHECK(near(value(*kept, "memory") - value(*again, "memory"), bytes * (8030261248.0 - 525340672 - 218112000), 1e-12));
  // A second copy in each node of eight: an eighth of each weight instead of a sixteenth, and less to gather.
  const std::string nodes = "{dp: {inter: 2, intra: 8}}";
  const auto zero = prepare("llama-3-8b", execution(nodes, "megatron, zero_3", batch), "h100-80g-sxm");
  const auto copies = prepare("llama-3-8b", execution(nodes, "megatron, hpz", batch), "h100-80g-sxm");
  CHECK(near(value(*copies, "memory") - value(*zero, "memory"), 2.0 / 16 * (8030261248.0 - 525340672 - 218112000), 1e-12));
  // The last layer has no next layer to gather ahead.
  const std::string prefetch = "megatron, fsdp, overlap_zero3_prefetch";
  const auto all = prepare("llama-3-8b", execution(mesh, prefetch, batch + "prefetch_depth: 31\n"), "h100-80g-sxm");
  const auto more = prepare("llama-3-8b", execution(mesh, prefetch, batch + "prefetch_depth: 100\n"), "h100-80g-sxm");
  CHECK(value(*more, "memory") == value(*all, "memory"));
}

}  // namespace opledger
