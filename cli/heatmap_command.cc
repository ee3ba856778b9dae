// `heatmap`: a picture of the results of a search.
#include <fmt/core.h>

#include <filesystem>

#include "cli/command.h"
#include "report/heatmap_svg.h"

namespace opledger {
namespace {

// Returns whether the name of a file allows SVG: its suffix is `.svg`, or it has none.
bool names_svg(const std::string& output) {
  std::filesystem::path file = output;
  if (file.extension() == ".gz") file = file.stem();
  return file.extension().empty() || file.extension() == ".svg";
}

}  // namespace

Outcome heatmap_command(const Command&, const Options& options, Library&, Diagnostics& diagnostics) {
  if (!names_svg(options.output)) {
    const std::string svg = std::filesystem::path(options.output).replace_extension(".svg").string();
    diagnostics.error({},
                      fmt::format("`-o {0}`: a map is written as SVG: `-o {1}`, or `-o {1}.gz` compressed (`rsvg-convert {1} -o FILE.png` makes a PNG of it)",
                                  options.output, svg));
    return {};
  }
  const std::optional<Heatmap> map = read_heatmap({options.arguments[0], options.x, options.y, options.value}, diagnostics);
  return map ? Outcome{write_heatmap_svg(*map), {}} : Outcome{};
}

}  // namespace opledger
