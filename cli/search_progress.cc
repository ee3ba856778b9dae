#include "cli/search_progress.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/cells.h"

namespace opledger {
namespace {

std::string count(std::uint64_t n) { return human(static_cast<double>(n), {}); }

std::string duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return seconds < 2 * kDay ? fmt::format("{:.1f} h", seconds / kHour) : fmt::format("{:.1f} days", seconds / kDay);
}

}  // namespace

std::string progress_text(const SearchStatus& status, double seconds, std::size_t columns) {
  const std::string done = count(status.done) + (status.total > 0 ? " of " + count(status.total) : " candidates");
  const double rate = seconds > 0 ? static_cast<double>(status.done - status.before) / seconds : 0;
  const std::string speed = rate >= 1 ? ", " + count(static_cast<std::uint64_t>(rate)) + "/s" : "";
  const bool ends = rate > 0 && status.total > status.done;
  const std::string left = ends ? ", " + duration(static_cast<double>(status.total - status.done) / rate) + " left" : "";
  const std::string best = status.best.empty() ? "" : ", best " + status.best;
  for (const std::string& text : {done + speed + left + best, done + left + best, done + left}) {
    if (width(text) <= columns) return text;
  }
  return done;
}

}  // namespace opledger
