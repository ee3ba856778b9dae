#include "questions/rank_groups.h"

#include <set>

#include "questions/peers.h"
#include "tests/support/runs.h"

/// Groups of ranks that communicate.
namespace opledger {
namespace {

using Ranks = std::vector<std::int64_t>;

std::vector<Ranks> all(const GroupsOfRanks& groups) {
  std::vector<Ranks> out;
  for (std::size_t g = 0; g < groups.size(); ++g) out.push_back(groups[g]);
  return out;
}

CommunicatingRanks listed(Run& run) {
  const std::optional<CommunicatingRanks> ranks = communicating_ranks(run, said());
  REQUIRE_MESSAGE(ranks, render(said()));
  return *ranks;
}

}  // namespace

TEST_CASE("groups of ranks: two axes of two, by hand") {
  const auto run = prepare("gpt2", execution("{dp: 2, tp: 2}", "megatron", "batch_size: 2\nmicrobatch_size: 1\n"));
  const CommunicatingRanks ranks = listed(*run);
  CHECK(ranks.ranks == 4);
  CHECK(ranks.node == 0);
  REQUIRE(ranks.axes.size() == 2);
  for (const RankGroups& g : ranks.axes) {
    CHECK(all(g.groups) == (g.axes == "tp" ? std::vector<Ranks>{{0, 1}, {2, 3}} : std::vector<Ranks>{{0, 2}, {1, 3}}));
    CHECK(!g.chain);
  }
}

TEST_CASE("groups of ranks: those along inner, outer and middle axes, and of some places only") {
  using Axis = GroupsOfRanks::Axis;
  CHECK(all({{Axis{2, 4}, Axis{2, 2}}, {0, 1}}) == std::vector<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(all({{Axis{2, 4}, Axis{2, 1}}, {0, 2}}) == std::vector<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(all({{Axis{2, 1}, Axis{2, 4}}, {0, 2}}) == std::vector<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(all({{Axis{2, 1}}, {0, 4}}) == std::vector<Ranks>{{0, 4}, {1, 5}});
  CHECK(all({{}, {0, 1, 2}}) == std::vector<Ranks>{{0, 1, 2}});
  CHECK(all({}).empty());
}

TEST_CASE("groups of ranks: of half a million ranks none is listed") {
  const auto run = prepare("gpt2", execution("{dp: 65536, tp: 8}", "megatron", "batch_size: 65536\nmicrobatch_size: 1\n"), "", {{"heads", "16"}});
  for (const RankGroups& g : listed(*run).axes) {
    CHECK(g.groups.size() * g.groups.ranks() == 524288);
    CHECK(g.groups.rank(g.groups.size() - 1, g.groups.ranks() - 1) == 524287);
  }
}

TEST_CASE("groups of ranks: of every shipped execution they part the ranks, and each is what `peers` gives") {
  for (const std::string& name : trained_executions()) {
    const std::string model = model_and_system(name).first;
    const auto run = prepare(model, name);
    RunRequest request;
    request.execution = name;
    const std::optional<Peers> peers = find_peers(request, shipped(), said());
    REQUIRE(peers);
    for (const RankGroups& g : listed(*run).axes) {
      if (g.axes.find('{') != std::string::npos) continue;  // Only some stages take part.
      std::set<std::int64_t> seen;
      for (const Ranks& group : all(g.groups)) seen.insert(group.begin(), group.end());
      CHECK_MESSAGE(seen.size() == static_cast<std::size_t>(peers->processors), name, " ", g.axes);
      CHECK(g.groups.size() * g.groups.ranks() == seen.size());
      for (const PeerGroup& p : peers->groups) {
        if (p.name != g.axes || p.next) continue;
        for (const Ranks& group : all(g.groups)) CHECK_MESSAGE(p.of(group.back()) == group, name, " ", g.axes);
      }
    }
  }
}

TEST_CASE("groups of ranks: a pipeline is a chain, and the stages that share a weight are a group of their own") {
  const auto tied = prepare("gpt2", execution("{pp: 4, dp: 2}", "megatron", "batch_size: 8\nmicrobatch_size: 1\n"));
  const auto free = prepare("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm");
  const auto groups = [&](Run& run, const std::string& axes) {
    for (const RankGroups& g : listed(run).axes) {
      if (g.axes == axes) return g;
    }
    FAIL(axes);
    return RankGroups{};
  };
  CHECK(groups(*tied, "pp").chain);
  CHECK(all(groups(*tied, "pp").groups) == std::vector<Ranks>{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(!groups(*tied, "pp {0, 3}").chain);
  CHECK(all(groups(*tied, "pp {0, 3}").groups) == std::vector<Ranks>{{0, 6}, {1, 7}});
  CHECK(groups(*free, "pp").chain);
  CHECK(listed(*free).node == 8);
  // The token table of `t5-base` is on the first stage of the encoder, on the boundary of encoder and decoder, and at
  // the head.
  const auto t5 = prepare("t5-base", execution("{dp: 2, pp: 6}", "megatron", "batch_size: 8\nmicrobatch_size: 1\n"));
  CHECK(all(groups(*t5, "pp {0, 2, 5}").groups) == std::vector<Ranks>{{0, 2, 5}, {6, 8, 11}});
}

}  // namespace opledger
