// `heatmap`: what a search has written down as a picture.
#include "cli/command.h"
#include "report/heatmap_svg.h"

namespace opledger {

Outcome heatmap_command(const Command&, const Options& options, Library&, Diagnostics& diagnostics) {
  const std::optional<Heatmap> map = read_heatmap({options.arguments[0], options.x, options.y, options.value}, diagnostics);
  return map ? Outcome{write_heatmap_svg(*map), {}} : Outcome{};
}

}  // namespace opledger
