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
inline constexpr char kFound = 'f';   ///< Results of one range, as a packed report.
inline constexpr char kTraced = 't';  ///< The trace of a requested candidate.
inline constexpr char kFailed = 'x';  ///< The sender can't continue; with the reason.
// The last message of a follower is Ranks::kGoodbye.

// Messages from the leader to idle followers; `kEnd` goes to every follower. An idle follower receives without
// sending, so that long messages can't block both processes.
inline constexpr char kTrace = 'c';   ///< Request to trace a candidate.
inline constexpr char kKnown = 'k';   ///< A trace to add to the cache.
inline constexpr char kSearch = 's';  ///< Request to search an interval of ranges: number of the first, number after the last.
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
  std::uint64_t number = 0;  ///< Number of the range.
  std::string tally;         ///< Packed tally of the range (search/sweep/tally.h).
  CandidateRows rows;        ///< Feasible candidates; `rows.axes` and `rows.metrics` are not sent, the receiver sets them.
};

/// Packs the content of `kFound`.
std::string packed(const RangeResult& found);
/// Reads the content of `kFound`. Returns nothing if the bytes are no packed report; sizes of tally and rows are not
/// checked.
std::optional<Report> unpack_report(std::string_view bytes);

}  // namespace opledger::messages
