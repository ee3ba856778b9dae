#include "questions/peers.h"

#include <set>

#include "tests/support/runs.h"

namespace opledger {
namespace {

Peers peers_of(const std::string& execution, const std::string& accounting = "") {
  said() = {};
  RunRequest request;
  request.execution = execution;
  request.accounting = accounting;
  const std::optional<Peers> peers = find_peers(request, shipped(), said());
  REQUIRE_MESSAGE(peers, render(said()));
  return *peers;
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("peers: a processor's groups") {
  const PeerGroup tensor{"tp", {{4, 1}}, false}, pipeline{"pp", {{3, 4}}, true}, both{"x", {{2, 12}, {4, 1}}, false}, chain{"y", {{2, 12}, {3, 4}}, true};
  CHECK(tensor.of(6) == Numbers{4, 5, 6, 7});
  CHECK(pipeline.of(6) == Numbers{10});
  CHECK(pipeline.of(10) == Numbers{2});  // The last stage is followed by the first.
  CHECK(both.of(14) == Numbers{0, 1, 2, 3, 12, 13, 14, 15});
  CHECK(chain.of(9) == Numbers{13});
  CHECK(chain.of(21) == Numbers{1});
}

TEST_CASE("peers: groups share out the processors, and who follows whom is one circle each") {
  for (const std::string& name : shipped().names("execution")) {
    const Peers peers = peers_of(name);
    CAPTURE(name);
    for (const PeerGroup& group : peers.groups) {
      CAPTURE(group.name);
      std::set<std::int64_t> seen;
      for (std::int64_t processor = 0; processor < peers.processors; ++processor) {
        const Numbers found = group.of(processor);
        seen.insert(found.begin(), found.end());
        if (group.next) {
          CHECK(found.size() == 1);
        } else {
          CHECK(static_cast<std::int64_t>(found.size()) == group.size());
          CHECK(group.of(found.back()) == found);
        }
      }
      CHECK(static_cast<std::int64_t>(seen.size()) == peers.processors);
    }
  }
}

TEST_CASE("peers: stages follow each other, and made-up axes come last") {
  const Peers peers = peers_of(execution("{pp: 4, dp: {edp: 2, ep: 3}, cp: 1, tp: 2}", "megatron"));
  CHECK(peers.processors == 48);
  std::string text;
  for (const PeerGroup& group : peers.groups) text += group.name + (group.next ? "> " : " ");
  CHECK(text == "tp ep edp pp> dp ");
  CHECK(peers_of("single").groups.empty());
}

TEST_CASE("peers: as an accounting says it, whatever the order of the mesh") {
  const Peers peers = peers_of(execution("{pp: 4, dp: 3, tp: 2}", "megatron"), "calculon");
  REQUIRE(peers.groups.size() == 3);
  CHECK(peers.groups[0].of(3) == Numbers{2, 3});
  CHECK(peers.groups[1].of(3) == Numbers{5});
  CHECK(peers.groups[2].of(3) == Numbers{3, 11, 19});
}

}  // namespace opledger
