#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

/// Temporary files that replace their target atomically.
namespace opledger {

/// A file to write. The functions below are called in their order: target, temporary file, rename.
struct OutputTarget {
  std::filesystem::path path;  ///< Path of the file, with links resolved.
  bool in_place = false;       ///< True if the target is a pipe or a device, which is written directly.
  bool exists = false;         ///< True if a file has this path.
  ::mode_t mode = 0;           ///< Permissions of an existing file, which a new file receives.
  std::string problem;         ///< Reason why the target is not writable; empty: writable.
};

/// Returns the target for a path, resolving links and checking permissions. Failures are in `problem`.
OutputTarget output_target(const std::string& path);

/// Creates a temporary file in the target's folder, with the permissions of an existing target. Returns its descriptor,
/// which the caller closes with `close_temporary`, or -1 and the problem.
int open_temporary(const OutputTarget& target, std::string& problem);

/// Closes the temporary file and renames it to `name`; an empty name removes the file. Returns an empty text, or the
/// problem, in which case the file is removed.
std::string close_temporary(int descriptor, const OutputTarget& target, const std::filesystem::path& name);

/// Returns the system's text for `errno` values, independent of the locale.
std::string reason(int error);

}  // namespace opledger
