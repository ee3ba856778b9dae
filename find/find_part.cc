#include "find/find_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {

std::vector<FindPart> find_parts(const std::string& names, Diagnostics& diagnostics) {
  const std::vector<std::string> known(std::begin(kFindParts), std::end(kFindParts));
  std::vector<FindPart> out;
  for (const std::string& name : split(names, ',')) {
    const auto found = std::find(known.begin(), known.end(), name);
    const auto part = static_cast<FindPart>(found - known.begin());
    if (found == known.end()) {
      diagnostics.error(
          {}, fmt::format("`--find` takes {}, or several of them separated by commas, found `{}`{}", join(known, ", "), name, suggestion(name, known)));
      return {};
    }
    if (contains(out, part)) {
      diagnostics.error({}, fmt::format("`--find` names `{}` twice", name));
      return {};
    }
    out.push_back(part);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace opledger
