#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "report/unfinished.h"

/// Temporary files that replace their target atomically.
namespace opledger {

/// A file to write. The functions below are called in their order: target, temporary file, close, rename.
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
/// which the caller closes with `close_temporary`, or -1 and the problem. A signal that ends the program removes the file
/// (unfinished.h), until it is renamed or removed.
int open_temporary(const OutputTarget& target, std::string& problem);

/// Synchronizes and closes a temporary file. Returns an empty text, or the problem.
std::string close_temporary(int descriptor);

/// Renames a closed temporary file to `name`. Returns an empty text, or the problem, in which case the file is removed.
std::string rename_temporary(const OutputTarget& target, const std::filesystem::path& name, Unfinished& unfinished);

/// Removes a temporary file; nothing happens if there is none.
void remove_temporary(const OutputTarget& target, Unfinished& unfinished);
void remove_temporary(const OutputTarget& target);

/// Returns the system's text for `errno` values, independent of the locale.
std::string reason(int error);

}  // namespace opledger
