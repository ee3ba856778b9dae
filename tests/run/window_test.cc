#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Context parallelism of sliding windows: messages from previous ranks, computed by hand.
namespace opledger {
namespace {

struct Sent {
  int count = 0;
  double bytes = 0;
};

/// Returns the transfers for attention in one layer of a segment and phase.
Sent sent(Run& run, const std::string& segment, Phase phase, Collective kind) {
  Sent out;
  const Elements& all = run.evaluator().elements(kTransferSet);
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const Transfer& t = run.annotations().transfers[i];
    if (t.weight || t.phase != phase || t.kind != kind || run.graph().segments[t.segment].name != segment) continue;
    ++out.count;
    out.bytes += all.fields.at("bytes")[i].scalar.value;
  }
  return out;
}

}  // namespace

TEST_CASE("window: a rank asks for the keys and values before its own, no more than the window and no more than there are") {
  const struct {
    const char *model, *segment, *seq;
    int cp;
    double entries, kv_heads, head_dim;
  } kCases[] = {
      {"mistral-7b", "decoder", "32768", 4, 4095, 8, 128},  // A query attends to itself and 4095 previous tokens.
      {"mistral-7b", "decoder", "4096", 4, 3072, 8, 128},   // Wider than the part of all previous ranks.
      {"gemma-2-9b", "local", "8192", 4, 4095, 8, 256},     // Wider than one part of 2048: two previous ranks and one token.
      {"gpt-oss-20b", "local", "8192", 8, 127, 8, 64},
  };
  for (const auto& c : kCases) {
    const std::string mesh = "{dp: 2, cp: " + std::to_string(c.cp) + "}", rest = std::string("batch_size: 4\nmicrobatch_size: 1\nseq: ") + c.seq + "\n";
    const auto run = prepare(c.model, execution(mesh, "window_halo, megatron", rest));
    for (const Phase phase : {Phase::forward, Phase::agrad}) {
      const Sent margin = sent(*run, c.segment, phase, Collective::point_to_point);
      CHECK_MESSAGE(margin.count == 2, c.model);
      CHECK_MESSAGE(margin.bytes == 2 * 2 * c.entries * c.kv_heads * c.head_dim, c.model, " ", margin.bytes);
    }
    CHECK(sent(*run, c.segment, Phase::forward, Collective::all_gather).count == 0);
    CHECK(sent(*run, c.segment, Phase::agrad, Collective::reduce_scatter).count == 0);
  }
}

TEST_CASE("window: layers that see everything gather, and so do all layers without the rule") {
  const std::string rest = "batch_size: 4\nmicrobatch_size: 1\nseq: 8192\n";
  const auto halo = prepare("gemma-2-9b", execution("{dp: 2, cp: 4}", "window_halo, megatron", rest));
  const auto gathered = prepare("gemma-2-9b", execution("{dp: 2, cp: 4}", "megatron", rest));
  const double all = 2.0 * 2 * 8192 * 8 * 256;  // Keys and values of one sequence.
  CHECK(sent(*halo, "global", Phase::forward, Collective::all_gather).bytes == all);
  CHECK(sent(*halo, "global", Phase::forward, Collective::point_to_point).count == 0);
  CHECK(sent(*gathered, "local", Phase::forward, Collective::all_gather).bytes == all);
  for (const char* metric : {"model_flops", "hardware_flops", "parameters_total"}) CHECK(value(*halo, metric) == value(*gathered, metric));
}

}  // namespace opledger
