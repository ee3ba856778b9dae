#include "search/processes/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/packing.h"
#include "search/space/stretch.h"
#include "search/sweep/tally.h"

namespace opledger::messages {

Diagnostic complaint(const Ranks::Message& message) {
  Diagnostic out;
  std::vector<std::string> said;
  if (kind(message.bytes) == kFailed) {
    Unpacker(content(message.bytes)).get(said);
    for (std::size_t i = 1; i < said.size(); ++i) out.note({}, said[i]);
  }
  const std::string what = message.bytes == Ranks::kGoodbye ? "has left the search"
                           : said.empty()                   ? "has sent what can't be understood"
                                                            : "can't go on: " + said[0];
  out.message = fmt::format("rank {} {}", message.from, what);
  return out;
}

std::string packed(const Diagnostic& why) {
  std::vector<std::string> said;
  const auto say = [&](const Diagnostic& d) { said.push_back((d.span.known() ? to_string(d.span) + ": " : "") + d.message); };
  say(why);
  std::for_each(why.notes.begin(), why.notes.end(), say);
  Packer out;
  out.put(said);
  return out.take();
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
