#include "cli/command.h"
#include "report/peers_json.h"

namespace opledger {

Outcome peers_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  RunRequest request = run_request(options, {});
  request.execution = options.arguments[0];
  const std::optional<Peers> peers = find_peers(request, library, diagnostics);
  return peers ? Outcome{write_peers_json(*peers), {}} : Outcome{};
}

}  // namespace opledger
