#include <fmt/core.h>

#include "tests/support/probe.h"

/// Seconds of collectives compared with values by hand. The cluster is fictitious: nodes of four processors with 100
/// GB/s and 1 us a step, connected by 10 GB/s and 10 us a step.
namespace opledger {
namespace {

struct Cluster {
  std::string near = "efficiency: 1", far = "efficiency: 1";
};

std::string written(const std::string& name, const std::string& text) {
  static TemporaryFolder folder;
  return folder.write(name, text).string();
}

std::string system_of(const Cluster& cluster) {
  static int number = 0;  // A library reads a path once.
  return written(fmt::format("cluster{}.yaml", number++), fmt::format(R"(kind: system
processors:
  matrix: {{peak: {{bf16: 100 Tflop/s, fp32: 100 Tflop/s}}, efficiency: 1}}
  vector: {{peak: {{bf16: 10 Tflop/s, fp32: 10 Tflop/s}}, efficiency: 1}}
memory: {{capacity: 80 GiB, bandwidth: 1000 GB/s, efficiency: 1}}
host_memory: {{capacity: 80 GiB, bandwidth: 10 GB/s, efficiency: 1}}
networks:
  - {{name: near, size: 4, bandwidth: 100 GB/s, latency: 1 us, {}}}
  - {{name: far, size: 1024, bandwidth: 10 GB/s, latency: 10 us, {}}}
combine: roofline
)",
                                                                      cluster.near, cluster.far));
}

/// Returns one metric for each formula, for the communicator of an axis.
std::vector<double> seconds(const std::string& mesh, const std::string& axis, const std::vector<std::string>& formulas, const Cluster& cluster = {},
                            const std::string& rest = "", const std::string& rules = "megatron") {
  std::vector<std::string> seen;
  for (const std::string& formula : formulas) seen.push_back(fmt::format("s max({} over communicator where communicator.name == '{}')", formula, axis));
  return probe("gpt2", execution(mesh, rules, "batch_size: 64\nmicrobatch_size: 1\n" + rest), seen, system_of(cluster));
}

struct Case {
  std::string formula;
  double expected;
};

void check(const std::string& mesh, const std::string& axis, const std::vector<Case>& cases, const Cluster& cluster = {}, const std::string& rest = "") {
  std::vector<std::string> formulas;
  for (const Case& c : cases) formulas.push_back(c.formula);
  const std::vector<double> found = seconds(mesh, axis, formulas, cluster, rest);
  for (std::size_t i = 0; i < cases.size(); ++i)
    CHECK_MESSAGE(near(found[i], cases[i].expected, 1e-12), mesh, " ", cases[i].formula, ": ", found[i], " expected ", cases[i].expected);
}

std::string by(const char* algorithm, const char* kind, const char* size) { return fmt::format("method.{}.(seconds_by({}, {}))", algorithm, kind, size); }

}  // namespace

TEST_CASE("collectives: four ranks of one node") {
  // 400 MB take 4 ms at 100 GB/s. A ring has 3 steps of 100 MB; pairwise exchange too. Trees are two levels deep, up and down.
  check("{dp: 4}", "dp",
        {{by("ring", "all_gather", "400 MB"), 3e-6 + 3e-3},
         {by("ring", "reduce_scatter", "400 MB"), 3e-6 + 3e-3},
         {by("ring", "all_reduce", "400 MB"), 6e-6 + 6e-3},
         {by("rings", "all_reduce", "400 MB"), 6e-6 + 6e-3},
         {by("ring", "all_to_all", "400 MB"), 3e-6 + 3e-3},
         {by("ring", "point_to_point", "400 MB"), 1e-6 + 4e-3},
         {by("tree", "all_reduce", "400 MB"), 4e-6 + 8e-3},
         {by("direct", "all_to_all", "400 MB"), 1e-6 + 3e-3},
         {by("hierarchical", "all_reduce", "400 MB"), 6e-6 + 6e-3},
         {by("in_network", "all_reduce", "400 MB"), 6e-6 + 6e-3},  // No switch reduces, so a ring is used.
         {"seconds_of(all_reduce, 400 MB, cheapest)", 6e-6 + 6e-3},
         {"seconds_of(all_reduce, 400 kB, cheapest)", 6e-6 + 6e-6},
         {"seconds_of(all_reduce, 40 kB, cheapest)", 4e-6 + 0.8e-6},  // a tree: fewer steps
         {"seconds_of(slice, 400 MB, cheapest)", 0}});
  check("{dp: 4}", "dp", {{by("in_network", "all_reduce", "400 MB"), 2e-6 + 4e-3}}, {"efficiency: 1, in_network_reduction: true", "efficiency: 1"});
}

TEST_CASE("collectives: without switches a group uses the links between its members") {
  // Four processors with three links each, 100 GB/s together: two ranks have one of them, four all. 400 MB at 33 GB/s, half of it: 6 ms.
  const Cluster mesh{"efficiency: 1, joined: mesh", "efficiency: 1"};
  check("{dp: 2}", "dp", {{by("rings", "all_gather", "400 MB"), 1e-6 + 6e-3}, {by("ring", "point_to_point", "400 MB"), 1e-6 + 12e-3}}, mesh);
  check("{dp: 4}", "dp", {{by("rings", "all_gather", "400 MB"), 3e-6 + 3e-3}}, mesh);
  // A ring of four: two links. Two ranks have one of them; four go round, both ways. A byte for each of the others goes 4/3 as far as one for a neighbour.
  const Cluster torus{"efficiency: 1, joined: torus, sides: {first: 4}", "efficiency: 1"};
  check("{dp: 2}", "dp", {{by("rings", "all_gather", "400 MB"), 1e-6 + 4e-3}}, torus);
  check("{dp: 4}", "dp", {{by("rings", "all_gather", "400 MB"), 3e-6 + 3e-3}, {by("direct", "all_to_all", "400 MB"), 1e-6 + 4e-3}}, torus);
  check("{dp: 4}", "dp", {{by("rings", "all_gather", "400 MB"), 3e-6 + 6e-3}},
        {"efficiency: 1, joined: torus, sides: {first: 4}, wraps: false", "efficiency: 1"});
}

TEST_CASE("collectives: a domain is used in equal parts") {
  // Six ranks in domains of four are three and three, not four and two; nine are three times three.
  CHECK(seconds("{dp: 6}", "dp", {"1 s * joined(4, 0)", "1 s * part_of(128, 72)", "1 s * part_of(144, 72)", "1 s * part_of(9, 4)", "1 s * part_of(8, 72)"}) ==
        std::vector<double>{3, 64, 72, 3, 8});
}

TEST_CASE("collectives: as measured") {
  // 400 MB of four ranks: 300 MB pass each. base 5 us, 3 hops of 2 us, the ramp 10 ns x sqrt(300e6), 300 MB at 100 GB/s x 0.8 x (1 - 0.4 / 4). An all-reduce twice the hops
  // and bytes.
  const std::string constants = "{bandwidth: 0.8, base: 5 us, hop: 2 us, ramp: 10, few: 0.4}";
  const Cluster known{"efficiency: 1, collectives: {all_gather: " + constants + ", all_reduce: " + constants + "}", "efficiency: 1"};
  check("{dp: 4}", "dp",
        {{"seconds_of(all_gather, 400 MB, cheapest)", 5e-6 + 6e-6 + 10e-9 * std::sqrt(300e6) + 300e6 / 72e9},
         {"seconds_of(all_reduce, 400 MB, cheapest)", 5e-6 + 12e-6 + 10e-9 * std::sqrt(600e6) + 600e6 / 72e9},
         {"seconds_of(reduce_scatter, 400 MB, cheapest)", 3e-6 + 3e-3},  // The ring is computed, because this collective is not measured.
         {"seconds_of(all_gather, 400 MB, ring)", 3e-6 + 3e-3}},         // The ring is requested, so the formula is used.
        known);
  check("{dp: 8}", "dp", {{"seconds_of(all_gather, 800 MB, cheapest)", 3e-6 + 10e-6 + 16e-3}}, known);  // The outer network is not measured.
}

// Eight ranks in a row fill two nodes, whose four ports share the bytes. Two ranks over eight processors are on different nodes.
TEST_CASE("collectives: ranks of which only the distance is known share the ports of their nodes") {
  const std::string near = "{bandwidth: 0.8, base: 5 us, hop: 2 us, ramp: 10, few: 0.4}", far = "{bandwidth: 0.9, base: 20 us, hop: 4 us, ramp: 50}";
  const auto constants = [](const std::string& text) {
    return fmt::format("efficiency: 1, collectives: {{all_gather: {0}, all_reduce: {0}, reduce_scatter: {0}, all_to_all: {0}, point_to_point: {0}}}", text);
  };
  for (const Cluster& cluster : {Cluster{}, Cluster{constants(near), constants(far)}}) {
    for (const std::string ranks : {"4", "8", "32"}) {
      for (const std::string kind : {"all_gather", "all_reduce", "reduce_scatter"}) {
        const std::string unmeasured = fmt::format("seconds_of({}, 800 MB, rings)", kind), measured = fmt::format("measured_time({}, 800 MB, 1, 0)", kind);
        const std::vector<double> found =
            seconds(fmt::format("{{dp: {}}}", ranks), "dp",
                    {fmt::format("collective_time({}, 800 MB, {}, {})", kind, ranks, ranks), cluster.near == Cluster{}.near ? unmeasured : measured}, cluster);
        CHECK_MESSAGE(opledger::near(found[0], found[1], 1e-12), kind, " ", ranks, ": ", found[0], " expected ", found[1]);
      }
    }
  }
  check("{dp: 8}", "dp",
        {{"collective_time(all_reduce, 800 MB, 2, 8)", 20e-6 + 8e-6 + 50e-9 * std::sqrt(800e6) + 800e6 / 9e9},
         {"collective_time(all_to_all, 800 MB, 8, 8)", 20e-6 + 4e-6 + 3 * 2e-6 + 50e-9 * std::sqrt(400e6) + 400e6 / 9e9}},
        {constants(near), constants(far)});
}

// A token for two experts goes to each rank once, and crosses to the other node once: with even routing to 0.875 of its copies among four ranks,
// 0.9375 among eight, and to 0.75 of them among two nodes.
TEST_CASE("collectives: a library sends a token to a rank or a node once") {
  const Cluster cluster = {"efficiency: 1, dispatchers: {deepep: {bandwidth: 0.5, base: 10 us}}",
                           "efficiency: 1, dispatchers: {deepep: {bandwidth: 0.8, base: 30 us}}"};
  check("{dp: 4}", "dp", {{"dispatched_time(4 GB, 2, 0)", 10e-6 + 4e9 * 0.75 * 0.875 / 50e9}}, cluster, "dispatcher: deepep\n");
  check("{dp: 8}", "dp", {{"dispatched_time(4 GB, 2, 0)", 30e-6 + 4e9 * 0.5 * 0.75 / 8e9}}, cluster, "dispatcher: deepep\n");
  const Cluster fast = {cluster.near, "efficiency: 1, dispatchers: {deepep: {bandwidth: 3, base: 30 us}}"};
  check("{dp: 8}", "dp", {{"dispatched_time(4 GB, 2, 0)", 30e-6 + 4e9 * 0.75 * 0.9375 / 50e9}}, fast, "dispatcher: deepep\n");
}

// Two messages of tokens in forward and two in backward take the library's time; without its times, that of the collective.
TEST_CASE("collectives: tokens of experts take the time of the chosen library") {
  const auto seconds = [](const std::string& dispatcher, const std::string& rules) {
    const auto run = prepare("mixtral-8x7b", execution("{dp: {edp: 1, ep: 8}}", rules, "batch_size: 8\ndispatcher: " + dispatcher + "\n"), "b200-180g-sxm");
    return value(*run, "iteration_time");
  };
  const std::string once = "megatron, dispatch_once";
  CHECK(seconds("deepep", "megatron") == seconds("collectives", "megatron"));
  CHECK(seconds("two_sided", once) == seconds("collectives", once));
  CHECK(seconds("deepep", once) != seconds("collectives", once));
}

TEST_CASE("collectives: eight ranks of two nodes") {
  // One ring: seven steps of 100 MB at the pace of the crossing. Rings: 6 hops inside, 1 between. 800 MB 7/8 = 700 MB pass every rank, a quarter of it every
  // port, since four rings cross at once: 7 ms, 17.5 ms.
  // By levels: 600 MB inside (6 ms), 100 MB between (10 ms). Everybody to everybody: 300 MB inside (3 ms), 400 MB between (40 ms).
  check("{dp: 8}", "dp",
        {{by("rings", "all_gather", "800 MB"), 6e-6 + 10e-6 + 17.5e-3},
         {by("rings", "all_reduce", "800 MB"), 2 * (6e-6 + 10e-6 + 17.5e-3)},
         {by("ring", "all_gather", "800 MB"), 7 * (10e-6 + 10e-3)},
         {by("ring", "all_reduce", "800 MB"), 14 * (10e-6 + 10e-3)},
         {by("ring", "all_to_all", "800 MB"), 3 * (1e-6 + 1e-3) + 4 * (10e-6 + 10e-3)},
         {by("ring", "point_to_point", "800 MB"), 10e-6 + 80e-3},
         {by("tree", "all_reduce", "800 MB"), 4e-6 + 20e-6 + 40e-3},
         {by("direct", "all_to_all", "800 MB"), 10e-6 + 40e-3},
         {by("hierarchical", "all_to_all", "800 MB"), 1e-6 + 6e-3 + 10e-6 + 40e-3},
         {by("hierarchical", "all_gather", "800 MB"), 3e-6 + 6e-3 + 10e-6 + 10e-3},
         {by("hierarchical", "all_reduce", "800 MB"), 2 * (3e-6 + 6e-3 + 10e-6 + 10e-3)},
         {"seconds_of(all_reduce, 800 MB, cheapest)", 2 * (3e-6 + 6e-3 + 10e-6 + 10e-3)},
         {"seconds_of(all_reduce, 800 MB, 'tree')", 4e-6 + 20e-6 + 40e-3}});
  check("{dp: 8}", "dp", {{by("in_network", "all_reduce", "800 MB"), 2 * (3e-6 + 6e-3) + 20e-6 + 20e-3}},
        {"efficiency: 1", "efficiency: 1, in_network_reduction: true"});
  check("{dp: 8}", "dp", {{"seconds_of(all_reduce, 800 MB, cheapest)", 4e-6 + 20e-6 + 40e-3}}, {}, "collective_algorithm: tree\n");
}

TEST_CASE("collectives: where ranks lie follows from the order of the mesh, or from what the execution says") {
  const Case separate = {by("ring", "all_gather", "400 MB"), 30e-6 + 30e-3}, together = {by("ring", "all_gather", "400 MB"), 3e-6 + 3e-3};
  check("{dp: 4, tp: 4}", "dp", {separate});  // One rank on each of four nodes.
  check("{dp: 4, tp: 4}", "tp", {together});
  check("{tp: 4, dp: 4}", "dp", {together});
  check("{dp: 4}", "dp", {separate}, {}, "placed_on: {dp: far}\n");
  check("{dp: 4, tp: 4}", "dp", {together}, {}, "placed_on: {dp: near}\n");
  // Two of each node: 300 MB pass every rank, and half of it every port, since two rings cross at once. Of three hops two are inside.
  check("{dp: 4, tp: 2}", "dp", {{by("rings", "all_gather", "400 MB"), 2e-6 + 10e-6 + 15e-3}});
  // An axis of parts: both are sides of its communicator.
  check("{dp: {edp: 2, ep: 4}, tp: 2}", "dp", {{"1 s * product(communicator_axis.degree over communicator_axis)", 8.0}});
}

TEST_CASE("collectives: messages of a size reach a share of the bandwidth") {
  // Pieces of 100 MB reach all of it, those of 1 MB half.
  const Cluster cluster{"efficiency: [[100 MB, 1], [0 byte, 0.5]]", "efficiency: 0.5"};
  check("{dp: 4}", "dp", {{by("ring", "all_gather", "400 MB"), 3e-6 + 3e-3}, {by("ring", "all_gather", "4 MB"), 3e-6 + 60e-6}}, cluster);
  check("{dp: 8}", "dp", {{by("hierarchical", "all_gather", "800 MB"), 3e-6 + 6e-3 + 10e-6 + 20e-3}}, cluster);
}

TEST_CASE("collectives: a further rank, or a further byte, never takes less time") {
  const std::vector<std::string> algorithms = {"ring", "tree", "direct", "hierarchical", "in_network", "rings"};
  const std::vector<std::string> kinds = {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "point_to_point"};
  const Cluster adding{"efficiency: 0.7, in_network_reduction: true", "efficiency: 0.9, in_network_reduction: true"};
  std::vector<std::string> formulas;
  for (const std::string& kind : kinds) {
    for (const std::string& a : algorithms) {
      for (const char* size : {"1 kB", "1 MB", "1 GB"}) formulas.push_back(by(a.c_str(), kind.c_str(), size));
    }
    for (const char* size : {"1 kB", "1 MB", "1 GB"}) formulas.push_back(fmt::format("seconds_of({}, {}, cheapest)", kind, size));
  }
  std::vector<double> before(formulas.size(), 0);
  for (const int n : {2, 4, 8, 16, 32, 64}) {
    const std::vector<double> now = seconds(fmt::format("{{dp: {}}}", n), "dp", formulas, adding);
    for (std::size_t i = 0; i < now.size(); ++i) {
      CHECK_MESSAGE(now[i] >= before[i] * (1 - 1e-12), n, " ", formulas[i]);
      if (i % 3 != 0) CHECK_MESSAGE(now[i] > now[i - 1], n, " ", formulas[i]);
    }
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      for (std::size_t size = 0; size < 3; ++size) {
        const auto at = [&](std::size_t algorithm) { return now[k * 21 + algorithm * 3 + size]; };
        double least = at(0);
        for (std::size_t a = 0; a < 6; ++a) least = std::min(least, at(a));
        CHECK(near(at(6), least, 1e-12));
        CHECK_MESSAGE(at(5) <= at(0) * (1 + 1e-12), "many rings are never slower than one: ", kinds[k]);
        if (n <= 4 && kinds[k] != "all_to_all") CHECK_MESSAGE(near(at(3), at(0), 1e-12), "one level: ", kinds[k]);
        if (kinds[k] == "all_reduce" && n <= 4) CHECK(at(4) <= at(5) * (1 + 1e-12));
        if (kinds[k] == "all_reduce") CHECK_MESSAGE(at(4) <= at(3) * (1 + 1e-12), "the same inside, and between at most as much: ", n);
      }
    }
    before = now;
  }
}

TEST_CASE("collectives: what goes over the networks is what is sent") {
  const std::pair<const char*, const char*> runs[] = {
      {"{dp: 8}", "dp"}, {"{dp: 4, tp: 2}", "dp"}, {"{dp: 2, tp: 4}", "tp"}, {"{pp: 2, dp: 2, tp: 2}", "pp"}, {"{dp: 8, tp: 2, pp: 2}", "pp"}};
  for (const auto& [mesh, axis] : runs) {
    const std::vector<double> found = seconds(
        mesh, axis, {"max(abs(sum(carried_bytes over network) - sent_bytes) over message) / 1 byte * 1 s", "max(sent_bytes over message) / 1 byte * 1 s"}, {},
        "sequence_parallel: true\n", "megatron, zero_1");
    CHECK_MESSAGE(found[0] < 1e-6, mesh, " ", axis);
    CHECK_MESSAGE(found[1] > 1000, mesh, " ", axis);
  }
}

TEST_CASE("collectives: ranks of one network pay only there, and one rank nothing") {
  for (const char* mesh : {"{dp: 1, tp: 2}", "{dp: 2, tp: 1}", "{dp: 2, tp: 2}"}) {
    const auto with = [&](const char* far) {
      RunRequest request;
      request.model = "gpt2";
      request.execution = execution(mesh, "megatron");
      request.system = system_of({"efficiency: 1", far});
      said() = {};
      auto run = Run::prepare(request, shipped(), said());
      REQUIRE_MESSAGE(run, render(said()));
      return value(*run, "iteration_time");
    };
    CHECK(with("efficiency: 1") == with("efficiency: 0.01"));
  }
}

TEST_CASE("collectives: axes are placed on a network that joins their ranks, together") {
  const auto failed = [](const char* mesh, const char* placed) {
    const auto run = prepare("gpt2", execution(mesh, "megatron", std::string("batch_size: 32\nplaced_on: ") + placed + "\n"), "h100-80g-sxm");
    std::string text;
    for (const auto& violation : run->violations(said())) text += violation.message + "; ";
    return text;
  };
  CHECK(failed("{dp: 8}", "{dp: nvlink}") == "");
  CHECK(failed("{dp: 16}", "{dp: infiniband}") == "");
  CHECK(failed("{dp: 16}", "{dp: nvlink}") == "16 ranks are placed on the network `nvlink`, which joins 8 processors; ");
  CHECK(failed("{dp: 4, tp: 4}", "{dp: nvlink, tp: nvlink}") == "16 ranks are placed on the network `nvlink`, which joins 8 processors; ");
}

}  // namespace opledger
