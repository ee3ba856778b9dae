#include "accounting/graph_engine.h"
#include "tests/run/deployments.h"
#include "tests/support/runs.h"

/// A layer that the library lacks, written as documents alone (tests/cli/documents/gated_linear): gated linear attention, whose state is a matrix for each head,
/// behind short convolutions. A model has six of them and two of softmax attention; 4 heads of 64 for queries and keys and of 128 for values, 2 of softmax
/// attention's keys.
namespace opledger {
namespace {

const std::string kGatedLinear = source_folder() + "/tests/cli/documents/gated_linear/gla.yaml";

std::unique_ptr<Run> gated_linear(const std::string& mesh, const std::string& accounting, const Settings& settings,
                                  const std::string& rules = "serve, megatron") {
  return prepare(kGatedLinear, execution(mesh, rules, "accounting: " + accounting + "\n"), deployments::document_of("plain"), settings);
}

const Settings kRequests = {{"prompt", "1000"}, {"output", "101"}, {"decoding", "4"}, {"page", "1"}};

/// Returns a name's value at a node in the forward phase.
double of_node(Run& run, const std::string& name, const std::string& node, const deployments::Words& words = {}) {
  const Elements& nodes = run.evaluator().elements(kNodeSet);
  const auto found = std::find(nodes.names.begin(), nodes.names.end(), node);
  REQUIRE(found != nodes.names.end());
  Evaluator& e = run.evaluator();
  Point point = e.choose(e.choose(nowhere(), kNodeSet, static_cast<WordId>(found - nodes.names.begin())), kPhaseSet, static_cast<WordId>(Phase::forward));
  for (const auto& [set, word] : words) point[run.program().find_set(set)] = run.program().set(run.program().find_set(set)).index.at(word);
  const Answer answer = e.ask(*run.program().find(name), point);
  REQUIRE_MESSAGE(answer.known(), answer.error->message);
  return answer.value.scalar.value;
}

/// Lists the sends of the ranks in a layer's forward phase, `kind tensor`, in order.
std::vector<std::string> sent_forward(const Run& run, const std::string& segment) {
  std::vector<std::string> out;
  for (const Transfer& t : run.annotations().transfers) {
    if (t.phase == Phase::forward && t.cadence == Cadence::microbatch && run.graph().segments[t.segment].name == segment)
      out.push_back((t.kind == Collective::all_reduce ? "all-reduce " : t.kind == Collective::point_to_point ? "send " : "other ") + t.name);
  }
  return out;
}

}  // namespace

TEST_CASE("new layer: its state and the entries of its convolutions are cached, as are keys and values") {
  const auto run = gated_linear("{tp: 1}", "serving", kRequests);
  // Bytes of a sequence in a linear layer: 4 · 64 · 128 numbers of 4 bytes, and 3 tokens of 256, 256 and 512 channels
  // of 2 bytes. The other layers have 2 · 2 · 64 · 2 bytes per token.
  const double linear = 4 * 64 * 128 * 4 + 3 * (256 + 256 + 512) * 2, token = 2 * 2 * 64 * 2;
  CHECK(linear == 137216);
  CHECK(value(*run, "cache_bytes_per_sequence") == 6 * linear + 2 * token * 1101);
  CHECK(value(*run, "cache_bytes_per_token") == 2 * token);
  // 2 ranks have 2 heads each. Of 4 ranks two share a head of keys and values, but none a head of linear attention
  CHECK(value(*gated_linear("{tp: 2}", "serving", kRequests), "cache_bytes_per_sequence") == (6 * linear + 2 * token * 1101) / 2);
  CHECK(value(*gated_linear("{tp: 4}", "serving", kRequests), "cache_bytes_per_sequence") == 6 * linear / 4 + 2 * token * 1101 / 2);
  // The cache does not grow without softmax attention.
  const auto alone = gated_linear("{tp: 1}", "serving", {{"prompt", "100000"}, {"output", "1000"}, {"softmax_layers", "false"}, {"page", "1"}});
  CHECK(value(*alone, "cache_bytes_per_token") == 0);
  CHECK(value(*alone, "cache_bytes_per_sequence") == 6 * linear);
}

TEST_CASE("new layer: a step of generation reads and writes its states whole") {
  const auto run = gated_linear("{tp: 1}", "serving", kRequests);
  const deployments::Words decode = {{"pass", "decode"}};
  // 4 tokens, 4 heads: with a score of one pair, into the state and out of it
  CHECK(of_node(*run, "work", "linear.mixer.core", decode) == 16 * (2 * 64 + 2 * 128 + 2 * 2 * 64 * 128));
  // q, k, g, v and y, and the states
  CHECK(of_node(*run, "moved_bytes", "linear.mixer.core", decode) == 16 * 2 * (3 * 64 + 2 * 128) + 2 * 4 * 131072);
  // 1 token and 3 before it of 512 channels, the result, filters of 4 taps and their biases
  CHECK(of_node(*run, "moved_bytes", "linear.mixer.value_conv", decode) == 4 * (512 + 512) * 2 + 2 * 4 * 3 * 512 * 2 + 5 * 512 * 2);
}

TEST_CASE("new layer: time of a step is that of all bytes, counted by hand") {
  const auto run = gated_linear("{tp: 1}", "serving", kRequests);
  // weights of a linear layer: q and k, v, gate and output, filters, forgetting, norms, MLP; of a softmax layer: q and output, k and v, norms, MLP
  const double mlp = 3 * 256 * 512, linear_weights = 2 * 65536 + 3 * 131072 + 5 * 1024 + 2 * 16 * 256 + 128 + 512 + mlp,
               softmax_weights = 2 * 65536 + 2 * 32768 + 512 + mlp;
  CHECK(value(*run, "parameters_total") == 6 * linear_weights + 2 * softmax_weights + 2 * 256000 + 256);
  // operands and results of a token, in elements: of the mixer, and of the MLP with its norm and the addition behind it
  const double mlp_elements = 512 + 2 * 768 + 1024 + 1536 + 768 + 768;
  const double products = 2 * 512 + 768 + 2 * 272 + 768 + 768, convolutions = 512 + 512 + 1024, gates = 512 + 1024 + 1536, core = 3 * 256 + 512 + 512 + 1024;
  const double linear_elements = 512 + products + convolutions + gates + core + 768 + mlp_elements;
  const double softmax_elements = 512 + 512 + 512 + 384 + 256 + 384 + 256 + 256 + 512 + 768 + mlp_elements;
  // 4 sequences half-way through their responses: 1050.5 keys and values of 512 bytes, of each head's scores one number of 4
  const double linear = 4 * (2 * linear_elements + 2 * 137216), softmax = 4 * (2 * softmax_elements + 4 * 4 + 1050.5 * 512);
  const double table = 4 * (8 + 2 * 512), head = 4 * (2 * 512 + 2 * 512 + 2 * 1256 + 6 * 1000) + 2 * 256256;
  const double bytes = 2 * (6 * linear_weights + 2 * softmax_weights) + 6 * linear + 2 * softmax + table + head;
  CHECK(bytes == 26078112);
  CHECK(deployments::at(*run, "bytes_moved_per_rank", {{"pass", "decode"}}) == bytes);
  CHECK(near(value(*run, "decode_pass"), bytes / 4e12, 1e-12));
  CHECK(value(*run, "model_bandwidth_use") == doctest::Approx(1).epsilon(1e-12));
  // tokens come at the pace of passes, some of which carry prompts
  CHECK(value(*run, "tpot") > value(*run, "decode_pass"));
  CHECK(near(value(*run, "tpot"), value(*run, "mean_pass"), 1e-12));
  CHECK(value(*run, "ttft") > value(*run, "prefill_time"));
}

TEST_CASE("new layer: heads over ranks, with the messages of attention and of its MLP") {
  const auto run = gated_linear("{tp: 2}", "serving", kRequests);
  CHECK(sent_forward(*run, "linear") == std::vector<std::string>{"all-reduce linear.mixer.output", "all-reduce linear.mlp.down"});
  // 17 of them, with the embedding's: 4 tokens of 256 numbers; each of two ranks sends half of them twice
  CHECK(near(value(*run, "decode_communication_time"), 17 * (4 * 256 * 2) / 400e9, 1e-12));
}

TEST_CASE("new layer: it is trained like any other, and where the sequence is split hands on its state and last tokens") {
  const auto run = gated_linear("{dp: 2, cp: 2, tp: 2}", "standard", {{"batch_size", "4"}, {"microbatch_size", "1"}}, "megatron");
  // chunks of 64 tokens: scores, their sum over values, into the state and out of it; twice that backward
  const double core = 2048.0 * 4 * (2 * 64 * 64 + 2 * 64 * 128 + 2 * 2 * 64 * 128);
  CHECK(of_node(*gated_linear("{tp: 1}", "standard", {}, "megatron"), "flops", "linear.mixer.core") == core);
  CHECK(sent_forward(*run, "linear") == std::vector<std::string>{"send linear.mixer.query", "send linear.mixer.key", "send linear.mixer.value",
                                                                 "send linear.mixer.core.state", "all-reduce linear.mixer.output",
                                                                 "all-reduce linear.mlp.down"});
  const Elements& all = run->evaluator().elements(kTransferSet);
  const auto bytes = [&](const std::string& name) {
    const auto found = std::find(all.names.begin(), all.names.end(), name);
    REQUIRE_MESSAGE(found != all.names.end(), name);
    return all.fields.at("bytes")[static_cast<std::size_t>(found - all.names.begin())].scalar.value;
  };
  CHECK(bytes("linear.mixer.core.state") == 2 * 64 * 128 * 4);
  CHECK(bytes("linear.mixer.value") == 3 * 2 * 128 * 2);
  CHECK(value(*run, "iteration_time") > 0);
  CHECK(value(*run, "parameters_total") == 7281664);
  CHECK(near(value(*run, "model_flops"),
             4 * value(*gated_linear("{tp: 1}", "standard", {{"batch_size", "1"}, {"microbatch_size", "1"}}, "megatron"), "model_flops"), 1e-12));
}

}  // namespace opledger
