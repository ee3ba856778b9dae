#include "search/processes/messages.h"

#include <fmt/core.h>

#include <utility>

#include "base/packing.h"
#include "search/sweep/tally.h"

namespace opledger::messages {

std::string complaint(const Ranks::Message& message) {
  if (message.bytes == Ranks::kGoodbye) return fmt::format("rank {} has left the search", message.from);
  if (kind(message.bytes) == kFailed) return fmt::format("rank {} can't go on: {}", message.from, content(message.bytes));
  return fmt::format("rank {} has sent what can't be understood", message.from);
}

std::string packed(const StretchFound& found) {
  Packer out;
  out.put(found.stretch.number);
  out.put(packed(found.some));
  out.put(std::uint64_t{found.rows.count});
  out.put(found.rows.values);
  out.put(found.rows.costs);
  return out.take();
}

std::optional<Report> unpack_report(std::string_view bytes) {
  Unpacker in(bytes);
  Report out;
  std::uint64_t count = 0;
  in.get(out.number);
  in.get(out.tally);
  in.get(count);
  out.rows.count = count;
  in.get(out.rows.values);
  in.get(out.rows.costs);
  return in.at_end() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace opledger::messages
