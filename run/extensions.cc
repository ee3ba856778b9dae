#include "run/extensions.h"

namespace opledger {
namespace {

std::optional<RunExtensions>& set_extensions() {
  static std::optional<RunExtensions> extensions;
  return extensions;
}

}  // namespace

void extend_runs(const RunExtensions& extensions) { set_extensions() = extensions; }

const RunExtensions* run_extensions(Diagnostics& diagnostics) {
  if (set_extensions()) return &*set_extensions();
  diagnostics.error({}, "the program did not call `set_up_runs` (report/set_up.h) before its first run");
  return nullptr;
}

}  // namespace opledger
