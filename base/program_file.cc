#include "base/program_file.h"

#if __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#endif

#include <system_error>

namespace opledger {

namespace fs = std::filesystem;

namespace {

/// Returns the file that the auxiliary vector names: the path by which the program was started. A relative path is
/// relative to the folder of that time, which the program never leaves.
fs::path started_file() {
#ifdef AT_EXECFN
  if (const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN))) {
    std::error_code error;
    if (fs::path file = fs::canonical(started, error); !error) return file;
  }
#endif
  return {};
}

/// Returns whether the dynamic loader was started with the program as its argument: the kernel then gives no address of
/// a loader. /proc/self/exe is the loader in that case, but AT_EXECFN is the program, since the loader replaces it.
bool was_started_by_loader() {
#ifdef AT_BASE
  return ::getauxval(AT_BASE) == 0;
#else
  return false;
#endif
}

}  // namespace

fs::path program_file() {
  std::error_code error;
  if (!was_started_by_loader()) {
    if (fs::path file = fs::read_symlink("/proc/self/exe", error); !error) return file;
  }
  return started_file();  // the only source without /proc too, as in a bare chroot
}

}  // namespace opledger
