#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

/// Where a file that is asked for ends up: beside what is there until it is whole, then in its place.
namespace opledger {

struct OutputTarget {
  std::filesystem::path path;  ///< Of links, what they point to.
  bool in_place = false;       ///< A pipe or a device: what is written goes there.
  bool exists = false;
  ::mode_t mode = 0;    ///< Of what exists.
  std::string problem;  ///< Why nothing can be written there; empty: it can.
};

OutputTarget output_target(const std::string& path);

/// A new file beside the target; -1 and what went wrong.
int open_beside(const OutputTarget& target, std::string& problem);

/// Closes it and renames it; to an empty name: it is dropped. Empty, or what went wrong: it is dropped then too.
std::string close_beside(int descriptor, const OutputTarget& target, const std::filesystem::path& name);

/// What the system says of an error, whatever the locale.
std::string reason(int error);

}  // namespace opledger
