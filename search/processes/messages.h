#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "search/processes/ranks.h"
#include "search/sweep/candidate_rows.h"

/// The messages between the processes of a search. The first byte is the kind.
namespace opledger::messages {

// Messages to the leader.
inline constexpr char kIdle = 'i';    ///< Waits for work.
inline constexpr char kFound = 'f';   ///< Results of one range.
inline constexpr char kTraced = 't';  ///< The trace of a requested candidate.
inline constexpr char kFailed = 'x';  ///< Can't continue; with the reason.
// The last one is Ranks::kGoodbye.

// Messages from the leader to idle followers; `kEnd` goes to every follower. An idle follower receives without
// sending, so that long messages can't block both processes. A follower's last message is Ranks::kGoodbye.
inline constexpr char kTrace = 'c';   ///< Request to trace a candidate.
inline constexpr char kKnown = 'k';   ///< A trace to add to the cache.
inline constexpr char kSearch = 's';  ///< Request to search some ranges.
inline constexpr char kEnd = 'e';     ///< No more work.

/// Returns the kind of a message; 0 for an empty message.
inline char kind(std::string_view message) { return message.empty() ? '\0' : message[0]; }
/// Returns the bytes after the kind.
inline std::string_view content(std::string_view message) { return message.substr(message.empty() ? 0 : 1); }

/// Returns the error for a message after which the search can't continue, with the sender's notes.
Diagnostic failure_from(const Ranks::Message& message);
/// Packs the content of `kFailed`: message and notes, with source positions as text.
std::string packed(const Diagnostic& why);

/// The results of one range from another process.
struct Report {
  std::uint64_t number = 0;
  std::string tally;
  CandidateRows rows;
};

/// Packs the content of `kFound`.
std::string packed(const RangeResult& found);
/// Returns nothing if the bytes are no packed report.
std::optional<Report> unpack_report(std::string_view bytes);

}  // namespace opledger::messages
