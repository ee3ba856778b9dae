#include "report/peers_json.h"

#include <fmt/format.h>

namespace opledger {
namespace {

/// Returns a group's entry for a processor: its next peer, or a list of peers.
std::string written_group(const PeerGroup& group, std::int64_t processor) {
  const std::vector<std::int64_t> peers = group.of(processor);
  return group.next ? fmt::format("\"{}\": {}", group.name, peers[0]) : fmt::format("\"{}\": [{}]", group.name, fmt::join(peers, ", "));
}

}  // namespace

std::string write_peers_json(const Peers& peers) {
  std::string out = "{";
  for (std::int64_t processor = 0; processor < peers.processors; ++processor) {
    std::string line;
    for (const PeerGroup& group : peers.groups) line += (line.empty() ? "" : ", ") + written_group(group, processor);
    out += fmt::format("{}\n  \"{}\": {{{}}}", processor == 0 ? "" : ",", processor, line);
  }
  return out + "\n}\n";
}

}  // namespace opledger
