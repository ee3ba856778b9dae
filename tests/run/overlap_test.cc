#include "tests/run/random_overlaps.h"
#include "tests/support/random_count.h"

/// Overlap by rules, with closed formulas.
namespace opledger::round_numbers {

TEST_CASE("overlap: tensor parallel, during the product that reads or computes the message") {
  // Each product on 4 ranks takes 2 s at 1 Gi/s. A gather or reduce-scatter of 2 MiB sends 1.5 MiB. Each of two
  // layers has four: forward gather (up) and scatter (down), backward gather (down) and scatter (up). Each can be
  // hidden by one product of 2 s. In a ring of 4 ranks 3/4 of the product can hide a message; in 4 pieces too, but
  // one piece of the message is exposed.
  struct Case {
    const char* rules;
    Machine machine;
    double link, exposed;  ///< Seconds of one message.
  };
  const Case cases[] = {
      {"", {1, 1.5}, 1, 1},                                     // without a rule no message is hidden
      {"overlap_tp_ring", {1, 1.5}, 1, 0},                      // 1 s behind 1.5 s
      {"overlap_tp_ring", {1, 0.75}, 2, 0.5},                   // 2 s, of which 1.5 s are hidden
      {"overlap_tp_ring", {1, 0.1875}, 8, 6.5},                 //
      {"overlap_tp_ring", {1, 1.5, 0.25}, 1, 0.25},             // hidden, but a quarter of the processor is used for 1 s
      {"overlap_tp_ring", {1, 0.75, 0.125}, 2, 0.5},            // the processor is done after 1.5 s + 0.25 s: before the link
      {"overlap_tp_ring", {1, 0.75, 0.5}, 2, 1},                // ... and here after 1.5 s + 1 s: the step is longer by that 1 s
      {"overlap_tp_ring", {1e9, 1.5}, 1, 1},                    // computing is too short to hide the message
      {"overlap_tp_ring", {1e-9, 1.5}, 1, 0},                   // unlimited compute
      {"overlap_tp_pipelined", {1, 1.5}, 1, 0.25},              // one piece; the other 0.75 s hide behind 1.5 s
      {"overlap_tp_pipelined", {1, 0.375}, 4, 1 + 1.5},         // a piece of 1 s; 3 s behind 1.5 s
      {"overlap_tp_pipelined", {1, 1.5, 0.2}, 1, 0.4},          // 0.25 s + 0.2 x 0.75 s
      {"overlap_tp_pipelined", {1e9, 1.5}, 1, 1},               //
      {"overlap_tp_pipelined", {1e-9, 1.5}, 1, 0.25},           // the last piece is always exposed
      {"overlap_tp_pipelined", {1, 1.5, 0, 0.01}, 1.12, 0.28},  // 3 steps of 10 ms for each of 4 pieces, 1 s + 0.12 s; 1.03 s without overlap
  };
  for (const Case& c : cases) {
    const std::string names = sequence_parallel() + (*c.rules != 0 ? std::string(", ") + c.rules : "");
    CAPTURE(c.rules);
    CAPTURE(c.link);
    CHECK(metric(products(), "{tp: 4}", names, c.machine, "exposed_time") == doctest::Approx(8 * c.exposed).epsilon(1e-6));
    const std::string bare = *c.rules != 0 ? names : sequence_parallel();
    const double end = metric(products(), "{tp: 4}", bare, c.machine, "gradient_time");  // Gradient reduction of the embedding over tp.
    CHECK(metric(products(), "{tp: 4}", bare, c.machine, "link_seconds") - end == doctest::Approx(8 * c.link).epsilon(1e-6));
  }
}

TEST_CASE("overlap: a ring computes its products in parts") {
  // Launching a product takes 1 s, all else nothing. On 4 ranks each product beside a ring is 4 products: forward both
  // products of a layer, and both input gradients. Each weight gradient is one product: its gather is not in a ring.
  const auto time = [](const std::string& more, const char* ranks, const char* name) {
    const std::string file =
        write("execution", fmt::format("kind: execution\nmesh: {{tp: {}}}\nrules: [{}{}]\nbatch_size: 1\n", ranks, sequence_parallel(), more));
    const auto path = [](const std::string& document) { return (desk().path() / document).string(); };
    return value(*prepare(path(products()), path(file), path(machine({1e9, 1e9})),
                          {{"system.multiprocessors", "1"}, {"system.kernels.product.bf16.rate", "1"}, {"system.kernels.product.bf16.launch", "1 s"}}),
                 name);
  };
  const std::string ring = ", overlap_tp_ring";
  CHECK(time("", "4", "forward_time") == doctest::Approx(2 * 2));
  CHECK(time(ring, "4", "forward_time") == doctest::Approx(2 * 2 * 4));
  CHECK(time("", "4", "backward_time") == doctest::Approx(2 * 4));
  CHECK(time(ring, "4", "backward_time") == doctest::Approx(2 * (2 * 4 + 2)));
  CHECK(time(ring, "2", "forward_time") == doctest::Approx(2 * 2 * 2));
  CHECK(time(ring, "1", "forward_time") == doctest::Approx(2 * 2));  // A ring of one rank changes nothing.
}

TEST_CASE("overlap: what hides behind the same computing shares it") {
  // Forward gather and scatter of 1 s each, both behind `down` alone, of 2 s: nothing is left over at 2 MiB/s (0.75 s each); at 0.75 MiB/s 4 s behind 2 s.
  const std::string concurrent = rules(
      "mark:\n  - {match: {axis: tp, phase: forward, carries: activation}, message: {overlap: beside}}\n"
      "  - {match: {name: down}, node: {beside: true}}\n");
  const std::string names = sequence_parallel() + ", " + concurrent;
  CHECK(metric(products(), "{tp: 4}", names, {1, 2}, "exposed_time") == doctest::Approx(2 * (0 + 1.5)));   // per layer: backward's 2 x 0.75 s as they are
  CHECK(metric(products(), "{tp: 4}", names, {1, 0.75}, "exposed_time") == doctest::Approx(2 * (2 + 4)));  // 4 s - 2 s; backward's 2 x 2 s
}

TEST_CASE("overlap: computing is shared by what messages can use, not by their time on the link") {
  // A message of 1.5 MiB takes 2 s at 0.75 MiB/s. During `down`, 2 s of forward, two messages are sent: the scatter
  // of its result, in a ring that can use 3/4 of it, 1.5 s; and the gather before `up`, which a rule hides behind
  // `down` and which could use all of it. Alone the ring leaves 0.5 s. Together they claim 3.5 s of 2 s, and hide 2 s
  // of their 4. Backward hides nothing: 2 x 2 s for each of two layers.
  const std::string ring =
      rules("mark:\n  - {match: {axis: tp, phase: forward, carries: activation, name: down, collective: reduce-scatter}, message: {overlap: ring}}\n");
  const std::string concurrent = rules(
      "mark:\n  - {match: {axis: tp, phase: forward, carries: activation, name: up, collective: all-gather}, message: {overlap: beside}}\n"
      "  - {match: {name: down}, node: {beside: true}}\n");
  const auto exposed = [&](const std::string& more, const Machine& m) { return metric(products(), "{tp: 4}", sequence_parallel() + more, m, "exposed_time"); };
  CHECK(exposed(", " + ring, {1, 0.75}) == doctest::Approx(2 * (2 + 0.5 + 4)));
  CHECK(exposed(", " + concurrent, {1, 0.75}) == doctest::Approx(2 * (2 + 0 + 4)));
  CHECK(exposed(", " + ring + ", " + concurrent, {1, 0.75}) == doctest::Approx(2 * (4 - 2 + 4)));
  // Messages use half of the processor: claims of 1 s each, and 1 s exposed of each; more computing changes nothing.
  CHECK(exposed(", " + ring + ", " + concurrent, {1, 0.75, 0.5}) == doctest::Approx(2 * (1 + 1 + 4)));
}

TEST_CASE("overlap: context parallel, ring attention") {
  // Attention on 4 ranks is 1 Gi operations forward and 2.5 backward. Keys and values, 2 MiB each, travel in rings
  // that send 1.5 MiB; 0.5 s at 3 MiB/s. Forward sends 2 of these during 3/4 x 1 s; backward sends 4 (both again, and
  // their gradients) during 3/4 x 2.5 s.
  const std::string split = rules("shard: [{batch: dp}, {seq: cp}]\n") + ", ring", whole = "batch_size: 1\nmasked_tiles: computed\n";
  CHECK(metric(attentions(), "{cp: 4}", split, {1, 3}, "exposed_time") == doctest::Approx(3));
  CHECK(metric(attentions(), "{cp: 4}", split + ", overlap_cp_ring", {1, 3}, "exposed_time", whole) == doctest::Approx(0.25 + 0.125));
  CHECK(metric(attentions(), "{cp: 4}", split + ", overlap_cp_ring", {1e9, 3}, "exposed_time") == doctest::Approx(3));
  CHECK(metric(attentions(), "{cp: 4}", split + ", overlap_cp_ring", {1e-9, 3}, "exposed_time") == doctest::Approx(0));
  // Contiguous parts are uneven: the last rank has 3.5 blocks, the mean is 2: 1.75 times. Half of the square counts,
  // (1 + 1/1024) / 2.
  const std::string causal = "batch_size: 1\nattention_flops: causal\n";
  const double even = metric(attentions(), "{cp: 4}", split, {1, 3}, "forward_time", causal);
  const double uneven = metric(attentions(), "{cp: 4}", split + ", cp_contiguous", {1, 3}, "forward_time", causal);
  CHECK(uneven - even == doctest::Approx(0.75 * (1 + 1 / 1024.0) / 2));
  // The defect cp_contiguous does not depend on the counted FLOPs: parts are uneven if, and only if, kernels skip
  // masked entries.
  const std::pair<std::string, double> counts[] = {{"", (1 + 1 / 1024.0) / 2}, {"attention_flops: full\n", 1}};
  for (const auto& [rest, counted] : counts) {
    const auto forward = [&, counts = rest](const std::string& with, const std::string& more) {
      return metric(attentions(), "{cp: 4}", split + with, {1, 3}, "forward_time", "batch_size: 1\n" + (counts + more));
    };
    CHECK_MESSAGE(forward(", cp_contiguous", "") - forward("", "") == doctest::Approx(0.75 * counted), rest);
    CHECK_MESSAGE(forward(", cp_contiguous", "masked_tiles: computed\n") == forward("", "masked_tiles: computed\n"), rest);
  }
}

TEST_CASE("overlap: sharded weights are gathered for the next layer") {
  // A product takes 8 s with dp 2: forward 16 s a layer, backward twice 16 s. The 16 MiB of a layer's weights are
  // gathered forward and backward, their gradients scattered: 8 MiB each. The table of the embedding, 128 KiB, is
  // gathered forward and its gradient scattered; nothing hides these: 2 / 16 s at 1 MiB/s.
  const std::string sharded = rules("shard: [{batch: dp}]\nweights: [{optimizer: dp, gradient: dp, stored: dp}]\n");
  const std::string batch = "batch_size: 2\n", names = sharded + ", overlap_zero3_prefetch";
  const auto exposed = [&](const std::string& with, const Machine& m, const std::string& rest) {
    return metric(products(), "{dp: 2}", with, m, "exposed_time", rest);
  };
  CHECK(exposed(sharded, {1, 1}, batch) == doctest::Approx(2 * 3 * 8 + 0.125));
  CHECK(exposed(names, {1, 1}, batch) == doctest::Approx(3 * 8 + 0.125));  // The first message of each pass.
  CHECK(exposed(names, {1, 0.25}, batch) ==
        doctest::Approx(3 * (2 * 16 + 16) + 0.5));                               // 32 s of messages during 16 s of computing; the remainder is exposed once
  CHECK(exposed(names, {1e9, 1}, batch) == doctest::Approx(2 * 3 * 8 + 0.125));  //
  CHECK(exposed(names, {1, 1, 0.25}, batch) == doctest::Approx(2 * 3 * 2 + 3 * 6 + 0.125));  // A quarter of 8 s as slower compute; the 6 s hidden, once.
  CHECK(exposed(names, {1, 1}, batch + "prefetch_depth: 0\n") == doctest::Approx(2 * 2 * 8 + 8 + 0.125));  // Only the reductions are hidden.
  // Memory has one gathered layer, and each layer gathered ahead: one of two layers. Half of 16 MiB are stored here
  // anyway.
  const auto memory = [&](const std::string& depth) { return metric(products(), "{dp: 2}", names, {}, "memory", batch + "prefetch_depth: " + depth + "\n"); };
  CHECK(memory("1") - memory("0") == doctest::Approx(8 * 1048576));
  CHECK(memory("2") == memory("1"));
  CHECK(memory("1") == doctest::Approx(metric(products(), "{dp: 2}", sharded, {}, "memory", batch)));
}

TEST_CASE("overlap: gradients are reduced in buckets behind the last backward") {
  // Two layers of 16 MiB and a table of 1/8 MiB are all-reduced over 2 ranks: as many bytes are sent. Backward takes 2 x 32 s. Buckets of 8 MiB: 64/257 of all.
  const std::string split = rules("shard: [{batch: dp}]\n"), rest = "batch_size: 2\nbucket_size: 8 * 1.048576\n";
  const std::string names = split + ", overlap_dp";
  const auto time = [&](const std::string& with, const Machine& m) {
    return metric(products(), "{dp: 2}", with, m, "gradient_time", with == split ? "batch_size: 2\n" : rest);
  };
  CHECK(time(split, {1, 1}) == doctest::Approx(32.125));
  CHECK(time(names, {1, 1}) == doctest::Approx(8));                            // the last bucket
  CHECK(time(names, {1, 0.25}) == doctest::Approx(128.5 - 64 * 193.0 / 257));  // The remaining 96.5 s hide behind 193/257 of 64 s.
  CHECK(time(names, {1e9, 1}) == doctest::Approx(32.125));                     //
  CHECK(time(names, {1, 1, 0.5}) == doctest::Approx(8 + 24.125 / 2));          // Other messages use half of the processor.
  // ZeRO 1: scattered, 16.0625 MiB sent, behind backward; gathered, as many, behind forward of 2 x 16 s.
  const std::string one = rules("shard: [{batch: dp}]\nweights: [{optimizer: dp}]\n");
  CHECK(metric(products(), "{dp: 2}", one + ", overlap_dp", {1, 1}, "gradient_time", rest) == doctest::Approx(2 * 4));
  CHECK(metric(products(), "{dp: 2}", one + ", overlap_dp", {1, 1}, "gradient_time", rest + "overlap_gather: false\n") == doctest::Approx(4 + 16.0625));
}

TEST_CASE("overlap: gradients of chunks are reduced while the pipeline drains") {
  const auto seconds = [](const char* drains, const char* chunks) {
    return value(*prepare("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"reduces_in_drain", drains}, {"chunks", chunks}}), "gradient_time");
  };
  CHECK(seconds("true", "5") < seconds("false", "5"));
  CHECK(seconds("true", "1") == seconds("false", "1"));
}

TEST_CASE("defect rules: hsdp all-reduces over the groups once a step, behind the last backward") {
  const auto run = [](const std::string& mesh, const std::string& rules, const Settings& settings = {}) {
    return prepare("llama-2-7b", execution(mesh, "megatron, " + rules, "batch_size: 128\nmicrobatch_size: 1\nseq: 1024\n"), "h100-80g-sxm", settings);
  };
  const std::string groups = "{dp: {rep: 4, fsdp: 8}}";
  const auto once = run(groups, "overlap_zero3_prefetch, overlap_dp, hsdp"),
             often = run(groups, "overlap_zero3_prefetch, hsdp", {{"all_reduce_every_microbatch", "true"}});
  // 4 microbatches; a ring of 4 sends 2 * 3/4 of an eighth of the gradients
  const double all_reduce = 1.5 * value(*once, "parameters_total") * 2 / 8;
  CHECK(near(value(*often, "communication_bytes") - value(*once, "communication_bytes"), 3 * all_reduce, 1e-9));
  CHECK(value(*once, "iteration_time") < value(*often, "iteration_time"));
  // groups of a node send no weights over the slower network
  CHECK(value(*once, "iteration_time") < value(*run("{dp: {fsdp: 32}}", "overlap_zero3_prefetch, fsdp"), "iteration_time"));
  // one bucket of the all-reduce is exposed where the last backward is long enough
  const Settings longer = {{"seq", "4096"}};
  const double hidden = value(*run(groups, "overlap_zero3_prefetch, overlap_dp, hsdp", longer), "gradient_time");
  CHECK(hidden < value(*run(groups, "overlap_zero3_prefetch, hsdp", longer), "gradient_time") / 20);
}

TEST_CASE("overlap: sends between stages") {
  // Two stages of one layer, 4 microbatches: 16 s forward, 32 s backward, a send of 2 MiB each way. 1F1B: 4 passes and one more to fill and drain.
  const std::string split = rules("shard: [{layer: pp}]\n"), rest = "batch_size: 4\n";
  const auto time = [&](const std::string& with, const Machine& m) { return metric(products(), "{pp: 2}", with, m, "iteration_time", rest); };
  CHECK(time(split, {1, 1}) == doctest::Approx(5 * (48 + 4)));
  CHECK(time(split + ", overlap_pp", {1, 1}) == doctest::Approx(4 * 48 + 52));                   // Exposed only while the pipeline fills and drains.
  CHECK(time(split + ", overlap_pp", {1, 0.0625}) == doctest::Approx(4 * (48 + 16) + 48 + 64));  // 32 s each way, behind 16 s and 32 s
}

TEST_CASE("overlap: less time, never less than the links or the computing need, and more of either never helps") {
  const std::string all = "megatron, zero_1, ring, overlap_tp_ring, overlap_cp_ring, overlap_dp, overlap_pp";
  const std::string rest = "batch_size: 16\nsequence_parallel: true\nseq: 8192\n", mesh = "{pp: 2, dp: 2, cp: 2, tp: 4}";
  double last = 0;
  for (const double network : {1e6, 3e4, 1e4, 1e3, 1e2}) {
    const auto with = run_of("llama-3-8b", mesh, all, {1e6, network}, rest);
    const auto without = run_of("llama-3-8b", mesh, "megatron, zero_1, ring", {1e6, network}, rest);
    const double now = value(*with, "iteration_time");
    CHECK(now <= value(*without, "iteration_time") * (1 + 1e-12));
    CHECK(now >= value(*with, "link_seconds") * (1 - 1e-12));
    CHECK(value(*with, "exposed_seconds") <= value(*with, "link_seconds") * (1 + 1e-12));
    CHECK(value(*with, "link_seconds") == doctest::Approx(value(*without, "link_seconds")));
    CHECK(now >= last);
    last = now;
  }
}

TEST_CASE("overlap: whatever is hidden already, one more rule never makes a step longer") {
  RandomOverlaps random(11);
  for (int i = 0; i < 16; i += testing::one_of(3)) {
    Overlappable o = random.next();
    double last = value(*run_of(o.model, o.mesh, o.rules, o.machine, o.fields), "iteration_time");
    for (const auto& [rule, options] : o.more) {
      o.rules += ", " + rule;
      o.fields += options;
      const double now = value(*run_of(o.model, o.mesh, o.rules, o.machine, o.fields), "iteration_time");
      CHECK_MESSAGE(now <= last * (1 + 1e-9), o.model, " ", o.mesh, " [", o.rules, "] ", o.fields);
      last = now;
    }
  }
}

TEST_CASE("offload: activations") {
  // Each layer keeps x and the wide tensor, 2 + 8 MiB: out in forward, in again in backward. Forward takes 16 s a
  // layer, the input gradients too.
  const std::string plain = rules("shard: [{batch: dp}]\n");
  const std::string names = plain + ", " + rules("mark:\n  - {match: {segment: decoder}, saved: {on_host: true}}\n"), hidden = names + ", overlap_offload";
  const auto figure = [&](const std::string& with, const Machine& m, const char* name) { return metric(products(), "{dp: 1}", with, m, name); };
  CHECK(figure(plain, {}, "offload_time") == 0);
  CHECK(figure(names, {}, "offload_time") == doctest::Approx(40));
  CHECK(figure(names, {}, "iteration_time") - figure(plain, {}, "iteration_time") == doctest::Approx(40));
  CHECK(figure(hidden, {}, "offload_time") == doctest::Approx(20));  // The first transfer out and the last transfer in.
  // A slow link: 40 s a layer each way. Forward hides 16 s, both gradients together 32 s; an edge layer hides nothing.
  CHECK(figure(hidden, {1, 1, 0, 0, 0.25}, "offload_time") == doctest::Approx(2 * (40 - 16) + 16 + 2 * (40 - 32) + 32));
  CHECK(figure(hidden, {1e9, 1}, "offload_time") == doctest::Approx(40));  // No compute to hide the transfers.
  CHECK(figure(hidden, {1, 1, 0, 0, 0.25}, "offload_link_time") == doctest::Approx(160));
  CHECK(figure(names, {}, "offload_bytes") == 40 * 1048576);
  CHECK(figure(names, {}, "host_bytes_per_rank") == 20 * 1048576);
  CHECK(figure(names, {}, "offload_bandwidth") == doctest::Approx(10 * 1048576 / 16.0));
  CHECK(figure(plain, {}, "memory") == doctest::Approx(figure(names, {}, "memory")));  // Two layers save as much as two buffers.
  const auto deep = [&](const std::string& with) { return metric(products(), "{dp: 1}", with, {}, "memory", "batch_size: 1\nlayers: 10\n"); };
  CHECK(deep(plain) - deep(names) == doctest::Approx((10 - 2) * 10 * 1048576));
}

TEST_CASE("offload: weights, gradients and optimizer states") {
  // The weights of a layer, 16 MiB, come in for forward and for backward; gradients of 32 MiB (4 bytes) go out after backward and in again for the step.
  const auto names = [](const std::string& marks) { return rules("shard: [{batch: dp}]\nmark:\n  - {match: {segment: decoder}, weight: {" + marks + "}}\n"); };
  const auto figure = [&](const std::string& with, const Machine& m, const char* name) { return metric(products(), "{dp: 1}", with, m, name); };
  const Machine helping{1, 1, 0, 0, 1, 1, 1};
  CHECK(figure(names("on_host: true"), {}, "offload_time") == doctest::Approx(4 * 16));
  CHECK(figure(names("on_host: true") + ", overlap_offload", {}, "offload_time") == doctest::Approx(2 * 16));  // 16 s behind 16 s; the first of each pass
  CHECK(figure(names("gradient_on_host: true"), {}, "offload_time") == doctest::Approx(4 * 32));
  // States and master weights: 12 bytes for each of 16 Mi. They pass through the device and back at the same time; or the host updates them, and gradients of
  // 64 MiB go out, weights of 32 MiB come back. AdamW then reads and writes 30 bytes for each, 480 MiB.
  CHECK(figure(names("states_on_host: true"), {}, "offload_time") == doctest::Approx(192));
  CHECK(figure(names("states_on_host: true"), helping, "offload_time") == doctest::Approx(64 + 32 + 480));
  CHECK(figure(names("states_on_host: true") + ", overlap_offload", helping, "offload_time") == doctest::Approx(480));
  CHECK(figure(names("states_on_host: true, gradient_on_host: true"), helping, "offload_time") == doctest::Approx(2 * 32 + 32 + 480));
  CHECK(figure(names("states_on_host: true"), {}, "host_bytes_per_rank") == 192 * 1048576);
  CHECK(figure(names(""), {}, "memory") - figure(names("states_on_host: true"), helping, "memory") == doctest::Approx(192 * 1048576));
}

TEST_CASE("defect field 12: the host of a shipped machine updates, in one pass or operation by operation as the stack does") {
  const auto run = [](const std::string& stack) {
    return prepare("gpt2", execution("{dp: 1}", "megatron, offload_optimizer", kBatchOf16 + "gradients: fp32\n"), "h100-80g-sxm", {{"stack", stack}});
  };
  for (const auto& [stack, passes] : {std::pair{"megatron-core", 2.67}, {"none", 1.0}}) {
    CAPTURE(stack);
    const auto offloaded = run(stack);
    // gradients of 4 bytes go out, weights of 2 come back; 61 GB/s for 4 + 2 bytes and 2 * 12 of states and master weights
    const double parameters = value(*offloaded, "parameters_total"), copies = parameters * (4 + 2) / (64e9 * 0.95), update = parameters * 30 * passes / 61e9;
    CHECK(near(value(*offloaded, "offload_time"), copies + update, 1e-9));
    CHECK(value(*offloaded, "optimizer_time") == 0);
  }
}

TEST_CASE("offload: what does not fit the host is refused") {
  const auto run = run_of(products(), "{dp: 1}", rules("shard: [{batch: dp}]\n") + ", offload_optimizer", {}, "batch_size: 1\nlayers: 12\n");
  const auto found = run->violations(said());  // 12 layers: 1.125 GiB and the table's
  REQUIRE(found.size() == 1);
  CHECK(found[0].reason == "out of host memory");
}

TEST_CASE("overlap: gradients that are reduced while a pipeline drains make no larger batch faster") {
  const std::string run =
      execution("{pp: 4, dp: 64, cp: 1, tp: 8}", "megatron, zero_1", "batch_size: 64\nmicrobatch_size: 1\nsequence_parallel: true\nstack: nemo\nchunks: 20\n");
  double before = 0;
  for (const char* const batch : {"64", "128", "192", "256", "320"}) {
    const double seconds = value(*prepare("llama-3-70b", run, "h100-80g-sxm", {{"seq", "2048"}, {"batch_size", batch}}), "iteration_time");
    CHECK(seconds > before);
    before = seconds;
  }
}

TEST_CASE("overlap: a dispatch that is sent in pieces takes the times of its dispatcher") {
  // Pieces pay their fixed times again, but never more than the whole message for each piece.
  const auto seconds = [](const char* rules, const char* dispatcher, const char* name) {
    const std::string run = execution("{pp: 4, dp: {edp: 1, ep: 64}}", rules, "batch_size: 2048\nmicrobatch_size: 1\nstack: megatron-bridge\n");
    return value(*prepare("deepseek-v3", run, "gb200-nvl72", {{"dispatcher", dispatcher}}), name);
  };
  for (const char* const dispatcher : {"collectives", "deepep", "hybridep"}) {
    CAPTURE(dispatcher);
    CHECK(seconds("megatron, zero_1, overlap_expert", dispatcher, "exposed_time") < seconds("megatron, zero_1", dispatcher, "exposed_time"));
  }
  CHECK(seconds("megatron, zero_1, overlap_expert", "deepep", "exposed_time") != seconds("megatron, zero_1, overlap_expert", "hybridep", "exposed_time"));
}

}  // namespace opledger::round_numbers
