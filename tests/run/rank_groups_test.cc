#include "run/rank_groups.h"

#include <set>

#include "run/peers.h"
#include "tests/run/runs.h"

/// Groups of ranks that communicate.
namespace opledger {
namespace {

using Ranks = std::vector<std::int64_t>;

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
    CHECK(g.groups == (g.axes == "tp" ? std::vector<Ranks>{{0, 1}, {2, 3}} : std::vector<Ranks>{{0, 2}, {1, 3}}));
    CHECK(!g.chain);
  }
}

TEST_CASE("groups of ranks: of every shipped execution they part the ranks, and each is what `peers` gives") {
  for (const std::string& name : shipped().names("execution")) {
    const std::string model = model_and_system(name).first;
    if (model.empty()) continue;
    const auto run = prepare(model, name);
    RunRequest request;
    request.execution = name;
    const std::optional<Peers> peers = find_peers(request, shipped(), said());
    REQUIRE(peers);
    for (const RankGroups& g : listed(*run).axes) {
      std::set<std::int64_t> met;
      for (const Ranks& group : g.groups) met.insert(group.begin(), group.end());
      CHECK_MESSAGE(met.size() == static_cast<std::size_t>(peers->processors), name, " ", g.axes);
      CHECK(g.groups.size() * g.groups[0].size() == met.size());
      for (const PeerGroup& p : peers->groups) {
        if (p.name != g.axes || p.next) continue;
        for (const Ranks& group : g.groups) CHECK_MESSAGE(p.of(group.back()) == group, name, " ", g.axes);
      }
    }
  }
}

TEST_CASE("groups of ranks: a pipeline is a chain, unless a tied weight is reduced over it too") {
  const auto tied = prepare("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm");
  const auto free = prepare("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm");
  const auto chain = [&](Run& run) {
    for (const RankGroups& g : listed(run).axes) {
      if (g.axes == "pp") return g.chain;
    }
    return false;
  };
  CHECK(!chain(*tied));
  CHECK(chain(*free));
  CHECK(listed(*free).node == 8);
}

}  // namespace opledger
