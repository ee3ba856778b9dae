#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "search/processes/ranks.h"
#include "search/sweep/found_rows.h"

/// What the processes of a search tell each other.
namespace opledger::messages {

// How messages to the leader begin.
inline constexpr char kIdle = 'i';    ///< Waits for what there is to do.
inline constexpr char kFound = 'f';   ///< What is in a stretch.
inline constexpr char kTraced = 't';  ///< A structure, as it was asked for.
inline constexpr char kFailed = 'x';  ///< Can't go on, and why.
// The last one is Ranks::kGoodbye.

// From the leader, to those that are idle, the last one to all. Who is idle receives without sending, so that even long messages arrive.
inline constexpr char kTrace = 'c';   ///< The structure of this candidate is wanted.
inline constexpr char kKnown = 'k';   ///< A structure of the space.
inline constexpr char kSearch = 's';  ///< Some stretches are to be searched.
inline constexpr char kEnd = 'e';     ///< There is nothing more to do.

/// How a message begins; of an empty one any.
inline char kind(std::string_view message) { return message.empty() ? '\0' : message[0]; }
/// What follows.
inline std::string_view content(std::string_view message) { return message.substr(message.empty() ? 0 : 1); }

/// Of a message that a search can't go on after: the error, with notes if the rank has told some.
Diagnostic complaint(const Ranks::Message& message);
/// What `kFailed` goes with. Places are told in words.
std::string packed(const Diagnostic& why);

/// What another process found in a stretch.
struct Report {
  std::uint64_t number = 0;
  std::string tally;
  FoundRows rows;
};

std::string packed(const StretchFound& found);
/// Empty for bytes that no report was packed to.
std::optional<Report> unpack_report(std::string_view bytes);

}  // namespace opledger::messages
