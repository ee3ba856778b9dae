#include "search/processes/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/packing.h"
#include "search/space/candidate_range.h"
#include "search/sweep/tally.h"

namespace opledger::messages {

Diagnostic failure_from(const Ranks::Message& message) {
  // Three cases: the sender left early, sent the reason of its failure, or sent bytes that can't be unpacked.
  Diagnostic out;
  std::vector<std::string> texts;
  if (kind(message.bytes) == kFailed) {
    Unpacker(content(message.bytes)).get(texts);
    for (std::size_t i = 1; i < texts.size(); ++i) out.note({}, texts[i]);
  }
  const std::string reason = message.bytes == Ranks::kGoodbye ? "has left the search" : texts.empty() ? "sent a malformed message" : "can't go on: " + texts[0];
  out.message = fmt::format("rank {} {}", message.from, reason);
  return out;
}

std::string packed(const Diagnostic& why) {
  std::vector<std::string> texts;
  const auto add = [&](const Diagnostic& d) { texts.push_back((d.span.known() ? to_string(d.span) + ": " : "") + d.message); };
  add(why);
  std::for_each(why.notes.begin(), why.notes.end(), add);
  Packer out;
  out.put(texts);
  return out.take();
}

std::string packed(const RangeResult& found) {
  Packer out;
  out.put(found.range.number);
  out.put(packed(found.tally));
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
